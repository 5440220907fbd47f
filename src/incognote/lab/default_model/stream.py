"""Notes as batches of windows: a student's tokens and tags, and where a teacher has other tokens, its tokens for the same text."""

import multiprocessing
import queue
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import numpy as np

from incognote.document import Document
from incognote.errors import TrainingError
from incognote.find.model.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.find.model.windows import cut_windows
from incognote.lab.default_model.batches import ALIGNED, INSIDE, UNCOVERED, TeacherTokens, WindowBatch, concatenate
from incognote.lab.default_model.notes import Chunk, fill_spool, read_spool, stream_notes
from incognote.lab.encoders.encoding import EncodedNote, encode_notes
from incognote.lab.shrink.distillation_targets import list_visible

_CROPPED = 0.2  # of the windows begin and end anywhere
_TIMEOUT = 90  # seconds to wait for a batch
_SMALL = 0.05  # of a chunk, where notes are made in this process


@dataclass(frozen=True, slots=True)
class Source:
    """Where the notes of a training come from, and into whose windows they are cut; ``teachers`` are those with tokens of their own."""

    injected: Path
    spool: Path
    student: Path
    teachers: tuple[Path, ...]
    tags: tuple[str, ...]
    window: int
    overlap: int
    seed: int


def shares_tokens(one: Path, other: Path) -> bool:
    """Whether two models have the same tokenizer."""
    return (one / "tokenizer.json").read_bytes() == (other / "tokenizer.json").read_bytes()


def read_batches(source: Source, number: int, readers: int) -> Iterator[WindowBatch]:
    """The batches of reader ``number``, for ever; without readers, those of small chunks of notes made here."""
    rng = Random(f"read/{source.seed}/{number}")
    if readers:
        chunks: Iterator[Chunk] = read_spool(source.spool, rng, number=number, readers=readers)
    else:
        chunks = stream_notes(source.injected, rng, first=1000 + source.seed * 10**7, share=_SMALL)
    own, others = load_tokenizer(source.student), [load_tokenizer(folder) for folder in source.teachers]
    for documents, exact in chunks:
        yield cut_batch(documents, own, others, source, exact, rng)


def cut_batch(
    documents: Sequence[Document], own: SubwordTokenizer, others: Sequence[SubwordTokenizer], source: Source, exact: bool, rng: Random
) -> WindowBatch:
    """The documents as windows, in the student's tokens and in each teacher's."""
    notes = encode_notes(documents, own, source.tags)
    windows = cut_windows([len(note) for note in notes], room=source.window - own.specials, overlap=source.overlap)
    cuts = [(window.note, slice(*crop(window.start, window.end, rng))) for window in windows]
    texts = [document.text for document in documents]
    return WindowBatch(
        np.array([cut.stop - cut.start for _, cut in cuts], dtype=np.int64),
        np.concatenate([notes[note].tokens.ids[cut] for note, cut in cuts]).astype(np.int32),
        np.concatenate([notes[note].tags[cut] for note, cut in cuts]).astype(np.int16),
        np.full(len(cuts), exact),
        np.zeros(len(cuts), dtype=np.int8),
        tuple(tokenize_for_teacher(texts, notes, cuts, other, source.window - other.specials) for other in others),
    )


def crop(start: int, end: int, rng: Random) -> tuple[int, int]:
    """Mostly the window itself; at times a part of it, so that where a window begins does not matter."""
    if end - start < 24 or rng.random() >= _CROPPED:
        return start, end
    first = rng.randint(start, end - 16)
    return first, rng.randint(first + 8, end)


def tokenize_for_teacher(
    texts: Sequence[str], notes: Sequence[EncodedNote], cuts: Sequence[tuple[int, slice]], other: SubwordTokenizer, room: int
) -> TeacherTokens:
    """The same windows in another tokenizer; what does not fit into ``room`` of its tokens is not covered."""
    theirs = other.tokenize(texts)
    maps = [map_tokens(text, note.tokens, tokens) for text, note, tokens in zip(texts, notes, theirs, strict=True)]
    ids, positions, coverage = [], [], []
    for note, cut in cuts:
        there, how = (part[cut] for part in maps[note])
        first = int(there[0])
        last = min(int(there[-1]) + 1, first + room, len(theirs[note]))
        ids.append(theirs[note].ids[first:last])
        positions.append(np.clip(there - first, 0, max(0, last - first - 1)))
        coverage.append(np.where((there >= first) & (there < last), how, UNCOVERED))
    return TeacherTokens(
        np.array([len(part) for part in ids], dtype=np.int64),
        np.concatenate(ids).astype(np.int32),
        np.concatenate(positions).astype(np.int16),
        np.concatenate(coverage).astype(np.int8),
    )


def map_tokens(text: str, tokens: Tokens, other: Tokens) -> tuple[Any, Any]:
    """For each token the other's at its first visible character or the nearest before it, and how that one covers it."""
    visible, mine = list_visible(text, tokens)
    theirs, numbers = list_visible(text, other)
    coverage = np.full(len(tokens), UNCOVERED)
    if not len(numbers):
        return np.zeros(len(tokens), np.intp), coverage
    starts = tokens.starts.copy()
    starts[mine] = visible.starts
    at = np.maximum(np.searchsorted(theirs.starts, starts, side="right") - 1, 0)
    coverage[mine] = np.where(theirs.starts[at[mine]] == visible.starts, ALIGNED, INSIDE)
    return np.maximum.accumulate(numbers[at]), coverage


class Stream:
    """The batches of a training: writers fill the spool and readers cut it into windows, in processes; without readers, in this one."""

    def __init__(self, source: Source, *, readers: int, writers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.own = None if readers else read_batches(source, 0, 0)
        self.batches: multiprocessing.Queue[WindowBatch] = context.Queue(maxsize=8 * readers)
        self.processes = [
            context.Process(target=fill_spool, args=(source.spool, source.injected, number, source.seed), daemon=True)
            for number in range(writers)
        ]
        self.processes += [
            context.Process(target=_put_batches, args=(self.batches, source, number, readers), daemon=True) for number in range(readers)
        ]

    def __enter__(self) -> "Stream":
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in self.processes:
            process.kill()

    def take(self, count: int) -> WindowBatch:
        """The next batches with at least so many windows; waits for the readers, and fails when they bring nothing."""
        taken: list[WindowBatch] = []
        while sum(map(len, taken)) < count:
            try:
                taken.append(next(self.own) if self.own else self.batches.get(timeout=_TIMEOUT))
            except queue.Empty:
                alive = sum(process.is_alive() for process in self.processes)
                raise TrainingError(f"no notes for {_TIMEOUT} s; {alive} processes are alive") from None
        return concatenate(taken)


def _put_batches(batches: "multiprocessing.Queue[WindowBatch]", source: Source, number: int, readers: int) -> None:
    for batch in read_batches(source, number, readers):
        batches.put(batch)

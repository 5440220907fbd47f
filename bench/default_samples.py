"""Notes as packs of windows: a student's tokens and tags, and where its teachers have other tokens, theirs for the same text."""

import multiprocessing
import queue
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import numpy as np
from default_notes import fill_spool, read_spool
from default_packs import BEGUN, UNHEARD, WITHIN, Pack, Voice, join

from incognote.document import Document
from incognote.find.model.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.find.model.windows import cut_windows
from incognote.lab.encoders.encoding import EncodedNote, encode_notes
from incognote.lab.shrink.distillation import list_visible

_CROPPED = 0.2  # of the windows begin and end anywhere
_WAITED = 90  # seconds for a pack


@dataclass(frozen=True, slots=True)
class Source:
    """What the readers of a training need to know: where notes come from, and into whose windows they go."""

    carry: Path
    spool: Path
    student: Path
    teachers: tuple[Path, ...]
    tags: tuple[str, ...]
    window: int
    overlap: int
    seed: int


def reads_alike(one: Path, other: Path) -> bool:
    """Whether two models have the same tokens."""
    return (one / "tokenizer.json").read_bytes() == (other / "tokenizer.json").read_bytes()


def make_packs(source: Source, number: int, readers: int) -> Iterator[Pack]:
    """The packs of reader ``number``, for ever."""
    own, others = load_tokenizer(source.student), [load_tokenizer(folder) for folder in source.teachers]
    rng = Random(f"read/{source.seed}/{number}")
    for documents, exact in read_spool(source.spool, rng, number=number, readers=readers):
        yield cut_pack(documents, own, others, source, exact, rng)


def cut_pack(
    documents: Sequence[Document], own: SubwordTokenizer, others: Sequence[SubwordTokenizer], source: Source, exact: bool, rng: Random
) -> Pack:
    notes = encode_notes(documents, own, source.tags)
    windows = cut_windows([len(note) for note in notes], room=source.window - own.specials, overlap=source.overlap)
    cuts = [(window.note, slice(*crop(window.start, window.end, rng))) for window in windows]
    texts = [document.text for document in documents]
    voices = tuple(speak(texts, notes, cuts, other, source.window - other.specials) for other in others)
    return Pack(
        np.array([cut.stop - cut.start for _, cut in cuts], dtype=np.int64),
        np.concatenate([notes[note].tokens.ids[cut] for note, cut in cuts]).astype(np.int32),
        np.concatenate([notes[note].tags[cut] for note, cut in cuts]).astype(np.int16),
        np.full(len(cuts), exact),
        np.zeros(len(cuts), dtype=np.int8),
        voices,
    )


def crop(start: int, end: int, rng: Random) -> tuple[int, int]:
    """Mostly the window itself; at times a part of it, so that where a window begins does not matter."""
    if end - start < 24 or rng.random() >= _CROPPED:
        return start, end
    first = rng.randint(start, end - 16)
    return first, rng.randint(first + 8, end)


def speak(
    texts: Sequence[str], notes: Sequence[EncodedNote], cuts: Sequence[tuple[int, slice]], other: SubwordTokenizer, room: int
) -> Voice:
    """What another tokenizer makes of the same windows; what does not fit into ``room`` tokens of it is not heard."""
    theirs = other.tokenize(texts)
    maps = [map_tokens(text, note.tokens, tokens) for text, note, tokens in zip(texts, notes, theirs, strict=True)]
    ids, places, heard = [], [], []
    for note, cut in cuts:
        there, how = (part[cut] for part in maps[note])
        first = int(there[0])
        last = min(int(there[-1]) + 1, first + room, len(theirs[note]))
        ids.append(theirs[note].ids[first:last])
        places.append(np.clip(there - first, 0, max(0, last - first - 1)))
        heard.append(np.where((there >= first) & (there < last), how, UNHEARD))
    return Voice(
        np.array([len(part) for part in ids], dtype=np.int64),
        np.concatenate(ids).astype(np.int32),
        np.concatenate(places).astype(np.int16),
        np.concatenate(heard).astype(np.int8),
    )


def map_tokens(text: str, tokens: Tokens, other: Tokens) -> tuple[Any, Any]:
    """For each token the other's at its first visible character or the nearest before it, and how that one speaks about it."""
    visible, mine = list_visible(text, tokens)
    theirs, numbers = list_visible(text, other)
    heard = np.full(len(tokens), UNHEARD)
    if not len(numbers):
        return np.zeros(len(tokens), np.intp), heard
    starts = tokens.starts.copy()
    starts[mine] = visible.starts
    at = np.maximum(np.searchsorted(theirs.starts, starts, side="right") - 1, 0)
    heard[mine] = np.where(theirs.starts[at[mine]] == visible.starts, BEGUN, WITHIN)
    return np.maximum.accumulate(numbers[at]), heard


class Stream:
    """Processes that make packs, and a queue of what they made; without a spool of others they have writers of their own."""

    def __init__(self, source: Source, *, readers: int, writers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.packs: multiprocessing.Queue[Pack] = context.Queue(maxsize=8 * readers)
        self.processes = [
            context.Process(target=fill_spool, args=(source.spool, source.carry, number, source.seed), daemon=True)
            for number in range(writers)
        ]
        self.processes += [
            context.Process(target=put_packs, args=(self.packs, source, number, readers), daemon=True) for number in range(readers)
        ]

    def __enter__(self) -> "Stream":
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in self.processes:
            process.kill()

    def take(self, count: int) -> Pack:
        """The next packs, at least so many windows; waits for the readers, and fails when they bring nothing."""
        taken: list[Pack] = []
        while sum(map(len, taken)) < count:
            try:
                taken.append(self.packs.get(timeout=_WAITED))
            except queue.Empty:
                raise SystemExit(f"no notes for {_WAITED} s; {sum(p.is_alive() for p in self.processes)} processes are alive") from None
        return join(taken)


def put_packs(packs: "multiprocessing.Queue[Pack]", source: Source, number: int, readers: int) -> None:
    for pack in make_packs(source, number, readers):
        packs.put(pack)


def open_spool(spool: Path | None) -> Path:
    """The folder that notes go through: one that others fill, or a new one."""
    if spool is None:
        return Path(tempfile.mkdtemp(prefix="spool-"))
    spool.mkdir(parents=True, exist_ok=True)
    return spool


def write_notes_for_all(spool: Path, carry: Path, *, writers: int, seed: int) -> None:
    """Fill a spool until this process is ended; its writers end with it."""
    spool.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=fill_spool, args=(spool, carry, number, seed), daemon=True) for number in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

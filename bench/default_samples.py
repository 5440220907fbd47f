"""Windows to learn from: a student's tokens and tags, and where it has teachers, their tokens for the same text."""

import multiprocessing
import queue
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import numpy as np
from default_notes import fill_spool, read_spool

from incognote.document import Document
from incognote.encoders.encoding import encode_notes
from incognote.encoders.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.encoders.windows import cut_windows
from incognote.shrink.lessons import list_visible, match_tokens

_CROPPED = 0.2  # of the windows begin and end anywhere


@dataclass(frozen=True, slots=True)
class Voice:
    """A teacher's tokens for a window; ``places`` says which of them speaks about each of the student's.

    ``inside`` marks those that begin in the middle of one of the teacher's, where what it begins has begun; ``heard`` those it judges.
    """

    ids: Any
    places: Any
    inside: Any
    heard: Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One window: its ids, its tags, whether its gold is exact, its teachers' voices, and how often it has been shown again."""

    ids: Any
    tags: Any
    exact: bool
    voices: tuple[Voice, ...] = ()
    shown: int = 0


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


def make_samples(source: Source, number: int, readers: int) -> Iterator[list[Sample]]:
    """Chunks of samples of reader ``number``, for ever."""
    own, others = load_tokenizer(source.student), [load_tokenizer(folder) for folder in source.teachers]
    rng = Random(f"read/{source.seed}/{number}")
    for documents, exact in read_spool(source.spool, rng, number=number, readers=readers):
        yield list(cut_samples(documents, own, others, source, exact, rng))


def cut_samples(
    documents: Sequence[Document], own: SubwordTokenizer, others: Sequence[SubwordTokenizer], source: Source, exact: bool, rng: Random
) -> Iterator[Sample]:
    notes = encode_notes(documents, own, source.tags)
    texts = [document.text for document in documents]
    theirs = list(zip(*(other.tokenize(texts) for other in others), strict=True)) or [()] * len(texts)
    maps = [[map_tokens(text, note.tokens, tokens) for tokens in row] for text, note, row in zip(texts, notes, theirs, strict=True)]
    for window in cut_windows([len(note) for note in notes], room=source.window - own.specials, overlap=source.overlap):
        note, cut = notes[window.note], slice(*crop(window.start, window.end, rng))
        voices = tuple(
            hear(mapped, tokens, cut, source.window - other.specials)
            for mapped, tokens, other in zip(maps[window.note], theirs[window.note], others, strict=True)
        )
        yield Sample(note.tokens.ids[cut], note.tags[cut].astype(np.int16), exact, voices)


def crop(start: int, end: int, rng: Random) -> tuple[int, int]:
    """Mostly the window itself; at times a part of it, so that where a window begins does not matter."""
    if end - start < 24 or rng.random() >= _CROPPED:
        return start, end
    first = rng.randint(start, end - 16)
    return first, rng.randint(first + 8, end)


def map_tokens(text: str, tokens: Tokens, other: Tokens) -> tuple[Any, Any, Any]:
    """For each token the other's that speaks about it, whether it begins inside that one, and whether it is visible at all."""
    places = match_tokens(text, tokens, other)
    seen, inside = np.zeros(len(tokens), dtype=np.bool_), np.zeros(len(tokens), dtype=np.bool_)
    visible, mine = list_visible(text, tokens)
    theirs, numbers = list_visible(text, other)
    seen[mine] = len(other) > 0
    starts = np.full(max(1, len(other)), -1)
    starts[numbers] = theirs.starts
    inside[mine] = starts[places[mine]] != visible.starts
    return places, inside, seen


def hear(mapped: tuple[Any, Any, Any], tokens: Tokens, cut: slice, room: int) -> Voice:
    """The teacher's tokens for the window; what does not fit into its own window is not heard."""
    places, inside, seen = (part[cut] for part in mapped)
    first = int(places[0]) if len(places) else 0
    last = min(int(places[-1]) + 1 if len(places) else 0, first + room, len(tokens))
    within = np.clip(places - first, 0, max(0, last - first - 1)).astype(np.int16)
    return Voice(tokens.ids[first:last], within, inside, seen & (places >= first) & (places < last))


class Stream:
    """Processes that make samples, and a queue of what they made; without a spool of others they have writers of their own."""

    def __init__(self, source: Source, *, readers: int, writers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.chunks: multiprocessing.Queue[list[Sample]] = context.Queue(maxsize=8 * readers)
        self.processes = [
            context.Process(target=fill_spool, args=(source.spool, source.carry, number, source.seed), daemon=True)
            for number in range(writers)
        ]
        self.processes += [
            context.Process(target=put_samples, args=(self.chunks, source, number, readers), daemon=True) for number in range(readers)
        ]
        self.held: list[Sample] = []

    def __enter__(self) -> "Stream":
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in self.processes:
            process.kill()

    def take(self, count: int) -> list[Sample]:
        """The next samples, in a random order; waits for the readers, and fails when none is left alive."""
        while len(self.held) < count:
            try:
                self.held += self.chunks.get(timeout=90)
            except queue.Empty:
                raise SystemExit(f"no notes for 90 s; {sum(p.is_alive() for p in self.processes)} processes are alive") from None
        random.shuffle(self.held)
        taken, self.held = self.held[:count], self.held[count:]
        return taken


def put_samples(chunks: "multiprocessing.Queue[list[Sample]]", source: Source, number: int, readers: int) -> None:
    for chunk in make_samples(source, number, readers):
        chunks.put(chunk)


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

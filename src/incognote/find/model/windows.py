"""Windows over notes of any length: every token is in a window, and its scores are taken from the window where it has the most context.

A note longer than a window is covered by the fewest windows with the given overlap, evenly spaced: all full, for the most context in
training, or as short as possible, for the least work. Short windows differ from full ones by whole steps of length, because runtimes
are faster at some lengths; the rest of a step is filled with more context, not with padding.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incognote.errors import ConfigError
from incognote.find.model.tokens import SubwordTokenizer, Tokens

STEP = 16
"""Windows of long notes that are not full are shorter by a multiple of so many tokens."""


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens ``[start, end)`` of note number ``note``; the scores of ``[first, last)`` are taken from this window."""

    note: int
    start: int
    end: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.end - self.start


class Cutting(NamedTuple):
    """How to cut: the tokens of a window without special ones, the overlap of neighbours, and whether windows of long notes are full."""

    room: int
    overlap: int
    full: bool


def cut_windows(lengths: Sequence[int], *, room: int, overlap: int, full: bool = True) -> list[Window]:
    """Windows of at most ``room`` tokens over notes of these lengths, neighbours sharing at least ``overlap`` tokens.

    Those of a long note are ``full``, or together less than a step longer than the overlap needs.

    >>> cut_windows([3, 0, 8], room=4, overlap=2)  # doctest: +NORMALIZE_WHITESPACE
    [Window(note=0, start=0, end=3, first=0, last=3),
     Window(note=2, start=0, end=4, first=0, last=3),
     Window(note=2, start=2, end=6, first=3, last=5),
     Window(note=2, start=4, end=8, first=5, last=8)]
    >>> [len(window) for window in cut_windows([600], room=510, overlap=64, full=False)]
    [334, 334]
    >>> [len(window) for window in cut_windows([700], room=318, overlap=32, full=False)]
    [254, 254, 270]
    """
    if not 0 <= overlap < room:
        raise ConfigError("windows", [f"the overlap of {overlap} tokens must be smaller than the window's {room}"])
    return [window for note, length in enumerate(lengths) for window in _cut(note, length, room, overlap, full)]


def _cut(note: int, length: int, room: int, overlap: int, full: bool) -> Iterator[Window]:
    if length == 0:
        return
    if length <= room:
        yield Window(note, 0, length, 0, length)
        return
    count = -(-(length - overlap) // (room - overlap))
    step = STEP if room - overlap > 4 * STEP else 1  # so that each window is longer than what it shares
    spare = 0 if full else (count * room - (count - 1) * overlap - length) // step
    sizes = [room - step * ((spare + at) // count) for at in reversed(range(count))]
    shared = sum(sizes) - length
    starts = [read - -(-at * shared // (count - 1)) for at, read in enumerate(accumulate(sizes[:-1], initial=0))]
    ends = [start + size for start, size in zip(starts, sizes, strict=True)]
    # A token between two windows belongs to the one whose nearer edge is further off: they part in the middle of what they share.
    parts = [0, *((after + before + 1) // 2 for after, before in zip(starts[1:], ends, strict=False)), length]
    for at, start in enumerate(starts):
        yield Window(note, start, ends[at], parts[at], parts[at + 1])


def find_copies(windows: Sequence[Window], notes: Sequence[Tokens]) -> tuple[list[int], list[int]]:
    """The distinct windows, and for each window the index of its equal among them.

    Duplicates are common: notes are copied forward from day to day, and some are filed twice.
    """
    seen: dict[bytes, int] = {}
    kept: list[int] = []
    places = []
    for number, window in enumerate(windows):
        key = notes[window.note].ids[window.start : window.end].tobytes()
        if key not in seen:
            seen[key] = len(kept)
            kept.append(number)
        places.append(seen[key])
    return kept, places


def batch_windows(windows: Sequence[Window], *, budget: int, specials: int = 0) -> list[list[int]]:
    """Batches of window numbers, grouped by similar length; with padding, a batch has at most ``budget`` tokens.

    Longest first, so that a lack of memory shows at once. A window larger than the budget is a batch of its own.

    >>> batch_windows([Window(0, 0, 9, 0, 9), Window(1, 0, 3, 0, 3), Window(2, 0, 9, 0, 9)], budget=18)
    [[0, 2], [1]]
    """
    batches: list[list[int]] = []
    held: list[int] = []
    for number in sorted(range(len(windows)), key=lambda at: (-len(windows[at]), at)):
        if held and (len(held) + 1) * (len(windows[held[0]]) + specials) > budget:
            batches.append(held)
            held = []
        held.append(number)
    return [*batches, held] if held else batches


def fill_batch(windows: Sequence[Window], notes: Sequence[Tokens], tokenizer: SubwordTokenizer) -> tuple[NDArray[Any], NDArray[Any]]:
    """Token ids with special tokens and right padding, and the attention mask, both ``(windows, longest)``."""
    width = max(len(window) for window in windows) + tokenizer.specials
    ids = np.full((len(windows), width), tokenizer.pad, dtype=np.int64)
    mask = np.zeros((len(windows), width), dtype=np.int64)
    opened = len(tokenizer.before)
    for row, window in enumerate(windows):
        closed = opened + len(window)
        ids[row, :opened] = tokenizer.before
        ids[row, opened:closed] = notes[window.note].ids[window.start : window.end]
        ids[row, closed : closed + len(tokenizer.after)] = tokenizer.after
        mask[row, : closed + len(tokenizer.after)] = 1
    return ids, mask


def gather_scores(
    windows: Iterable[tuple[Window, NDArray[np.float32]]], lengths: Sequence[int], *, columns: int
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Each note's number and one row of scores for each of its tokens, from its own window, once the last of them is there.

    Each window comes with the scores of its own tokens ``(tokens, columns)``, special tokens left out.
    """
    held: dict[int, NDArray[np.float32]] = {}
    left = list(lengths)
    yield from ((number, np.zeros((0, columns), dtype=np.float32)) for number, length in enumerate(lengths) if not length)
    for window, scores in windows:
        if window.note not in held:
            held[window.note] = np.zeros((lengths[window.note], columns), dtype=np.float32)
        held[window.note][window.first : window.last] = scores[window.first - window.start : window.last - window.start]
        left[window.note] -= window.last - window.first
        if not left[window.note]:
            yield window.note, held.pop(window.note)

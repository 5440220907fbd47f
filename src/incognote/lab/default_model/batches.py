"""Windows to train on, many in one batch of flat arrays, which go from process to process and to a GPU without a loop over windows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

UNCOVERED, ALIGNED, INSIDE = range(3)
"""How a teacher's token covers a token of the student: not at all, both begin at one character, or the teacher's began before."""


@dataclass(frozen=True, slots=True)
class TeacherTokens:
    """A teacher's tokens for the windows of a batch; for each token of the student the position of the teacher's, and how it covers it."""

    lengths: Any
    ids: Any
    positions: Any
    coverage: Any


@dataclass(frozen=True, slots=True)
class WindowBatch:
    """Windows one after the other: token counts, ids and tags; whether the gold of each is exact, and how often it was shown."""

    lengths: Any
    ids: Any
    tags: Any
    exact: Any
    shown: Any
    teachers: tuple[TeacherTokens, ...] = ()

    def __len__(self) -> int:
        return len(self.lengths)


def concatenate(batches: Sequence[WindowBatch]) -> WindowBatch:
    """All windows of the batches."""
    teachers = tuple(TeacherTokens(*_concatenate(each)) for each in zip(*(batch.teachers for batch in batches), strict=True))
    return replace(WindowBatch(*_concatenate(batches)), teachers=teachers)


def select(batch: WindowBatch, rows: Any) -> WindowBatch:
    """The windows of these numbers."""
    own = find_tokens(batch.lengths, rows)
    teachers = tuple(
        TeacherTokens(each.lengths[rows], each.ids[find_tokens(each.lengths, rows)], each.positions[own], each.coverage[own])
        for each in batch.teachers
    )
    return WindowBatch(batch.lengths[rows], batch.ids[own], batch.tags[own], batch.exact[rows], batch.shown[rows], teachers)


def find_tokens(lengths: Any, rows: Any) -> Any:
    """The indices of the tokens of these windows.

    >>> find_tokens(np.array([2, 3, 1]), np.array([2, 0])).tolist()
    [5, 0, 1]
    """
    starts, taken = np.cumsum(lengths) - lengths, lengths[rows]
    return np.repeat(starts[rows] - (np.cumsum(taken) - taken), taken) + np.arange(taken.sum())


def _concatenate(items: Sequence[WindowBatch] | Sequence[TeacherTokens]) -> list[Any]:
    columns = [[getattr(item, field.name) for item in items] for field in fields(items[0])]
    return [np.concatenate(column) if isinstance(column[0], np.ndarray) else column for column in columns]

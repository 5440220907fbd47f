"""Length buckets: splits padded batches into windows of one length, since the graphs for CPUs have no padding."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPECIALS = [0, -1]
"""The first and the last token of a window, which are special tokens."""


def group_by_length(mask: NDArray[Any], *, alone: bool = False) -> Iterator[tuple[NDArray[np.intp], int]]:
    """The rows of a batch that have one length, or each row alone, with that length; the longest first.

    With the smallest parts last, all cores finish at about the same time.

    >>> [(rows.tolist(), length) for rows, length in group_by_length(np.array([[1, 1, 1], [1, 1, 0], [1, 1, 1]]))]
    [([0, 2], 3), ([1], 2)]
    """
    lengths = mask.sum(axis=1)
    for length in np.unique(lengths)[::-1]:
        rows = np.flatnonzero(lengths == length)
        yield from ((rows[at : at + 1], int(length)) for at in range(len(rows))) if alone else [(rows, int(length))]

"""Token pruning: after the first layers most tokens are clearly not PHI, so the upper layers of an encoder run only on the rest.

A pruning head is a small head on the states of the layers below it. Tokens that score above 0, and those around them, are kept; all others
get the tag ``O``. The runtime ``onnx`` uses the pruning of a model folder that holds some (``pruning_file.py``); the others run every
token through every layer. What is kept has attended to the pruned tokens in the layers below (Goyal et al. 2020, PoWER-BERT; Kim et al.
2022, Learned Token Pruning).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.runtimes.stack import Linear

PRUNED = np.float32(20)
"""The logit of no PHI, against 0 for every other tag, where a token was pruned."""


@dataclass(frozen=True, slots=True)
class PruningHead:
    """After ``layer`` layers, tokens with a score above 0 are kept, and ``around`` of them on either side.

    A score is ``down(relu(up(state)))``.
    """

    layer: int
    around: int
    up: Linear
    down: Linear

    def choose(self, scores: NDArray[np.floating[Any]], states: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
        """The positions in a window that are kept, in order, by the scores of its tokens.

        Where states are no numbers all are kept, to be refused at the end: pruned, damaged weights would pass for notes without PHI.
        """
        return widen(scores > 0, self.around) if np.isfinite(states.sum()) else np.arange(len(scores))


def widen(kept: NDArray[np.bool_], around: int) -> NDArray[np.intp]:
    """The positions that are kept, and those around them, in order.

    >>> widen(np.array([False, False, True, False, False, False]), 1).tolist()
    [1, 2, 3]
    """
    positions, size = np.flatnonzero(kept), len(kept)
    opened = np.bincount(np.maximum(positions - around, 0), minlength=size + 1)
    closed = np.bincount(np.minimum(positions + around + 1, size), minlength=size + 1)
    return np.flatnonzero(np.cumsum(opened - closed)[:size])


def list_parts(heads: Sequence[PruningHead]) -> list[tuple[int, PruningHead | None]]:
    """The parts of a model between its pruning heads: the number of the first layer of each, and the head above it, if any."""
    return list(zip((0, *(head.layer for head in heads)), (*heads, None), strict=True))


class Meter:
    """Counts what each part of a model has computed: tokens, and the squares of the lengths of windows (the cost of attention)."""

    def __init__(self, heads: Sequence[PruningHead], depth: int) -> None:
        ends = (0, *(head.layer for head in heads), depth)
        self.layers = tuple(last - first for first, last in pairwise(ends))
        self._lock = Lock()
        self._counts = [(0, 0)] * len(self.layers)

    def note(self, part: int, length: int) -> None:
        """The part of that number has run a window of so many tokens."""
        with self._lock:
            tokens, squares = self._counts[part]
            self._counts[part] = tokens + length, squares + length**2

    def take(self) -> list[tuple[int, int, int]]:
        """The layers, tokens and squares of each part since this was last asked."""
        with self._lock:
            counts, self._counts = self._counts, [(0, 0)] * len(self.layers)
        return [(layers, *count) for layers, count in zip(self.layers, counts, strict=True)]

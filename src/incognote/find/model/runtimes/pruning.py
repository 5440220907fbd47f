"""Gates let few tokens through to the upper layers of an encoder: most words of a note are plainly no PHI after the first layers.

A gate is a small head on the states that the layers below it give. Tokens that it finds worth reading, and those around them, go on; of all
others the tag is that of no PHI. The int8 runtimes use the gates of a model folder that holds some (``gate_file.py``); the fine ones and
full precision read every token with every layer. What goes on has seen the dropped words in the layers below (Goyal et al. 2020,
PoWER-BERT; Kim et al. 2022, Learned Token Pruning).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.runtimes.stack import Linear

CLOSED = np.float32(20)
"""What is said for no PHI, against 0 for every other tag, where a token was not let through."""


@dataclass(frozen=True, slots=True)
class Gate:
    """After ``layer`` layers, tokens with a score above 0 go on, and ``around`` of them on either side.

    A score is ``down(relu(up(state)))``.
    """

    layer: int
    around: int
    up: Linear
    down: Linear

    def choose(self, scores: NDArray[np.floating[Any]], states: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
        """The places in a window that go on, in order, by the scores of its tokens.

        Where states are no numbers all go on, to be refused at the end: held back, damaged weights would pass for notes without PHI.
        """
        return widen(scores > 0, self.around) if np.isfinite(states.sum()) else np.arange(len(scores))


def widen(worth: NDArray[np.bool_], around: int) -> NDArray[np.intp]:
    """The places that are worth reading, and those around them, in order.

    >>> widen(np.array([False, False, True, False, False, False]), 1).tolist()
    [1, 2, 3]
    """
    places, size = np.flatnonzero(worth), len(worth)
    opened = np.bincount(np.maximum(places - around, 0), minlength=size + 1)
    closed = np.bincount(np.minimum(places + around + 1, size), minlength=size + 1)
    return np.flatnonzero(np.cumsum(opened - closed)[:size])


def list_parts(gates: Sequence[Gate]) -> list[tuple[int, Gate | None]]:
    """The parts of a model between its gates: the number of the first layer of each, and the gate above it, if any."""
    return list(zip((0, *(gate.layer for gate in gates)), (*gates, None), strict=True))


class Meter:
    """How much the layers between gates have read: for each part of a model, tokens and the squares of its windows' lengths."""

    def __init__(self, gates: Sequence[Gate], depth: int) -> None:
        ends = (0, *(gate.layer for gate in gates), depth)
        self.layers = tuple(last - first for first, last in pairwise(ends))
        self._lock = Lock()
        self._read = [(0, 0)] * len(self.layers)

    def note(self, part: int, length: int) -> None:
        """A window of so many tokens was read by the part of that number."""
        with self._lock:
            tokens, squares = self._read[part]
            self._read[part] = tokens + length, squares + length**2

    def take(self) -> list[tuple[int, int, int]]:
        """The layers, tokens and squares of each part since this was last asked."""
        with self._lock:
            read, self._read = self._read, [(0, 0)] * len(self.layers)
        return [(layers, *counts) for layers, counts in zip(self.layers, read, strict=True)]

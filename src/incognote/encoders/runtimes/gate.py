"""Gates let few tokens through to the upper layers of an encoder: most words of a note are plainly no PHI after the first layers.

A gate is a small head on the states that the layers below it give. Tokens that it finds worth reading, and those around them, go on; of all
others the tag is that of no PHI. The int8 runtimes use the gates of a model folder that holds some (``gates.safetensors``, from ``incognote
shrink gate``); those that are there to be exact read every token with every layer. What goes on has seen the dropped words in the layers
below (Goyal et al. 2020, PoWER-BERT; Kim et al. 2022, Learned Token Pruning).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.encoders.runtimes.stack import Linear, Stack
from incognote.encoders.tensors import GATES, Tensors, write_tensors
from incognote.errors import CheckpointError

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
        size = len(scores)
        if not np.isfinite(states.sum()):
            return np.arange(size)
        places = np.flatnonzero(scores > 0)
        steps = np.zeros(size + 1, dtype=np.intp)
        np.add.at(steps, np.maximum(places - self.around, 0), 1)
        np.add.at(steps, np.minimum(places + self.around + 1, size), -1)
        return np.flatnonzero(np.cumsum(steps[:-1]))


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


def read_gates(folder: Path, stack: Stack) -> tuple[Gate, ...]:
    """The gates in a model folder, if there are any, from the lowest up; CheckpointError where they are not those of this model."""
    file = folder / GATES
    if not file.is_file():
        return ()
    held = Tensors(folder, GATES)
    try:
        gates = tuple(_read_gate(held, number) for number in range(sum(name.endswith(".layer") for name in held)))
    except KeyError as error:
        raise CheckpointError(f"{file}: {error.args[0]} is missing; copy or make the file again") from None
    numbers = np.array([part.sum() for gate in gates for one in (gate.up, gate.down) for part in (one.floats(), one.bias)])
    if not np.isfinite(numbers).all():
        raise CheckpointError(f"{file}: holds what are no numbers (NaN or infinite); copy or make the file again")
    layers = [0, *(gate.layer for gate in gates), len(stack.layers)]
    fitting = all(gate.around >= 0 and gate.up.floats().shape[1] == stack.width for gate in gates)
    if not gates or layers != sorted(set(layers)) or not fitting or stack.nearness is not None:
        raise CheckpointError(f"{file}: holds the gates of another model; make some for this: incognote shrink gate")
    return gates


def _read_gate(held: Tensors, number: int) -> Gate:
    up, down = (Linear(f"{number}.{name}", held[f"{number}.{name}.weight"], held[f"{number}.{name}.bias"]) for name in ("up", "down"))
    return Gate(int(held[f"{number}.layer"]), int(held[f"{number}.around"]), up, down)


def write_gates(folder: Path, gates: Sequence[Gate]) -> Path:
    """Put the gates into a model folder, in place of others."""
    tensors: dict[str, NDArray[Any]] = {}
    for number, gate in enumerate(gates):
        tensors |= {f"{number}.layer": np.array(gate.layer), f"{number}.around": np.array(gate.around)}
        for name, linear in (("up", gate.up), ("down", gate.down)):
            tensors |= {f"{number}.{name}.weight": linear.floats(), f"{number}.{name}.bias": linear.bias}
    write_tensors(folder / GATES, tensors)
    return folder / GATES

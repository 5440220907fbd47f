"""The gates of a model folder, ``pruning.safetensors``: what ``incognote shrink gate`` writes and the int8 runtimes read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incognote.document.bio import OUTSIDE
from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.runtimes.prefilter import OpenSieve, Sieve
from incognote.find.model.runtimes.pruning import Gate, Meter
from incognote.find.model.runtimes.stack import Linear, Stack
from incognote.find.model.tensors import OLD_PRUNING, PRUNING, Tensors, write_tensors

_SIEVE = "sieve"


class Gates(NamedTuple):
    """What is below the first layer, if anything, and the gates between layers, from the lowest up."""

    sieve: Sieve | None = None
    between: tuple[Gate, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenGates:
    """Gates at work in a runtime: ``outside`` is the column of the tag for what they hold back, ``meter`` counts what goes on."""

    sieve: OpenSieve | None
    between: tuple[Gate, ...]
    outside: int
    meter: Meter = field(repr=False)

    def sift(self, ids: NDArray[Any]) -> NDArray[np.intp]:
        """The places among the words of a window that the first layer reads."""
        return np.arange(len(ids)) if self.sieve is None else self.sieve.choose(ids)


def open_gates(checkpoint: Checkpoint, stack: Stack, *, threads: int) -> OpenGates | None:
    """The gates of a model, ready for so many threads; None where it has none."""
    sieve, between = read_gates(checkpoint, stack)
    if sieve is None and not between:
        return None
    opened = sieve.open(stack, threads=threads) if sieve else None
    return OpenGates(opened, between, checkpoint.tags.index(OUTSIDE), Meter(between, len(stack.layers)))


def read_gates(checkpoint: Checkpoint, stack: Stack) -> Gates:
    """The gates in a model folder, if there are any; CheckpointError where they are not those of this model."""
    held = checkpoint.pruning
    if not held.files:
        return Gates()
    (file,) = held.files
    try:
        gates = Gates(_read_sieve(held), tuple(_read_gate(held, number) for number in range(_count(held, ".layer"))))
    except KeyError as error:
        raise CheckpointError(f"{file}: {error.args[0]} is missing; copy or make the file again") from None
    linears = [linear for gate in gates.between for linear in (gate.up, gate.down)] + [*(gates.sieve.linears if gates.sieve else ())]
    if not np.isfinite([part.sum() for one in linears for part in (one.floats(), one.bias)]).all():
        raise CheckpointError(f"{file}: holds what are no numbers (NaN or infinite); copy or make the file again")
    if not linears or not _fit(gates, stack):
        raise CheckpointError(f"{file}: holds the gates of another model; make some for this: incognote shrink gate")
    return gates


def _fit(gates: Gates, stack: Stack) -> bool:
    layers = [0, *(gate.layer for gate in gates.between), len(stack.layers)]
    fitting = all(gate.around >= 0 and gate.up.floats().shape[1] == stack.width for gate in gates.between)
    return fitting and layers == sorted(set(layers)) and (gates.sieve is None or gates.sieve.fits(stack))


def _read_gate(held: Tensors, number: int) -> Gate:
    up, down = (_read_linear(held, f"{number}.{name}") for name in ("up", "down"))
    return Gate(int(held[f"{number}.layer"]), int(held[f"{number}.around"]), up, down)


def _read_sieve(held: Tensors) -> Sieve | None:
    if not any(name.startswith(_SIEVE) for name in held):
        return None
    mixes = tuple(_read_linear(held, f"{_SIEVE}.mix.{at}") for at in range(_count(held, ".weight", f"{_SIEVE}.mix.")))
    narrow, down = (_read_linear(held, f"{_SIEVE}.{name}") for name in ("narrow", "down"))
    return Sieve(int(held[f"{_SIEVE}.around"]), narrow, mixes, down)


def _count(held: Tensors, end: str, start: str = "") -> int:
    return sum(name.startswith(start) and name.endswith(end) for name in held)


def _read_linear(held: Tensors, name: str) -> Linear:
    return Linear(name, held[f"{name}.weight"], held[f"{name}.bias"])


def write_gates(folder: Path, gates: Sequence[Gate | Sieve]) -> Path:
    """Put the gates into a model folder, in place of others."""
    tensors: dict[str, NDArray[Any]] = {}
    between = [gate for gate in gates if isinstance(gate, Gate)]
    for number, gate in enumerate(between):
        tensors |= {f"{number}.layer": np.array(gate.layer), f"{number}.around": np.array(gate.around)}
        tensors |= _list_tensors(f"{number}.up", gate.up) | _list_tensors(f"{number}.down", gate.down)
    for sieve in (gate for gate in gates if isinstance(gate, Sieve)):
        tensors |= {f"{_SIEVE}.around": np.array(sieve.around)}
        names = "narrow", *(f"mix.{at}" for at in range(len(sieve.mixes))), "down"
        for name, linear in zip(names, sieve.linears, strict=True):
            tensors |= _list_tensors(f"{_SIEVE}.{name}", linear)
    (folder / OLD_PRUNING).unlink(missing_ok=True)
    write_tensors(folder / PRUNING, tensors)
    return folder / PRUNING


def _list_tensors(name: str, linear: Linear) -> dict[str, NDArray[Any]]:
    return {f"{name}.weight": linear.floats(), f"{name}.bias": linear.bias}

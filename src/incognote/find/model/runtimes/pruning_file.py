"""The token pruning of a model folder, ``pruning.safetensors``: what shrinking writes and the runtime ``onnx`` reads.

Earlier versions called the heads gates and the prefilter a sieve; the names of tensors still do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incognote.document.bio import OUTSIDE
from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.runtimes.prefilter import OpenPrefilter, Prefilter
from incognote.find.model.runtimes.pruning import Meter, PruningHead
from incognote.find.model.runtimes.stack import Linear, Stack
from incognote.find.model.tensors import OLD_PRUNING, PRUNING, Tensors, write_tensors

_PREFILTER = "sieve"


class Pruning(NamedTuple):
    """What is below the first layer, if anything, and the heads between layers, from the lowest up."""

    prefilter: Prefilter | None = None
    heads: tuple[PruningHead, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenPruning:
    """Token pruning in a loaded runtime: ``outside`` is the column of the tag for what is pruned, ``meter`` counts what is kept."""

    prefilter: OpenPrefilter | None
    heads: tuple[PruningHead, ...]
    outside: int
    meter: Meter = field(repr=False)

    def choose(self, ids: NDArray[Any]) -> NDArray[np.intp]:
        """The positions among the tokens of a window that the first layer runs on."""
        return np.arange(len(ids)) if self.prefilter is None else self.prefilter.choose(ids)


def open_pruning(checkpoint: Checkpoint, stack: Stack, *, threads: int) -> OpenPruning | None:
    """The token pruning of a model, ready for so many threads; None where it has none."""
    prefilter, heads = read_pruning(checkpoint, stack)
    if prefilter is None and not heads:
        return None
    opened = prefilter.open(stack, threads=threads) if prefilter else None
    return OpenPruning(opened, heads, checkpoint.tags.index(OUTSIDE), Meter(heads, len(stack.layers)))


def read_pruning(checkpoint: Checkpoint, stack: Stack) -> Pruning:
    """The token pruning in a model folder, if there is any; CheckpointError where it is not that of this model."""
    held = checkpoint.pruning
    if not held.files:
        return Pruning()
    (file,) = held.files
    try:
        found = Pruning(_read_prefilter(held), tuple(_read_head(held, number) for number in range(_count(held, ".layer"))))
    except KeyError as error:
        raise CheckpointError(f"{file}: {error.args[0]} is missing; copy or make the file again") from None
    linears = [linear for head in found.heads for linear in (head.up, head.down)] + [*(found.prefilter.linears if found.prefilter else ())]
    if not np.isfinite([part.sum() for one in linears for part in (one.floats(), one.bias)]).all():
        raise CheckpointError(f"{file}: holds what are no numbers (NaN or infinite); copy or make the file again")
    if not linears or not _fit(found, stack):
        raise CheckpointError(f"{file}: holds the token pruning of another model; make some for this: incognote shrink token-pruning")
    return found


def _fit(found: Pruning, stack: Stack) -> bool:
    layers = [0, *(head.layer for head in found.heads), len(stack.layers)]
    fitting = all(head.around >= 0 and head.up.floats().shape[1] == stack.width for head in found.heads)
    return fitting and layers == sorted(set(layers)) and (found.prefilter is None or found.prefilter.fits(stack))


def _read_head(held: Tensors, number: int) -> PruningHead:
    up, down = (_read_linear(held, f"{number}.{name}") for name in ("up", "down"))
    return PruningHead(int(held[f"{number}.layer"]), int(held[f"{number}.around"]), up, down)


def _read_prefilter(held: Tensors) -> Prefilter | None:
    if not any(name.startswith(_PREFILTER) for name in held):
        return None
    mixes = tuple(_read_linear(held, f"{_PREFILTER}.mix.{at}") for at in range(_count(held, ".weight", f"{_PREFILTER}.mix.")))
    narrow, down = (_read_linear(held, f"{_PREFILTER}.{name}") for name in ("narrow", "down"))
    return Prefilter(int(held[f"{_PREFILTER}.around"]), narrow, mixes, down)


def _count(held: Tensors, end: str, start: str = "") -> int:
    return sum(name.startswith(start) and name.endswith(end) for name in held)


def _read_linear(held: Tensors, name: str) -> Linear:
    return Linear(name, held[f"{name}.weight"], held[f"{name}.bias"])


def write_pruning(folder: Path, heads: Sequence[PruningHead | Prefilter]) -> Path:
    """Put token pruning into a model folder, in place of what it has."""
    tensors: dict[str, NDArray[Any]] = {}
    for number, head in enumerate(head for head in heads if isinstance(head, PruningHead)):
        tensors |= {f"{number}.layer": np.array(head.layer), f"{number}.around": np.array(head.around)}
        tensors |= _list_tensors(f"{number}.up", head.up) | _list_tensors(f"{number}.down", head.down)
    for prefilter in (head for head in heads if isinstance(head, Prefilter)):
        tensors |= {f"{_PREFILTER}.around": np.array(prefilter.around)}
        names = "narrow", *(f"mix.{at}" for at in range(len(prefilter.mixes))), "down"
        for name, linear in zip(names, prefilter.linears, strict=True):
            tensors |= _list_tensors(f"{_PREFILTER}.{name}", linear)
    (folder / OLD_PRUNING).unlink(missing_ok=True)
    write_tensors(folder / PRUNING, tensors)
    return folder / PRUNING


def _list_tensors(name: str, linear: Linear) -> dict[str, NDArray[Any]]:
    return {f"{name}.weight": linear.floats(), f"{name}.bias": linear.bias}

"""The trials of a search: which shapes to try in which way, the cheap ways first and the gentlest shapes that fit first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.tensors import Tensors, is_quantized
from incognote.lab.shrink.layers import LAYER, count_layers
from incognote.lab.shrink.shapes import SPREAD, Shape

WAYS = ("cut", "tuned", "rounded", "distilled")
"""As it is after cutting; trained a little; trained to be rounded to int4; distilled from the whole model. Each costs more."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A shape and how the model in it is made good again.

    >>> Trial(Shape(drop=2, strategy="top"), "tuned").name
    'tuned-top-2'
    """

    shape: Shape
    way: str

    @property
    def name(self) -> str:
        return f"{self.way}-{self.shape.name}"


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a model is made of, so that the size of a smaller one is known before it is made.

    ``layer`` is the bytes of one layer in full precision, in int8 and in int4, ``rest`` those of all else in its folder.
    """

    layers: int
    layer: tuple[int, int, int]
    tokens: int
    width: int
    rest: int
    codes: bool

    def weigh(self, shape: Shape, *, bits: int) -> int:
        """About how many bytes the folder of that shape has, with weights of 32, 8 or 4 bits; smaller tokenizers are not reckoned with."""
        kind = (32, 8, 4).index(bits)
        tokens = shape.tokens or self.tokens
        tables = [(tokens, shape.rank), (shape.rank, self.width)] if shape.rank else [(tokens, self.width)]
        table = sum(_bytes(rows, columns)[kind] for rows, columns in tables)
        return table + self.layer[kind] * (self.layers - shape.drop) + self.rest


def _bytes(rows: int, columns: int) -> tuple[int, int, int]:
    """Of a matrix: four for a float; one or a half for a code, and a float for each row."""
    return 4 * rows * columns, rows * columns + 4 * rows, rows * columns // 2 + 4 * rows


def measure_parts(checkpoint: Checkpoint) -> Sizes:
    """The sizes of a model's layers and of its table of words."""
    weights = Tensors(checkpoint.folder)
    layers, tokens = count_layers(checkpoint.config), int(checkpoint.config["vocab_size"])
    layer, width = [0, 0, 0], 0
    rest = sum(file.stat().st_size for file in checkpoint.folder.iterdir() if file.is_file() and file.suffix != ".safetensors")
    for name in weights:
        values = weights.raw(name)
        if LAYER.search(name):
            kinds = _bytes(*weights[name].shape) if values.ndim == 2 else (4 * values.size,) * 3
            layer = [before + more for before, more in zip(layer, kinds, strict=True)]
        elif values.shape[:1] == (tokens,) and values.ndim == 2:
            width = int(weights[name].shape[1])
        else:
            rest += 4 * values.size
    if not width:
        raise CheckpointError(
            "has no table with a row for each token", where=checkpoint.folder, fix="search from a model that is not factorized"
        )
    full, eight, four = (size // layers for size in layer)
    return Sizes(layers, (full, eight, four), tokens, width, rest, is_quantized(checkpoint.folder))


def list_shapes(sizes: Sizes, usage: Mapping[int, int]) -> list[Shape]:
    """Shapes worth a trial: up to two thirds of the layers gone, the tokens that the notes use or a part of all, a thin embedding."""
    drops = sorted({round(sizes.layers * share) for share in (0, 1 / 6, 1 / 3, 1 / 2, 2 / 3)} - {sizes.layers})
    parts = [sizes.tokens // 2, sizes.tokens // 4]
    # Those that the notes use, unless that is about as many as another.
    used = [len(usage)] if usage and all(abs(len(usage) - part) > 0.2 * part for part in (sizes.tokens, *parts)) else []
    tokens = sorted({0, *used, *parts})
    ranks = (0,) if sizes.codes or sizes.width < 8 else (0, sizes.width // 4)
    return [Shape(drop=drop, tokens=count, rank=rank) for drop in drops for count in tokens for rank in ranks]


def plan_trials(sizes: Sizes, usage: Mapping[int, int], *, target: float) -> list[Trial]:
    """All trials. What is trained must fit the target as int8, or as int4 where that is what it is trained for; of those the largest
    come first, because they lose least.
    """
    shapes = sorted(list_shapes(sizes, usage), key=lambda shape: -sizes.weigh(shape, bits=8))
    small = [shape for shape in shapes if sizes.weigh(shape, bits=8) <= target and shape != Shape()]
    cut = [_with(shape, "top") for shape in shapes if shape.drop <= sizes.layers / 3]
    tuned = [_with(shape, "top") for shape in small]
    # Rounding in training wants a model in full precision whose embedding is whole, and so does distillation.
    fine = [shape for shape in shapes if not (shape.rank or sizes.codes or shape.drop > sizes.layers / 3)]
    rounded = [_with(shape, "top") for shape in fine if sizes.weigh(shape, bits=4) <= target]
    distilled = [_with(shape, SPREAD) for shape in small if not shape.rank]
    return [Trial(shape, way) for way, made in zip(WAYS, (cut, tuned, rounded, distilled), strict=True) for shape in made]


def _with(shape: Shape, strategy: str) -> Shape:
    return Shape(shape.drop, strategy, shape.tokens, shape.rank)


def by_way(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials of each way, in order."""
    return {way: [trial for trial in trials if trial.way == way] for way in WAYS}

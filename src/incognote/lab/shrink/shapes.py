"""The shape of a smaller model: fewer layers, fewer tokens, narrower embeddings; any of them together, and the model cut to it."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.document import Document
from incognote.errors import ConfigError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint, replace_whole
from incognote.find.model.tokens import load_tokenizer
from incognote.lab.shrink.derived import settle_derived
from incognote.lab.shrink.factorize import factorize
from incognote.lab.shrink.layers import check_drop, choose_layers, count_layers, keep_layers, measure_likeness, spread_layers
from incognote.lab.shrink.vocabulary import count_tokens, prune_checkpoint

SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Shape:
    """How many layers go and by which strategy (``spread`` keeps layers at even distances, as DistilBERT did), how many tokens stay,
    and how wide the factorized embedding is; 0 leaves that part as it is.

    >>> Shape(drop=3, strategy="top", tokens=12000).name
    'top-3-tokens-12000'
    """

    drop: int = 0
    strategy: str = SPREAD
    tokens: int = 0
    rank: int = 0

    @property
    def name(self) -> str:
        """Short, and the same for the same shape only."""
        parts = (
            f"{self.strategy}-{self.drop}" if self.drop else "",
            f"tokens-{self.tokens}" if self.tokens else "",
            f"rank-{self.rank}" if self.rank else "",
        )
        return "-".join(part for part in parts if part) or "whole"


def shape_model(
    source: Checkpoint, target: Path, shape: Shape, *, counts: Mapping[int, int] | None = None, likeness: Sequence[float] = ()
) -> Path:
    """Write the model cut to the shape. ``counts`` says how often each token is used, ``likeness`` how little each layer does."""
    steps: list[Callable[[Checkpoint, Path], object]] = []
    if shape.tokens:
        if counts is None:
            raise ConfigError("shrink", ["pruning the vocabulary needs notes to count tokens in; name them with {vocabulary}"])
        steps.append(lambda origin, place: prune_vocabulary(origin, place, counts, tokens=shape.tokens))
    if shape.drop or not (shape.tokens or shape.rank):
        kept = list_kept(source, shape, likeness)
        steps.append(lambda origin, place: keep_layers(origin.folder, place, kept))
    if shape.rank:
        steps.append(lambda origin, place: factorize(origin, place, rank=shape.rank))
    origin = source
    with tempfile.TemporaryDirectory(prefix="incognote-shape-") as scratch:
        for number, step in enumerate(steps, 1):
            place = target if number == len(steps) else Path(scratch) / str(number) / source.name
            step(origin, place)
            origin = load_checkpoint(place)
    return target


def list_kept(source: Checkpoint, shape: Shape, likeness: Sequence[float] = ()) -> tuple[int, ...]:
    """The layers that stay."""
    count = count_layers(source.config)
    check_drop(count, shape.drop)
    if shape.strategy == SPREAD:
        return spread_layers(count, count - shape.drop)
    return choose_layers(count, shape.drop, shape.strategy, likeness=likeness)


def prune_vocabulary(source: Checkpoint, target: Path, counts: Mapping[int, int], *, tokens: int) -> Path:
    """The model with at most so many tokens, whole or not at all."""
    before = int(source.config["vocab_size"])
    if tokens >= before:
        raise ConfigError("shrink", [f"{tokens} tokens: the model has {before} already"])
    with replace_whole(target) as draft:
        left = prune_checkpoint(source.folder, draft, counts, size=tokens)
        settle_derived(source, draft, name=target.name, how=f"{left:,} of its {before:,} tokens")
    return target


def count_usage(source: Checkpoint, documents: Sequence[Document]) -> Mapping[int, int]:
    """How often the documents use each token of the model."""
    return count_tokens((document.text for document in documents), load_tokenizer(source.folder))


def measure_layers(source: Checkpoint, shape: Shape, documents: Sequence[Document]) -> Sequence[float]:
    """What ``likeness`` a shape needs: none, unless its strategy is by contribution."""
    return measure_likeness(source.folder, documents) if shape.drop and shape.strategy == "contribution" else ()

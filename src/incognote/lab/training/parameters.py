"""Which weights learn and how fast: freezing, rates by layer, and weight decay kept off biases and norms."""

import re
from collections.abc import Mapping
from typing import Any

from torch import nn

from incognote.errors import ConfigError
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.regimes import settle_freeze

HEAD = "head"
EMBEDDINGS = "embeddings"

_LAYER = re.compile(r"\.(?:layer|layers|albert_layers|blocks|h)\.(\d+)\.")
# A pooler sums a text up for its class: it is the head's, and encoders made for other ends come without one. The rest are the heads
# of the families, by the names that transformers has for them.
_HEAD = re.compile(
    r"^(classifier|pre_classifier|score|qa_outputs|head|lm_head|cls|logits_proj|sequence_summary|predictions|lm_loss|vocab_\w+)\b|\bpooler\b"
)


def part_of(name: str) -> str:
    """The part of an encoder a parameter belongs to: ``head``, ``embeddings`` or the number of its layer.

    >>> [part_of(n) for n in ("classifier.weight", "bert.embeddings.word_embeddings.weight", "bert.encoder.layer.7.output.dense.bias")]
    ['head', 'embeddings', '7']
    >>> [part_of(n) for n in ("bert.pooler.dense.weight", "pre_classifier.bias", "model.final_norm.weight")]
    ['head', 'head', 'top']
    """
    if _HEAD.search(name):
        return HEAD
    if found := _LAYER.search(name):
        return found[1]
    return EMBEDDINGS if "embed" in name else "top"


def group_parameters(model: nn.Module, recipe: Recipe) -> list[dict[str, Any]]:
    """Groups for the optimizer, each with its peak rate; what the recipe freezes is frozen here."""
    layers = 1 + max((int(part) for name, _ in model.named_parameters() if (part := part_of(name)).isdigit()), default=-1)
    _check_parts(recipe, layers)
    freeze = settle_freeze(recipe.freeze, layers)
    groups: dict[tuple[float, float], dict[str, Any]] = {}
    for name, parameter in model.named_parameters():
        part = part_of(name)
        parameter.requires_grad_(not is_frozen(part, freeze))
        if not parameter.requires_grad:
            continue
        rate = peak_rate(part, layers, recipe)
        decay = recipe.weight_decay if parameter.ndim > 1 else 0.0
        group = groups.setdefault((rate, decay), {"params": [], "names": [], "peak": rate, "lr": rate, "weight_decay": decay})
        group["params"].append(parameter)
        group["names"].append(name)
    return list(groups.values())


def is_frozen(part: str, freeze: str | int) -> bool:
    """Whether the recipe's ``freeze`` holds this part still; a number freezes the embeddings and that many layers.

    >>> [part for part in ("embeddings", "0", "1", "2", "head") if is_frozen(part, 2)]
    ['embeddings', '0', '1']
    """
    if freeze == "none":
        return False
    if freeze == "all-but-head":
        return part != HEAD
    if part == EMBEDDINGS:
        return freeze != 0
    return isinstance(freeze, int) and part.isdigit() and int(part) < freeze


def peak_rate(part: str, layers: int, recipe: Recipe) -> float:
    """The part's own rate, or the recipe's, shrunk for each layer below the top.

    >>> recipe = Recipe(model="m", learning_rate=1.0, layer_decay=0.5, learning_rates={"head": 0.3})
    >>> [peak_rate(part, 2, recipe) for part in ("head", "1", "0", "embeddings")]
    [0.3, 1.0, 0.5, 0.25]
    """
    rates: Mapping[str, float] = recipe.learning_rates
    if part in rates:
        return float(rates[part])
    depth = layers if part == EMBEDDINGS else layers - 1 - int(part) if part.isdigit() else 0
    return recipe.learning_rate * recipe.layer_decay**depth


def _check_parts(recipe: Recipe, layers: int) -> None:
    known = {HEAD, EMBEDDINGS, "top", *(str(index) for index in range(layers))}
    faults = [
        f"learning_rates.{part}: no such part; {recipe.model} has head, embeddings and layers 0 to {layers - 1}"
        for part in recipe.learning_rates
        if part not in known
    ]
    freeze = settle_freeze(recipe.freeze, layers)
    if isinstance(freeze, int) and not 0 <= freeze <= layers:
        faults.append(f"freeze = {recipe.freeze}: {recipe.model} has {layers} layers")
    if faults:
        raise ConfigError("recipe", faults)

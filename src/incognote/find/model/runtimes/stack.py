"""One structure for encoders like BERT: the weights that a graph needs of BERT, RoBERTa, ALBERT and DistilBERT, by common names.

All of them are token, position and type embeddings, a norm, layers of attention and feed-forward with a norm after each, and a head.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.errors import CheckpointError
from incognote.find.model.tensors import Quantized, Tensors, quantize

Floats = NDArray[np.float32]
Config = Mapping[str, Any]

_PADDED = frozenset({"roberta", "xlm-roberta", "camembert"})  # these count positions from the padding id on
_PREFIXES = {"bert": "bert", "roberta": "roberta", "xlm-roberta": "roberta", "camembert": "roberta"}
_ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu"}
FAMILIES = frozenset({*_PREFIXES, "albert", "distilbert"})


@dataclass(frozen=True, slots=True)
class Linear:
    """``y = x @ weight.T + bias``; the weight is ``(outward, inward)``, quantized where it is so in the file."""

    name: str
    weight: Floats | Quantized = field(repr=False)
    bias: Floats = field(repr=False)

    def floats(self) -> Floats:
        """The weight in single precision."""
        return self.weight.floats() if isinstance(self.weight, Quantized) else self.weight

    def quantized(self) -> Quantized:
        """The weight as int8 values, one scale for each output."""
        return self.weight if isinstance(self.weight, Quantized) else quantize(self.weight)


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm."""

    name: str
    weight: Floats = field(repr=False)
    bias: Floats = field(repr=False)
    epsilon: float


@dataclass(frozen=True, slots=True)
class Layer:
    """Attention (queries, keys and values as one linear), then feed-forward, each with a norm after it."""

    qkv: Linear
    out: Linear
    attention_norm: Norm
    up: Linear
    down: Linear
    feed_norm: Norm


@dataclass(frozen=True, slots=True)
class Stack:
    """A whole tagger. ``position_embeddings`` include the embedding of the first token type."""

    token_embeddings: Floats | Quantized = field(repr=False)
    position_embeddings: Floats = field(repr=False)
    norm: Norm
    widen: Linear | None
    layers: tuple[Layer, ...]
    heads: int
    activation: str
    head: Linear

    @property
    def width(self) -> int:
        """The size of the hidden state."""
        return len(self.layers[0].out.bias)

    def embeddings(self) -> Floats:
        """Those of tokens, in single precision."""
        return self.token_embeddings.floats() if isinstance(self.token_embeddings, Quantized) else self.token_embeddings

    @property
    def embedding_width(self) -> int:
        """The size of the embedding of a token."""
        held = self.token_embeddings
        return int((held.values if isinstance(held, Quantized) else held).shape[1])

    @property
    def tags(self) -> int:
        """How many tags the head knows."""
        return len(self.head.bias)


def read_stack(config: Config, weights: Tensors) -> Stack:
    """The tagger in these weights, whose names are those of Hugging Face; CheckpointError for what does not fit."""
    family = str(config.get("model_type"))
    if not fits(config):
        raise CheckpointError(
            f"there is no graph of ours for {family} encoders with these settings", where=str(weights.folder), fix="set {runtime} to torch"
        )
    try:
        if family == "albert":
            return _read_albert(config, weights)
        if family == "distilbert":
            return _read_distilbert(config, weights)
        return _read_bert(config, weights, _PREFIXES[family])
    except KeyError as error:
        raise CheckpointError(f"{weights.folder}: {error.args[0]} is missing; the folder is damaged") from None


def fits(config: Config) -> bool:
    """Whether the encoder is of this shape; a family may have settings (relative positions, a decoder) that are not."""
    return (
        config.get("model_type") in FAMILIES
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
        and _activation(config) in _ACTIVATIONS
    )


def position_ids(config: Config, ids: NDArray[Any]) -> NDArray[np.int64]:
    """The row of the position embeddings for each token of windows without padding.

    Some families count from the padding id on and leave the padding token out of it, should a note hold one by name.

    >>> position_ids({"model_type": "roberta", "pad_token_id": 1}, np.array([[0, 7, 1, 2]])).tolist()
    [[2, 3, 1, 4]]
    """
    if config.get("model_type") not in _PADDED:
        return np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
    pad = int(config.get("pad_token_id", 1))
    real = (ids != pad).astype(np.int64)
    positions: NDArray[np.int64] = np.cumsum(real, axis=1) * real + pad
    return positions


def _activation(config: Config) -> str:
    return str(config.get("activation" if config.get("model_type") == "distilbert" else "hidden_act", "gelu"))


def _linear(weights: Tensors, *names: str) -> Linear:
    """One linear, or several side by side."""
    bias = np.concatenate([weights[f"{name}.bias"] for name in names])
    quantized = [found for name in names if (found := weights.quantized(f"{name}.weight")) is not None]
    if len(quantized) == len(names):
        whole = Quantized(np.concatenate([one.values for one in quantized]), np.concatenate([one.scales for one in quantized]))
        return Linear(names[0], whole, bias)
    return Linear(names[0], np.concatenate([weights[f"{name}.weight"] for name in names]), bias)


def _norm(weights: Tensors, name: str, epsilon: float) -> Norm:
    return Norm(name, weights[f"{name}.weight"], weights[f"{name}.bias"], epsilon)


def _embeddings(weights: Tensors, name: str) -> tuple[Floats | Quantized, Floats]:
    positions = weights[f"{name}.position_embeddings.weight"]
    if f"{name}.token_type_embeddings.weight" in weights:
        positions = positions + weights[f"{name}.token_type_embeddings.weight"][0]
    tokens = f"{name}.word_embeddings.weight"
    return weights.quantized(tokens) or weights[tokens], positions


def _read_bert(config: Config, weights: Tensors, prefix: str) -> Stack:
    epsilon = float(config.get("layer_norm_eps", 1e-12))

    def layers() -> Iterator[Layer]:
        for number in range(config["num_hidden_layers"]):
            name = f"{prefix}.encoder.layer.{number}"
            own = f"{name}.attention.self"
            yield Layer(
                _linear(weights, f"{own}.query", f"{own}.key", f"{own}.value"),
                _linear(weights, f"{name}.attention.output.dense"),
                _norm(weights, f"{name}.attention.output.LayerNorm", epsilon),
                *_feed(weights, name, epsilon),
            )

    return Stack(
        *_embeddings(weights, f"{prefix}.embeddings"),
        _norm(weights, f"{prefix}.embeddings.LayerNorm", epsilon),
        None,
        tuple(layers()),
        config["num_attention_heads"],
        _ACTIVATIONS[_activation(config)],
        _linear(weights, "classifier"),
    )


def _feed(weights: Tensors, name: str, epsilon: float) -> tuple[Linear, Linear, Norm]:
    up, down = (_linear(weights, f"{name}.{part}.dense") for part in ("intermediate", "output"))
    return up, down, _norm(weights, f"{name}.output.LayerNorm", epsilon)


def _read_distilbert(config: Config, weights: Tensors) -> Stack:
    epsilon = 1e-12

    def layers() -> Iterator[Layer]:
        for number in range(config["n_layers"]):
            name = f"distilbert.transformer.layer.{number}"
            yield Layer(
                _linear(weights, *(f"{name}.attention.{part}_lin" for part in "qkv")),
                _linear(weights, f"{name}.attention.out_lin"),
                _norm(weights, f"{name}.sa_layer_norm", epsilon),
                _linear(weights, f"{name}.ffn.lin1"),
                _linear(weights, f"{name}.ffn.lin2"),
                _norm(weights, f"{name}.output_layer_norm", epsilon),
            )

    return Stack(
        *_embeddings(weights, "distilbert.embeddings"),
        _norm(weights, "distilbert.embeddings.LayerNorm", epsilon),
        None,
        tuple(layers()),
        config["n_heads"],
        _ACTIVATIONS[_activation(config)],
        _linear(weights, "classifier"),
    )


def _read_albert(config: Config, weights: Tensors) -> Stack:
    """Layers are shared: the same group serves several depths."""
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    groups, inner, depth = (int(config.get(key, 1)) for key in ("num_hidden_groups", "inner_group_num", "num_hidden_layers"))

    def read(group: int, at: int) -> Layer:
        name = f"albert.encoder.albert_layer_groups.{group}.albert_layers.{at}"
        return Layer(
            _linear(weights, *(f"{name}.attention.{part}" for part in ("query", "key", "value"))),
            _linear(weights, f"{name}.attention.dense"),
            _norm(weights, f"{name}.attention.LayerNorm", epsilon),
            _linear(weights, f"{name}.ffn"),
            _linear(weights, f"{name}.ffn_output"),
            _norm(weights, f"{name}.full_layer_layer_norm", epsilon),
        )

    made = [[read(group, at) for at in range(inner)] for group in range(groups)]
    return Stack(
        *_embeddings(weights, "albert.embeddings"),
        _norm(weights, "albert.embeddings.LayerNorm", epsilon),
        _linear(weights, "albert.encoder.embedding_hidden_mapping_in"),
        tuple(layer for number in range(depth) for layer in made[number * groups // depth]),
        config["num_attention_heads"],
        _ACTIVATIONS[_activation(config)],
        _linear(weights, "classifier"),
    )

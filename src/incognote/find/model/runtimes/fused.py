"""ONNX graphs of whole taggers, written by hand for speed on a processor, in full precision, W8A16 or int8.

W8A16 is int8 weights with 16-bit activations. Windows come without padding, so that attention needs no mask.

In int8, activations share one scale for each window. The first and the last token of a window, its special tokens (``<s>``, ``[SEP]`` …),
have activations a hundred times larger than those of other tokens (Sun et al. 2024, Massive Activations in Large Language Models), which
would leave no resolution for the others. So special tokens run apart, and the two streams meet in attention alone. The large activations
are those of the feed-forward part; there the products of special tokens are W8A16, elsewhere a scale of their own is enough. The last
product of the last two layers is W8A16 for all tokens: little comes after it that would even out its error, and there it costs precision.

Attention scores are int8 as well (``attention.py``). GELU is taken in its tanh form, which is faster and differs from the exact one by a
small part of a quantization step.

A W8A16 product takes activations as two bytes: their int8 values, and those of the quantization error. It takes half the time of full
precision. With weights that are int8 already, a graph of nothing but W8A16 products gives the spans of full precision.

With pruning heads (``pruning.py``) a tagger is several graphs: one for the layers up to each head, which gives the states of tokens and
special tokens and a score for each token, and one for the layers after the last.

A sum and the norm after it are two operators: ONNX Runtime has one for both, which takes several times as long. They must not be fused
when the graph is loaded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from incognote.find.model.runtimes.attention import Stream, attend_int8
from incognote.find.model.runtimes.onnx_file import Graph, Shape
from incognote.find.model.runtimes.pruning import PruningHead
from incognote.find.model.runtimes.stack import Layer, Linear, Norm, Stack
from incognote.find.model.tensors import Quantized, quantize

IDS, POSITIONS, LOGITS = "ids", "positions", "logits"
SPECIAL_IDS, SPECIAL_POSITIONS = "special_ids", "special_positions"
TOKENS_BELOW, SPECIALS_BELOW = "tokens_below", "specials_below"
TOKEN_STATES, SPECIAL_STATES, SCORES = "token_states", "special_states", "scores"
_ACTIVATIONS = {"gelu": ("Gelu", True), "gelu_tanh": ("FastGelu", True), "relu": ("Relu", False)}

_W8A16_LAYERS = 2  # the last ones, whose last product is W8A16

Int8 = tuple[str, str, str]
"""The names of int8 values, of their scale and of their zero point."""

Product = Callable[[str, Linear], str]
"""Writes the product of activations with a linear."""


def write_graph(stack: Stack) -> bytes:
    """Full precision: ``ids`` and ``positions`` of windows in, ``logits`` out."""
    writer = _Writer(stack)
    x = writer.embed(IDS, POSITIONS)
    for layer in stack.layers:
        x = writer.finish(layer, writer.attend([writer.project(layer, x)]), x)
    return writer.pack(writer.linear(x, stack.head), writer.inputs())


def write_int8_graph(
    stack: Stack,
    *,
    signed: bool = True,
    ranges: Mapping[str, Sequence[float]] | None = None,
    first: int = 0,
    head: PruningHead | None = None,
) -> bytes:
    """int8: tokens (``ids``, ``positions``) apart from the first and last of each window (``special_ids``, ``special_positions``).

    The logits are those of the tokens between them. ``signed`` weights are fast where the processor multiplies unsigned by signed bytes
    without overflow (VNNI); elsewhere unsigned ones are safe. ``ranges`` are calibrated low and high values of the linears' inputs, by
    name; without them every window has its own.

    A graph up to a pruning ``head`` gives ``token_states``, ``special_states`` and the head's ``scores`` in place of logits; one from layer
    number ``first`` on, which lies above a head, takes ``tokens_below`` and ``specials_below``.
    """
    return _write_apart(_Writer(stack, quantized=True, int8=True, signed=signed, ranges=ranges or {}), first, head)


def write_w8a16_graph(stack: Stack, *, signed: bool = True) -> bytes:
    """int8 weights and two bytes for each activation; inputs and output are those of :func:`write_int8_graph`."""
    return _write_apart(_Writer(stack, quantized=True, signed=signed))


def _write_apart(writer: "_Writer", first: int = 0, head: PruningHead | None = None) -> bytes:
    """Tokens and special tokens as two streams, from one layer on, up to a pruning head or to the end."""
    width = writer.stack.width
    shapes: list[tuple[str, Shape]] = [("float32", ("windows", "tokens", width)), ("float32", ("windows", 2, width))]
    inputs = dict(zip((TOKENS_BELOW, SPECIALS_BELOW), shapes, strict=True)) if first else writer.inputs(apart=True)
    x, specials = (TOKENS_BELOW, SPECIALS_BELOW) if first else (writer.embed(IDS, POSITIONS), writer.embed(SPECIAL_IDS, SPECIAL_POSITIONS))
    x, specials = _read_layers(writer, x, specials, first, head.layer if head else None)
    if head is None:
        return writer.pack(writer.linear(x, writer.stack.head), inputs)
    scores = writer.linear(writer.graph.add("Relu", writer.linear(x, head.up)), head.down)
    for name, found in zip((TOKEN_STATES, SPECIAL_STATES, SCORES), (x, specials, scores), strict=True):
        writer.graph.add("Identity", found, name=name)
    outputs = dict(zip((TOKEN_STATES, SPECIAL_STATES), shapes, strict=True))
    return writer.graph.pack(inputs=inputs, outputs={**outputs, SCORES: ("float32", ("windows", "tokens", 1))})


def _read_layers(writer: "_Writer", x: str, specials: str, first: int, last: int | None) -> tuple[str, str]:
    """The states of tokens and special tokens after these layers; after the last of all, those of special tokens are not needed."""
    layers = writer.stack.layers
    linear, own = (writer.linear_int8, writer.linear_dynamic) if writer.int8 else (writer.linear_w8a16, writer.linear_w8a16)
    for number, layer in list(enumerate(layers))[first:last]:
        both = writer.attend([writer.project_apart(layer, specials, special=True), writer.project_apart(layer, x)])
        left = len(layers) - number - 1
        x = writer.finish(layer, writer.cut(both, 2, None), x, linear=linear, down=writer.linear_w8a16 if left < _W8A16_LAYERS else linear)
        if left:
            specials = writer.finish(layer, writer.cut(both, 0, 2), specials, linear=writer.linear_w8a16, out=own)
    return x, specials


@dataclass(frozen=True, slots=True)
class _Writer:
    stack: Stack
    quantized: bool = False
    int8: bool = False
    signed: bool = True
    ranges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)
    split: dict[str, tuple[Int8, Int8]] = field(default_factory=dict)

    def embed(self, ids: str, positions: str) -> str:
        hold, add, tokens = self.graph.hold, self.graph.add, self.stack.token_embeddings
        if self.quantized:
            table = tokens if isinstance(tokens, Quantized) else quantize(tokens)
            values = add("Cast", add("Gather", hold("tokens", table.values), ids), to=1)
            found = add("Mul", values, add("Gather", hold("tokens.scale", table.scales[:, None]), ids))
        else:
            found = add("Gather", hold("tokens", self.stack.embeddings()), ids)
        x = self.norm(add("Add", found, add("Gather", hold("positions.table", self.stack.position_embeddings), positions)), self.stack.norm)
        return x if self.stack.widen is None else self.linear(x, self.stack.widen)

    def project(self, layer: Layer, x: str) -> Stream:
        return self._project(layer, partial(self.linear, x))

    def project_apart(self, layer: Layer, x: str, *, special: bool = False) -> Stream:
        """As W8A16, or as int8 with the known range of tokens."""
        if not self.int8:
            return self._project(layer, partial(self.linear_w8a16, x))
        known = layer.qkv.name in self.ranges and not special
        quantized = self.quantize_static(x, layer.qkv.name) if known else self.quantize_dynamic(x)
        return self._project(layer, partial(self.multiply, quantized))

    def _project(self, layer: Layer, product: Callable[..., str]) -> Stream:
        queries, keys, values = self.thirds(layer.qkv)
        # The bias of keys would add the same to all scores of a query, and attention would not see it.
        return product(queries), product(keys, bias=False), product(values)

    def quantize_dynamic(self, x: str) -> Int8:
        """The int8 values of a window's activations, their scale and their zero point."""
        values = self.graph.add("DynamicQuantizeLinear", x, outputs=3)
        return values, f"{values}.1", f"{values}.2"

    def quantize_static(self, x: str, name: str) -> Int8:
        """The int8 values of the input of a linear whose range is known, their scale and their zero point."""
        low, high = self.ranges[name]
        step = np.float32((high - low) / 255 or 1)
        scale = self.graph.hold(f"{name}.input.scale", np.array(step))
        zero = self.graph.hold(f"{name}.input.zero", np.array(np.clip(np.rint(-low / step), 0, 255), dtype=np.uint8))
        return self.graph.add("QuantizeLinear", x, scale, zero), scale, zero

    def multiply(self, quantized: Int8, linear: Linear, *, bias: bool = True) -> str:
        """The product of int8 values with a linear's."""
        (x, x_scale, x_zero), (weight, scale, zero) = quantized, self.weights(linear)
        added = [self.graph.hold(f"{linear.name}.bias", linear.bias)] if bias else []
        return self.graph.add("MatMulIntegerToFloat", x, weight, x_scale, scale, x_zero, zero, *added, contrib=True)

    def thirds(self, qkv: Linear) -> list[Linear]:
        """Queries, keys and values apart: a product is cheaper than cutting its result."""
        width = self.stack.width
        weight = qkv.quantized() if self.quantized else qkv.floats()
        return [
            Linear(f"{qkv.name}.{at}", weight[rows], qkv.bias[rows])
            for at, rows in enumerate(slice(first, first + width) for first in range(0, 3 * width, width))
        ]

    def attend(self, streams: list[Stream]) -> str:
        """Attention over all streams, one after the other along the window."""
        add, stack = self.graph.add, self.stack
        if self.int8:
            return attend_int8(self.graph, *streams, heads=stack.heads, width=stack.width, signed=self.signed)
        joined = streams[0] if len(streams) == 1 else tuple(add("Concat", *parts, axis=1) for parts in zip(*streams, strict=True))
        return add("MultiHeadAttention", *joined, contrib=True, num_heads=stack.heads)

    def cut(self, x: str, first: int, last: int | None) -> str:
        ends = (first, np.iinfo(np.int64).max if last is None else last)
        bounds = [self.graph.hold(f"place {end}", np.array([end], dtype=np.int64)) for end in ends]
        return self.graph.add("Slice", x, *bounds, self.graph.hold("along", np.ones(1, dtype=np.int64)))

    def finish(
        self,
        layer: Layer,
        attended: str,
        x: str,
        *,
        linear: Product | None = None,
        out: Product | None = None,
        down: Product | None = None,
    ) -> str:
        """What follows attention in a layer. ``linear`` writes its products, in full precision where none is given.

        ``out`` and ``down`` write the first and the last of them where these are to be other.
        """
        add, exact = self.graph.add, self.stack.activation
        linear = linear or self.linear
        x = self.norm(add("Add", (out or linear)(attended, layer.out), x), layer.attention_norm)
        operator, contrib = _ACTIVATIONS["gelu_tanh" if self.int8 and exact == "gelu" else exact]
        fed = (down or linear)(add(operator, linear(x, layer.up), contrib=contrib), layer.down)
        return self.norm(add("Add", fed, x), layer.feed_norm)

    def linear(self, x: str, linear: Linear, *, bias: bool = True) -> str:
        """In full precision."""
        weight = self.graph.hold(f"{linear.name}.weight", linear.floats().T)
        product = self.graph.add("MatMul", x, weight)
        return self.graph.add("Add", product, self.graph.hold(f"{linear.name}.bias", linear.bias)) if bias else product

    def linear_int8(self, x: str, linear: Linear) -> str:
        """In int8, with the known range where there is one."""
        return self.multiply(self.quantize_static(x, linear.name), linear) if linear.name in self.ranges else self.linear_dynamic(x, linear)

    def linear_dynamic(self, x: str, linear: Linear) -> str:
        """In int8, with the range that these activations have."""
        bias = self.graph.hold(f"{linear.name}.bias", linear.bias)
        return self.graph.add("DynamicQuantizeMatMul", x, *self.weights(linear), bias, contrib=True)

    def linear_w8a16(self, x: str, linear: Linear, *, bias: bool = True) -> str:
        high, low = self.split_bytes(x)
        return self.graph.add("Add", self.multiply(high, linear, bias=bias), self.multiply(low, linear, bias=False))

    def split_bytes(self, x: str) -> tuple[Int8, Int8]:
        """The int8 values of a window's activations, and those of the quantization error: a 65,000th part of the range remains."""
        if x not in self.split:
            high = self.quantize_dynamic(x)
            self.split[x] = high, self.quantize_dynamic(self.graph.add("Sub", x, self.graph.add("DequantizeLinear", *high)))
        return self.split[x]

    def weights(self, linear: Linear) -> tuple[str, str, str]:
        """The names of the int8 values, scales and zero points of a linear."""
        names = (f"{linear.name}.values", f"{linear.name}.scale", "" if self.signed else f"{linear.name}.zero")
        if names[0] not in self.graph.constants:
            whole = linear.quantized()
            self.graph.hold(names[0], whole.values.T if self.signed else (whole.values.T.astype(np.int16) + 128).astype(np.uint8))
            self.graph.hold(names[1], whole.scales)
            if not self.signed:
                self.graph.hold(names[2], np.full(len(whole.scales), 128, dtype=np.uint8))
        return names

    def norm(self, x: str, norm: Norm) -> str:
        held = [self.graph.hold(f"{norm.name}.{part}", values) for part, values in (("weight", norm.weight), ("bias", norm.bias))]
        return self.graph.add("LayerNormalization", x, *held, axis=-1, epsilon=float(norm.epsilon))

    def inputs(self, *, apart: bool = False) -> dict[str, tuple[str, Shape]]:
        """What a graph that begins with the ids of windows takes."""
        inputs: dict[str, tuple[str, Shape]] = {IDS: ("int64", ("windows", "tokens")), POSITIONS: ("int64", ("windows", "tokens"))}
        if apart:
            inputs |= {SPECIAL_IDS: ("int64", ("windows", 2)), SPECIAL_POSITIONS: ("int64", ("windows", 2))}
        return inputs

    def pack(self, logits: str, inputs: Mapping[str, tuple[str, Shape]]) -> bytes:
        self.graph.add("Identity", logits, name=LOGITS)
        return self.graph.pack(inputs=inputs, outputs={LOGITS: ("float32", ("windows", "tokens", self.stack.tags))})

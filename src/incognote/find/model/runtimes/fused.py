"""ONNX graphs of whole taggers, written by hand for speed on a processor: full precision, int8 with the special tokens kept exact, or fine.

Windows come without padding, so that attention needs no mask.

In int8, activations share one scale for each window. The first and the last token of a window (``<s>``, ``[SEP]`` …) carry activations
a hundred times larger than those of words (Sun et al. 2024, Massive Activations in Large Language Models), which would leave no
resolution for the words. So these two run beside the words, and both meet in attention alone. The large activations are those of the
feed-forward part; there the products of these two are fine, elsewhere a scale of their own is enough. The last product of the last two
layers is fine for words too: little comes after it that would even out what it leaves over, and there it costs precision.

The scores of attention are int8 as well (``attention.py``). GELU is taken in its tanh form, which is faster and differs from the exact
one by a small part of what a code is wide.

Fine products take activations as two bytes: the codes, and the codes of what these leave over. They cost half of what full precision
costs. With weights that are codes already, a graph of nothing but fine products gives the spans of full precision.

With gates (``gate.py``) a tagger is several graphs: one for the layers up to each gate, which gives the states of words and edges and a
score for each word, and one for the layers after the last.

A sum and the norm after it are two operators: ONNX Runtime has one for both, which takes several times as long. They must not be fused
when the graph is loaded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from incognote.find.model.runtimes.attention import Stream, attend_coded
from incognote.find.model.runtimes.onnx_file import Graph, Shape
from incognote.find.model.runtimes.pruning import Gate
from incognote.find.model.runtimes.stack import Layer, Linear, Norm, Stack
from incognote.find.model.tensors import Codes, quantize

IDS, PLACES, LOGITS = "ids", "places", "logits"
EDGE_IDS, EDGE_PLACES = "edge_ids", "edge_places"
WORDS_BELOW, EDGES_BELOW = "words_below", "edges_below"
WORD_STATES, EDGE_STATES, SCORES = "word_states", "edge_states", "scores"
_ACTIVATIONS = {"gelu": ("Gelu", True), "gelu_tanh": ("FastGelu", True), "relu": ("Relu", False)}

_FINE_LAYERS = 2  # the last ones, whose last product is fine

Coded = tuple[str, str, str]
"""The names of codes, of their scale and of their zero point."""

Product = Callable[[str, Linear], str]
"""Writes the product of activations with a linear."""


def write_graph(stack: Stack) -> bytes:
    """Full precision: ``ids`` and ``places`` of windows in, ``logits`` out."""
    writer = _Writer(stack)
    x = writer.embed(IDS, PLACES)
    for layer in stack.layers:
        x = writer.finish(layer, writer.attend([writer.project(layer, x)]), x)
    return writer.pack(writer.linear(x, stack.head), writer.inputs())


def write_int8_graph(
    stack: Stack,
    *,
    signed: bool = True,
    ranges: Mapping[str, Sequence[float]] | None = None,
    first: int = 0,
    gate: Gate | None = None,
) -> bytes:
    """int8: words (``ids``, ``places``) apart from the edges, the first and last token of each window (``edge_ids``, ``edge_places``).

    The logits are those of the words. ``signed`` codes are fast where the processor multiplies unsigned by signed bytes without
    overflow (VNNI); elsewhere unsigned ones are safe. ``ranges`` are calibrated low and high values of the linears' inputs, by name;
    without them every window has its own.

    A graph up to a ``gate`` gives ``word_states``, ``edge_states`` and the gate's ``scores`` in place of logits; one from layer number
    ``first`` on, which lies above a gate, takes ``words_below`` and ``edges_below``.
    """
    return _write_apart(_Writer(stack, coded=True, rough=True, signed=signed, ranges=ranges or {}), first, gate)


def write_w8a16_graph(stack: Stack, *, signed: bool = True) -> bytes:
    """Codes for weights and two bytes for each activation; inputs and output are those of :func:`write_int8_graph`."""
    return _write_apart(_Writer(stack, coded=True, signed=signed))


def _write_apart(writer: "_Writer", first: int = 0, gate: Gate | None = None) -> bytes:
    """Words and edges as two streams, from one layer on, up to a gate or to the end."""
    width = writer.stack.width
    shapes: list[tuple[str, Shape]] = [("float32", ("windows", "tokens", width)), ("float32", ("windows", 2, width))]
    inputs = dict(zip((WORDS_BELOW, EDGES_BELOW), shapes, strict=True)) if first else writer.inputs(apart=True)
    x, edges = (WORDS_BELOW, EDGES_BELOW) if first else (writer.embed(IDS, PLACES), writer.embed(EDGE_IDS, EDGE_PLACES))
    x, edges = _read_layers(writer, x, edges, first, gate.layer if gate else None)
    if gate is None:
        return writer.pack(writer.linear(x, writer.stack.head), inputs)
    scores = writer.linear(writer.graph.add("Relu", writer.linear(x, gate.up)), gate.down)
    for name, found in zip((WORD_STATES, EDGE_STATES, SCORES), (x, edges, scores), strict=True):
        writer.graph.add("Identity", found, name=name)
    outputs = dict(zip((WORD_STATES, EDGE_STATES), shapes, strict=True))
    return writer.graph.pack(inputs=inputs, outputs={**outputs, SCORES: ("float32", ("windows", "tokens", 1))})


def _read_layers(writer: "_Writer", x: str, edges: str, first: int, last: int | None) -> tuple[str, str]:
    """The states of words and edges after these layers; after the last of all, nobody asks for the edges."""
    layers = writer.stack.layers
    linear, own = (writer.linear_int8, writer.linear_own) if writer.rough else (writer.linear_fine, writer.linear_fine)
    for number, layer in list(enumerate(layers))[first:last]:
        both = writer.attend([writer.project_apart(layer, edges, edges=True), writer.project_apart(layer, x)])
        left = len(layers) - number - 1
        x = writer.finish(layer, writer.cut(both, 2, None), x, linear=linear, down=writer.linear_fine if left < _FINE_LAYERS else linear)
        if left:
            edges = writer.finish(layer, writer.cut(both, 0, 2), edges, linear=writer.linear_fine, out=own)
    return x, edges


@dataclass(frozen=True, slots=True)
class _Writer:
    stack: Stack
    coded: bool = False
    rough: bool = False
    signed: bool = True
    ranges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)
    parted: dict[str, tuple[Coded, Coded]] = field(default_factory=dict)

    def embed(self, ids: str, places: str) -> str:
        hold, add, words = self.graph.hold, self.graph.add, self.stack.words
        if self.coded:
            table = words if isinstance(words, Codes) else quantize(words)
            codes = add("Cast", add("Gather", hold("words", table.codes), ids), to=1)
            found = add("Mul", codes, add("Gather", hold("words.scale", table.scales[:, None]), ids))
        else:
            found = add("Gather", hold("words", self.stack.embeddings()), ids)
        x = self.norm(add("Add", found, add("Gather", hold("places.table", self.stack.places), places)), self.stack.norm)
        return x if self.stack.widen is None else self.linear(x, self.stack.widen)

    def project(self, layer: Layer, x: str) -> Stream:
        return self._project(layer, partial(self.linear, x))

    def project_apart(self, layer: Layer, x: str, *, edges: bool = False) -> Stream:
        """Finely, or as int8 with the known range of words."""
        if not self.rough:
            return self._project(layer, partial(self.linear_fine, x))
        coded = self.round(x, layer.qkv.name) if layer.qkv.name in self.ranges and not edges else self.code(x)
        return self._project(layer, partial(self.multiply, coded))

    def _project(self, layer: Layer, product: Callable[..., str]) -> Stream:
        queries, keys, values = self.thirds(layer.qkv)
        # The bias of keys would add the same to all scores of a query, and attention would not see it.
        return product(queries), product(keys, bias=False), product(values)

    def code(self, x: str) -> Coded:
        """The codes of a window's activations, their scale and their zero point."""
        codes = self.graph.add("DynamicQuantizeLinear", x, outputs=3)
        return codes, f"{codes}.1", f"{codes}.2"

    def round(self, x: str, name: str) -> Coded:
        """The codes of the input of a linear whose range is known, their scale and their zero point."""
        low, high = self.ranges[name]
        step = np.float32((high - low) / 255 or 1)
        scale = self.graph.hold(f"{name}.input.scale", np.array(step))
        zero = self.graph.hold(f"{name}.input.zero", np.array(np.clip(np.rint(-low / step), 0, 255), dtype=np.uint8))
        return self.graph.add("QuantizeLinear", x, scale, zero), scale, zero

    def multiply(self, coded: Coded, linear: Linear, *, bias: bool = True) -> str:
        """The product of codes with a linear's codes."""
        (x, x_scale, x_zero), (weight, scale, zero) = coded, self.codes(linear)
        added = [self.graph.hold(f"{linear.name}.bias", linear.bias)] if bias else []
        return self.graph.add("MatMulIntegerToFloat", x, weight, x_scale, scale, x_zero, zero, *added, contrib=True)

    def thirds(self, qkv: Linear) -> list[Linear]:
        """Queries, keys and values apart: a product is cheaper than cutting its result."""
        width = self.stack.width
        weight = qkv.codes() if self.coded else qkv.floats()
        return [
            Linear(f"{qkv.name}.{at}", weight[rows], qkv.bias[rows])
            for at, rows in enumerate(slice(first, first + width) for first in range(0, 3 * width, width))
        ]

    def attend(self, streams: list[Stream]) -> str:
        """Attention over all streams, one after the other along the window."""
        add, stack = self.graph.add, self.stack
        if self.rough:
            return attend_coded(self.graph, *streams, heads=stack.heads, width=stack.width, signed=self.signed)
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
        operator, contrib = _ACTIVATIONS["gelu_tanh" if self.rough and exact == "gelu" else exact]
        fed = (down or linear)(add(operator, linear(x, layer.up), contrib=contrib), layer.down)
        return self.norm(add("Add", fed, x), layer.feed_norm)

    def linear(self, x: str, linear: Linear, *, bias: bool = True) -> str:
        """In full precision."""
        weight = self.graph.hold(f"{linear.name}.weight", linear.floats().T)
        product = self.graph.add("MatMul", x, weight)
        return self.graph.add("Add", product, self.graph.hold(f"{linear.name}.bias", linear.bias)) if bias else product

    def linear_int8(self, x: str, linear: Linear) -> str:
        """In int8, with the known range where there is one."""
        return self.multiply(self.round(x, linear.name), linear) if linear.name in self.ranges else self.linear_own(x, linear)

    def linear_own(self, x: str, linear: Linear) -> str:
        """In int8, with the range that these activations have."""
        bias = self.graph.hold(f"{linear.name}.bias", linear.bias)
        return self.graph.add("DynamicQuantizeMatMul", x, *self.codes(linear), bias, contrib=True)

    def linear_fine(self, x: str, linear: Linear, *, bias: bool = True) -> str:
        high, low = self.part(x)
        return self.graph.add("Add", self.multiply(high, linear, bias=bias), self.multiply(low, linear, bias=False))

    def part(self, x: str) -> tuple[Coded, Coded]:
        """The codes of a window's activations, and the codes of what these leave over: a 65,000th part of the range remains."""
        if x not in self.parted:
            high = self.code(x)
            self.parted[x] = high, self.code(self.graph.add("Sub", x, self.graph.add("DequantizeLinear", *high)))
        return self.parted[x]

    def codes(self, linear: Linear) -> tuple[str, str, str]:
        """The names of the codes, scales and zero points of a linear."""
        names = (f"{linear.name}.codes", f"{linear.name}.scale", "" if self.signed else f"{linear.name}.zero")
        if names[0] not in self.graph.constants:
            whole = linear.codes()
            self.graph.hold(names[0], whole.codes.T if self.signed else (whole.codes.T.astype(np.int16) + 128).astype(np.uint8))
            self.graph.hold(names[1], whole.scales)
            if not self.signed:
                self.graph.hold(names[2], np.full(len(whole.scales), 128, dtype=np.uint8))
        return names

    def norm(self, x: str, norm: Norm) -> str:
        held = [self.graph.hold(f"{norm.name}.{part}", values) for part, values in (("weight", norm.weight), ("bias", norm.bias))]
        return self.graph.add("LayerNormalization", x, *held, axis=-1, epsilon=float(norm.epsilon))

    def inputs(self, *, apart: bool = False) -> dict[str, tuple[str, Shape]]:
        """What a graph that begins with the ids of windows takes."""
        inputs: dict[str, tuple[str, Shape]] = {IDS: ("int64", ("windows", "tokens")), PLACES: ("int64", ("windows", "tokens"))}
        if apart:
            inputs |= {EDGE_IDS: ("int64", ("windows", 2)), EDGE_PLACES: ("int64", ("windows", 2))}
        return inputs

    def pack(self, logits: str, inputs: Mapping[str, tuple[str, Shape]]) -> bytes:
        self.graph.add("Identity", logits, name=LOGITS)
        return self.graph.pack(inputs=inputs, outputs={LOGITS: ("float32", ("windows", "tokens", self.stack.tags))})

"""Attention with int8 scores, as nodes of an ONNX graph.

In full precision attention takes two fifths of the time of a long int8 window, and a processor with VNNI multiplies four times as many
bytes as floats. Scores, queries times keys, lose nothing measurable in int8. Probabilities times values stay in full precision: most
probabilities are too small for a byte.
"""

import numpy as np

from incognote.find.model.runtimes.onnx_file import Graph

_HEADS_AT_ONCE = 3  # the scores of more heads leave the processor's cache before they are used
_TOP = 127

Stream = tuple[str, str, str]
"""The names of queries, keys and values."""


def attend_int8(graph: Graph, specials: Stream, tokens: Stream, *, heads: int, width: int, signed: bool) -> str:
    """What the special tokens and then the tokens of one window attend to, ``(1, tokens, width)``.

    Queries have the scale of the tokens' queries. Each key has its own, so that a large one of a special token does not blur the others.
    ``signed`` says which int8 values the processor multiplies without overflow.
    """
    add, hold = graph.add, graph.hold
    size, some = width // heads, max(few for few in range(1, _HEADS_AT_ONCE + 1) if heads % few == 0)

    def part(x: str, *order: int) -> list[str]:
        """The heads of a tensor, some at a time."""
        whole = add("Transpose", add("Reshape", x, hold("attention.heads", np.array([0, 0, heads, size]))), perm=order)
        first = add("Split", whole, hold("attention.parts", np.full(heads // some, some)), outputs=heads // some, axis=1)
        return [first, *(f"{first}.{at}" for at in range(1, heads // some))]

    quantized = add("DynamicQuantizeLinear", tokens[0], outputs=3)
    step, middle = f"{quantized}.1", f"{quantized}.2"
    queries = add("Concat", add("QuantizeLinear", specials[0], step, middle), quantized, axis=1)
    scale = add("Mul", step, hold("attention.root", np.array(size**-0.5, dtype=np.float32)))
    keys, values = (add("Concat", *parts, axis=1) for parts in zip(specials[1:], tokens[1:], strict=True))
    quantized_keys, scales, zero = _quantize_keys(graph, keys, some, signed=signed)
    attended = []
    for query, key, value in zip(part(queries, 0, 2, 1, 3), part(quantized_keys, 0, 2, 3, 1), part(values, 0, 2, 1, 3), strict=True):
        scores = add("MatMulIntegerToFloat", query, key, scale, scales, middle, zero, contrib=True)
        attended.append(add("MatMul", add("Softmax", scores, axis=-1), value))
    joined = add("Transpose", add("Concat", *attended, axis=1), perm=(0, 2, 1, 3))
    return add("Reshape", joined, hold("attention.joined", np.array([0, 0, width])))


def _quantize_keys(graph: Graph, keys: str, some: int, *, signed: bool) -> tuple[str, str, str]:
    """The int8 values of keys, a scale for each in the shape that ``some`` heads need, and the zero point."""
    add, hold = graph.add, graph.hold
    highest = add("ReduceMax", add("Abs", keys), axes=(0, 2), keepdims=0)
    scales = add("Mul", highest, hold("attention.top", np.array(1 / _TOP, dtype=np.float32)))
    zero = hold("attention.zero", np.array(0, dtype=np.int8) if signed else np.array(128, dtype=np.uint8))
    quantized = add("QuantizeLinear", keys, scales, add("Expand", zero, add("Shape", scales)), axis=1)
    return quantized, add("Expand", scales, hold("attention.some", np.array([1, some, 1, 1]))), zero

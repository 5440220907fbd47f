"""Attention whose scores are products of bytes, as nodes of an ONNX graph.

In full precision attention takes two fifths of the time of a long int8 window, and a processor with VNNI multiplies four times as many
bytes as floats. Scores, queries times keys, lose nothing by it that shows. What comes of them, probabilities times values, stays in full
precision: most probabilities are too small for a byte.
"""

import numpy as np

from incognote.find.model.runtimes.onnx_file import Graph

_HEADS_AT_ONCE = 3  # the scores of more heads leave the processor's cache before they are used
_TOP = 127

Stream = tuple[str, str, str]
"""The names of queries, keys and values."""


def attend_coded(graph: Graph, edges: Stream, words: Stream, *, heads: int, width: int, signed: bool) -> str:
    """What the edges and then the words of one window see, ``(1, tokens, width)``.

    Queries have the scale of the words' queries. Each key has its own, so that a large one among the edges does not blur those of words.
    ``signed`` says which codes the processor multiplies without overflow.
    """
    add, hold = graph.add, graph.hold
    size, some = width // heads, max(few for few in range(1, _HEADS_AT_ONCE + 1) if heads % few == 0)

    def part(x: str, *order: int) -> list[str]:
        """The heads of a tensor, some at a time."""
        whole = add("Transpose", add("Reshape", x, hold("attention.heads", np.array([0, 0, heads, size]))), perm=order)
        first = add("Split", whole, hold("attention.parts", np.full(heads // some, some)), outputs=heads // some, axis=1)
        return [first, *(f"{first}.{at}" for at in range(1, heads // some))]

    codes = add("DynamicQuantizeLinear", words[0], outputs=3)
    step, middle = f"{codes}.1", f"{codes}.2"
    queries = add("Concat", add("QuantizeLinear", edges[0], step, middle), codes, axis=1)
    scale = add("Mul", step, hold("attention.root", np.array(size**-0.5, dtype=np.float32)))
    keys, values = (add("Concat", *parts, axis=1) for parts in zip(edges[1:], words[1:], strict=True))
    coded, scales, zero = _code_keys(graph, keys, some, signed=signed)
    seen = []
    for asking, asked, told in zip(part(queries, 0, 2, 1, 3), part(coded, 0, 2, 3, 1), part(values, 0, 2, 1, 3), strict=True):
        scores = add("MatMulIntegerToFloat", asking, asked, scale, scales, middle, zero, contrib=True)
        seen.append(add("MatMul", add("Softmax", scores, axis=-1), told))
    joined = add("Transpose", add("Concat", *seen, axis=1), perm=(0, 2, 1, 3))
    return add("Reshape", joined, hold("attention.joined", np.array([0, 0, width])))


def _code_keys(graph: Graph, keys: str, some: int, *, signed: bool) -> tuple[str, str, str]:
    """The codes of keys, a scale for each in the shape that ``some`` heads need, and the zero point."""
    add, hold = graph.add, graph.hold
    highest = add("ReduceMax", add("Abs", keys), axes=(0, 2), keepdims=0)
    scales = add("Mul", highest, hold("attention.top", np.array(1 / _TOP, dtype=np.float32)))
    zero = hold("attention.zero", np.array(0, dtype=np.int8) if signed else np.array(128, dtype=np.uint8))
    codes = add("QuantizeLinear", keys, scales, add("Expand", zero, add("Shape", scales)), axis=1)
    return codes, add("Expand", scales, hold("attention.some", np.array([1, some, 1, 1]))), zero

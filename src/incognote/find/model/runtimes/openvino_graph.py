"""OpenVINO graphs of whole taggers, or of the layers between gates: int8 codes for weights, scales of activations as they come."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.machine import cpu_flags
from incognote.find.model.runtimes.pruning import Gate
from incognote.find.model.runtimes.silent import import_openvino
from incognote.find.model.runtimes.stack import Layer, Linear, Norm, Stack
from incognote.find.model.tensors import Codes

if TYPE_CHECKING:
    from openvino import Model

# Activations of so many channels of one token share a scale: the first that the widths can be cut into. Larger groups are hardly faster,
# and change the spans of more notes; smaller ones are slower.
_GROUPS = (192, 128, 64)
_FALLBACK_GROUP = 128
_GELU = {"gelu": "erf", "gelu_tanh": "tanh"}

Node = Any  # OpenVINO's nodes carry no types


def pick_group(stack: Stack) -> int:
    """How many channels share a scale. Groups that the widths cannot be cut into are slower than smaller ones that they can."""
    widths = (stack.width, len(stack.layers[0].up.bias))
    return next((group for group in _GROUPS if not any(width % group for width in widths)), _FALLBACK_GROUP)


def computes_bf16(isa: str) -> bool:
    """Whether attention may run in brain floats: twice as fast, and still finer than the int8 around it."""
    return "avx512_bf16" in cpu_flags() and isa in ("", "AVX512_CORE_BF16", "AVX512_CORE_FP16")


def build_model(stack: Stack, *, first: int = 0, gate: Gate | None = None) -> "Model":
    """The tagger with its linears as int8 codes: logits from ids, places, what hides padding and, for MPNet, distances.

    Up to a ``gate`` it gives states and the gate's scores in place of logits; from layer number ``first`` on, above a gate, it takes states
    in place of ids and places.
    """
    openvino = import_openvino()
    from openvino import opset13 as op

    hidden = op.parameter([-1, 1, 1, -1], np.float32, name="hidden")
    if first:
        x = op.parameter([-1, -1, stack.width], np.float32, name="states")
        inputs = [x, hidden]
    else:
        inputs = [*(op.parameter([-1, -1], np.int32, name=name) for name in ("ids", "places")), hidden]
        x = _embed(op, stack, *inputs[:2])
    bias = hidden
    if stack.nearness is not None:
        inputs.append(op.parameter([-1, -1], np.int32, name="distances"))
        near = op.gather(op.constant(stack.nearness), inputs[-1], op.constant(np.int64(1)))
        bias = op.add(op.unsqueeze(near, op.constant(np.int64(0))), hidden)
    for layer in stack.layers[first : gate.layer if gate else None]:
        x = _layer(op, x, layer, stack, bias)
    if gate is None:
        return openvino.Model([_linear(op, x, stack.head, coded=False)], inputs, "incognote")
    scores = _linear(op, op.relu(_linear(op, x, gate.up, coded=False)), gate.down, coded=False)
    return openvino.Model([x, scores], inputs, "incognote")


def _embed(op: Any, stack: Stack, ids: Node, places: Node) -> Node:
    x = _norm(op, op.add(_gather(op, stack.embeddings(), ids), _gather(op, stack.places, places)), stack.norm)
    return x if stack.widen is None else _linear(op, x, stack.widen, coded=False)


def _layer(op: Any, x: Node, layer: Layer, stack: Stack, bias: Node) -> Node:
    width, heads = stack.width, stack.heads
    parts = op.reshape(_linear(op, x, scale_queries(layer.qkv, heads)), _ints(op, 0, 0, 3, heads, width // heads), True)
    parts = op.split(op.transpose(parts, _ints(op, 2, 0, 3, 1, 4)), op.constant(np.int64(0)), 3)
    queries, keys, values = (op.squeeze(part, _ints(op, 0)) for part in parts.outputs())
    seen = op.scaled_dot_product_attention(queries, keys, values, bias, op.constant(np.float32(1)))
    seen = op.reshape(op.transpose(seen, _ints(op, 0, 2, 1, 3)), _ints(op, 0, 0, width), True)
    x = _norm(op, op.add(_linear(op, seen, layer.out), x), layer.attention_norm)
    fed = _linear(op, x, layer.up)
    fed = op.relu(fed) if stack.activation == "relu" else op.gelu(fed, _GELU[stack.activation])
    return _norm(op, op.add(_linear(op, fed, layer.down), x), layer.feed_norm)


def scale_queries(qkv: Linear, heads: int) -> Linear:
    """The projection with what attention would multiply every query with, which else is a pass of its own."""
    width = len(qkv.bias) // 3
    factors = np.ones(3 * width, dtype=np.float32)
    factors[:width] = (width // heads) ** -0.5
    codes = qkv.codes()
    return Linear(qkv.name, Codes(codes.codes, codes.scales * factors), qkv.bias * factors)


def _linear(op: Any, x: Node, linear: Linear, *, coded: bool = True) -> Node:
    if coded:
        codes = linear.codes()
        weight = op.multiply(op.convert(op.constant(np.ascontiguousarray(codes.codes)), "f32"), op.constant(codes.scales[:, None]))
    else:
        weight = op.constant(np.ascontiguousarray(linear.floats()))
    return op.add(op.matmul(x, weight, False, True), op.constant(linear.bias))


def _norm(op: Any, x: Node, norm: Norm) -> Node:
    even = op.mvn(x, _ints(op, -1), True, norm.epsilon, "inside_sqrt")
    return op.add(op.multiply(even, op.constant(norm.weight)), op.constant(norm.bias))


def _gather(op: Any, table: NDArray[np.float32], rows: Node) -> Node:
    return op.gather(op.constant(table), rows, op.constant(np.int64(0)))


def _ints(op: Any, *values: int) -> Node:
    return op.constant(np.array(values, dtype=np.int64))

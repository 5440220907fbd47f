"""The OpenVINO runtime: int8 weights, activations coded group by group as they come, and a stream for each core.

OpenVINO prepares its kernels anew for every shape that it has not seen, which takes a third of the time of a short note. So windows are
padded to a few lengths; short ones of like length run together, since kernels are slower on few rows. A shape that it has seen still
costs the time of ten tokens when the one before was another, so windows come sorted by length.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.encoders.checkpoint import Checkpoint
from incognote.encoders.machine import cpu_flags, own_cores
from incognote.encoders.runtimes import Batch
from incognote.encoders.runtimes.even import measure_distances
from incognote.encoders.runtimes.silent import import_openvino
from incognote.encoders.runtimes.stack import Layer, Linear, Norm, Stack, place_tokens, read_stack
from incognote.encoders.tensors import Codes, Tensors
from incognote.errors import CheckpointError

if TYPE_CHECKING:
    from openvino import CompiledModel, Model

ISA_VARIABLE = "ONEDNN_MAX_CPU_ISA"
_BUDGET = 2048
# Activations of so many channels of one token share a scale: the first that the widths can be cut into. Larger groups are hardly faster,
# and change the spans of more notes; smaller ones are slower.
_GROUPS = (192, 128, 64)
_FALLBACK_GROUP = 128
_STEP = 16  # windows are padded to a multiple of so many tokens
_TOGETHER = 640  # tokens: more rows than that make nothing faster
_AT_THE_END = 160  # tokens: the last run is waited for
_HIDDEN = np.float32(-1e9)
_GELU = {"gelu": "erf", "gelu_tanh": "tanh"}

Logits = NDArray[np.float32]
Node = Any  # OpenVINO's nodes carry no types


@dataclass(frozen=True, slots=True)
class OpenVinoRuntime:
    """A compiled model with so many streams; ``limit`` is the longest window that its places allow."""

    compiled: "CompiledModel" = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    tags: int
    reach: int
    limit: int
    streams: int
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return _BUDGET

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        # More than one for each stream, so that the next is there when one ends.
        idle = [self.compiled.create_infer_request() for _ in range(2 * self.streams)]
        waiting: deque[_Work] = deque()
        coming = iter(batches)
        following = next(coming, None)
        while following is not None:
            (ids, mask), following = following, next(coming, None)
            logits = np.zeros((*ids.shape, self.tags), dtype=np.float32)
            parts = list(like_rows(mask, together=_AT_THE_END if following is None else _TOGETHER))
            for number, (rows, length) in enumerate(parts, 1):
                while not idle:
                    yield from self._take(waiting, idle)
                request = idle.pop()
                request.start_async(self._feed(ids[rows, :length], mask[rows, :length]), share_inputs=False)
                waiting.append(_Work(request, logits, rows, length, last=number == len(parts)))
        while waiting:
            yield from self._take(waiting, idle)

    def _feed(self, ids: NDArray[Any], mask: NDArray[Any]) -> list[NDArray[Any]]:
        """The inputs for windows of like length, with padding behind them that attention does not see."""
        count, length = ids.shape
        size = max(length, min(pad(length), self.limit))
        feeds = [np.zeros((count, size), dtype=np.int32) for _ in range(2)]
        feeds[0][:, :length], feeds[1][:, :length] = ids, place_tokens(self.config, ids)
        hidden = np.full((count, 1, 1, size), _HIDDEN)
        hidden[:, 0, 0, :length][mask > 0] = 0
        distances = [measure_distances(size, self.reach).astype(np.int32)] if self.reach else []
        return [*feeds, hidden, *distances]

    def _take(self, waiting: "deque[_Work]", idle: list[Any]) -> Iterator[Logits]:
        """Wait for the oldest request and free it; its batch comes out when this was the last of its parts."""
        work = waiting.popleft()
        with _faults_told():
            work.request.wait()
        work.logits[work.rows, : work.length] = work.request.get_output_tensor().data[:, : work.length]
        idle.append(work.request)
        if work.last:
            yield work.logits


def pad(length: int) -> int:
    """
    >>> pad(1), pad(16), pad(17)
    (16, 16, 32)
    """
    return -(-length // _STEP) * _STEP


def like_rows(mask: NDArray[Any], *, together: int = _TOGETHER) -> Iterator[tuple[NDArray[np.intp], int]]:
    """The rows of a batch that are padded to one length and fill a run together, with the longest's length; the longest first.

    >>> [(rows.tolist(), length) for rows, length in like_rows(np.tri(500, dtype=int)[[98, 399, 99, 97, 96, 95]])]
    [([1], 400), ([2, 0, 3, 4], 100), ([5], 96)]
    """
    lengths = mask.sum(axis=1)
    order = np.argsort(-lengths, kind="stable")
    at = 0
    while at < len(order):
        size = pad(int(lengths[order[at]]))
        most = max(1, together // size)
        alike = [row for row in order[at : at + most] if pad(int(lengths[row])) == size]
        yield np.array(alike), int(lengths[alike[0]])
        at += len(alike)


@dataclass(frozen=True, slots=True)
class _Work:
    request: Any
    logits: Logits
    rows: NDArray[np.intp]
    length: int
    last: bool


def load_openvino_runtime(checkpoint: Checkpoint, *, isa: str = "", threads: int | None = None) -> OpenVinoRuntime:
    """The checkpoint compiled for this processor, with instructions up to ``isa`` where some that it names do not work."""
    if isa:
        os.environ[ISA_VARIABLE] = isa  # read when the library is loaded
    openvino = import_openvino()
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    streams = threads or own_cores()
    settings = {
        "INFERENCE_NUM_THREADS": streams,
        "NUM_STREAMS": streams,
        "INFERENCE_PRECISION_HINT": "bf16" if computes_bf16(isa) else "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": pick_group(stack),
    }
    reach = 0 if stack.nearness is None else (stack.nearness.shape[1] + 1) // 2
    with _faults_told():
        compiled = openvino.Core().compile_model(build_model(stack), "CPU", settings)
    return OpenVinoRuntime(compiled, checkpoint.config, stack.tags, reach, checkpoint.limit, streams)


@contextmanager
def _faults_told() -> Iterator[None]:
    """OpenVINO finds out late what a processor lacks; its own message names nodes of the graph."""
    try:
        yield
    except RuntimeError:
        raise CheckpointError("OpenVINO cannot run this model with the instructions of this processor; use --runtime auto") from None


def pick_group(stack: Stack) -> int:
    """How many channels share a scale. Groups that the widths cannot be cut into are slower than smaller ones that they can."""
    widths = (stack.width, len(stack.layers[0].up.bias))
    return next((group for group in _GROUPS if not any(width % group for width in widths)), _FALLBACK_GROUP)


def computes_bf16(isa: str) -> bool:
    """Whether attention may run in brain floats: twice as fast, and still finer than the int8 around it."""
    return "avx512_bf16" in cpu_flags() and isa in ("", "AVX512_CORE_BF16", "AVX512_CORE_FP16")


def build_model(stack: Stack) -> "Model":
    """The tagger with its linears as int8 codes. Inputs are ids, places, what hides padding and, for MPNet, distances."""
    openvino = import_openvino()
    from openvino import opset13 as op

    hidden = op.parameter([-1, 1, 1, -1], np.float32, name="hidden")
    inputs = [*(op.parameter([-1, -1], np.int32, name=name) for name in ("ids", "places")), hidden]
    words = stack.words.floats() if isinstance(stack.words, Codes) else stack.words
    x = _norm(op, op.add(_gather(op, words, inputs[0]), _gather(op, stack.places, inputs[1])), stack.norm)
    if stack.widen is not None:
        x = _linear(op, x, stack.widen, coded=False)
    bias = hidden
    if stack.nearness is not None:
        inputs.append(op.parameter([-1, -1], np.int32, name="distances"))
        near = op.gather(op.constant(stack.nearness), inputs[-1], op.constant(np.int64(1)))
        bias = op.add(op.unsqueeze(near, op.constant(np.int64(0))), hidden)
    for layer in stack.layers:
        x = _layer(op, x, layer, stack, bias)
    return openvino.Model([_linear(op, x, stack.head, coded=False)], inputs, "incognote")


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

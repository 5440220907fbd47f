"""The OpenVINO runtime: int8 weights, activations coded group by group as they come, and a stream for each core.

OpenVINO prepares its kernels anew for every shape that it has not seen, which takes a third of the time of a short note. So windows are
padded to a few lengths; short ones of like length run together, since kernels are slower on few rows. A shape that it has seen still
costs the time of ten tokens when the one before was another, so windows come sorted by length. What a gate lets through of several windows
is gathered by length again.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.document.bio import OUTSIDE
from incognote.encoders.checkpoint import Checkpoint
from incognote.encoders.machine import own_cores
from incognote.encoders.runtimes import Batch
from incognote.encoders.runtimes.even import measure_distances
from incognote.encoders.runtimes.gate import CLOSED, Gate, Meter, list_parts, read_gates
from incognote.encoders.runtimes.openvino_graph import build_model, computes_bf16, pick_group
from incognote.encoders.runtimes.silent import import_openvino
from incognote.encoders.runtimes.stack import place_tokens, read_stack
from incognote.encoders.tensors import Tensors
from incognote.errors import CheckpointError

if TYPE_CHECKING:
    from openvino import CompiledModel

ISA_VARIABLE = "ONEDNN_MAX_CPU_ISA"
_BUDGET = 2048
_STEP = 16  # windows are padded to a multiple of so many tokens
_TOGETHER = 640  # tokens: more rows than that make nothing faster
_AT_THE_END = 160  # tokens: the last run is waited for
_OPEN = 8  # batches that may wait for what the gate let through of them
_HIDDEN = np.float32(-1e9)

Logits = NDArray[np.float32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class OpenVinoRuntime:
    """A compiled model with so many streams; ``limit`` is the longest window that its places allow.

    Where there are gates, each is between two models, and ``outside`` is the column of the tag for what they hold back.
    """

    compiled: tuple["CompiledModel", ...] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    tags: int
    reach: int
    limit: int
    streams: int
    gates: tuple[Gate, ...] = ()
    outside: int = 0
    meter: Meter | None = None
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return _BUDGET

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        flow = _Flow(self)
        coming = iter(batches)
        following = next(coming, None)
        while following is not None:
            (ids, mask), following = following, next(coming, None)
            flow.start(ids, mask, together=_AT_THE_END if following is None else _TOGETHER)
            yield from flow.take_ready()
        yield from flow.take_rest()


@dataclass(slots=True)
class _Open:
    """A batch whose logits are not all there; ``left`` counts the windows that are missing."""

    logits: Logits
    left: int


@dataclass(frozen=True, slots=True)
class _Window:
    """One window on its way: the row of its logits in a batch, and the places of those of its tokens that are still with it."""

    batch: _Open
    row: int
    places: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Work:
    """A request under way: which part of the model it runs, counted from below, and whose windows are in it."""

    request: Any
    part: int
    windows: tuple[_Window, ...]


class _Flow:
    """Batches on their way through one runtime; each comes out, in order, when its last window is judged."""

    def __init__(self, runtime: OpenVinoRuntime) -> None:
        self.runtime = runtime
        # More than one for each stream, so that the next is there when one ends.
        self.idle = [[model.create_infer_request() for _ in range(2 * runtime.streams)] for model in runtime.compiled]
        self.open: deque[_Open] = deque()
        self.waiting: deque[_Work] = deque()
        # What gates let through, by the part that is to read it and its length: windows, and the states of their tokens.
        self.chosen: dict[tuple[int, int], list[tuple[_Window, Floats]]] = {}

    def start(self, ids: NDArray[Any], mask: NDArray[Any], *, together: int) -> None:
        """Put a batch under way."""
        batch = _Open(np.zeros((*ids.shape, self.runtime.tags), dtype=np.float32), len(ids))
        if self.runtime.gates:
            batch.logits[:, :, self.runtime.outside] = CLOSED
        self.open.append(batch)
        lengths = mask.sum(axis=1)
        for rows, length in like_rows(mask, together=together):
            windows = tuple(_Window(batch, int(row), np.arange(lengths[row])) for row in rows)
            self._run(0, self._feed(ids[rows, :length], mask[rows, :length]), windows)
            self._send()

    def take_ready(self) -> Iterator[Logits]:
        """The batches that are judged whole, in order; where too many wait, the first of them is brought to its end."""
        while len(self.open) > _OPEN and self.open[0].left:
            self._send(rest=True)
            self._wait()
        while self.open and not self.open[0].left:
            yield self.open.popleft().logits

    def take_rest(self) -> Iterator[Logits]:
        """All other batches, in order."""
        while self.open:
            if len(self.waiting) <= self.runtime.streams:  # little else will come to fill a run
                self._send(rest=True, together=_AT_THE_END)
            if self.open[0].left:
                self._wait()
            else:
                yield self.open.popleft().logits

    def _run(self, part: int, feed: list[NDArray[Any]], windows: tuple[_Window, ...]) -> None:
        idle = self.idle[part]
        while not idle:
            self._wait()
        request = idle.pop()
        request.start_async(feed, share_inputs=False)
        self.waiting.append(_Work(request, part, windows))
        if self.runtime.meter is not None:
            for window in windows:
                self.runtime.meter.note(part, len(window.places))

    def _wait(self) -> None:
        """Wait for the oldest request and free it."""
        work = self.waiting.popleft()
        with _faults_told():
            work.request.wait()
        found = [work.request.get_output_tensor(at).data for at in range(1 if work.part == len(self.runtime.gates) else 2)]
        for row, window in enumerate(work.windows):
            if len(found) == 2:
                self._choose(work.part, window, *(one[row] for one in found))
            else:
                window.batch.logits[window.row, window.places] = found[0][row, : len(window.places)]
                window.batch.left -= 1
        self.idle[work.part].append(work.request)

    def _choose(self, part: int, window: _Window, states: Floats, scores: Floats) -> None:
        """Keep what the gate lets through of a window; its first and last token go along with it."""
        last = len(window.places) - 1
        inner = self.runtime.gates[part].choose(scores[1:last, 0], states[: last + 1]) + 1
        if not len(inner):
            window.batch.left -= 1
            return
        kept = np.concatenate(([0], inner, [last]))
        above = _Window(window.batch, window.row, window.places[kept])
        self.chosen.setdefault((part + 1, pad(len(kept))), []).append((above, states[kept]))

    def _send(self, *, rest: bool = False, together: int = _TOGETHER) -> None:
        """Put on its way up what was let through of windows, as many of like length as fill a run; or the ``rest``."""
        for part, size in sorted(self.chosen, reverse=True):
            held, most = self.chosen[part, size], max(1, together // size)
            while len(held) >= (1 if rest else most):
                some = [held.pop() for _ in range(min(most, len(held)))]
                self._run(part, _feed_states([states for _, states in some], size), tuple(window for window, _ in some))

    def _feed(self, ids: NDArray[Any], mask: NDArray[Any]) -> list[NDArray[Any]]:
        """The inputs for windows of like length, with padding behind them that attention does not see."""
        runtime = self.runtime
        count, length = ids.shape
        size = max(length, min(pad(length), runtime.limit))
        feeds = [np.zeros((count, size), dtype=np.int32) for _ in range(2)]
        feeds[0][:, :length], feeds[1][:, :length] = ids, place_tokens(runtime.config, ids)
        hidden = np.full((count, 1, 1, size), _HIDDEN)
        hidden[:, 0, 0, :length][mask > 0] = 0
        distances = [measure_distances(size, runtime.reach).astype(np.int32)] if runtime.reach else []
        return [*feeds, hidden, *distances]


def _feed_states(chosen: list[Floats], size: int) -> list[Floats]:
    """The inputs above a gate, with padding behind them that attention does not see."""
    states = np.zeros((len(chosen), size, chosen[0].shape[1]), dtype=np.float32)
    hidden = np.full((len(chosen), 1, 1, size), _HIDDEN)
    for row, one in enumerate(chosen):
        states[row, : len(one)] = one
        hidden[row, 0, 0, : len(one)] = 0
    return [states, hidden]


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


def load_openvino_runtime(checkpoint: Checkpoint, *, isa: str = "", threads: int | None = None) -> OpenVinoRuntime:
    """The checkpoint compiled for this processor, with instructions up to ``isa`` where some that it names do not work."""
    if isa:
        os.environ[ISA_VARIABLE] = isa  # read when the library is loaded
    openvino = import_openvino()
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    gates = read_gates(checkpoint.folder, stack)
    streams = threads or own_cores()
    settings = {
        "INFERENCE_NUM_THREADS": streams,
        "NUM_STREAMS": streams,
        "INFERENCE_PRECISION_HINT": "bf16" if computes_bf16(isa) else "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": pick_group(stack),
    }
    with _faults_told():
        core = openvino.Core()
        models = (build_model(stack, first=first, gate=gate) for first, gate in list_parts(gates))
        compiled = tuple(core.compile_model(model, "CPU", settings) for model in models)
    reach = 0 if stack.nearness is None else (stack.nearness.shape[1] + 1) // 2
    outside, meter = checkpoint.tags.index(OUTSIDE), Meter(gates, len(stack.layers)) if gates else None
    return OpenVinoRuntime(compiled, checkpoint.config, stack.tags, reach, checkpoint.limit, streams, gates, outside, meter)


@contextmanager
def _faults_told() -> Iterator[None]:
    """OpenVINO finds out late what a processor lacks; its own message names nodes of the graph."""
    try:
        yield
    except RuntimeError:
        raise CheckpointError("OpenVINO cannot run this model with the instructions of this processor; use --runtime auto") from None

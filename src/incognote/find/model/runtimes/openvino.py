"""The OpenVINO runtime: int8 weights, activations coded group by group as they come, and a stream for each core.

OpenVINO prepares its kernels anew for every shape that it has not seen, which takes a third of the time of a short note. So windows are
padded to a few lengths; short ones of like length run together, since kernels are slower on few rows. A shape that it has seen still
costs the time of ten tokens when the one before was another, so windows come sorted by length. What gates let through of several windows
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

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.machine import own_cores
from incognote.find.model.runtimes import Batch
from incognote.find.model.runtimes.length_buckets import measure_distances
from incognote.find.model.runtimes.openvino_graph import build_model, computes_bf16, pick_group
from incognote.find.model.runtimes.pruning import CLOSED, Meter, list_parts
from incognote.find.model.runtimes.pruning_file import OpenGates, open_gates
from incognote.find.model.runtimes.silent import import_openvino
from incognote.find.model.runtimes.stack import place_tokens, read_stack
from incognote.find.model.tensors import Tensors

if TYPE_CHECKING:
    from openvino import CompiledModel

ISA_VARIABLE = "ONEDNN_MAX_CPU_ISA"
_BUDGET = 2048
_STEP = 16  # windows are padded to a multiple of so many tokens
_TOGETHER = 640  # tokens: more rows than that make nothing faster
_AT_THE_END = 160  # tokens: the last run is waited for
_OPEN = 8  # batches that may wait for others to be read with
_HIDDEN = np.float32(-1e9)

Logits = NDArray[np.float32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class OpenVinoRuntime:
    """A compiled model with so many streams; ``limit`` is the longest window that its places allow.

    Where there are gates, each is between two models.
    """

    compiled: tuple["CompiledModel", ...] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    tags: int
    reach: int
    limit: int
    streams: int
    gates: OpenGates | None = None
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return _BUDGET

    @property
    def meters(self) -> tuple[Meter, ...]:
        """What counts how much the layers read, where they do not read everything."""
        return (self.gates.meter,) if self.gates else ()

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        flow = _Flow(self)
        for ids, mask in batches:
            flow.start(ids, mask)
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
        # What is to be read, by the part that is to read it and its length: windows, and for each of their tokens what goes in.
        self.chosen: dict[tuple[int, int], list[tuple[_Window, tuple[NDArray[Any], ...]]]] = {}

    def start(self, ids: NDArray[Any], mask: NDArray[Any]) -> None:
        """Put a batch under way."""
        runtime = self.runtime
        batch = _Open(np.zeros((*ids.shape, runtime.tags), dtype=np.float32), len(ids))
        if runtime.gates:
            batch.logits[:, :, runtime.gates.outside] = CLOSED
        self.open.append(batch)
        places = place_tokens(runtime.config, ids)
        for row, length in enumerate(mask.sum(axis=1)):
            inner = runtime.gates.sift(ids[row, 1 : length - 1]) if runtime.gates else np.arange(length - 2)
            self._hold(0, _Window(batch, row, np.arange(length)), inner + 1, ids[row], places[row])
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
        if self.runtime.gates:
            for window in windows:
                self.runtime.gates.meter.note(part, len(window.places))

    def _wait(self) -> None:
        """Wait for the oldest request and free it."""
        work = self.waiting.popleft()
        with _faults_told():
            work.request.wait()
        last = work.part == len(self.runtime.compiled) - 1
        found = [work.request.get_output_tensor(at).data for at in range(1 if last else 2)]
        for row, window in enumerate(work.windows):
            if last:
                window.batch.logits[window.row, window.places] = found[0][row, : len(window.places)]
                window.batch.left -= 1
            else:
                self._choose(work.part, window, *(one[row] for one in found))
        self.idle[work.part].append(work.request)

    def _choose(self, part: int, window: _Window, states: Floats, scores: Floats) -> None:
        """Keep what the gate lets through of a window."""
        assert self.runtime.gates
        last = len(window.places) - 1
        inner = self.runtime.gates.between[part].choose(scores[1:last, 0], states[: last + 1]) + 1
        self._hold(part + 1, window, inner, states)

    def _hold(self, part: int, window: _Window, inner: NDArray[np.intp], *inputs: NDArray[Any]) -> None:
        """Keep these words of a window for a part of the model; its first and last token go along with them."""
        if not len(inner):
            window.batch.left -= 1
            return
        kept = np.concatenate(([0], inner, [len(window.places) - 1]))
        size = max(len(kept), min(pad(len(kept)), self.runtime.limit))
        own = _Window(window.batch, window.row, window.places[kept])
        self.chosen.setdefault((part, size), []).append((own, tuple(one[kept] for one in inputs)))

    def _send(self, *, rest: bool = False, together: int = _TOGETHER) -> None:
        """Put on its way what is to be read of windows, as many of like length as fill a run; or the ``rest``."""
        for part, size in sorted(self.chosen, reverse=True):
            held, most = self.chosen[part, size], max(1, together // size)
            while len(held) >= (1 if rest else most):
                some = [held.pop() for _ in range(min(most, len(held)))]
                self._run(part, self._feed(part, [inputs for _, inputs in some], size), tuple(window for window, _ in some))

    def _feed(self, part: int, chosen: list[tuple[NDArray[Any], ...]], size: int) -> list[NDArray[Any]]:
        """The inputs of a part of the model, with padding behind them that attention does not see."""
        kind = np.float32 if part else np.int32
        feeds = [np.zeros((len(chosen), size, *one.shape[1:]), dtype=kind) for one in chosen[0]]
        hidden = np.full((len(chosen), 1, 1, size), _HIDDEN)
        for row, inputs in enumerate(chosen):
            for feed, one in zip(feeds, inputs, strict=True):
                feed[row, : len(one)] = one
            hidden[row, 0, 0, : len(inputs[0])] = 0
        distances = [measure_distances(size, self.runtime.reach).astype(np.int32)] if self.runtime.reach else []
        return [*feeds, hidden, *distances]


def pad(length: int) -> int:
    """
    >>> pad(1), pad(16), pad(17)
    (16, 16, 32)
    """
    return -(-length // _STEP) * _STEP


def load_openvino_runtime(checkpoint: Checkpoint, *, isa: str = "", threads: int | None = None, gated: bool = True) -> OpenVinoRuntime:
    """The checkpoint compiled for this processor, with instructions up to ``isa`` where some that it names do not work.

    Its gates, if it has any, are used if ``gated``.
    """
    if isa:
        os.environ[ISA_VARIABLE] = isa  # read when the library is loaded
    openvino = import_openvino()
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    streams = threads or own_cores()
    gates = open_gates(checkpoint, stack, threads=streams) if gated else None
    settings = {
        "INFERENCE_NUM_THREADS": streams,
        "NUM_STREAMS": streams,
        "INFERENCE_PRECISION_HINT": "bf16" if computes_bf16(isa) else "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": pick_group(stack),
    }
    with _faults_told():
        core = openvino.Core()
        models = (build_model(stack, first=first, gate=gate) for first, gate in list_parts(gates.between if gates else ()))
        compiled = tuple(core.compile_model(model, "CPU", settings) for model in models)
    reach = 0 if stack.nearness is None else (stack.nearness.shape[1] + 1) // 2
    return OpenVinoRuntime(compiled, checkpoint.config, stack.tags, reach, checkpoint.limit, streams, gates)


@contextmanager
def _faults_told() -> Iterator[None]:
    """OpenVINO finds out late what a processor lacks; its own message names nodes of the graph."""
    try:
        yield
    except RuntimeError:
        raise CheckpointError("OpenVINO cannot run this model with the instructions of this processor; use --runtime auto") from None

"""The ONNX Runtime runtime: our own graph in one of three grades of precision, one thread for each window under way."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.document.bio import OUTSIDE
from incognote.encoders.checkpoint import Checkpoint
from incognote.encoders.machine import multiplies_bytes, own_cores
from incognote.encoders.packing import ACTIVATIONS
from incognote.encoders.runtimes import Batch
from incognote.encoders.runtimes.even import EDGES, even_rows, measure_distances
from incognote.encoders.runtimes.fused import (
    DISTANCES,
    EDGE_IDS,
    EDGE_PLACES,
    EDGE_STATES,
    EDGES_BELOW,
    IDS,
    LOGITS,
    PLACES,
    SCORES,
    WORD_STATES,
    WORDS_BELOW,
    write_fine_graph,
    write_graph,
    write_int8_graph,
)
from incognote.encoders.runtimes.gate import CLOSED, Gate, Meter, list_parts, read_gates
from incognote.encoders.runtimes.silent import import_onnxruntime
from incognote.encoders.runtimes.stack import Stack, place_tokens, read_stack
from incognote.encoders.tensors import Tensors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_BUDGET = 1024  # activations of more tokens than this leave the processor's cache

Logits = NDArray[np.float32]

FULL, FINE, INT8 = "full", "fine", "int8"
"""Grades of precision. ``fine``: the weights as int8 codes, activations as two bytes."""


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """A loaded graph. Windows of one length run together in full precision, and each alone otherwise.

    The scale of a window's codes follows from the window; alone, its scores do not depend on its neighbours. Where there are gates, each
    is between two sessions, and ``outside`` is the column of the tag for what they hold back.
    """

    sessions: tuple["InferenceSession", ...] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    tags: int
    reach: int
    grade: str
    pool: ThreadPoolExecutor = field(repr=False)
    threads: int
    gates: tuple[Gate, ...] = ()
    outside: int = 0
    meter: Meter | None = None
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return _BUDGET

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        waiting: deque[tuple[Logits, list[Future[None]]]] = deque()
        for ids, mask in batches:
            logits = np.zeros((*ids.shape, self.tags), dtype=np.float32)
            parts = even_rows(mask, alone=self.grade != FULL)
            if self.threads == 1:
                for rows, length in parts:
                    self._judge(ids, rows, length, logits)
                yield logits
                continue
            waiting.append((logits, [self.pool.submit(self._judge, ids, rows, length, logits) for rows, length in parts]))
            if len(waiting) > 2 * self.threads:
                yield _finish(*waiting.popleft())
        while waiting:
            yield _finish(*waiting.popleft())

    def _judge(self, ids: NDArray[Any], rows: NDArray[np.intp], length: int, logits: Logits) -> None:
        """Put the logits of these rows of a batch, all of one length, in their places."""
        feeds = self._feed(ids[rows, :length])
        if self.gates:
            self._judge_chosen(feeds, logits[rows[0], 1 : length - 1])
            return
        found: Logits = self.sessions[0].run([LOGITS], feeds)[0]
        logits[rows, 1 : length - 1] = found[:, 1:-1] if self.grade == FULL else found

    def _judge_chosen(self, feeds: dict[str, NDArray[Any]], logits: Logits) -> None:
        """Put the logits of the words of one window in their places: those that all gates let through are read to the end."""
        logits[:, self.outside] = CLOSED
        places = np.arange(len(logits))
        for number, (gate, session) in enumerate(zip(self.gates, self.sessions, strict=False)):
            self._note(number, places)
            words, edges, scores = session.run([WORD_STATES, EDGE_STATES, SCORES], feeds)
            chosen = gate.choose(scores[0, :, 0], words)
            if not len(chosen):
                return
            places, feeds = places[chosen], {WORDS_BELOW: words[:, chosen], EDGES_BELOW: edges}
        self._note(len(self.gates), places)
        logits[places] = self.sessions[-1].run([LOGITS], feeds)[0][0]

    def _note(self, part: int, words: NDArray[np.intp]) -> None:
        if self.meter is not None:
            self.meter.note(part, len(words) + len(EDGES))

    def _feed(self, ids: NDArray[Any]) -> dict[str, NDArray[Any]]:
        places = place_tokens(self.config, ids)
        feeds = {IDS: ids, PLACES: places}
        if self.grade != FULL:
            feeds = {IDS: ids[:, 1:-1], PLACES: places[:, 1:-1], EDGE_IDS: ids[:, EDGES], EDGE_PLACES: places[:, EDGES]}
        if self.reach:
            feeds[DISTANCES] = measure_distances(ids.shape[1], self.reach, edges_first=self.grade != FULL)
        return feeds


def _finish(logits: Logits, parts: list[Future[None]]) -> Logits:
    for part in parts:
        part.result()
    return logits


def load_onnx_runtime(checkpoint: Checkpoint, *, grade: str = FULL, threads: int | None = None) -> OnnxRuntime:
    """The checkpoint as a graph of ours; ``threads`` follows the cores this process may use."""
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    threads = threads or own_cores()
    gates = read_gates(checkpoint.folder, stack) if grade == INT8 else ()
    sessions = tuple(_open(graph, threads) for graph in _write(stack, grade, gates, checkpoint.settings))
    reach = 0 if stack.nearness is None else (stack.nearness.shape[1] + 1) // 2
    outside, meter = checkpoint.tags.index(OUTSIDE), Meter(gates, len(stack.layers)) if gates else None
    return OnnxRuntime(sessions, checkpoint.config, stack.tags, reach, grade, ThreadPoolExecutor(threads), threads, gates, outside, meter)


def _open(graph: bytes, threads: int) -> "InferenceSession":
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # One pool of memory for all threads hands each what another has just let go, and cores fetch it from one another.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = threads == 1
    # Higher levels would fuse norms with the sums before them, into a slower operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # What is made whole again from codes is what is left to be coded; it must not be fused away.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _write(stack: Stack, grade: str, gates: Sequence[Gate], settings: Mapping[str, Any]) -> Iterator[bytes]:
    """The graphs of the layers up to each gate and after the last, one for all where there is none."""
    signed, ranges = multiplies_bytes(), settings.get(ACTIVATIONS)
    if grade == INT8:
        for first, gate in list_parts(gates):
            yield write_int8_graph(stack, signed=signed, ranges=ranges, first=first, gate=gate)
    else:
        yield write_fine_graph(stack, signed=signed) if grade == FINE else write_graph(stack)

"""The ONNX Runtime runtime: our own graph in one of three grades of precision, one thread for each window under way."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.machine import multiplies_bytes, own_cores
from incognote.find.model.packing import ACTIVATIONS
from incognote.find.model.runtimes import Batch
from incognote.find.model.runtimes.fused import (
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
    write_graph,
    write_int8_graph,
    write_w8a16_graph,
)
from incognote.find.model.runtimes.length_buckets import EDGES, even_rows
from incognote.find.model.runtimes.pruning import CLOSED, Gate, Meter, list_parts
from incognote.find.model.runtimes.pruning_file import OpenGates, open_gates
from incognote.find.model.runtimes.session import open_session
from incognote.find.model.runtimes.stack import Stack, place_tokens, read_stack

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_BUDGET = 1024  # activations of more tokens than this leave the processor's cache

Logits = NDArray[np.float32]

FULL, W8A16, INT8 = "full", "w8a16", "int8"
"""Grades of precision: full; int8 weights with 16-bit activations; int8."""


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """A loaded graph. Windows of one length run together in full precision, and each alone otherwise.

    The scale of a window's codes follows from the window; alone, its scores do not depend on its neighbours. Where there are gates, each
    is between two sessions.
    """

    sessions: tuple["InferenceSession", ...] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    tags: int
    grade: str
    pool: Executor = field(repr=False)
    threads: int
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
        waiting: deque[tuple[Logits, list[Future[None]]]] = deque()
        for ids, mask in batches:
            logits = np.zeros((*ids.shape, self.tags), dtype=np.float32)
            parts = even_rows(mask, alone=self.grade != FULL)
            waiting.append((logits, [self.pool.submit(self._judge, ids, rows, length, logits) for rows, length in parts]))
            if len(waiting) > 2 * self.threads:
                yield finish(*waiting.popleft())
        while waiting:
            yield finish(*waiting.popleft())

    def _judge(self, ids: NDArray[Any], rows: NDArray[np.intp], length: int, logits: Logits) -> None:
        """Put the logits of these rows of a batch, all of one length, in their places."""
        if self.grade != FULL:
            self.judge_window(ids[rows, :length], logits[rows[0], 1 : length - 1])
            return
        logits[rows, :length] = self.sessions[0].run([LOGITS], self._feed(ids[rows, :length]))[0]

    def judge_window(self, ids: NDArray[Any], logits: Logits) -> None:
        """Put the logits of the words of one window ``(1, tokens)`` in their places."""
        if self.gates:
            self._judge_chosen(self.gates, ids, logits)
        else:
            logits[:] = self.sessions[0].run([LOGITS], self._feed(ids))[0][0]

    def _judge_chosen(self, gates: OpenGates, ids: NDArray[Any], logits: Logits) -> None:
        """As :meth:`judge_window`; the words that all gates let through are read to the end."""
        logits[:, gates.outside] = CLOSED
        places = gates.sift(ids[0, 1:-1])
        feeds = self._feed(ids, places + 1)
        for number, (session, gate) in enumerate(zip(self.sessions, (*gates.between, None), strict=True)):
            if not len(places):
                return
            gates.meter.note(number, len(places) + len(EDGES))
            if gate is None:
                logits[places] = session.run([LOGITS], feeds)[0][0]
                return
            words, edges, scores = session.run([WORD_STATES, EDGE_STATES, SCORES], feeds)
            chosen = gate.choose(scores[0, :, 0], words)
            places, feeds = places[chosen], {WORDS_BELOW: words[:, chosen], EDGES_BELOW: edges}

    def _feed(self, ids: NDArray[Any], words: NDArray[np.intp] | slice = slice(1, -1)) -> dict[str, NDArray[Any]]:
        """The inputs of the lowest graph for windows of one length; in int8 these words of them, beside the edges."""
        places = place_tokens(self.config, ids)
        feeds = {IDS: ids, PLACES: places}
        if self.grade != FULL:
            feeds = {IDS: ids[:, words], PLACES: places[:, words], EDGE_IDS: ids[:, EDGES], EDGE_PLACES: places[:, EDGES]}
        return feeds


def finish(logits: Logits, parts: Iterable[Future[None]]) -> Logits:
    """The logits, once all their parts are in their places."""
    for part in parts:
        part.result()
    return logits


class _Here(Executor):
    """A pool of no threads: where there is one core, the thread that asks does the work."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*arguments, **options))
        except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
            done.set_exception(error)
        return done


def load_onnx_runtime(
    checkpoint: Checkpoint, *, grade: str = FULL, threads: int | None = None, gated: bool = True, stack: Stack | None = None
) -> OnnxRuntime:
    """The checkpoint as a graph of ours; ``threads`` follows the cores this process may use, and in int8 gates are used if ``gated``.

    ``stack`` is the checkpoint's, where that was read already.
    """
    stack = stack or read_stack(checkpoint.config, checkpoint.weights)
    threads = threads or own_cores()
    gates = open_gates(checkpoint, stack, threads=threads) if grade == INT8 and gated else None
    graphs = _write(stack, grade, gates.between if gates else (), checkpoint.settings)
    sessions = tuple(open_session(graph, threads=threads) for graph in graphs)
    pool = ThreadPoolExecutor(threads) if threads > 1 else _Here()
    return OnnxRuntime(sessions, checkpoint.config, stack.tags, grade, pool, threads, gates)


def _write(stack: Stack, grade: str, gates: Sequence[Gate], settings: Mapping[str, Any]) -> Iterator[bytes]:
    """The graphs of the layers up to each gate and after the last, one for all where there is none."""
    signed, ranges = multiplies_bytes(), settings.get(ACTIVATIONS)
    if grade == INT8:
        for first, gate in list_parts(gates):
            yield write_int8_graph(stack, signed=signed, ranges=ranges, first=first, gate=gate)
    else:
        yield write_w8a16_graph(stack, signed=signed) if grade == W8A16 else write_graph(stack)

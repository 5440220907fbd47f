"""The runtime on ONNX Runtime: our own graph in one of three precisions, one thread for each window in progress."""

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
    IDS,
    LOGITS,
    POSITIONS,
    SCORES,
    SPECIAL_IDS,
    SPECIAL_POSITIONS,
    SPECIAL_STATES,
    SPECIALS_BELOW,
    TOKEN_STATES,
    TOKENS_BELOW,
    write_graph,
    write_int8_graph,
    write_w8a16_graph,
)
from incognote.find.model.runtimes.length_buckets import SPECIALS, group_by_length
from incognote.find.model.runtimes.pruning import PRUNED, Meter, PruningHead, list_parts
from incognote.find.model.runtimes.pruning_file import OpenPruning, open_pruning
from incognote.find.model.runtimes.session import open_session
from incognote.find.model.runtimes.stack import Stack, position_ids, read_stack

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_BUDGET = 1024  # activations of more tokens than this leave the processor's cache

Logits = NDArray[np.float32]

FULL, W8A16, INT8 = "full", "w8a16", "int8"
"""Precisions: full; int8 weights with 16-bit activations; int8."""


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """A loaded graph. Windows of one length run together in full precision, and each alone otherwise.

    The scale of a window's activations follows from the window; alone, its logits do not depend on its neighbours. Each pruning head is
    between two sessions.
    """

    sessions: tuple["InferenceSession", ...] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    tags: int
    precision: str
    pool: Executor = field(repr=False)
    threads: int
    pruning: OpenPruning | None = None
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return _BUDGET

    @property
    def meters(self) -> tuple[Meter, ...]:
        """What counts how much the layers compute, where they prune tokens."""
        return (self.pruning.meter,) if self.pruning else ()

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        waiting: deque[tuple[Logits, list[Future[None]]]] = deque()
        for ids, mask in batches:
            logits = np.zeros((*ids.shape, self.tags), dtype=np.float32)
            parts = group_by_length(mask, alone=self.precision != FULL)
            waiting.append((logits, [self.pool.submit(self._infer, ids, rows, length, logits) for rows, length in parts]))
            if len(waiting) > 2 * self.threads:
                yield finish(*waiting.popleft())
        while waiting:
            yield finish(*waiting.popleft())

    def _infer(self, ids: NDArray[Any], rows: NDArray[np.intp], length: int, logits: Logits) -> None:
        """Put the logits of these rows of a batch, all of one length, in their places."""
        if self.precision != FULL:
            self.infer_window(ids[rows, :length], logits[rows[0], 1 : length - 1])
            return
        logits[rows, :length] = self.sessions[0].run([LOGITS], self._feed(ids[rows, :length]))[0]

    def infer_window(self, ids: NDArray[Any], logits: Logits) -> None:
        """Put the logits of the tokens of one window ``(1, tokens)`` in their places."""
        if self.pruning:
            self._infer_pruned(self.pruning, ids, logits)
        else:
            logits[:] = self.sessions[0].run([LOGITS], self._feed(ids))[0][0]

    def _infer_pruned(self, pruning: OpenPruning, ids: NDArray[Any], logits: Logits) -> None:
        """As :meth:`infer_window`; only the tokens that are kept at every stage run through all layers."""
        logits[:, pruning.outside] = PRUNED
        kept = pruning.choose(ids[0, 1:-1])
        feeds = self._feed(ids, kept + 1)
        for number, (session, head) in enumerate(zip(self.sessions, (*pruning.heads, None), strict=True)):
            if not len(kept):
                return
            pruning.meter.note(number, len(kept) + len(SPECIALS))
            if head is None:
                logits[kept] = session.run([LOGITS], feeds)[0][0]
                return
            tokens, specials, scores = session.run([TOKEN_STATES, SPECIAL_STATES, SCORES], feeds)
            chosen = head.choose(scores[0, :, 0], tokens)
            kept, feeds = kept[chosen], {TOKENS_BELOW: tokens[:, chosen], SPECIALS_BELOW: specials}

    def _feed(self, ids: NDArray[Any], tokens: NDArray[np.intp] | slice = slice(1, -1)) -> dict[str, NDArray[Any]]:
        """The inputs of the lowest graph for windows of one length; in int8 these tokens of them, beside the special tokens."""
        positions = position_ids(self.config, ids)
        feeds = {IDS: ids, POSITIONS: positions}
        if self.precision != FULL:
            feeds = {
                IDS: ids[:, tokens],
                POSITIONS: positions[:, tokens],
                SPECIAL_IDS: ids[:, SPECIALS],
                SPECIAL_POSITIONS: positions[:, SPECIALS],
            }
        return feeds


def finish(logits: Logits, parts: Iterable[Future[None]]) -> Logits:
    """The logits, once all their parts are in their places."""
    for part in parts:
        part.result()
    return logits


class _Here(Executor):
    """A pool without threads: with one core, the calling thread does the work."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*arguments, **options))
        except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
            done.set_exception(error)
        return done


def load_onnx_runtime(
    checkpoint: Checkpoint, *, precision: str = FULL, threads: int | None = None, pruned: bool = True, stack: Stack | None = None
) -> OnnxRuntime:
    """The checkpoint as a graph of ours; ``threads`` follows the cores this process may use, and int8 prunes tokens if ``pruned``.

    ``stack`` is the checkpoint's, where that was read already.
    """
    stack = stack or read_stack(checkpoint.config, checkpoint.weights)
    threads = threads or own_cores()
    pruning = open_pruning(checkpoint, stack, threads=threads) if precision == INT8 and pruned else None
    graphs = _write(stack, precision, pruning.heads if pruning else (), checkpoint.settings)
    sessions = tuple(open_session(graph, threads=threads) for graph in graphs)
    pool = ThreadPoolExecutor(threads) if threads > 1 else _Here()
    return OnnxRuntime(sessions, checkpoint.config, stack.tags, precision, pool, threads, pruning)


def _write(stack: Stack, precision: str, heads: Sequence[PruningHead], settings: Mapping[str, Any]) -> Iterator[bytes]:
    """The graphs of the layers up to each pruning head and after the last, one for all where there is none."""
    signed, ranges = multiplies_bytes(), settings.get(ACTIVATIONS)
    if precision == INT8:
        for first, head in list_parts(heads):
            yield write_int8_graph(stack, signed=signed, ranges=ranges, first=first, head=head)
    else:
        yield write_w8a16_graph(stack, signed=signed) if precision == W8A16 else write_graph(stack)

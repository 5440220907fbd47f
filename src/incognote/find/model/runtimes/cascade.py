"""Runs int8 first; re-runs at higher precision the windows whose top two tags are within the error margin of int8.

In most windows int8 gives the tags of full precision. It may differ where the top two tags of a token have nearly the same score, or where
the top tags of two neighbours violate the grammar, so that decoding compares all tags. The margin is measured for each model
(``lab/shrink/confidence_margin.py``). int8 runs without token pruning here: the kept tokens miss the pruned ones as context, which changes
their scores more than int8 does. The prefilter only selects windows with so much PHI that int8 is rarely certain of all their tokens; these
run at higher precision at once.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.config import MARGIN
from incognote.find.model.grammar import NEW_WORD, grammar_of
from incognote.find.model.runtimes import Batch
from incognote.find.model.runtimes.onnx import INT8, W8A16, Logits, OnnxRuntime, finish, load_onnx_runtime
from incognote.find.model.runtimes.prefilter import OpenPrefilter
from incognote.find.model.runtimes.pruning import Meter
from incognote.find.model.runtimes.pruning_file import read_pruning
from incognote.find.model.runtimes.stack import read_stack

_FULL = 0.95  # of the tokens of a window: where a prefilter keeps more, one of them is within the margin more often than not
_WAITING = 8  # batches that may wait for their windows to be run again


@dataclass(frozen=True, slots=True)
class _Pending:
    """A batch under way: which of its rows int8 runs, and what runs at higher precision. Both put logits into their places."""

    ids: NDArray[Any]
    lengths: NDArray[np.intp]
    rows: NDArray[np.intp]
    logits: Logits
    again: list[Future[None]]


@dataclass(frozen=True, slots=True)
class CascadeRuntime:
    """``quick`` is int8; ``exact`` runs again where logits are within ``margin`` of each other.

    Each window has the logits of one of the two, as that runtime alone would give them. ``follows[p, q]`` says that tag q may follow p;
    ``prefilter`` selects windows that skip int8, if the model has one; ``meter`` counts the tokens that both compute.
    """

    quick: OnnxRuntime = field(repr=False)
    exact: OnnxRuntime = field(repr=False)
    margin: float
    follows: NDArray[np.bool_] = field(repr=False)
    prefilter: OpenPrefilter | None = field(repr=False)
    meter: Meter = field(repr=False)
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return self.quick.budget

    @property
    def meters(self) -> tuple[Meter, ...]:
        """What counts the work of both runs."""
        return (self.meter,)

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        begun: deque[_Pending] = deque()
        waiting: deque[_Pending] = deque()
        for found in self.quick.run(self._hand_out(batches, begun)):
            waiting.append(begun.popleft())
            self._settle(waiting[-1], found)
            if len(waiting) > _WAITING:
                yield finish(waiting[0].logits, waiting.popleft().again)
        while waiting:
            yield finish(waiting[0].logits, waiting.popleft().again)

    def _hand_out(self, batches: Iterable[Batch], begun: deque[_Pending]) -> Iterator[Batch]:
        """The windows of each batch for int8, be there none; those full of what may be PHI run at higher precision at once."""
        for ids, mask in batches:
            lengths = mask.sum(axis=1)
            full = np.array([self._is_full(ids[row, 1 : length - 1]) for row, length in enumerate(lengths)], dtype=bool)
            logits = np.zeros((*ids.shape, self.exact.tags), dtype=np.float32)
            pending = _Pending(ids, lengths, np.flatnonzero(~full), logits, [])
            self._run_exact(pending, np.flatnonzero(full))
            begun.append(pending)
            yield ids[~full], mask[~full]

    def _is_full(self, ids: NDArray[Any]) -> bool:
        return self.prefilter is not None and len(self.prefilter.choose(ids)) > _FULL * len(ids)

    def _settle(self, pending: _Pending, found: Logits) -> None:
        """Take what int8 has found, and have the windows run again for which that is not sure enough."""
        pending.logits[pending.rows] = found
        for row in pending.rows:
            self.meter.note(0, int(pending.lengths[row]))
        self._run_exact(pending, [row for row in pending.rows if not self._is_sure(pending.logits[row, 1 : pending.lengths[row] - 1])])

    def _run_exact(self, pending: _Pending, rows: Iterable[np.intp]) -> None:
        """Put windows of a batch under way in the pool of ``exact``, while ``quick`` goes on with others."""
        for row in rows:
            length = int(pending.lengths[row])
            self.meter.note(0, length)
            window = pending.ids[row : row + 1, :length], pending.logits[row, 1 : length - 1]
            pending.again.append(self.exact.pool.submit(self.exact.infer_window, *window))

    def _is_sure(self, logits: Logits) -> bool:
        """Whether no token is within the margin and the likeliest tags may stand together; what are no numbers is never sure."""
        tags = logits.argmax(axis=1)
        best = np.partition(logits, -2, axis=1)[:, -2:]
        return bool((best[:, 1] - best[:, 0] > self.margin).all() and self.follows[tags[:-1], tags[1:]].all())


def load_cascade(checkpoint: Checkpoint, *, threads: int | None = None) -> CascadeRuntime | OnnxRuntime:
    """The checkpoint as a cascade; one whose confidence margin was not measured runs with 16-bit activations throughout."""
    stack = read_stack(checkpoint.config, checkpoint.weights)
    exact = load_onnx_runtime(checkpoint, precision=W8A16, threads=threads, stack=stack)
    margin = checkpoint.settings.get(MARGIN)
    if margin is None:
        return exact
    # One pool, so that both together keep as many cores busy as there are.
    quick = replace(load_onnx_runtime(checkpoint, precision=INT8, threads=threads, pruned=False, stack=stack), pool=exact.pool)
    prefilter = read_pruning(checkpoint, stack).prefilter
    opened = prefilter.open(stack, threads=exact.threads) if prefilter else None
    return CascadeRuntime(quick, exact, float(margin), grammar_of(checkpoint.tags).steps[NEW_WORD], opened, Meter((), len(stack.layers)))

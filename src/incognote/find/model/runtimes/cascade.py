"""A glance reads a window in int8 and shows where that is not sure; there it is read again, finely.

In most windows int8 says what full precision says. It may say something else where the two likeliest tags of a word are close, or where
the likeliest tags of two words may not follow one another, so that all of them are weighed against each other. A window with such words
is one that a glance does not settle. How close two tags are when int8 may take one for the other is measured for each model
(``shrink/closeness.py``). A glance has no gates: what they hold back is missed by the words that are read, and moves their tags further
than int8 does. The sieve of a model only tells which windows are so full of PHI that a glance would hardly settle one.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.grammar import NEW_WORD, grammar_of
from incognote.find.model.runtimes import Batch, Runtime
from incognote.find.model.runtimes.onnx import FINE, INT8, Logits, OnnxRuntime, finish, load_onnx_runtime
from incognote.find.model.runtimes.prefilter import OpenSieve
from incognote.find.model.runtimes.pruning import Meter
from incognote.find.model.runtimes.pruning_file import read_gates
from incognote.find.model.runtimes.stack import read_stack
from incognote.find.model.tensors import Tensors

CLOSE = "close"
"""The setting of a checkpoint: within how much of each other the logits of two tags are when int8 may take one for the other."""

_FULL = 0.95  # of the words of a window: where a sieve lets more through, one of them is close more often than not
_WAITING = 8  # batches that may wait for their windows to be read again


@dataclass(frozen=True, slots=True)
class _Reading:
    """A batch on its way: at which of its rows a glance is, and what is read finely. Both put logits into their places."""

    ids: NDArray[Any]
    lengths: NDArray[np.intp]
    rows: NDArray[np.intp]
    logits: Logits
    finely: list[Future[None]]


@dataclass(frozen=True, slots=True)
class GlancingRuntime:
    """``quick`` is int8, ``fine`` reads again where logits are within ``close`` of each other.

    Each window has the logits of one of the two, as that runtime alone would give them. ``follows[p, q]`` says that tag q may follow p;
    ``sieve`` says where a glance would be in vain, if the model has one; ``meter`` counts what both read.
    """

    quick: Runtime = field(repr=False)
    fine: OnnxRuntime = field(repr=False)
    close: float
    follows: NDArray[np.bool_] = field(repr=False)
    sieve: OpenSieve | None = field(repr=False)
    meter: Meter = field(repr=False)
    side_by_side: ClassVar[bool] = True

    @property
    def budget(self) -> int:
        return self.quick.budget

    @property
    def meters(self) -> tuple[Meter, ...]:
        """What counts the work of both readings."""
        return (self.meter,)

    def run(self, batches: Iterable[Batch]) -> Iterator[Logits]:
        glanced_at: deque[_Reading] = deque()
        waiting: deque[_Reading] = deque()
        for found in self.quick.run(self._hand_out(batches, glanced_at)):
            waiting.append(glanced_at.popleft())
            self._settle(waiting[-1], found)
            if len(waiting) > _WAITING:
                yield finish(waiting[0].logits, waiting.popleft().finely)
        while waiting:
            yield finish(waiting[0].logits, waiting.popleft().finely)

    def _hand_out(self, batches: Iterable[Batch], glanced_at: deque[_Reading]) -> Iterator[Batch]:
        """What there is to glance at in each batch, be it nothing; windows that are full of what may be PHI are read finely at once."""
        for ids, mask in batches:
            lengths = mask.sum(axis=1)
            full = np.array([self._is_full(ids[row, 1 : length - 1]) for row, length in enumerate(lengths)], dtype=bool)
            logits = np.zeros((*ids.shape, self.fine.tags), dtype=np.float32)
            reading = _Reading(ids, lengths, np.flatnonzero(~full), logits, [])
            self._read_finely(reading, np.flatnonzero(full))
            glanced_at.append(reading)
            yield ids[~full], mask[~full]

    def _is_full(self, words: NDArray[Any]) -> bool:
        return self.sieve is not None and len(self.sieve.choose(words)) > _FULL * len(words)

    def _settle(self, reading: _Reading, found: Logits) -> None:
        """Take what a glance has found, and have the windows read finely for which that is not enough."""
        reading.logits[reading.rows] = found
        for row in reading.rows:
            self.meter.note(0, int(reading.lengths[row]))
        self._read_finely(reading, [row for row in reading.rows if not self._is_enough(reading.logits[row, 1 : reading.lengths[row] - 1])])

    def _read_finely(self, reading: _Reading, rows: Iterable[np.intp]) -> None:
        """Put windows of a batch under way in the pool of ``fine``, while ``quick`` goes on with others."""
        for row in rows:
            length = int(reading.lengths[row])
            self.meter.note(0, length)
            window = reading.ids[row : row + 1, :length], reading.logits[row, 1 : length - 1]
            reading.finely.append(self.fine.pool.submit(self.fine.judge_window, *window))

    def _is_enough(self, words: Logits) -> bool:
        """Whether no word is close and the likeliest tags may stand together; what are no numbers is never enough."""
        tags = words.argmax(axis=1)
        best = np.partition(words, -2, axis=1)[:, -2:]
        return bool((best[:, 1] - best[:, 0] > self.close).all() and self.follows[tags[:-1], tags[1:]].all())


def load_glancing_runtime(
    checkpoint: Checkpoint, *, openvino: bool = False, isa: str = "", threads: int | None = None
) -> GlancingRuntime | OnnxRuntime:
    """The checkpoint with a glance on OpenVINO or ONNX Runtime, and a fine reading on the latter.

    A model of which nobody has measured how close is too close is read finely throughout.
    """
    fine = load_onnx_runtime(checkpoint, grade=FINE, threads=threads)
    close = checkpoint.settings.get(CLOSE)
    if close is None:
        return fine
    quick: Runtime
    if openvino:
        from incognote.find.model.runtimes.openvino import load_openvino_runtime

        quick = load_openvino_runtime(checkpoint, isa=isa, threads=threads, gated=False)
    else:
        # One pool, so that both together keep as many cores busy as there are.
        quick = replace(load_onnx_runtime(checkpoint, grade=INT8, threads=threads, gated=False), pool=fine.pool)
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    sieve = read_gates(checkpoint.folder, stack).sieve
    opened = sieve.open(stack, threads=fine.threads) if sieve else None
    return GlancingRuntime(quick, fine, float(close), grammar_of(checkpoint.tags).steps[NEW_WORD], opened, Meter((), len(stack.layers)))

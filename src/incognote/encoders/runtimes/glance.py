"""A glance reads a window in int8, its upper layers only what may be PHI, and knows where it is not sure; that is read again, finely.

Most windows of real notes hold no PHI, or PHI that nobody could miss. There int8 says what full precision says. It may say something else
where the two likeliest tags of a token are close, so a window with such a token is one that a glance does not settle.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.encoders.runtimes.gate import Gate, Meter
from incognote.encoders.runtimes.gate_file import OpenGates
from incognote.encoders.runtimes.sieve import OpenSieve

if TYPE_CHECKING:
    from incognote.encoders.runtimes.onnx import OnnxRuntime

_CLOSE = 1.0  # on the scale of logits: int8 and what a gate holds back seldom move the difference of two by more
_FULL = 0.8  # of the words of a window: where more may be PHI, one of them is close nearly always
_WIDER, _LOWER = 6, 1.0  # than where nothing is read again: neighbours that go on with a token, and the threshold


@dataclass(frozen=True, slots=True)
class Glance:
    """``quick`` is int8 with careful gates; ``sieve`` says where it would be in vain, ``again`` counts what it did not settle."""

    quick: "OnnxRuntime" = field(repr=False)
    sieve: OpenSieve = field(repr=False)
    again: Meter = field(repr=False)

    @property
    def meters(self) -> tuple[Meter, ...]:
        """What counts the work of both readings."""
        return *self.quick.meters, self.again

    def settles(self, ids: NDArray[Any], logits: NDArray[np.float32]) -> bool:
        """Whether a glance at one window ``(1, tokens)`` is enough; its logits are in their places then."""
        if len(self.sieve.choose(ids[0, 1:-1])) <= _FULL * len(logits):
            self.quick.judge_window(ids, logits)
            best = np.partition(logits, -2, axis=1)[:, -2:]
            if (best[:, 1] - best[:, 0] > _CLOSE).all():
                return True
        self.again.note(0, ids.shape[1])
        return False


def make_careful(gates: OpenGates, depth: int) -> OpenGates:
    """The uppermost of a model's gates alone, which more gets through; nothing is held back below it."""
    between = tuple(_open_wider(gate) for gate in gates.between[-1:])
    return OpenGates(None, between, gates.outside, Meter(between, depth))


def _open_wider(gate: Gate) -> Gate:
    return replace(gate, around=_WIDER * gate.around, down=replace(gate.down, bias=gate.down.bias + np.float32(_LOWER)))

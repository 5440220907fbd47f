"""A sieve is a gate below the first layer: it knows words and their neighbours only, and costs next to nothing beside a layer.

Each word's embedding is made a few channels wide, which is done once for the whole vocabulary; convolutions look at the words beside it;
a score comes out. Windows go on with the tokens that may be PHI and those around them, each in its old place.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.runtimes.onnx_file import Graph
from incognote.find.model.runtimes.pruning import widen
from incognote.find.model.runtimes.session import open_session
from incognote.find.model.runtimes.stack import Floats, Linear, Stack
from incognote.find.model.tensors import Codes

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_IDS, _SCORES = "ids", "scores"
_SOME = 2048  # words


@dataclass(frozen=True, slots=True)
class Sieve:
    """Tokens with a score above 0 go on, and ``around`` of them on either side.

    ``narrow`` takes embeddings of words. Each of ``mixes`` adds to the channels of a word what a convolution sees in those of its
    neighbours; its weight is ``(channels, channels · neighbours)``. ``down`` makes the score.
    """

    around: int
    narrow: Linear
    mixes: tuple[Linear, ...]
    down: Linear
    layer: ClassVar[int] = 0

    @property
    def linears(self) -> tuple[Linear, ...]:
        """All its weights, from below."""
        return self.narrow, *self.mixes, self.down

    def fits(self, stack: Stack) -> bool:
        """Whether it can read the words of this tagger."""
        channels = len(self.narrow.bias)
        sides = [mix.floats().shape for mix in self.mixes]
        return (
            self.around >= 0
            and self.narrow.floats().shape[1] == stack.words_width
            and all(side[0] == channels and side[1] % (2 * channels) == channels for side in sides)
            and self.down.floats().shape == (1, channels)
        )

    def open(self, stack: Stack, *, threads: int) -> "OpenSieve":
        """Ready to read the ids of that tagger's windows, in so many threads at once."""
        return OpenSieve(open_session(self._write(stack), threads=threads), self.around)

    def _write(self, stack: Stack) -> bytes:
        graph = Graph()
        table = graph.hold("table", self._narrow(stack.words))
        x = graph.add("Transpose", graph.add("Gather", table, _IDS), perm=(0, 2, 1))
        for at, mix in enumerate(self.mixes):
            channels = len(mix.bias)
            weight = mix.floats().reshape(channels, channels, -1)
            reach = weight.shape[2] // 2
            seen = graph.add("Conv", x, graph.hold(f"mix.{at}", weight), graph.hold(f"mix.{at}.bias", mix.bias), pads=(reach, reach))
            x = graph.add("Add", x, graph.add("Relu", seen))
        graph.add("Conv", x, graph.hold("down", self.down.floats()[:, :, None]), graph.hold("down.bias", self.down.bias), name=_SCORES)
        shape = ("windows", 1, "tokens")
        return graph.pack(inputs={_IDS: ("int64", ("windows", "tokens"))}, outputs={_SCORES: ("float32", shape)})

    def _narrow(self, words: Floats | Codes) -> Floats:
        """The channels of each word; of codes a few at a time, since all embeddings made whole take more memory than a model."""
        weight = self.narrow.floats().T
        if not isinstance(words, Codes):
            return words @ weight + self.narrow.bias
        parts = [words.codes[at : at + _SOME].astype(np.float32) @ weight for at in range(0, len(words.codes), _SOME)]
        return np.concatenate(parts) * words.scales[:, None] + self.narrow.bias


@dataclass(frozen=True, slots=True)
class OpenSieve:
    """A sieve over the vocabulary of one tagger."""

    session: "InferenceSession" = field(repr=False)
    around: int

    def score(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """What it says of each word of a window, special tokens left out."""
        scores: NDArray[np.float32] = self.session.run([_SCORES], {_IDS: ids[None].astype(np.int64, copy=False)})[0][0, 0]
        return scores

    def choose(self, ids: NDArray[Any]) -> NDArray[np.intp]:
        """The places of the words that go on, in order; all of them where scores are no numbers, to be refused at the end."""
        scores = self.score(ids) if len(ids) else np.zeros(0, dtype=np.float32)
        return widen(scores > 0, self.around) if np.isfinite(scores.sum()) else np.arange(len(ids))

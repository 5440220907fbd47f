"""The prefilter prunes tokens below the first layer: it reads embeddings of tokens and neighbours only, and is far cheaper than a layer.

Each token's embedding is projected to a few channels, once for the whole vocabulary; convolutions over the neighbouring tokens give a
score. Tokens that may be PHI are kept, with the tokens around them, each at its old position.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.runtimes.onnx_file import Graph
from incognote.find.model.runtimes.pruning import widen
from incognote.find.model.runtimes.session import open_session
from incognote.find.model.runtimes.stack import Floats, Linear, Stack
from incognote.find.model.tensors import Quantized

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_IDS, _SCORES = "ids", "scores"
_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Prefilter:
    """Tokens with a score above 0 are kept, and ``around`` of them on either side.

    ``narrow`` takes token embeddings. Each of ``mixes`` adds to the channels of a token what a convolution sees in those of its
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
        """Whether it takes the token embeddings of this tagger."""
        channels = len(self.narrow.bias)
        sides = [mix.floats().shape for mix in self.mixes]
        return (
            self.around >= 0
            and self.narrow.floats().shape[1] == stack.embedding_width
            and all(side[0] == channels and side[1] % (2 * channels) == channels for side in sides)
            and self.down.floats().shape == (1, channels)
        )

    def open(self, stack: Stack, *, threads: int) -> "OpenPrefilter":
        """Ready to read the ids of that tagger's windows, in so many threads at once."""
        return OpenPrefilter(open_session(self._write(stack), threads=threads), self.around)

    def _write(self, stack: Stack) -> bytes:
        graph = Graph()
        table = graph.hold("table", self._narrow(stack.token_embeddings))
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

    def _narrow(self, embeddings: Floats | Quantized) -> Floats:
        """The channels of each token; of int8 values a few rows at a time, since all in single precision take more memory than a model."""
        weight = self.narrow.floats().T
        if not isinstance(embeddings, Quantized):
            return embeddings @ weight + self.narrow.bias
        parts = [embeddings.values[at : at + _ROWS].astype(np.float32) @ weight for at in range(0, len(embeddings.values), _ROWS)]
        return np.concatenate(parts) * embeddings.scales[:, None] + self.narrow.bias


@dataclass(frozen=True, slots=True)
class OpenPrefilter:
    """A prefilter over the vocabulary of one tagger."""

    session: "InferenceSession" = field(repr=False)
    around: int

    def score(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """The score of each token of a window, special tokens left out."""
        scores: NDArray[np.float32] = self.session.run([_SCORES], {_IDS: ids[None].astype(np.int64, copy=False)})[0][0, 0]
        return scores

    def choose(self, ids: NDArray[Any]) -> NDArray[np.intp]:
        """The positions of the tokens that are kept, in order; all where scores are no numbers, to be refused at the end."""
        scores = self.score(ids) if len(ids) else np.zeros(0, dtype=np.float32)
        return widen(scores > 0, self.around) if np.isfinite(scores.sum()) else np.arange(len(ids))

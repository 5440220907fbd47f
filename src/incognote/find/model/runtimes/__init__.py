"""Runtimes run batches of token ids through an encoder: ONNX Runtime in three precisions, or PyTorch."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "Runtime"]

Batch = tuple[NDArray[Any], NDArray[Any]]
"""Token ids and attention mask, each ``(windows, tokens)``."""


class Runtime(Protocol):
    """A loaded model. ``budget`` is the best number of tokens in a batch, padding included.

    A class with ``side_by_side`` may be run by several threads at once, which share its cores.
    """

    @property
    def budget(self) -> int: ...

    def run(self, batches: Iterable[Batch]) -> Iterator[NDArray[np.float32]]:
        """The logits ``(windows, tokens, tags)`` of each batch, in order. It may read some batches ahead."""
        ...

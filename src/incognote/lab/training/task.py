"""The Task protocol: all that the training loop knows of what is being learned."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from torch import Tensor, nn

Batch = dict[str, Tensor]


class Task(Protocol):
    """A model, its training samples, a loss and a score. Tagging is one; classes, pairs and answers are others.

    Losses are sums and ``weigh`` counts what they sum over, so that a batch cut into parts has exactly the same gradient.
    """

    @property
    def model(self) -> nn.Module:
        """The network to train; its weights change in place."""
        ...

    @property
    def lengths(self) -> Sequence[int]:
        """Tokens in each training sample."""
        ...

    def collate(self, indices: Sequence[int]) -> Batch:
        """The samples as tensors on the CPU, padded to the longest."""
        ...

    def weigh(self, indices: Sequence[int]) -> int:
        """How many targets the samples' loss sums over."""
        ...

    def corrupt(self, batch: Batch, share: float) -> Batch:
        """The batch with that share of its input tokens hidden, for regularisation."""
        ...

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        """Logits."""
        ...

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        """The summed loss."""
        ...

    def divergence(self, one: Tensor, other: Tensor, batch: Batch) -> Tensor:
        """The summed symmetric Kullback-Leibler divergence of two passes, over the targets."""
        ...

    def validate(self, model: nn.Module) -> Mapping[str, float]:
        """Scores on the validation documents; ``f1`` is the one that selects."""
        ...

    def name_samples(self, indices: Sequence[int]) -> list[str]:
        """The ids of the documents the samples come from, for messages."""
        ...

    def save(self, model: nn.Module, folder: Path, *, card: Mapping[str, object]) -> None:
        """Write a folder that can be loaded for use."""
        ...

"""Losses that several tasks share. They are sums, so that a batch cut into parts has exactly the same gradient."""

from torch import Tensor
from torch.nn import functional

IGNORED = -100
"""The label of a token that is not learned from."""


def token_loss(logits: Tensor, labels: Tensor, *, smoothing: float) -> Tensor:
    """The summed cross entropy of the tokens that have a label."""
    flat = logits.float().flatten(0, 1)
    return functional.cross_entropy(flat, labels.flatten(), ignore_index=IGNORED, label_smoothing=smoothing, reduction="sum")


def token_divergence(one: Tensor, other: Tensor, labels: Tensor) -> Tensor:
    """The divergence of two passes over the tokens that have a label."""
    counted = labels.flatten() != IGNORED
    return symmetric_divergence(*(functional.log_softmax(logits.float().flatten(0, 1)[counted], dim=-1) for logits in (one, other)))


def symmetric_divergence(one: Tensor, other: Tensor) -> Tensor:
    """The summed symmetric Kullback-Leibler divergence of two sets of log-probabilities; what is impossible in both counts nothing."""
    return ((one.exp() - other.exp()) * (one - other)).nan_to_num(0.0).sum() / 2

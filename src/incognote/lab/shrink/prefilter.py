"""Fitting a prefilter: which tokens a model never tags is learned from token embeddings and their neighbours alone."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from incognote.find.model.runtimes.prefilter import Prefilter
from incognote.find.model.runtimes.stack import Linear, Stack

_CHANNELS, _NEIGHBOURS, _MIXES = 32, 5, 2
_LENGTH, _BATCH, _EPOCHS, _RATE, _DECAY = 256, 32, 6, 3e-3, 0.01
_WEIGHT = 5.0  # a token pruned wrongly costs more than one kept wrongly

Marked = tuple[NDArray[np.integer], NDArray[np.bool_]]
"""The ids of a note's tokens, and which of them the model tags."""


class _Net(nn.Module):
    """The prefilter in training."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.narrow = nn.Linear(width, _CHANNELS)
        self.mixes = nn.ModuleList(nn.Conv1d(_CHANNELS, _CHANNELS, _NEIGHBOURS, padding=_NEIGHBOURS // 2) for _ in range(_MIXES))
        self.down = nn.Linear(_CHANNELS, 1)

    def forward(self, embeddings: Tensor, ids: Tensor) -> Tensor:
        x = self.narrow(embeddings)[ids].transpose(1, 2)
        for mix in self.mixes:
            x = x + torch.relu(mix(x))
        scores: Tensor = self.down(x.transpose(1, 2)).squeeze(2)
        return scores


def learn_prefilter(notes: Sequence[Marked], stack: Stack, *, around: int, seed: int) -> Prefilter:
    """A prefilter from these notes, with no threshold yet."""
    embeddings = torch.from_numpy(np.array(stack.embeddings()))
    spread = float(embeddings.std())
    ids, tagged = (torch.from_numpy(part) for part in _join(notes))
    torch.manual_seed(seed)
    net = _Net(embeddings.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), _RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=_EPOCHS * -(-len(ids) // _BATCH))
    weight = torch.tensor(_WEIGHT)
    for _ in range(_EPOCHS):
        for rows in torch.split(torch.randperm(len(ids)), _BATCH):
            own, rows_of = torch.unique(ids[rows], return_inverse=True)
            loss = nn.functional.binary_cross_entropy_with_logits(net(embeddings[own] / spread, rows_of), tagged[rows], pos_weight=weight)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    learned = {name: tensor.numpy() for name, tensor in net.state_dict().items()}

    def linear(name: str, spread: float = 1.0) -> Linear:
        weight = learned[f"{name}.weight"] / np.float32(spread)
        return Linear(name, weight.reshape(len(weight), -1), learned[f"{name}.bias"])

    return Prefilter(around, linear("narrow", spread), tuple(linear(f"mixes.{at}") for at in range(_MIXES)), linear("down"))


def _join(notes: Sequence[Marked]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """All notes one after the other, in rows of one length; what is left at the end is too little to learn from."""
    ids, tagged = (np.concatenate([note[at] for note in notes]) for at in (0, 1))
    length = min(_LENGTH, len(ids))
    kept = len(ids) // length * length
    return ids[:kept].reshape(-1, length).astype(np.int64), tagged[:kept].reshape(-1, length).astype(np.float32)

"""Tagging as a task whose windows come and go; it records which of them the model got wrong, so that they are shown again.

A batch of windows goes to the GPU whole and is laid out there: the processor only launches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from incognote.find.model.tokens import SubwordTokenizer
from incognote.lab.default_model.batches import WindowBatch, select
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.losses import IGNORED
from incognote.lab.training.tasks.tagging import Tagging

MOST_SHOWN = 3  # times that a window is shown: one that stays wrong may have wrong gold
TRIMMED = 0.8  # of the longest window of a batch: what may be left of the others


@dataclass(frozen=True, slots=True)
class Rows:
    """Some windows of a batch on the device: where each begins, how much of it counts, how many columns that needs."""

    starts: Tensor
    lengths: Tensor
    width: int

    def pad(self, values: Tensor, fill: int) -> Tensor:
        """The values of these windows, one row each, filled up at the end."""
        columns = torch.arange(self.width, device=values.device)
        positions = (self.starts[:, None] + columns).clamp(max=len(values) - 1)
        return torch.where(columns < self.lengths[:, None], values[positions], fill)

    def frame(self, values: Tensor, before: Sequence[int], after: Sequence[int], fill: int) -> Tensor:
        """The same between what goes before and after each window."""
        framed = torch.full((len(self.starts), len(before) + self.width + len(after)), fill, dtype=torch.int64, device=values.device)
        framed[:, len(before) : len(before) + self.width] = self.pad(values.long(), fill)
        for at, value in enumerate(before):
            framed[:, at] = value
        for at, value in enumerate(after):
            framed.scatter_(1, (len(before) + at + self.lengths)[:, None], value)
        return framed


class StreamedTagging(Tagging):
    """Tagging over the windows filled in last."""

    def fill(self, windows: WindowBatch) -> None:
        """Train on these windows from now on."""
        self.windows_now = windows
        self.lengths = (windows.lengths + self.tokenizer.specials).tolist()
        self.held = {name: self.to_device(getattr(windows, name)) for name in ("lengths", "ids", "tags")}
        self.held["starts"] = self.held["lengths"].cumsum(0) - self.held["lengths"]
        self.seen: list[tuple[Tensor, Tensor]] = []

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def to_device(self, values: Any) -> Tensor:
        """An array on the device, without waiting for what the device does."""
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        return tensor.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else tensor

    def trim(self, indices: Sequence[int]) -> None:
        """Windows of nearly one length to the shortest of them: attention without padding is faster, and a window may end anywhere."""
        lengths = [self.lengths[i] for i in indices]
        if min(lengths) >= TRIMMED * max(lengths):
            for i in indices:
                self.lengths[i] = min(lengths)

    def weigh(self, indices: Sequence[int]) -> int:
        return sum(self.lengths[i] for i in indices) - len(indices) * self.tokenizer.specials

    def collate(self, indices: Sequence[int]) -> Batch:
        chosen = self.to_device(np.array(indices))
        width = max(self.lengths[i] for i in indices) - self.tokenizer.specials
        self.rows = Rows(self.held["starts"][chosen], self.held["lengths"][chosen].clamp(max=width), width)
        self.rows_now = chosen
        blank = [IGNORED] * len(self.tokenizer.before), [IGNORED] * len(self.tokenizer.after)
        batch = frame_inputs(self.rows, self.held["ids"], self.tokenizer) | {"labels": self.rows.frame(self.held["tags"], *blank, IGNORED)}
        # Without padding there is nothing to mask, and attention without a mask has the faster kernels.
        unpadded = min(self.lengths[i] for i in indices) == width + self.tokenizer.specials
        return {key: value for key, value in batch.items() if not (unpadded and key == "attention_mask")}

    def corrupt(self, batch: Batch, share: float) -> Batch:
        corrupted = super().corrupt(batch, share)
        return corrupted | {"hidden": corrupted["input_ids"] != batch["input_ids"], "whole": batch["input_ids"]}

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        return super().forward(model, {key: batch[key] for key in ("input_ids", "attention_mask") if key in batch})

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        with torch.no_grad():
            wrong = (logits.argmax(dim=-1) != batch["labels"]) & (batch["labels"] != IGNORED)
            self.seen.append((self.rows_now, (wrong & ~batch["hidden"]).any(dim=1)))
        return super().loss(logits, batch, smoothing=smoothing)

    def take_wrong(self) -> WindowBatch:
        """The windows of this batch that were got wrong, less those whose gold may be at fault."""
        wrong = torch.cat([rows[found] for rows, found in self.seen]).cpu().numpy()
        chosen = select(self.windows_now, wrong[self.windows_now.exact[wrong] & (self.windows_now.shown[wrong] < MOST_SHOWN)])
        return replace(chosen, shown=chosen.shown + 1)


def frame_inputs(rows: Rows, ids: Tensor, tokenizer: SubwordTokenizer) -> Batch:
    """The windows as a model of this tokenizer reads them."""
    framed = rows.frame(ids, tokenizer.before, tokenizer.after, tokenizer.pad)
    used = (rows.lengths + tokenizer.specials)[:, None]
    return {"input_ids": framed, "attention_mask": (torch.arange(framed.shape[1], device=framed.device) < used).long()}

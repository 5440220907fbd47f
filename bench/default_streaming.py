"""Tagging as a task whose windows come and go; it notes which of them the model got wrong, so that they are shown again."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from default_samples import Sample
from torch import Tensor, nn

from incognote.encoders.encoding import EncodedNote
from incognote.encoders.tokens import Tokens
from incognote.encoders.windows import Window
from incognote.training.task import Batch
from incognote.training.tasks.losses import IGNORED
from incognote.training.tasks.tagging import Tagging

MOST_SHOWN = 3  # a window that stays wrong is wrong itself
TRIMMED = 0.8  # of the longest window of a batch: what may be left of the others


class Streaming(Tagging):
    """Tagging over the windows of the moment."""

    def fill(self, samples: Sequence[Sample]) -> None:
        """Learn from these windows from now on."""
        self.samples = samples
        self.notes = [EncodedNote(Tokens(sample.ids, sample.ids, sample.ids), sample.tags) for sample in samples]
        self.windows = [Window(at, 0, len(sample.ids), 0, len(sample.ids)) for at, sample in enumerate(samples)]
        self.lengths = [len(sample.ids) + self.tokenizer.specials for sample in samples]
        self.seen: list[tuple[list[int], Tensor]] = []

    def trim(self, indices: Sequence[int]) -> None:
        """Windows of nearly one length to the shortest of them: attention without padding is faster, and a window may end anywhere."""
        shortest, longest = min(len(self.windows[i]) for i in indices), max(len(self.windows[i]) for i in indices)
        if shortest >= TRIMMED * longest:
            for i in indices:
                self.windows[i] = Window(i, 0, shortest, 0, shortest)
                self.lengths[i] = shortest + self.tokenizer.specials

    def collate(self, indices: Sequence[int]) -> Batch:
        self.under_way = list(indices)
        return pin(super().collate(indices))

    def corrupt(self, batch: Batch, share: float) -> Batch:
        corrupted = super().corrupt(batch, share)
        return corrupted | {"hidden": corrupted["input_ids"] != batch["input_ids"]}

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        return super().forward(model, {key: value for key, value in batch.items() if key != "hidden"})

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        with torch.no_grad():
            wrong = (logits.argmax(dim=-1) != batch["labels"]) & (batch["labels"] != IGNORED)
            self.seen.append((self.under_way, (wrong & ~batch["hidden"]).any(dim=1)))
        return super().loss(logits, batch, smoothing=smoothing)

    def take_wrong(self) -> list[Sample]:
        """The windows of this pool that were got wrong, less those whose gold may be at fault."""
        wrong = [self.samples[i] for indices, found in self.seen for i, bad in zip(indices, found.tolist(), strict=True) if bad]
        return [replace(sample, shown=sample.shown + 1) for sample in wrong if sample.exact and sample.shown < MOST_SHOWN]


def pin(batch: Batch) -> Batch:
    """The batch in pinned memory, from where it travels while the GPU still works on the one before."""
    return {key: value.pin_memory() for key, value in batch.items()} if torch.cuda.is_available() else batch

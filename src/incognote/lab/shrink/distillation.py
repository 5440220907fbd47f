"""Distillation: a small tagger learns what larger ones say about every token, as DistilBERT learned from BERT (Sanh et al. 2019).

The loss adds three: the divergence from the teachers' whole distribution at a temperature, the gold tags where there are any, and the
cosine between last hidden states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from incognote.document import Document
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.windows import cut_windows
from incognote.lab.encoders.encoding import EncodedNote
from incognote.lab.shrink.distillation_targets import TeacherTargets, collect_targets
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.losses import IGNORED
from incognote.lab.training.tasks.tagging import Tagging

_TINY = 1e-8
_PROJECTION = "projection"


@dataclass(frozen=True, slots=True)
class DistillationSettings:
    """How much each part of the loss counts, and the temperature at which distributions are compared; the shares are DistilBERT's."""

    temperature: float = 2.0
    soft: float = 1.0
    hard: float = 0.4
    hidden: float = 0.2


@dataclass(slots=True)
class DistillationTask:
    """Tagging with teachers: the same windows and the same score, another loss."""

    tagging: Tagging
    targets: TeacherTargets = field(repr=False)
    settings: DistillationSettings

    @property
    def model(self) -> nn.Module:
        return self.tagging.model

    @property
    def lengths(self) -> Sequence[int]:
        return self.tagging.lengths

    def collate(self, indices: Sequence[int]) -> Batch:
        batch = self.tagging.collate(indices)
        shape = tuple(batch["labels"].shape)
        opened = len(self.tagging.tokenizer.before)
        covered = np.zeros(shape, dtype=np.bool_)
        said = np.zeros((*shape, len(self.tagging.tags)), dtype=np.float16)
        hidden = np.zeros((*shape, self.targets.width), dtype=np.float16)
        for row, index in enumerate(indices):
            window = self.tagging.windows[index]
            rows, place = self.targets.rows(window.note, window.start, window.end), slice(opened, opened + len(window))
            covered[row, place] = self.targets.covered[rows]
            said[row, place] = self.targets.probabilities[rows]
            if self.targets.hidden is not None:
                hidden[row, place] = self.targets.hidden[rows]
        return batch | {"covered": torch.from_numpy(covered), "said": torch.from_numpy(said), "hidden": torch.from_numpy(hidden)}

    def weigh(self, indices: Sequence[int]) -> int:
        return self.tagging.weigh(indices)

    def corrupt(self, batch: Batch, share: float) -> Batch:
        return self.tagging.corrupt(self._as_labelled(batch), share) | {"labels": batch["labels"]}

    def _as_labelled(self, batch: Batch) -> Batch:
        """The batch as if every token that is covered had a gold tag."""
        return batch | {"labels": torch.where(batch["covered"], batch["labels"].clamp_min(0), batch["labels"])}

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        """Logits, and behind them the hidden states where the teacher's are followed."""
        output = model(**{key: batch[key] for key in ("input_ids", "attention_mask") if key in batch})
        logits: Tensor = output.logits
        return torch.cat([logits, output.hidden_states[-1]], dim=-1) if self.targets.width else logits

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        tags, settings, covered = len(self.tagging.tags), self.settings, batch["covered"]
        own, said = logits[..., :tags].float(), batch["said"][covered].float()
        spoken = functional.log_softmax(own[covered] / settings.temperature, dim=-1)
        # The gradients of softened distributions shrink with the square of the temperature; this makes up for it (Hinton et al. 2015).
        total: Tensor = settings.soft * settings.temperature**2 * (said * (said.clamp_min(_TINY).log() - spoken)).sum()
        if settings.hard:
            total = total + settings.hard * self.tagging.loss(own, batch, smoothing=smoothing)
        if self.targets.width:
            alike = functional.cosine_similarity(logits[..., tags:][covered].float(), batch["hidden"][covered].float(), dim=-1)
            total = total + settings.hidden * (1 - alike).sum()
        return total

    def divergence(self, one: Tensor, other: Tensor, batch: Batch) -> Tensor:
        tags = len(self.tagging.tags)
        return self.tagging.divergence(one[..., :tags], other[..., :tags], self._as_labelled(batch))

    def validate(self, model: nn.Module) -> Mapping[str, float]:
        return self.tagging.validate(model)

    def name_samples(self, indices: Sequence[int]) -> list[str]:
        return self.tagging.name_samples(indices)

    def save(self, model: nn.Module, folder: Path, *, card: Mapping[str, object]) -> None:
        show_hidden(model, 0)
        self.tagging.save(model, folder, card=card)


def prepare_distillation(
    tagging: Tagging, teachers: Sequence[EncoderTagger], settings: DistillationSettings, *, unlabelled: Sequence[Document] = ()
) -> DistillationTask:
    """The task of a student: its own notes and the unlabelled ones, with what the teachers say about them."""
    add_unlabelled(tagging, unlabelled)
    texts = [document.text for document in tagging.documents]
    notes = [note.tokens for note in tagging.notes]
    targets = collect_targets(teachers, texts, notes, temperature=settings.temperature, hidden=settings.hidden > 0)
    show_hidden(tagging.model, targets.width)
    return DistillationTask(tagging, targets, settings)


def add_unlabelled(tagging: Tagging, documents: Sequence[Document]) -> None:
    """Let the task learn from these notes too; no token of theirs has a gold tag."""
    if not documents:
        return
    tokens = tagging.tokenizer.tokenize([document.text for document in documents])
    tagging.documents += tuple(documents)
    tagging.notes += [EncodedNote(note, np.full(len(note), IGNORED, dtype=np.int32)) for note in tokens]
    tagging.windows = cut_windows([len(note) for note in tagging.notes], room=tagging.room, overlap=tagging.recipe.overlap)
    tagging.lengths = [len(window) + tagging.tokenizer.specials for window in tagging.windows]


def show_hidden(model: Any, width: int) -> None:
    """Make the model give its last hidden states with its logits, through a learned projection where their width is another; 0 undoes it.

    Hooks do it, so that the model stays what Hugging Face loads, and the projection learns inside its forward pass on several GPUs too.
    """
    for hook in model.__dict__.pop("_shown", ()):
        hook.remove()
    if hasattr(model, _PROJECTION):
        delattr(model, _PROJECTION)
    if not width:
        return
    own = int(next(getattr(model.config, name) for name in ("hidden_size", "dim", "d_model") if hasattr(model.config, name)))
    if own != width:
        setattr(model, _PROJECTION, nn.Linear(own, width, bias=False))
    held: list[Tensor] = []

    def keep(_: object, inputs: object, output: Any) -> None:
        held[:] = [output[0]]

    def show(whole: Any, inputs: object, output: Any) -> Any:
        hidden = held.pop()
        output["hidden_states"] = (getattr(whole, _PROJECTION)(hidden) if own != width else hidden,)
        return output

    body = getattr(model, model.base_model_prefix)
    model.__dict__["_shown"] = [body.register_forward_hook(keep), model.register_forward_hook(show)]

"""Distillation: other models tag the same text in their own tokens, live, and the student follows their mean and the gold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer
from incognote.find.model.weights import load_model
from incognote.lab.default_model.attention import fuse_attention
from incognote.lab.default_model.batches import INSIDE, UNCOVERED, WindowBatch
from incognote.lab.default_model.stream import shares_tokens
from incognote.lab.default_model.tagging import Rows, StreamedTagging, frame_inputs
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.losses import IGNORED

TEMPERATURE, SOFT, HARD = 2.0, 1.0, 0.4
_TINY = 1e-8


@dataclass(frozen=True, slots=True)
class Teacher:
    """A model to follow; ``number`` is that of its tokens in a batch of windows, None where they are the student's own."""

    model: nn.Module
    tokenizer: SubwordTokenizer
    number: int | None


class Distillation(StreamedTagging):
    """Streamed tagging with teachers."""

    def load_teachers(self, folders: Sequence[Path], student: Path) -> None:
        """Follow these models from now on."""
        self.teachers: list[Teacher] = []
        foreign = 0
        for folder in folders:
            checkpoint = load_checkpoint(folder)
            if checkpoint.tags != self.tags:
                raise CheckpointError("a teacher with other tags than the student's", where=str(folder))
            dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32
            model = load_model(checkpoint).requires_grad_(requires_grad=False).to(self.device, dtype)
            fuse_attention(model)
            shared = shares_tokens(student, folder)
            self.teachers.append(Teacher(model, load_tokenizer(folder), None if shared else foreign))
            foreign += not shared
        self.inside = torch.eye(len(self.tags), device=self.device)
        for at, tag in enumerate(self.tags):
            if tag.startswith("B-"):
                self.inside[at, at], self.inside[at, self.tags.index(f"I-{tag[2:]}")] = 0, 1

    def fill(self, windows: WindowBatch) -> None:
        super().fill(windows)
        names = ("lengths", "ids", "positions", "coverage")
        self.theirs = [{name: self.to_device(getattr(tokens, name)) for name in names} for tokens in windows.teachers]

    def collate(self, indices: Sequence[int]) -> Batch:
        batch = super().collate(indices)
        for number, (held, tokens) in enumerate(zip(self.theirs, self.windows_now.teachers, strict=True)):
            starts = held["lengths"].cumsum(0) - held["lengths"]
            rows = Rows(starts[self.rows_now], held["lengths"][self.rows_now], int(tokens.lengths[indices].max()))
            tokenizer = next(teacher.tokenizer for teacher in self.teachers if teacher.number == number)
            blank = [0] * len(self.tokenizer.before), [0] * len(self.tokenizer.after)
            batch |= {f"{key}{number}": value for key, value in frame_inputs(rows, held["ids"], tokenizer).items()}
            batch[f"positions{number}"] = self.rows.frame(held["positions"], *blank, 0) + len(tokenizer.before)
            batch[f"coverage{number}"] = self.rows.frame(held["coverage"], *blank, UNCOVERED)
        return batch

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        target, covered = self.ask_teachers(batch)
        own = functional.log_softmax(logits.float() / TEMPERATURE, dim=-1)
        soft = ((target * (target.clamp_min(_TINY).log() - own)).sum(dim=-1) * covered).sum()
        # The gradients of softened distributions shrink with the square of the temperature; this makes up for it (Hinton et al. 2015).
        return SOFT * TEMPERATURE**2 * soft + HARD * super().loss(logits, batch, smoothing=smoothing)

    @torch.no_grad()
    def ask_teachers(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The teachers' mean distribution for each token, and which tokens any of them covers."""
        total = torch.zeros((*batch["labels"].shape, len(self.tags)), device=batch["labels"].device)
        count = torch.zeros_like(batch["labels"])
        for teacher in self.teachers:
            if teacher.number is None:
                covered = (batch["labels"] != IGNORED).long()
                found = soften(teacher.model, batch["whole"], batch.get("attention_mask"))
            else:
                names = ("input_ids", "attention_mask", "positions", "coverage")
                ids, mask, positions, coverage = (batch[f"{name}{teacher.number}"] for name in names)
                found = soften(teacher.model, ids, mask)
                found = found.gather(1, positions[..., None].expand(-1, -1, found.shape[-1]))
                # Within a teacher's token, the tag B- that begins with it has become I-.
                found = torch.where((coverage == INSIDE)[..., None], found @ self.inside, found)
                covered = (coverage != UNCOVERED).long()
            total += found * covered[..., None]
            count += covered
        return total / count.clamp_min(1)[..., None], count > 0


def soften(model: nn.Module, ids: Tensor, mask: Tensor | None) -> Tensor:
    """The model's distribution over tags, at the temperature of distillation."""
    logits: Tensor = model(input_ids=ids, **({} if mask is None else {"attention_mask": mask})).logits
    return functional.softmax(logits.float() / TEMPERATURE, dim=-1)

"""Learning from teachers: other models judge the same text in their own tokens, live, and the student follows their mean and the gold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from default_attention import quicken
from default_packs import UNHEARD, WITHIN, Pack
from default_samples import reads_alike
from default_streaming import Rows, Streaming, read
from torch import Tensor, nn
from torch.nn import functional

from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer
from incognote.find.model.weights import load_model
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.losses import IGNORED

TEMPERATURE, SOFT, HARD = 2.0, 1.0, 0.4
_TINY = 1e-8


@dataclass(frozen=True, slots=True)
class Teacher:
    """A model that judges; ``voice`` is the number of its tokens in a pack, none where they are the student's own."""

    model: nn.Module
    tokenizer: SubwordTokenizer
    voice: int | None


class Learning(Streaming):
    """Streaming with teachers."""

    def listen(self, folders: Sequence[Path], student: Path) -> None:
        """Learn from these models from now on."""
        self.teachers: list[Teacher] = []
        strange = 0
        for folder in folders:
            checkpoint = load_checkpoint(folder)
            if checkpoint.tags != self.tags:
                raise SystemExit(f"{folder}: a teacher of other tags than the recipe's")
            kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
            model = load_model(checkpoint).requires_grad_(requires_grad=False).to(self.device, kind)
            quicken(model)
            alike = reads_alike(student, folder)
            self.teachers.append(Teacher(model, load_tokenizer(folder), None if alike else strange))
            strange += not alike
        self.begun = torch.eye(len(self.tags), device=self.device)
        for at, tag in enumerate(self.tags):
            if tag.startswith("B-"):
                self.begun[at, at], self.begun[at, self.tags.index(f"I-{tag[2:]}")] = 0, 1

    def fill(self, pack: Pack) -> None:
        super().fill(pack)
        self.spoken = [{name: self.send(getattr(voice, name)) for name in ("lengths", "ids", "places", "heard")} for voice in pack.voices]

    def collate(self, indices: Sequence[int]) -> Batch:
        batch = super().collate(indices)
        widths = [int(voice.lengths[indices].max()) for voice in self.pack.voices]
        for number, (said, width) in enumerate(zip(self.spoken, widths, strict=True)):
            starts = said["lengths"].cumsum(0) - said["lengths"]
            theirs = Rows(starts[self.under_way], said["lengths"][self.under_way], width)
            tokenizer = next(teacher.tokenizer for teacher in self.teachers if teacher.voice == number)
            edges = [0] * len(self.tokenizer.before), [0] * len(self.tokenizer.after)
            batch |= {f"{key}{number}": value for key, value in read(theirs, said["ids"], tokenizer).items()}
            batch[f"places{number}"] = self.rows.frame(said["places"], *edges, 0) + len(tokenizer.before)
            batch[f"heard{number}"] = self.rows.frame(said["heard"], *edges, UNHEARD)
        return batch

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        said, heard = self.ask(batch)
        own = functional.log_softmax(logits.float() / TEMPERATURE, dim=-1)
        soft = ((said * (said.clamp_min(_TINY).log() - own)).sum(dim=-1) * heard).sum()
        # The gradients of softened distributions shrink with the square of the temperature; this makes up for it (Hinton et al. 2015).
        return SOFT * TEMPERATURE**2 * soft + HARD * super().loss(logits, batch, smoothing=smoothing)

    @torch.no_grad()
    def ask(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The teachers' mean distribution for each token, and which tokens any of them judges."""
        total = torch.zeros((*batch["labels"].shape, len(self.tags)), device=batch["labels"].device)
        count = torch.zeros_like(batch["labels"])
        for teacher in self.teachers:
            if teacher.voice is None:
                heard = (batch["labels"] != IGNORED).long()
                spoken = judge(teacher.model, batch["whole"], batch.get("attention_mask"))
            else:
                ids, mask, places, heard = (batch[f"{name}{teacher.voice}"] for name in ("input_ids", "attention_mask", "places", "heard"))
                spoken = judge(teacher.model, ids, mask)
                spoken = spoken.gather(1, places[..., None].expand(-1, -1, spoken.shape[-1]))
                # In the middle of a teacher's token, what that token begins has begun.
                spoken = torch.where((heard == WITHIN)[..., None], spoken @ self.begun, spoken)
                heard = (heard != UNHEARD).long()
            total += spoken * heard[..., None]
            count += heard
        return total / count.clamp_min(1)[..., None], count > 0


def judge(model: nn.Module, ids: Tensor, mask: Tensor | None) -> Tensor:
    logits: Tensor = model(input_ids=ids, **({} if mask is None else {"attention_mask": mask})).logits
    return functional.softmax(logits.float() / TEMPERATURE, dim=-1)

"""Learning from teachers: other models judge the same text in their own tokens, live, and the student follows their mean and the gold."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from default_samples import Voice
from default_streaming import Streaming, pin
from torch import Tensor, nn
from torch.nn import functional

from incognote.encoders.checkpoint import load_checkpoint
from incognote.encoders.tokens import SubwordTokenizer, load_tokenizer
from incognote.encoders.weights import load_model
from incognote.training.task import Batch

TEMPERATURE, SOFT, HARD = 2.0, 1.0, 0.4
_TINY = 1e-8


class Learning(Streaming):
    """Streaming with teachers."""

    def listen(self, folders: Sequence[Path], device: torch.device) -> None:
        """Learn from these models from now on."""
        self.teachers: list[tuple[nn.Module, SubwordTokenizer]] = []
        for folder in folders:
            checkpoint = load_checkpoint(folder)
            if checkpoint.tags != self.tags:
                raise SystemExit(f"{folder}: a teacher of other tags than the recipe's")
            kind = torch.bfloat16 if device.type == "cuda" else torch.float32
            model = load_model(checkpoint).requires_grad_(requires_grad=False).to(device, kind)
            self.teachers.append((model, load_tokenizer(folder)))
        self.begun = torch.eye(len(self.tags), device=device)
        for at, tag in enumerate(self.tags):
            if tag.startswith("B-"):
                self.begun[at, at], self.begun[at, self.tags.index(f"I-{tag[2:]}")] = 0, 1

    def collate(self, indices: Sequence[int]) -> Batch:
        batch = super().collate(indices)
        opened = len(self.tokenizer.before)
        lengths = [len(self.windows[i]) for i in indices]  # windows are trimmed to one length at times
        for number, (_, tokenizer) in enumerate(self.teachers):
            voices = [self.samples[i].voices[number] for i in indices]
            batch |= pin(pack_voices(voices, lengths, tokenizer, shape=tuple(batch["labels"].shape), opened=opened, number=number))
        return batch

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        return super().forward(model, {key: batch[key] for key in ("input_ids", "attention_mask", "labels") if key in batch})

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        said, heard = self.ask(batch)
        own = functional.log_softmax(logits.float()[heard] / TEMPERATURE, dim=-1)
        soft = (said * (said.clamp_min(_TINY).log() - own)).sum()
        # The gradients of softened distributions shrink with the square of the temperature; this makes up for it (Hinton et al. 2015).
        return SOFT * TEMPERATURE**2 * soft + HARD * super().loss(logits, batch, smoothing=smoothing)

    @torch.no_grad()
    def ask(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The teachers' mean distribution for each token that any of them judges, and which tokens those are."""
        total = torch.zeros((*batch["labels"].shape, len(self.tags)), device=batch["labels"].device)
        count = torch.zeros_like(batch["labels"])
        for number, (teacher, _) in enumerate(self.teachers):
            ids, mask, places, inside, heard = (batch[f"{name}{number}"] for name in ("ids", "mask", "places", "inside", "heard"))
            spoken = functional.softmax(teacher(input_ids=ids, attention_mask=mask).logits.float() / TEMPERATURE, dim=-1)
            spoken = spoken.gather(1, places[..., None].expand(-1, -1, spoken.shape[-1]))
            # In the middle of a teacher's token, what that token begins has begun.
            spoken = torch.where(inside[..., None], spoken @ self.begun, spoken)
            total += spoken * heard[..., None]
            count += heard
        heard = count > 0
        return total[heard] / count[heard][:, None], heard


def pack_voices(
    voices: Sequence[Voice], lengths: Sequence[int], tokenizer: SubwordTokenizer, *, shape: tuple[int, ...], opened: int, number: int
) -> Batch:
    """A batch for teacher ``number``, and where in it each token of the student's batch is spoken of."""
    before, after = list(tokenizer.before), list(tokenizer.after)
    ids = np.full((len(voices), max(len(voice.ids) for voice in voices) + tokenizer.specials), tokenizer.pad, dtype=np.int64)
    mask = np.zeros_like(ids)
    places, inside, heard = np.zeros(shape, np.int64), np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    for row, (voice, length) in enumerate(zip(voices, lengths, strict=True)):
        whole = np.concatenate([before, voice.ids, after])
        ids[row, : len(whole)], mask[row, : len(whole)] = whole, 1
        cut = slice(opened, opened + length)
        places[row, cut] = voice.places[:length] + len(before)
        inside[row, cut], heard[row, cut] = voice.inside[:length], voice.heard[:length]
    parts = {"ids": ids, "mask": mask, "places": places, "inside": inside, "heard": heard}
    return {f"{name}{number}": torch.from_numpy(values) for name, values in parts.items()}

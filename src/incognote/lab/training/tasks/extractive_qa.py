"""Extractive question answering as a training task: where in a text the answer is, or that it has none (Rajpurkar et al. 2018, SQuAD 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from incognote.errors import ConfigError
from incognote.evaluate.answers import is_exact, score_answers, token_f1
from incognote.find.model.weights import ANSWERS
from incognote.lab.training.data import SPLITS
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.run import Summary
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.checks import check_answers, find_answer
from incognote.lab.training.tasks.classification import tell_long
from incognote.lab.training.tasks.heads import Head, save_head, start_head
from incognote.lab.training.tasks.losses import symmetric_divergence
from incognote.lab.training.tasks.questions import Answer, Asked, ask, context_of, find_answers, summary_column
from incognote.lab.training.tasks.samples import Frame, Sample, fill_rows, find_frame, hide_tokens, shift_of
from incognote.lab.training.tasks.tokenizers import find_mask
from incognote.lab.training.texts import Example, Examples, list_places, name_place

_OWN = ("labels", "allowed")
_LONGEST = 30  # tokens, as in BERT's own script; longer where the training answers are
_MILLION = 1_000_000


@dataclass(slots=True)
class ExtractiveQA:
    """An encoder with a head that points at the first and last token of an answer; at the row's summary token when there is none.

    A window that does not hold the whole answer is a sample without one. ``nulls``: whether a text may have no answer at all.
    """

    recipe: Recipe
    model: nn.Module
    head: Head
    frame: Frame = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)
    validation: tuple[Example, ...] = field(repr=False)
    samples: list[Sample] = field(repr=False)
    lengths: list[int] = field(repr=False)
    targets: list[tuple[int, int]] = field(repr=False)
    longest: int
    nulls: bool
    remarks: tuple[str, ...] = ()

    def collate(self, indices: Sequence[int]) -> Batch:
        samples = [self.samples[i] for i in indices]
        batch = fill_rows(samples, self.frame)
        width = batch["input_ids"].shape[1]
        allowed = np.zeros((len(samples), width), dtype=np.bool_)
        labels = np.zeros((len(samples), 2), dtype=np.int64)
        for row, (index, sample) in enumerate(zip(indices, samples, strict=True)):
            shift = shift_of(sample, width, self.frame)
            place = context_of(sample, self.frame)
            allowed[row, shift + place.start : shift + place.stop] = True
            allowed[row, shift + summary_column(sample, self.frame)] = True
            labels[row] = [shift + column for column in self.targets[index]]
        return batch | {"labels": torch.from_numpy(labels), "allowed": torch.from_numpy(allowed)}

    def weigh(self, indices: Sequence[int]) -> int:
        return 2 * len(indices)

    def corrupt(self, batch: Batch, share: float) -> Batch:
        kept = (self.frame.pad, *(id for piece in self.frame.specials for id in piece))
        return hide_tokens(batch, share, mask=find_mask(self.head.tokenizer), kept=kept)

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        output = model(**{key: value for key, value in batch.items() if key not in _OWN})
        return torch.stack([output.start_logits, output.end_logits], dim=-1)

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        # Smoothing spreads over the columns where an answer may be, and over no others.
        scores, allowed = _log_shares(logits, batch)
        right = scores.gather(1, batch["labels"][:, None, :]).sum()
        spread = (scores.masked_fill(~allowed, 0.0).sum(dim=1) / allowed.sum(dim=1)).sum()
        return -(1 - smoothing) * right - smoothing * spread

    def divergence(self, one: Tensor, other: Tensor, batch: Batch) -> Tensor:
        (p, allowed), (q, _) = _log_shares(one, batch), _log_shares(other, batch)
        return symmetric_divergence(p.masked_fill(~allowed, -1e4), q.masked_fill(~allowed, -1e4))

    def answer(self, model: nn.Module, examples: Sequence[Example]) -> list[Answer]:
        """The model's answer to each question."""
        asked = ask(examples, self.head.tokenizer, self.frame, window=self.recipe.window, overlap=self.recipe.overlap)
        return find_answers(model, [one.text for one in examples], asked, self.frame, longest=self.longest, nulls=self.nulls)

    def validate(self, model: nn.Module) -> Mapping[str, float]:
        found = self.answer(model, self.validation)
        return score_answers([one.answer for one in self.validation], [each.text for each in found])

    def summarize(self, model: nn.Module, examples: Sequence[Example]) -> Summary:
        """Exact matches and, in millionths so that they are whole numbers, the token F1 of all answers."""
        pairs = [(one.answer, each.text) for one, each in zip(examples, self.answer(model, examples), strict=True)]
        shared = round(sum(token_f1(*pair) for pair in pairs) * _MILLION)
        return Summary({"exact": [sum(is_exact(*pair) for pair in pairs), len(pairs)], "token_f1": [shared, len(pairs) * _MILLION]})

    def name_samples(self, indices: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(name_place(self.examples[self.samples[i].example]) for i in indices))

    def save(self, model: nn.Module, folder: Path, *, card: Mapping[str, object]) -> None:
        settings = {"longest": self.longest, "nulls": self.nulls}
        save_head(folder, model, self.head, self.recipe, typed=self.frame.typed, card=card, settings=settings)


def prepare_extractive_qa(recipe: Recipe, splits: Examples, *, unsafe: bool = False) -> ExtractiveQA:
    """The task of a recipe, its examples checked: every answer is in its text, and every question leaves room for the text."""
    check_answers(splits)
    model, head = start_head(recipe, ANSWERS, unsafe=unsafe)
    frame = find_frame(head.tokenizer, model, texts=2)
    remarks = _tell_unsure(splits)
    cut = {part: ask(splits.of(part), head.tokenizer, frame, window=recipe.window, overlap=recipe.overlap) for part in SPLITS}
    remarks += [line for part, asked in cut.items() for line in tell_long(asked.samples, part=part, window=recipe.window)]
    asked = cut["train"]
    spans = locate_answers(splits.train, asked)
    targets = [_point(sample, frame, spans[sample.example]) for sample in asked.samples]
    longest = max(_LONGEST, *(last - first + 1 for first, last in spans))
    lengths = [len(sample) for sample in asked.samples]
    nulls = any(first < 0 for first, _ in spans)
    return ExtractiveQA(
        recipe, model, head, frame, splits.train, splits.validation, asked.samples, lengths, targets, longest, nulls, tuple(remarks)
    )


def locate_answers(examples: Sequence[Example], asked: Asked) -> list[tuple[int, int]]:
    """The first and last token of each answer; ``(-1, -1)`` for none."""
    spans, lost = [], []
    for example, note in zip(examples, asked.notes, strict=True):
        start = find_answer(example)
        if start < 0:
            spans.append((-1, -1))
            continue
        touched = np.flatnonzero((note.ends > start) & (note.starts < start + len(example.answer)))
        if not len(touched):
            lost.append(example)
            continue
        spans.append((int(touched[0]), int(touched[-1])))
    if lost:
        raise ConfigError("data", list_places("no token in the answer", lost))
    return spans


def _point(sample: Sample, frame: Frame, span: tuple[int, int]) -> tuple[int, int]:
    place = context_of(sample, frame)
    first, last = (place.start + token - sample.offset for token in span)
    if span[0] < 0 or first < place.start or last >= place.stop:
        column = summary_column(sample, frame)
        return column, column
    return first, last


def _log_shares(logits: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    allowed = batch["allowed"][:, :, None].expand_as(logits)
    return logits.float().masked_fill(~allowed, float("-inf")).log_softmax(dim=1), allowed


def _tell_unsure(splits: Examples) -> list[str]:
    unsure = [one for one in splits.train if one.answer.strip() and one.start < 0 and one.text.count(one.answer) > 1]
    return [f"train: {len(unsure)} answers without a start are more than once in their text; the first place is taken"] if unsure else []

"""Putting texts or pairs of texts into classes: what both tasks share, from the head to the scores."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from incognote.evaluate.classes import accuracy, count_classes, macro_f1, rank_pairs
from incognote.evaluate.counts import Ratio
from incognote.find.model.inference import softmax
from incognote.find.model.tokens import SubwordTokenizer
from incognote.find.model.weights import CLASSES
from incognote.lab.training.data import SPLITS
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.run import Summary
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.heads import Head, save_head, start_head
from incognote.lab.training.tasks.losses import symmetric_divergence
from incognote.lab.training.tasks.samples import Frame, Sample, fill_rows, find_frame, hide_tokens, run_batches
from incognote.lab.training.tasks.tokenizers import find_mask
from incognote.lab.training.texts import Example, Examples, name_place

Cut = Callable[[Sequence[Example], SubwordTokenizer, Frame, int, int], list[Sample]]
Probabilities = NDArray[np.float32]


@dataclass(slots=True)
class Classification:
    """An encoder with a class head, the samples it learns from, and the examples it is selected by.

    An example longer than the window is several samples, each with the example's class; :func:`judge_samples` pools them.
    """

    recipe: Recipe
    model: nn.Module
    classes: tuple[str, ...]
    head: Head
    cut: Cut = field(repr=False)
    frame: Frame = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)
    validation: tuple[Example, ...] = field(repr=False)
    samples: list[Sample] = field(repr=False)
    lengths: list[int] = field(repr=False)
    targets: list[int] = field(repr=False)
    remarks: tuple[str, ...] = ()

    def collate(self, indices: Sequence[int]) -> Batch:
        batch = fill_rows([self.samples[i] for i in indices], self.frame)
        return batch | {"labels": torch.tensor([self.targets[i] for i in indices])}

    def weigh(self, indices: Sequence[int]) -> int:
        return len(indices)

    def corrupt(self, batch: Batch, share: float) -> Batch:
        kept = (self.frame.pad, *(id for piece in self.frame.specials for id in piece))
        return hide_tokens(batch, share, mask=find_mask(self.head.tokenizer), kept=kept)

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        logits: Tensor = model(**{key: value for key, value in batch.items() if key != "labels"}).logits
        return logits

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        return functional.cross_entropy(logits.float(), batch["labels"], label_smoothing=smoothing, reduction="sum")

    def divergence(self, one: Tensor, other: Tensor, batch: Batch) -> Tensor:
        return symmetric_divergence(*(functional.log_softmax(logits.float(), dim=-1) for logits in (one, other)))

    def judge(self, model: nn.Module, examples: Sequence[Example]) -> Probabilities:
        """The probability of each class for each example."""
        samples = self.cut(examples, self.head.tokenizer, self.frame, self.recipe.window, self.recipe.overlap)
        return judge_samples(model, samples, self.frame, rows=len(examples), columns=len(self.classes))

    def validate(self, model: nn.Module) -> Mapping[str, float]:
        return score_classes([one.label for one in self.validation], self.judge(model, self.validation), self.classes)

    def summarize(self, model: nn.Module, examples: Sequence[Example]) -> Summary:
        return summarize_classes([one.label for one in examples], self.judge(model, examples), self.classes)

    def name_samples(self, indices: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(name_place(self.examples[self.samples[i].example]) for i in indices))

    def save(self, model: nn.Module, folder: Path, *, card: Mapping[str, object]) -> None:
        save_head(folder, model, self.head, self.recipe, typed=self.frame.typed, card=card, settings={"classes": list(self.classes)})


def prepare_classification(
    recipe: Recipe, splits: Examples, classes: tuple[str, ...], *, texts: int, cut: Cut, unsafe: bool = False
) -> Classification:
    """The task of checked examples: model and tokenizer loaded, every training example cut into samples."""
    model, head = start_head(recipe, CLASSES, classes, unsafe=unsafe)
    frame = find_frame(head.tokenizer, model, texts=texts)
    samples: list[Sample] = []
    remarks: list[str] = []
    for part in SPLITS:
        found = cut(splits.of(part), head.tokenizer, frame, recipe.window, recipe.overlap)
        samples = found if part == "train" else samples
        remarks += tell_long(found, part=part, window=recipe.window)
    targets = [classes.index(splits.train[sample.example].label) for sample in samples]
    lengths = [len(sample) for sample in samples]
    return Classification(
        recipe, model, classes, head, cut, frame, splits.train, splits.validation, samples, lengths, targets, tuple(remarks)
    )


def judge_samples(model: nn.Module, samples: Sequence[Sample], frame: Frame, *, rows: int, columns: int) -> Probabilities:
    """The probabilities of each example: the mean of those of its samples, each as heavy as the tokens that are its own."""
    found = np.zeros((rows, columns), dtype=np.float32)
    for numbers, output in run_batches(model, samples, frame):
        for number, row in zip(numbers, softmax(output.logits.float().cpu().numpy()), strict=True):
            found[samples[number].example] += samples[number].weight * row
    total: Probabilities = found.sum(axis=1, keepdims=True)
    return found / total


def tell_long(samples: Sequence[Sample], *, part: str, window: int) -> list[str]:
    """A line for the run when examples were longer than the window, because they are judged in pieces."""
    pieces = Counter(sample.example for sample in samples)
    long = sum(count > 1 for count in pieces.values())
    return (
        [f"{part}: {long} of {len(pieces)} examples are longer than the window of {window} tokens and are read in pieces"] if long else []
    )


def score_classes(gold: Sequence[str], probabilities: Probabilities, classes: Sequence[str]) -> dict[str, float]:
    """Macro F1 as ``f1``, accuracy and, for two classes with examples of both, the area under the ROC curve of the second."""
    found = [classes[at] for at in probabilities.argmax(axis=1)]
    scores = {"f1": macro_f1(count_classes(gold, found)), "accuracy": accuracy(gold, found).value}
    ranked = _rank(gold, probabilities, classes)
    return scores | ({"auc": ranked.value} if ranked.whole else {})


def summarize_classes(gold: Sequence[str], probabilities: Probabilities, classes: Sequence[str]) -> Summary:
    """The counts behind :func:`score_classes`, class by class, and which classes were taken for which."""
    found = [classes[at] for at in probabilities.argmax(axis=1)]
    right, ranked = accuracy(gold, found), _rank(gold, probabilities, classes)
    scores = {"accuracy": [right.part, right.whole]} | ({"auc": [ranked.part, ranked.whole]} if ranked.whole else {})
    scores |= {f"class {name}": [count.tp, count.fp, count.fn] for name, count in count_classes(gold, found).items()}
    wrong = Counter((one, two) for one, two in zip(gold, found, strict=True) if one != two)
    return Summary(scores, [[*pair, count] for pair, count in sorted(wrong.items(), key=lambda row: (-row[1], row[0]))])


def _rank(gold: Sequence[str], probabilities: Probabilities, classes: Sequence[str]) -> Ratio:
    if len(classes) != 2:
        return Ratio()
    return rank_pairs([one == classes[1] for one in gold], [float(score) for score in probabilities[:, 1]])

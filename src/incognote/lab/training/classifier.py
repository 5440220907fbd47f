"""A Classifier: a trained model that gives texts, or pairs of texts, the probability of each class; from memory or from its folder."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch import nn

from incognote.errors import ConfigError
from incognote.find.model.tokens import SubwordTokenizer
from incognote.find.model.weights import CLASSES
from incognote.lab.training.loop import Outcome, Watch, train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.task_registry import TASK_REGISTRY
from incognote.lab.training.tasks.classes import cut_texts
from incognote.lab.training.tasks.classification import Probabilities, judge_samples
from incognote.lab.training.tasks.heads import open_head
from incognote.lab.training.tasks.pairs import cut_pairs
from incognote.lab.training.tasks.samples import Frame, find_frame
from incognote.lab.training.texts import Example, Examples


@dataclass(frozen=True, slots=True)
class Classifier:
    """A model with its tokenizer. ``task`` is ``classes`` or ``pairs``; a column of probabilities for each of ``classes``."""

    task: str
    classes: tuple[str, ...]
    model: nn.Module = field(repr=False)
    tokenizer: SubwordTokenizer = field(repr=False)
    frame: Frame = field(repr=False)
    window: int
    overlap: int

    def judge(self, texts: Sequence[str]) -> Probabilities:
        """The probabilities ``(texts, classes)``; a text of any length is read whole."""
        self._want("classes")
        return self._judge([Example(f"text {at}", text) for at, text in enumerate(texts, 1)])

    def judge_pairs(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """The probabilities ``(pairs, classes)``; pairs of any length are read whole."""
        self._want("pairs")
        return self._judge([Example(f"pair {at}", one, other=two) for at, (one, two) in enumerate(pairs, 1)])

    def _judge(self, examples: Sequence[Example]) -> Probabilities:
        self.model.eval()
        cut = cut_pairs if self.task == "pairs" else cut_texts
        samples = cut(examples, self.tokenizer, self.frame, self.window, self.overlap)
        return judge_samples(self.model, samples, self.frame, rows=len(examples), columns=len(self.classes))

    def _want(self, task: str) -> None:
        if self.task != task:
            raise ConfigError("classifier", [f"it was trained for {self.task}, not for {task}"])


def train_classifier(recipe: Recipe, splits: Examples, *, unsafe: bool = False, watch: Watch | None = None) -> tuple[Classifier, Outcome]:
    """Train a recipe for ``classes`` or ``pairs`` on examples in memory; nothing is written."""
    if recipe.task not in ("classes", "pairs"):
        raise ConfigError("recipe", [f"task = {recipe.task!r}: a classifier is trained for classes or pairs"])
    task = TASK_REGISTRY[recipe.task].start(recipe, splits, unsafe=unsafe)
    outcome = train(task, recipe, watch=watch)
    found = Classifier(recipe.task, task.classes, task.model.eval(), task.head.tokenizer, task.frame, recipe.window, recipe.overlap)
    return found, outcome


def load_classifier(source: str | Path, *, device: str = "cpu", unsafe: bool = False) -> Classifier:
    """The classifier in a folder that ``incognote train`` wrote."""
    model, tokenizer, settings = open_head(source, CLASSES, tasks=("classes", "pairs"), unsafe=unsafe)
    frame = find_frame(tokenizer, model, texts=2 if settings["task"] == "pairs" else 1)
    classes = tuple(settings["classes"])
    return Classifier(settings["task"], classes, model.to(device), tokenizer, frame, settings["window"], settings["overlap"])

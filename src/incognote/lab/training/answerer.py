"""An Answerer: a trained model that finds the answer to a question in a text of any length; from memory or from its folder."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch import nn

from incognote.find.model.tokens import SubwordTokenizer
from incognote.find.model.weights import ANSWERS
from incognote.lab.training.loop import Outcome, Watch, train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.extractive_qa import prepare_extractive_qa
from incognote.lab.training.tasks.heads import open_head
from incognote.lab.training.tasks.questions import Answer, ask, find_answers
from incognote.lab.training.tasks.samples import Frame, find_frame
from incognote.lab.training.texts import Example, Examples


@dataclass(frozen=True, slots=True)
class Answerer:
    """A model with its tokenizer. ``longest`` bounds an answer in tokens; with ``nulls`` it may find that there is none."""

    model: nn.Module = field(repr=False)
    tokenizer: SubwordTokenizer = field(repr=False)
    frame: Frame = field(repr=False)
    window: int
    overlap: int
    longest: int
    nulls: bool

    def answer(self, questions: Sequence[tuple[str, str]]) -> list[Answer]:
        """The answer to each ``(question, text)``."""
        self.model.eval()
        examples = [Example(f"question {at}", text, question=question) for at, (question, text) in enumerate(questions, 1)]
        asked = ask(examples, self.tokenizer, self.frame, window=self.window, overlap=self.overlap)
        texts = [one.text for one in examples]
        return find_answers(self.model, texts, asked, self.frame, longest=self.longest, nulls=self.nulls)


def train_answerer(recipe: Recipe, splits: Examples, *, unsafe: bool = False, watch: Watch | None = None) -> tuple[Answerer, Outcome]:
    """Train a recipe for ``answers`` on examples in memory; nothing is written."""
    task = prepare_extractive_qa(recipe, splits, unsafe=unsafe)
    outcome = train(task, recipe, watch=watch)
    found = Answerer(
        task.model.eval(), task.head.tokenizer, task.frame, recipe.window, recipe.overlap, longest=task.longest, nulls=task.nulls
    )
    return found, outcome


def load_answerer(source: str | Path, *, device: str = "cpu", unsafe: bool = False) -> Answerer:
    """The answerer in a folder that ``incognote train`` wrote."""
    model, tokenizer, settings = open_head(source, ANSWERS, tasks=("answers",), unsafe=unsafe)
    frame = find_frame(tokenizer, model, texts=2)
    sizes = {name: settings[name] for name in ("window", "overlap", "longest", "nulls")}
    return Answerer(model.to(device), tokenizer, frame, **sizes)

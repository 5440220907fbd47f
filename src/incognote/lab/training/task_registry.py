"""The kinds of task a recipe can name: how each reads its data and gets ready to train. One row each; a new task is a new row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from torch import nn

from incognote.lab.training.recipe import Recipe
from incognote.lab.training.run import Summary
from incognote.lab.training.task import Task


class Dataset(Protocol):
    """The splits of the data, whatever an item of it is."""

    @property
    def digest(self) -> str: ...

    def of(self, part: str) -> Sequence[Any]: ...


class TextTask(Task, Protocol):
    """A task that sums up how well it did: all but tagging, which has its own evaluation. ``remarks`` go into the run."""

    recipe: Recipe

    @property
    def remarks(self) -> Sequence[str]: ...

    def summarize(self, model: nn.Module, examples: Sequence[Any]) -> Summary: ...


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """Where a task lives: ``module:function`` of what loads its data and of what prepares it, both imported when first wanted."""

    load: str
    prepare: str

    def read(self, recipe: Recipe) -> Dataset:
        """The data that the recipe names."""
        found: Dataset = _find(self.load)(recipe)
        return found

    def start(self, recipe: Recipe, splits: Any, *, unsafe: bool = False) -> Any:
        """The task, ready to train."""
        return _find(self.prepare)(recipe, splits, unsafe=unsafe)


TASK_REGISTRY: Mapping[str, TaskEntry] = {
    "tags": TaskEntry("incognote.lab.training.data:load_splits", "incognote.lab.training.tasks.tagging:prepare_tagging"),
    "classes": TaskEntry("incognote.lab.training.texts:load_examples", "incognote.lab.training.tasks.classes:prepare_classes"),
    "pairs": TaskEntry("incognote.lab.training.texts:load_examples", "incognote.lab.training.tasks.pairs:prepare_pairs"),
    "answers": TaskEntry("incognote.lab.training.texts:load_examples", "incognote.lab.training.tasks.extractive_qa:prepare_extractive_qa"),
    "words": TaskEntry(
        "incognote.lab.training.data:load_splits", "incognote.lab.training.tasks.masked_language_model:prepare_masked_language_model"
    ),
}


def _find(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found

"""A Run: one training's recipe, data digest, scores and cost as one JSON file, and how its scores are counted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote.corpora.files import write_whole
from incognote.document import Document, Span, scheme
from incognote.errors import ConfigError, TrainingError
from incognote.evaluate.counts import Counts, Ratio
from incognote.evaluate.report import Evaluation, evaluate
from incognote.lab.training.recipe import Recipe, parse_recipe, recipe_table

Totals = Mapping[str, list[int]]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model got right on one part of the data: counts by score, and which labels it took for which."""

    scores: Totals
    confusions: Sequence[Sequence[Any]] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """What a training did. ``scores`` holds, for each part of the data, the summed counts of every score: three numbers are
    true positives, false positives and false negatives; two are a part and its whole. No note text is in it."""

    name: str
    model: str
    recipe: Mapping[str, Any]
    seed: int
    digest: str
    epoch: float
    f1: float
    scores: Mapping[str, Totals] = field(repr=False)
    history: Sequence[Mapping[str, Any]] = field(repr=False)
    cost: Mapping[str, Any] = field(repr=False)
    confusions: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict, repr=False)
    parameters: int = 0
    shape: Mapping[str, Any] = field(default_factory=dict, repr=False)
    shared: bool = False
    held_out: str = ""
    mark: str = ""
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What a report calls it: its model, and the corpus that it left out, if any."""
        return f"{self.model} without {self.held_out}" if self.held_out else self.model

    def counts(self, part: str, name: str) -> Counts:
        """Summed counts of a score on a part; zeros where it was not scored."""
        found = self.scores.get(part, {}).get(name, [0, 0, 0])
        return Counts(*found) if len(found) == 3 else Counts()

    def ratio(self, part: str, name: str) -> float:
        """The value of a score that is one number."""
        found = self.scores.get(part, {}).get(name, [0, 0])
        return Ratio(*found).value if len(found) == 2 else 0.0

    def as_recipe(self) -> Recipe:
        """The recipe, to train it again. A branch of a shared prefix was scored at its end alone, so no earlier epoch may be chosen."""
        recipe = parse_recipe(self.recipe, subject=f"run {self.name}")
        return replace(recipe, validate_every=recipe.epochs, early_stopping=0) if self.shared else recipe


def total(evaluation: Evaluation) -> dict[str, list[int]]:
    """The evaluation summed over its documents, small enough to keep for every run."""
    sums: dict[str, list[int]] = {}
    for tally in evaluation.tallies:
        for name, counts in tally.items():
            row = [counts.tp, counts.fp, counts.fn] if isinstance(counts, Counts) else [counts.part, counts.whole]
            sums[name] = [a + b for a, b in zip(sums.get(name, [0] * len(row)), row, strict=True)]
    return dict(sorted(sums.items()))


def list_confusions(evaluation: Evaluation) -> list[list[Any]]:
    """Pairs of gold and predicted label with their tokens, most frequent first."""
    wrong = [[gold, found, count] for (gold, found), count in evaluation.pairs.items() if gold != found]
    return sorted(wrong, key=lambda row: (-row[2], row[0], row[1]))


def evaluate_part(documents: Sequence[Document], found: Sequence[tuple[Span, ...]], recipe: Recipe) -> Evaluation:
    """Every score of the spans found in a part of the data."""
    labels = scheme(recipe.scheme) if recipe.scheme else None
    return evaluate(documents, [d.with_spans(spans) for d, spans in zip(documents, found, strict=True)], scheme=labels)


def write_run(run: Run, path: Path) -> None:
    """One JSON file, whole or not at all."""
    write_whole(path, json.dumps(asdict(run), indent=1, ensure_ascii=False).encode())


def read_run(path: Path) -> Run:
    """The Run in a JSON file."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        return Run(**{**table, "notes": tuple(table.get("notes", ()))})
    except (ValueError, TypeError):
        raise ConfigError(str(path), ["not a Run of this version of incognote; remove it and run the study again"]) from None


def name_of(recipe: Recipe) -> str:
    """A short name for messages and folders: the model without its path."""
    return Path(recipe.model).name or recipe.model


def fail_if_stopped(stopped: str) -> None:
    """Raise what made a training break off, once what it left has been saved."""
    if stopped:
        raise TrainingError(stopped)


def plain_recipe(recipe: Recipe) -> dict[str, Any]:
    """The recipe as JSON values, data paths included, so that it can be trained again."""
    table: dict[str, Any] = json.loads(json.dumps(recipe_table(recipe)))
    return table

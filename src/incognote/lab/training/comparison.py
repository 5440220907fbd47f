"""Two encoders fine-tuned with the same recipe and seeds: the F1 of each, and what the second adds, with intervals.

Both are trained to the last epoch and scored once, so that no epoch is chosen by the documents that score it.
"""

import gc
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from incognote.corpora.files import write_whole
from incognote.errors import ConfigError
from incognote.evaluate.bootstrap import Difference, Interval, find_difference, resample
from incognote.evaluate.counts import Counts
from incognote.evaluate.entity import count_entities
from incognote.facts import patient_key
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.tagging import prepare_tagging

# Quantiles of Student's t at 97.5 % for 1, 2, … degrees of freedom; from 31 on the normal distribution is near enough.
_T: tuple[float, ...] = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL = 1.960


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over seeds with its interval by Student's t; None with one seed."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Strict F1 of the plain and the adapted encoder on one part of the gold: over seeds, paired by seed, and paired by patient."""

    part: str
    seeds: tuple[int, ...]
    f1: Mapping[str, tuple[float, ...]]
    mean: Mapping[str, Mean]
    gain: Mean
    over_patients: Difference | None = None
    notes: int = 0
    spans: int = 0


@dataclass(frozen=True, slots=True)
class Trial:
    """One fine-tuning: true positives, false positives and false negatives of each scored document."""

    rows: tuple[tuple[int, int, int], ...] = field(repr=False)

    @property
    def f1(self) -> float:
        return Counts(*(sum(column) for column in zip(*self.rows, strict=True))).f1


def fine_tune(recipe: Recipe, splits: Splits, *, part: str, unsafe: bool = False) -> Trial:
    """Train a tagger to the recipe's last epoch and count what it finds in a part of the data."""
    recipe = replace(recipe, validate_every=recipe.epochs, early_stopping=0, save_every=0)
    task = prepare_tagging(recipe, splits, unsafe=unsafe)
    outcome = train(task, recipe)
    if outcome.stopped:
        raise ConfigError("recipe", [outcome.stopped])
    gold = splits.of(part)
    task.model.eval()
    rows = []
    for document, spans in zip(gold, task.predict(task.model, gold), strict=True):
        counts = sum(count_entities(document, document.with_spans(spans)).values(), Counts())
        rows.append((counts.tp, counts.fp, counts.fn))
    return Trial(tuple(rows))


def compare_encoders(
    models: Mapping[str, str],
    recipe: Recipe,
    splits: Splits,
    *,
    seeds: Sequence[int],
    unsafe: bool = False,
    journal: Path | None = None,
    mark: str = "",
    say: Callable[[str], None] = lambda line: None,
) -> Comparison:
    """Fine-tune each encoder with each seed. With a ``journal``, trials done are kept there and not done again."""
    part = "test" if splits.test else "validation"
    trials = _read_journal(journal, mark)
    for seed in seeds:
        for name, model in models.items():
            if f"{name} {seed}" not in trials:
                trials[f"{name} {seed}"] = fine_tune(replace(recipe, model=model, seed=seed), splits, part=part, unsafe=unsafe)
                _write_journal(journal, mark, trials)
                gc.collect()  # the model and its optimizer refer to each other, and the next ones need their memory
            say(f"{name}, seed {seed}: strict F1 {trials[f'{name} {seed}'].f1:.4f}")
    return join_trials({name: [trials[f"{name} {seed}"] for seed in seeds] for name in models}, splits, part=part, seeds=seeds)


def join_trials(trials: Mapping[str, Sequence[Trial]], splits: Splits, *, part: str, seeds: Sequence[int]) -> Comparison:
    """The comparison that these trials make; the gain is that of the last encoder over the first."""
    first, last = (list(trials)[at] for at in (0, -1))
    f1 = {name: tuple(trial.f1 for trial in own) for name, own in trials.items()}
    gains = [after - before for before, after in zip(f1[first], f1[last], strict=True)]
    gold = splits.of(part)
    rows = [
        [sum(trial.rows[at][column] for trial in trials[name]) for name in (first, last) for column in range(3)] for at in range(len(gold))
    ]
    patients = [patient_key(document) for document in gold]
    gain = _gain([sum(column) for column in zip(*rows, strict=True)])
    by_patient = find_difference(gain, [_gain(row) for row in resample(rows, patients)], patients=len(set(patients)))
    means = {name: find_mean(values) for name, values in f1.items()}
    spans = sum(len(document.spans) for document in gold)
    return Comparison(part, tuple(seeds), f1, means, find_mean(gains), by_patient, len(gold), spans)


def find_mean(values: Sequence[float]) -> Mean:
    """The mean and its 95 % interval.

    >>> find_mean([0.5, 0.6, 0.7])
    Mean(value=0.6, interval=Interval(low=0.3516, high=0.8484))
    """
    mean = fmean(values)
    if len(values) < 2:
        return Mean(mean, None)
    t = _T[len(values) - 2] if len(values) - 2 < len(_T) else _NORMAL
    half = t * stdev(values) / math.sqrt(len(values))
    return Mean(round(mean, 6), Interval(round(mean - half, 4), round(mean + half, 4)))


def _gain(row: Sequence[int]) -> float:
    return Counts(*row[3:]).f1 - Counts(*row[:3]).f1


def _read_journal(path: Path | None, mark: str) -> dict[str, Trial]:
    if path is None or not path.exists():
        return {}
    table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {} if table["mark"] != mark else {key: Trial(tuple(tuple(row) for row in rows)) for key, rows in table["trials"].items()}


def _write_journal(path: Path | None, mark: str, trials: Mapping[str, Trial]) -> None:
    if path is not None:
        write_whole(path, json.dumps({"mark": mark, "trials": {key: trial.rows for key, trial in trials.items()}}).encode())

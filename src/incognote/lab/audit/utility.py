"""What de-identification cost the research: the same classifier trained on original and on scrubbed notes, tested on held-out ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.evaluate.bootstrap import RESAMPLES, Difference, Draws, Sampled, Whole, draw, find_difference, list_ends
from incognote.lab.audit.alignment import ORIGINAL, Aligned
from incognote.lab.audit.folds import deal_folds
from incognote.lab.audit.labels import Labels
from incognote.lab.audit.learners import Learner
from incognote.lab.audit.scores import score_accuracy, score_macro_f1

Way = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Trial:
    """One way of training and testing: the form learned from, the form tested on, and what came of it.

    The changes are against training and testing on the original notes; below zero is a loss.
    """

    trained: str
    tested: str
    scores: Mapping[str, Sampled]
    changes: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Utility:
    """All trials of an audit, and what they were made with."""

    trials: tuple[Trial, ...]
    classes: Mapping[str, int]
    notes: int
    patients: int
    changed: Mapping[str, float]
    seeds: tuple[int, ...]
    folds: int
    resamples: int

    @property
    def largest(self) -> float:
        """The accuracy of always saying the largest class."""
        return max(self.classes.values()) / self.notes


def measure_utility(
    notes: Aligned,
    labels: Labels,
    learner: Learner,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    folds: int = 5,
    resamples: int = RESAMPLES,
    tick: Callable[[], None] = lambda: None,
) -> Utility:
    """Train on each form and test on held-out notes, once for every seed and fold; ``tick`` is called after each training.

    ``notes`` are the labelled ones, in the order of ``labels``. In each seed the notes are dealt into folds by patient, the same for
    every form; each note is held out once. A difference is between the same notes, seeds and folds.
    """
    gold = np.array(labels.targets, dtype=np.int64)
    found = {way: np.zeros((len(seeds), len(notes)), dtype=np.int64) for way in list_ways(notes)}
    for row, seed in enumerate(seeds):
        homes = np.array(deal_folds(notes.clusters, labels.targets, folds=folds, seed=seed))
        for fold in range(folds):
            held, rest = np.flatnonzero(homes == fold), np.flatnonzero(homes != fold)
            for form in notes.forms:
                classify = learner(form, rest, gold[rest], seed)
                for trained, tested in found:
                    if trained == form:
                        found[trained, tested][row, held] = classify(tested, held)
                tick()
    draws = draw(notes.clusters, seeds=len(seeds), resamples=resamples)
    return Utility(
        _compare(gold, found, draws, len(labels.classes)),
        {name: labels.targets.count(at) for at, name in enumerate(labels.classes)},
        len(notes),
        len(set(notes.clusters)),
        {form: notes.changed(form) for form in notes.scrubbed},
        tuple(seeds),
        folds,
        resamples,
    )


def list_ways(notes: Aligned) -> list[Way]:
    """Every form on itself, and each scrubbed one both ways with the original.

    >>> list_ways(Aligned(("a",), ("",), {"original": ("x",), "tag": ("y",)}))
    [('original', 'original'), ('tag', 'tag'), ('original', 'tag'), ('tag', 'original')]
    """
    ways = [(ORIGINAL, ORIGINAL)]
    for form in notes.scrubbed:
        ways += [(form, form), (ORIGINAL, form), (form, ORIGINAL)]
    return ways


def _compare(gold: Whole, found: Mapping[Way, Whole], draws: Draws, classes: int) -> tuple[Trial, ...]:
    scores = {
        way: {"accuracy": score_accuracy(gold, predicted, draws), "macro_f1": score_macro_f1(gold, predicted, draws, classes=classes)}
        for way, predicted in found.items()
    }
    return compare_ways(scores, patients=draws.patients.shape[1])


def compare_ways(scores: Mapping[Way, Mapping[str, Sampled]], *, patients: int) -> tuple[Trial, ...]:
    """The trials, each but the first with its changes against training and testing on the original notes; ``patients`` were drawn from."""
    first = scores[ORIGINAL, ORIGINAL]
    trials = []
    for (trained, tested), own in scores.items():
        changes = {}
        if (trained, tested) != (ORIGINAL, ORIGINAL):
            for name, score in own.items():
                paired = [float(each) for each in score.resampled - first[name].resampled]
                if difference := find_difference(score.value - first[name].value, paired, patients=patients):
                    changes[name] = difference
        trials.append(Trial(trained, tested, own, changes))
    return tuple(trials)


def as_dict(audit: Utility) -> dict[str, object]:
    """The audit for JSON; no text of any note."""
    return {
        "notes": audit.notes,
        "patients": audit.patients,
        "classes": dict(audit.classes),
        "largest_class": audit.largest,
        "changed": dict(audit.changed),
        "seeds": list(audit.seeds),
        "folds": audit.folds,
        "bootstrap": {"resamples": audit.resamples, "unit": "patient and seed"},
        "trials": [trial_dict(trial) for trial in audit.trials],
    }


def trial_dict(trial: Trial) -> dict[str, object]:
    """One trial for JSON."""
    scores = {name: one.as_dict() for name, one in trial.scores.items()}
    changes = {name: {"value": one.value, "interval": list_ends(one.interval), "p": one.p} for name, one in trial.changes.items()}
    return {"trained": trial.trained, "tested": trial.tested, "scores": scores, "changes": changes}

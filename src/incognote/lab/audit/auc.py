"""The area under the ROC curve: how often a true pair scores higher than a false one, with the value of every resample.

Chance is 0.5. A true pair is of one patient and counts as often as that patient was drawn; a false pair is of two and counts as often
as the product, because it needs both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.evaluate.bootstrap import Draws, Flags, Floats, Sampled, Whole

_BLOCK = 100  # resamples at once


@dataclass(frozen=True, slots=True)
class Scored:
    """The pairs of one seed: which are true, their scores, and the patients (as numbers of the draws) of their two notes."""

    true: Flags = field(repr=False)
    scores: Floats = field(repr=False)
    one: Whole = field(repr=False)
    two: Whole = field(repr=False)


def find_auc(true: Flags, scores: Floats, weights: Floats | None = None) -> float:
    """The share of (true, false) pairs of pairs in the right order, ties a half; not a number where one kind is missing.

    >>> find_auc(np.array([True, False, False]), np.array([0.5, 0.5, 0.1]))
    0.75
    """
    counted = np.ones((1, len(scores))) if weights is None else weights[None]
    return float(_find_areas(true, scores, counted)[0])


def sample_auc(runs: Sequence[Scored], draws: Draws) -> Sampled:
    """The mean AUC over seeds, with its resamples."""
    value = float(np.mean([find_auc(run.true, run.scores) for run in runs]))
    columns = []
    for run in runs:
        areas = []
        for at in range(0, len(draws.patients), _BLOCK):
            block = draws.patients[at : at + _BLOCK]
            areas.append(_find_areas(run.true, run.scores, block[:, run.one] * np.where(run.true, 1, block[:, run.two])))
        columns.append(np.concatenate(areas))
    return Sampled(value, draws.mean(np.stack(columns, axis=1)))


def _find_areas(true: Flags, scores: Floats, weights: Floats) -> Floats:
    """The weighted area of each row of weights, from one sorting of the scores."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf) != 0)  # where a new value begins: ties share one
    sorted_weights, is_true = weights[:, order], true[order]
    good = np.add.reduceat(sorted_weights * is_true, starts, axis=1)
    bad = np.add.reduceat(sorted_weights * ~is_true, starts, axis=1)
    below = np.cumsum(bad, axis=1) - bad
    whole = good.sum(axis=1) * bad.sum(axis=1)
    area = (good * (below + bad / 2)).sum(axis=1)
    return np.asarray(np.divide(area, whole, out=np.full(len(weights), np.nan), where=whole > 0))

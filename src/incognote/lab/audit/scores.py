"""Means, and accuracy and macro F1 of classes, with the value of every resample."""

import numpy as np

from incognote.evaluate.bootstrap import Draws, Floats, Sampled, Whole


def score_mean(values: Floats, draws: Draws) -> Sampled:
    """The mean of a value that each note has in each seed; ``values`` has a row for each seed."""
    sizes = np.bincount(draws.home, minlength=draws.patients.shape[1]).astype(np.float64)
    sums = np.stack([np.bincount(draws.home, weights=row, minlength=len(sizes)) for row in values])
    resampled = (draws.patients @ sums.T) / (draws.patients @ sizes)[:, None]
    return Sampled(float(values.mean()), draws.mean(resampled))


def score_accuracy(gold: Whole, predicted: Whole, draws: Draws) -> Sampled:
    """The share of notes with the right class, a mean over seeds; ``predicted`` has a row for each seed."""
    return score_mean((predicted == gold).astype(np.float64), draws)


def score_macro_f1(gold: Whole, predicted: Whole, draws: Draws, *, classes: int) -> Sampled:
    """The mean F1 of the classes, a mean over seeds. A class without a note in a resample is left out of that resample."""
    value = np.mean([_macro_f1(*_count(gold, row, classes)) for row in predicted])
    count = draws.patients.shape[1]
    resampled = []
    for row in predicted:
        parts = [draws.patients @ _table(draws.home, labels, keep, count, classes) for labels, keep in _columns(gold, row)]
        resampled.append(_macro_f1(*parts))
    return Sampled(float(value), draws.mean(np.stack(resampled, axis=1)))


def _columns(gold: Whole, predicted: Whole) -> tuple[tuple[Whole, Floats], ...]:
    """What is counted for each class: notes found rightly, notes called so, notes that are so."""
    ones = np.ones(len(gold))
    return (gold, (gold == predicted).astype(np.float64)), (predicted, ones), (gold, ones)


def _count(gold: Whole, predicted: Whole, classes: int) -> tuple[Floats, Floats, Floats]:
    right, called, true = (
        np.asarray(np.bincount(labels, weights=keep, minlength=classes), dtype=np.float64)[None]
        for labels, keep in _columns(gold, predicted)
    )
    return right, called, true


def _table(home: Whole, labels: Whole, keep: Floats, patients: int, classes: int) -> Floats:
    flat = np.bincount(home * classes + labels, weights=keep, minlength=patients * classes)
    return np.asarray(flat.reshape(patients, classes))


def _macro_f1(right: Floats, called: Floats, true: Floats) -> Floats:
    """Of each row: 2 tp / (called + true), a mean over the classes that some note has."""
    f1 = np.divide(2 * right, called + true, out=np.zeros_like(right), where=called + true > 0)
    there = true > 0
    return np.asarray((f1 * there).sum(axis=1) / there.sum(axis=1))

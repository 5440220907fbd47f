"""Logistic regression over any number of classes: the light head on top of word counts or hidden states, exact and without torch."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Whole = NDArray[np.int64]

_MEMORY = 10
_ROUNDS = 300
_FLAT = 1e-5  # ten times as flat as scikit-learn asks for


@dataclass(frozen=True, slots=True)
class Head:
    """Weights for each feature and class, and a bias for each class."""

    weights: Matrix = field(repr=False)
    bias: Matrix = field(repr=False)

    def score(self, features: Matrix) -> Matrix:
        """The logits, a row for each example."""
        return np.asarray(features @ self.weights + self.bias, dtype=np.float32)

    def classify(self, features: Matrix) -> Whole:
        """The likeliest class of each example."""
        return np.asarray(np.argmax(self.score(features), axis=1), dtype=np.int64)


def fit_head(features: Matrix, targets: Whole, *, classes: int, penalty: float) -> Head:
    """The head with the least mean cross-entropy plus ``penalty`` / 2 times the squared weights; the bias goes free.

    The loss is convex, so the answer depends on the data alone: there is no seed.

    >>> x = np.array([[1, 0], [0, 1]], dtype=np.float32)
    >>> fit_head(x, np.array([0, 1]), classes=2, penalty=0.1).classify(x)
    array([0, 1])
    """
    count, width = features.shape
    if width > count:
        narrow, widen = _narrow(features)
        head = fit_head(narrow, targets, classes=classes, penalty=penalty)
        return Head(np.asarray(features.T @ (widen @ head.weights), dtype=np.float32), head.bias)
    truth = np.zeros((count, classes), dtype=np.float32)
    truth[np.arange(count), targets] = 1

    def measure(point: Matrix) -> tuple[float, Matrix]:
        table = point.reshape(width + 1, classes)
        logits = (features @ table[:width] + table[width]).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        parts = np.exp(logits)
        sums = parts.sum(axis=1, keepdims=True)
        loss = float((np.log(sums[:, 0]) - logits[np.arange(count), targets]).mean() + penalty / 2 * np.square(table[:width]).sum())
        rest = ((parts / sums - truth) / count).astype(np.float32)
        slope = np.concatenate([features.T @ rest + penalty * table[:width], rest.sum(axis=0, keepdims=True)])
        return loss, slope.ravel().astype(np.float32)

    found = _descend(measure, np.zeros((width + 1) * classes, dtype=np.float32)).reshape(width + 1, classes)
    return Head(found[:width], found[width])


def _narrow(features: Matrix) -> tuple[Matrix, Matrix]:
    """The examples in as many columns as there are examples, and what leads weights back.

    The best weights are a sum of examples, so nothing is lost: rows of the Cholesky factor have the inner products of the examples.
    """
    exact = features.astype(np.float64)
    products = exact @ exact.T
    # Examples that are the same would make the factor singular.
    products[np.diag_indices_from(products)] += 1e-6 * (np.trace(products) / len(products) + 1e-12)
    factor = np.linalg.cholesky(products)
    return factor.astype(np.float32), np.linalg.inv(factor).T.astype(np.float32)


def _descend(measure: Callable[[Matrix], tuple[float, Matrix]], point: Matrix) -> Matrix:
    """The lowest point of a smooth convex function, by L-BFGS with a backtracking line search (Nocedal and Wright 2006, chapter 7)."""
    value, slope = measure(point)
    past: list[tuple[Matrix, Matrix, float]] = []
    for _ in range(_ROUNDS):
        if float(np.abs(slope).max()) <= _FLAT:
            break
        step = _turn(slope, past)
        fall, length = float(slope @ step), 1.0
        if not past:
            length = min(1.0, 1.0 / (float(np.abs(slope).sum()) + 1e-12))
        while True:
            ahead = point + np.float32(length) * step
            new, new_slope = measure(ahead)
            if new <= value + 1e-4 * length * fall or length < 1e-6:
                break
            length /= 2
        if new >= value - 1e-9 * max(1.0, abs(value)):  # as low as 32 bits tell
            return ahead if new < value else point
        moved, turned = ahead - point, new_slope - slope
        bend = float(moved @ turned)
        if bend > 1e-12:
            past = [*past[-_MEMORY + 1 :], (moved, turned, bend)]
        point, value, slope = ahead, new, new_slope
    return point


def _turn(slope: Matrix, past: list[tuple[Matrix, Matrix, float]]) -> Matrix:
    """The downhill direction, bent by the curvature seen on the way."""
    step, weights = slope.copy(), []
    for moved, turned, bend in reversed(past):
        weights.append(float(moved @ step) / bend)
        step -= np.float32(weights[-1]) * turned
    if past:
        _, turned, bend = past[-1]
        step *= np.float32(bend / float(turned @ turned))
    for (moved, turned, bend), weight in zip(past, reversed(weights), strict=True):
        step += np.float32(weight - float(turned @ step) / bend) * moved
    return -step

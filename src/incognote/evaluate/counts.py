"""Counts and ratios: what every score is made of. They add; precision, recall and F1 are read off them and never stored."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives, false negatives. A measure with nothing to divide by is 0, as in the official scorers.

    >>> (Counts(3, 1, 0) + Counts(0, 0, 1)).f1
    0.75
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def support(self) -> int:
        """How many there are in the gold."""
        return self.tp + self.fn

    @property
    def precision(self) -> float:
        return divide(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return divide(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return divide(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A part of a whole, for scores with one number: accuracy, share of clean notes, missed spans per sentence.

    >>> (Ratio(1, 2) + Ratio(2, 2)).value
    0.75
    """

    part: int = 0
    whole: int = 0

    def __add__(self, other: "Ratio") -> "Ratio":
        return Ratio(self.part + other.part, self.whole + other.whole)

    @property
    def value(self) -> float:
        return divide(self.part, self.whole)


@dataclass(frozen=True, slots=True)
class Macro:
    """Means over documents, as i2b2 2014 has them: F1 of the mean precision and mean recall, and population deviations."""

    precision: float
    recall: float
    precision_sd: float
    recall_sd: float

    @property
    def f1(self) -> float:
        return harmonic_mean(self.precision, self.recall)


def divide(part: float, whole: float) -> float:
    """Their quotient, 0 for an empty whole."""
    return part / whole if whole else 0.0


def harmonic_mean(one: float, two: float) -> float:
    """0 when both are 0."""
    return divide(2 * one * two, one + two)


def count_sets(gold: AbstractSet[object], predicted: AbstractSet[object]) -> Counts:
    """Counts of two sets: what both have, what only the prediction has, what only the gold has.

    >>> count_sets({1, 2}, {2, 3, 4})
    Counts(tp=1, fp=2, fn=1)
    """
    both = len(gold & predicted)
    return Counts(both, len(predicted) - both, len(gold) - both)


def average(documents: Iterable[Counts]) -> Macro:
    """The macro scores over the documents; one with nothing found has precision 0, one with nothing to find recall 0.

    >>> average([Counts(1, 0, 0), Counts(0, 0, 0)])
    Macro(precision=0.5, recall=0.5, precision_sd=0.5, recall_sd=0.5)
    """
    counts = list(documents)
    precision, precision_sd = _mean([each.precision for each in counts])
    recall, recall_sd = _mean([each.recall for each in counts])
    return Macro(precision, recall, precision_sd, recall_sd)


def _mean(values: list[float]) -> tuple[float, float]:
    if not values:
        return 0.0, 0.0
    mean = sum(values) / len(values)
    return mean, sqrt(sum((value - mean) ** 2 for value in values) / len(values))

"""The patient-clustered bootstrap: intervals for any score that is a function of sums, and a paired test of two systems.

Notes of one patient are not independent, so patients are drawn, with all their notes. A document is a row of whole
numbers; a patient is the sum of its rows; a resample is the sum of the patients drawn. All columns of a patient are packed into
one long integer, 64 bits each, so that one addition adds them all: exact, standard library only, and fast.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from sys import byteorder

RESAMPLES = 1000
LEVEL = 0.95
ONE_PATIENT = "one patient: no interval"

Row = Sequence[int]


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle ``LEVEL`` of the resampled values."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the first system is, with its interval and the two-sided p-value of no difference; one patient gives neither."""

    value: float
    interval: Interval | None
    p: float | None


def resample(rows: Sequence[Row], clusters: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0) -> list[list[int]]:
    """The summed row of each resample. Numbers are whole and not negative, and no sum reaches 2**64.

    The order of the documents does not matter: the same seed draws the same patients.

    >>> resample([[1, 0], [1, 5]], ["p", "p"], resamples=2)
    [[2, 5], [2, 5]]
    """
    packed: dict[str, int] = {}
    for row, cluster in zip(rows, clusters, strict=True):
        packed[cluster] = packed.get(cluster, 0) + int.from_bytes(array("Q", row).tobytes(), byteorder)
    if not packed:
        return []
    patients, width, draw = [packed[cluster] for cluster in sorted(packed)], 8 * len(rows[0]), Random(seed).choices
    return [array("Q", sum(draw(patients, k=len(patients))).to_bytes(width, byteorder)).tolist() for _ in range(resamples)]


def find_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval | None:
    """The percentile interval; None when there is no value.

    >>> find_interval([float(number) for number in range(101)], level=0.9)
    Interval(low=5.0, high=95.0)
    """
    if not values:
        return None
    ordered, tail = sorted(values), (1 - level) / 2
    return Interval(_quantile(ordered, tail), _quantile(ordered, 1 - tail))


def list_ends(interval: Interval | None) -> list[float] | None:
    """The interval for JSON."""
    return [interval.low, interval.high] if interval else None


def find_difference(value: float, resampled: Sequence[float], *, patients: int | None = None) -> Difference | None:
    """The difference of two systems from the differences of the resamples; the p-value is twice the rarer side of zero.

    Where ``patients`` are few and agree, all resamples fall on one side, which shows no more than they do. So the p-value is never
    below that of the exact sign test, in which each patient could as well have turned out the other way. One patient shows nothing of how
    patients differ.

    >>> find_difference(0.1, [0.1] * 199).p
    0.01
    >>> [find_difference(0.1, [0.1] * 199, patients=few).p for few in (2, 4, 40)]
    [0.5, 0.125, 0.01]
    >>> find_difference(0.1, [0.1] * 199, patients=1)
    Difference(value=0.1, interval=None, p=None)
    """
    interval = find_interval(resampled)
    if interval is None:
        return None
    if patients == 1:
        return Difference(value, None, None)
    rarer = min(sum(each <= 0 for each in resampled), sum(each >= 0 for each in resampled))
    least = 0.0 if patients is None else 2.0 ** (1 - patients)
    return Difference(value, interval, max(least, min(1.0, 2 * (rarer + 1) / (len(resampled) + 1))))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = round(share * (len(ordered) - 1), 9)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])

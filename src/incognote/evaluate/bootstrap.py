"""The patient-clustered bootstrap: intervals for any score that is a function of sums, and a paired test of two systems.

Notes of one patient are not independent, so patients are drawn, with all their notes. A document is a row of whole numbers; a patient is
the sum of its rows; a resample is the sum of the patients drawn. Where a run is repeated with several seeds on the same notes, seeds are
drawn too, and a patient counts as often in one seed as in all (Owen 2007, the pigeonhole bootstrap): drawing only notes would take the
training for certain, drawing only seeds the notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
Row = Sequence[int]

RESAMPLES = 1000
LEVEL = 0.95
ONE_PATIENT = "one patient: no interval"


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


@dataclass(frozen=True, slots=True)
class Draws:
    """How often each patient, and each seed, is in each resample; ``home`` is the patient of each note."""

    patients: Floats = field(repr=False)
    seeds: Floats = field(repr=False)
    home: Whole = field(repr=False)

    def mean(self, values: Floats) -> Floats:
        """The mean over seeds of each resample; ``values`` has a row for each resample and a column for each seed.

        A seed without a value counts for nothing; where no drawn seed has one, the mean is not a number.
        """
        drawn = np.where(np.isnan(values), 0, self.seeds)
        sums, counts = (np.nan_to_num(values) * drawn).sum(axis=1), drawn.sum(axis=1)
        return np.asarray(np.divide(sums, counts, out=np.full(len(values), np.nan), where=counts > 0))


@dataclass(frozen=True, slots=True)
class Sampled:
    """A score and its value in every resample, to be compared with another from the same draws."""

    value: float
    resampled: Floats = field(repr=False)

    @property
    def interval(self) -> Interval | None:
        """None where the score is defined in no resample."""
        return find_interval([float(each) for each in self.resampled if not np.isnan(each)])

    def as_dict(self) -> dict[str, object]:
        """The score for JSON."""
        return {"value": self.value, "interval": list_ends(self.interval)}


def draw(clusters: Sequence[str], *, seeds: int, resamples: int = RESAMPLES) -> Draws:
    """The draws for these notes. The order of the notes does not matter. One patient shows nothing of how patients differ: no draws."""
    home, count = _number_patients(clusters)
    resamples = resamples if count > 1 else 0
    rng = np.random.default_rng(0)
    patients, drawn = (rng.multinomial(each, np.full(each, 1 / each), size=resamples) for each in (count, seeds))
    return Draws(patients.astype(np.float64), drawn.astype(np.float64), home)


def resample(rows: Sequence[Row], clusters: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0) -> list[list[int]]:
    """The summed row of each resample, exact as long as no sum reaches 2**63. The order of the documents does not matter.

    >>> resample([[1, 0], [1, 5]], ["p", "p"], resamples=2)
    [[2, 5], [2, 5]]
    """
    if not rows:
        return []
    home, count = _number_patients(clusters)
    sums = np.zeros((len(rows[0]), count), dtype=np.int64)
    np.add.at(sums.T, home, np.array(rows, dtype=np.int64))
    rng, chances = np.random.default_rng(seed), np.full(count, 1 / count)
    return [(sums @ rng.multinomial(count, chances)).tolist() for _ in range(resamples)]


def _number_patients(clusters: Sequence[str]) -> tuple[Whole, int]:
    """The number of each note's patient, and how many patients there are."""
    numbers = {name: at for at, name in enumerate(sorted(set(clusters)))}
    return np.array([numbers[cluster] for cluster in clusters], dtype=np.int64), len(numbers)


def find_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval | None:
    """The percentile interval; None when there is no value.

    >>> find_interval([float(number) for number in range(101)], level=0.9)
    Interval(low=5.0, high=95.0)
    """
    if not values:
        return None
    tail = round((1 - level) / 2, 9)
    low, high = np.quantile(values, (tail, 1 - tail)).tolist()
    return Interval(low, high)


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

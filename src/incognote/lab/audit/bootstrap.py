"""The crossed bootstrap: patients and seeds are both drawn again, so that an interval holds the chance in either.

A run is repeated with several seeds on the same notes. Drawing only notes would take the training for certain, drawing only seeds
the notes. So both are drawn, and what a patient counts in one seed it counts in all (Owen 2007, the pigeonhole bootstrap).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from incognote.evaluate.bootstrap import Interval, find_interval, list_ends

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


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


def draw(clusters: Sequence[str], *, seeds: int, resamples: int) -> Draws:
    """The draws for these notes. The order of the notes does not matter. One patient shows nothing of how patients differ: no draws."""
    names = sorted(set(clusters))
    index = {name: at for at, name in enumerate(names)}
    resamples = resamples if len(names) > 1 else 0
    rng = np.random.default_rng(0)
    patients = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    drawn = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=resamples)
    home = np.array([index[cluster] for cluster in clusters], dtype=np.int64)
    return Draws(patients.astype(np.float64), drawn.astype(np.float64), home)


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

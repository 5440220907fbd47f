"""Perplexity of hidden words with its interval: notes of one patient are drawn together, and models are compared on the same words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incognote.document import Document
from incognote.evaluate.bootstrap import Interval, find_difference, find_interval, resample
from incognote.facts import patient_key
from incognote.lab.training.tasks.masked_language_model import Surprise

# The bootstrap adds whole numbers, so losses are counted in millionths.
_UNIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The perplexity of hidden tokens, its interval, and the share of them that were predicted right; one patient gives no interval."""

    value: float
    interval: Interval | None
    accuracy: float


@dataclass(frozen=True, slots=True)
class Change:
    """One perplexity over another, with its interval and the p-value of no change; one patient's notes give neither."""

    ratio: float
    interval: Interval | None
    p: float | None


def find_perplexities(stages: Mapping[str, Sequence[Surprise]], documents: Sequence[Document]) -> tuple[dict[str, Perplexity], Change]:
    """The perplexity at each stage of a training, and how the last compares with the first; all on the same hidden words."""
    names = list(stages)
    rows: dict[int, list[int]] = {}
    for column, surprises in enumerate(stages.values()):
        for each in surprises:
            row = rows.setdefault(each.note, [0] * (len(names) + 1))
            row[column] += round(_UNIT * each.loss)
            row[-1] += each.tokens if column == 0 else 0
    notes = sorted(rows)
    patients = [patient_key(documents[note]) for note in notes]
    drawn = resample([rows[note] for note in notes], patients)
    several = len(set(patients)) > 1
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    found = {}
    for column, (name, surprises) in enumerate(stages.items()):
        interval = find_interval([_perplexity(row[column], row[-1]) for row in drawn])
        right = sum(each.right for each in surprises) / total[-1]
        found[name] = Perplexity(_perplexity(total[column], total[-1]), interval if several else None, right)
    shift = (total[-2] - total[0]) / total[-1] / _UNIT
    difference = find_difference(shift, [(row[-2] - row[0]) / row[-1] / _UNIT for row in drawn], patients=len(set(patients)))
    if difference is None:
        raise ValueError("there is no held-out note")
    span = difference.interval
    return found, Change(_exp(shift), Interval(_exp(span.low), _exp(span.high)) if span else None, difference.p)


def _perplexity(loss: int, tokens: int) -> float:
    return _exp(loss / tokens / _UNIT)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))

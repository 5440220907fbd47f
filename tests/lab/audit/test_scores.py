"""Scores and their resamples against the plainest way to compute them: write the drawn notes out and score those."""

import numpy as np
import pytest

from incognote.evaluate.bootstrap import Draws, draw
from incognote.lab.audit.scores import score_accuracy, score_macro_f1

CLUSTERS = ["a", "a", "b", "c", "c", "c", "d", "e"]
GOLD = np.array([0, 1, 2, 0, 1, 2, 0, 1])
PREDICTED = np.array([[0, 1, 1, 0, 2, 2, 1, 1], [0, 0, 2, 0, 1, 2, 0, 2], [2, 1, 2, 1, 1, 2, 0, 1]])


def write_out(draws: Draws, at: int) -> list[int]:
    """The places of the notes of one resample, as often as they were drawn."""
    return [place for place, home in enumerate(draws.home) for _ in range(int(draws.patients[at, home]))]


def slow_macro_f1(gold: list[int], found: list[int]) -> float:
    scores = []
    for label in sorted(set(gold)):
        tp = sum(one == two == label for one, two in zip(gold, found, strict=True))
        both = gold.count(label) + found.count(label)
        scores.append(2 * tp / both if both else 0.0)
    return sum(scores) / len(scores)


@pytest.mark.parametrize("measure", ["accuracy", "macro_f1"])
def test_every_resample_is_the_score_of_the_drawn_notes_and_seeds(measure: str) -> None:
    draws = draw(CLUSTERS, seeds=3, resamples=50)
    found = score_accuracy(GOLD, PREDICTED, draws) if measure == "accuracy" else score_macro_f1(GOLD, PREDICTED, draws, classes=3)
    for at in range(50):
        places = write_out(draws, at)
        values = []
        for row in PREDICTED:
            gold, called = [int(GOLD[p]) for p in places], [int(row[p]) for p in places]
            right = sum(one == two for one, two in zip(gold, called, strict=True)) / len(gold)
            values.append(right if measure == "accuracy" else slow_macro_f1(gold, called))
        expected = sum(value * count for value, count in zip(values, draws.seeds[at], strict=True)) / draws.seeds[at].sum()
        assert found.resampled[at] == pytest.approx(expected)


def test_macro_f1_is_that_of_scikit_learn() -> None:
    from sklearn import metrics

    found = score_macro_f1(GOLD, PREDICTED, draw(CLUSTERS, seeds=3, resamples=10), classes=3)
    assert found.value == pytest.approx(np.mean([metrics.f1_score(GOLD, row, average="macro") for row in PREDICTED]))


def test_the_order_of_the_notes_does_not_matter() -> None:
    order = np.array([5, 3, 0, 7, 1, 2, 6, 4])
    one = score_accuracy(GOLD, PREDICTED, draw(CLUSTERS, seeds=3, resamples=20))
    two = score_accuracy(GOLD[order], PREDICTED[:, order], draw([CLUSTERS[at] for at in order], seeds=3, resamples=20))
    np.testing.assert_allclose(one.resampled, two.resampled)


def test_more_seeds_that_differ_widen_the_interval() -> None:
    gold, clusters = np.zeros(400, dtype=np.int64), [str(at) for at in range(400)]
    steady = np.tile((np.arange(400) % 2)[None], (3, 1))
    shaky = np.stack([np.zeros(400, dtype=np.int64), np.arange(400) % 2, np.ones(400, dtype=np.int64)])
    narrow, wide = (score_accuracy(gold, each, draw(clusters, seeds=3, resamples=300)).interval for each in (steady, shaky))
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_one_patient_shows_nothing_of_how_patients_differ() -> None:
    found = score_accuracy(GOLD, PREDICTED, draw(["a"] * 8, seeds=3, resamples=20))
    assert (found.value, found.interval) == (pytest.approx(17 / 24), None)
    assert found.as_dict()["interval"] is None

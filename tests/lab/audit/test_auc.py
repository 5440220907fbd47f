"""The AUC against its definition: every true pair beside every false one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.evaluate.bootstrap import Draws, Floats, draw
from incognote.lab.audit.auc import Scored, find_auc, sample_auc


def slow_auc(true: list[bool], scores: list[float], weights: list[float]) -> float:
    area = whole = 0.0
    for one, is_true in enumerate(true):
        for two, other in enumerate(true):
            if is_true and not other:
                whole += weights[one] * weights[two]
                area += weights[one] * weights[two] * (1.0 if scores[one] > scores[two] else 0.5 if scores[one] == scores[two] else 0.0)
    return area / whole if whole else float("nan")


ROWS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]), st.integers(0, 3)), min_size=1, max_size=30)


@given(ROWS)
def test_it_is_the_share_of_ordered_pairs(rows: list[tuple[bool, float, int]]) -> None:
    true, scores, weights = (list(column) for column in zip(*rows, strict=True))
    found = find_auc(np.array(true), np.array(scores), np.array(weights, dtype=np.float64))
    assert found == pytest.approx(slow_auc(true, scores, weights), nan_ok=True)


def test_it_is_that_of_scikit_learn() -> None:
    from sklearn import metrics

    rng = np.random.default_rng(0)
    true, scores = rng.random(500) < 0.3, rng.integers(0, 40, 500).astype(np.float64)
    assert find_auc(true, scores) == pytest.approx(metrics.roc_auc_score(true, scores))


def test_resamples_weigh_a_true_pair_by_its_patient_and_a_false_one_by_both() -> None:
    rng = np.random.default_rng(1)
    draws = draw([str(at) for at in range(12)], seeds=2, resamples=30)
    one, other = rng.integers(0, 12, 40), rng.integers(0, 12, 40)
    true = np.arange(40) % 4 == 0
    two = np.where(true, one, np.where(other == one, (one + 1) % 12, other))
    scores: list[Floats] = [rng.integers(0, 9, 40).astype(np.float64) for _ in range(2)]
    found = sample_auc([Scored(true, each, one, two) for each in scores], draws)
    for at in range(30):
        drawn = draws.patients[at]
        weights = [float(drawn[a] if is_true else drawn[a] * drawn[b]) for a, b, is_true in zip(one, two, true, strict=True)]
        areas = [slow_auc(list(true), list(each), weights) for each in scores]
        known = [(area, count) for area, count in zip(areas, draws.seeds[at], strict=True) if not np.isnan(area) and count]
        mean = sum(area * count for area, count in known) / sum(count for _, count in known) if known else float("nan")
        assert found.resampled[at] == pytest.approx(mean, nan_ok=True)


def test_a_seed_without_an_area_does_not_void_the_others() -> None:
    draws = Draws(np.ones((3, 1)), np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]]), np.zeros(1, dtype=np.int64))
    np.testing.assert_array_equal(draws.mean(np.array([[0.75, np.nan]] * 3)), [0.75, 0.75, np.nan])


def test_chance_is_a_half_and_the_interval_holds_it() -> None:
    rng = np.random.default_rng(2)
    draws = draw([str(at) for at in range(100)], seeds=1, resamples=300)
    one, two = rng.integers(0, 100, 2000), rng.integers(0, 100, 2000)
    found = sample_auc([Scored(rng.random(2000) < 0.25, rng.random(2000), one, two)], draws)
    assert found.interval.low < 0.5 < found.interval.high

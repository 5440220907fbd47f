from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.errors import ConfigError
from incognote.lab.audit.folds import deal_folds


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), min_size=12, max_size=60), st.integers(0, 5))
def test_no_patient_is_in_two_folds(notes: list[tuple[int, int]], seed: int) -> None:
    clusters = [str(patient) for patient, _ in notes] + ["x", "y", "z"]
    homes = deal_folds(clusters, [target for _, target in notes] + [0, 1, 2], folds=3, seed=seed)
    assert all(len({home for home, other in zip(homes, clusters, strict=True) if other == cluster}) == 1 for cluster in clusters)


def test_classes_are_spread_evenly() -> None:
    targets = [0] * 20 + [1] * 10
    homes = deal_folds([str(at) for at in range(30)], targets, folds=5, seed=3)
    assert Counter(zip(homes, targets, strict=True)) == Counter({(fold, 0): 4 for fold in range(5)} | {(fold, 1): 2 for fold in range(5)})


def test_another_seed_deals_otherwise() -> None:
    clusters, targets = [str(at) for at in range(30)], [0] * 30
    assert deal_folds(clusters, targets, folds=5, seed=0) != deal_folds(clusters, targets, folds=5, seed=1)


@pytest.mark.parametrize("folds", [1, 4])
def test_folds_must_fit_the_patients(folds: int) -> None:
    with pytest.raises(ConfigError, match=f"{folds} folds of 3 patients"):
        deal_folds(["a", "b", "c"], [0, 0, 1], folds=folds, seed=0)

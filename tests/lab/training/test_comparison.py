import json
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.lab.training.comparison import Comparison, Trial, compare_encoders, find_mean, fine_tune, join_trials
from incognote.lab.training.data import Splits
from incognote.lab.training.recipe import Recipe


def test_the_gain_is_paired_by_seed_and_by_patient(splits: Splits) -> None:
    plain = [Trial(((8, 2, 2),) * 12), Trial(((7, 3, 3),) * 12), Trial(((9, 1, 1),) * 12)]
    adapted = [Trial(((9, 1, 1),) * 12), Trial(((8, 2, 2),) * 12), Trial(((10, 0, 0),) * 12)]
    found = join_trials({"plain": plain, "adapted": adapted}, splits, part="validation", seeds=(0, 1, 2))
    assert found.f1["plain"] == pytest.approx((0.8, 0.7, 0.9))
    assert found.gain.value == pytest.approx(0.1)
    # Seeds differ much, yet each gains the same: pairing sees it.
    assert found.gain.interval is not None
    assert found.gain.interval.low == pytest.approx(0.1)
    assert found.over_patients is not None
    assert found.over_patients.value == pytest.approx(0.1)
    assert found.over_patients.p == 2**-5  # six patients, all of whom gain: no test can show more
    assert found.notes == 12


def test_one_seed_has_no_interval() -> None:
    assert find_mean([0.5]).interval is None


def test_many_seeds_use_the_normal_distribution() -> None:
    found = find_mean([0.0, 1.0] * 50).interval
    assert found is not None
    assert found.high == pytest.approx(0.5 + 1.96 * 0.50252 / 10, abs=1e-3)


def test_trials_done_are_not_done_again(encoder: Path, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    journal = tmp_path / "trials.json"
    short = replace(recipe, epochs=1)

    def compare(mark: str) -> Comparison:
        return compare_encoders({"plain": str(encoder), "adapted": str(encoder)}, short, splits, seeds=(0,), journal=journal, mark=mark)

    first = compare("m")
    kept = json.loads(journal.read_text())
    kept["trials"]["adapted 0"] = [[5, 0, 0]] * len(splits.test)
    journal.write_text(json.dumps(kept))
    assert compare("m").f1 == {"plain": first.f1["plain"], "adapted": (1.0,)}
    assert compare("another recipe") == first


def test_a_tagger_is_scored_once_after_its_last_epoch(recipe: Recipe, splits: Splits) -> None:
    trial = fine_tune(replace(recipe, epochs=8), splits, part="test")
    assert len(trial.rows) == len(splits.test)
    assert trial.f1 > 0.6

import math

import pytest

from incognote.document import Document
from incognote.lab.training.perplexity import find_perplexities
from incognote.lab.training.tasks.masked_language_model import Surprise

NOTES = [Document(f"n{number}", "x", patient=f"p{number // 2}") for number in range(6)]


def surprises(losses: list[float]) -> list[Surprise]:
    return [Surprise(note, loss, 10, note) for note, loss in enumerate(losses)]


def test_perplexity_is_the_exponential_of_the_mean_loss_of_a_token() -> None:
    before, after = surprises([30, 20, 25, 30, 20, 25]), surprises([15, 10, 12, 16, 9, 13])
    found, change = find_perplexities({"before": before, "after": after}, NOTES)
    assert found["before"].value == pytest.approx(math.exp(150 / 60))
    assert found["after"].value == pytest.approx(math.exp(75 / 60))
    assert found["after"].interval is not None
    assert found["after"].interval.low <= found["after"].value <= found["after"].interval.high
    assert change.ratio == pytest.approx(math.exp(-75 / 60))
    assert change.interval is not None
    assert change.interval.high < 1
    assert change.p == 2**-2  # three patients, all better: no test can show more
    assert found["after"].accuracy == 15 / 60


def test_windows_of_one_note_are_one_note() -> None:
    split = [Surprise(0, 10, 4, 0), Surprise(0, 20, 6, 0), Surprise(1, 20, 10, 0)]
    whole = [Surprise(0, 30, 10, 0), Surprise(1, 20, 10, 0)]
    assert find_perplexities({"a": split}, NOTES) == find_perplexities({"a": whole}, NOTES)


def test_no_change_is_told_as_such() -> None:
    same = surprises([3, 2, 4, 3, 2, 4])
    _, change = find_perplexities({"before": same, "after": same}, NOTES)
    assert (change.ratio, change.p) == (1.0, 1.0)


def test_the_notes_of_one_patient_show_nothing_of_how_patients_differ() -> None:
    found, change = find_perplexities({"before": surprises([30, 20]), "after": surprises([15, 10])}, NOTES)
    assert (found["after"].interval, change.interval, change.p) == (None, None, None)
    assert change.ratio == pytest.approx(math.exp(-25 / 20))

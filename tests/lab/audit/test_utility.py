from random import Random

import numpy as np
import pytest

from incognote.document import Document
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.labels import find_labels
from incognote.lab.audit.learners import make_word_learner
from incognote.lab.audit.utility import Trial, Utility, as_dict, measure_utility

TOPICS = {"heart": "aorta valve murmur".split(), "bone": "femur fracture cast".split(), "eye": "retina lens cornea".split()}
FILLER = [f"word{at}" for at in range(60)]


def make_notes(count: int = 90) -> Aligned:
    """Notes of three classes, told by one word. One form keeps it, one takes it out, one puts another in its place."""
    random = Random(0)
    forms: dict[str, list[Document]] = {"original": [], "same": [], "blank": [], "other": []}
    for at in range(count):
        label = sorted(TOPICS)[at % 3]
        words, topic = random.choices(FILLER, k=15), random.choice(TOPICS[label])
        for form, word in {"original": topic, "same": topic, "blank": "***", "other": f"{topic}x"}.items():
            text = " ".join([*words[:7], word, *words[7:]])
            forms[form].append(Document(f"n{at}", text, patient=f"p{at // 2}", meta={"label": label}))
    return align(forms.pop("original"), forms)


def trial(audit: Utility, trained: str, tested: str) -> Trial:
    return next(each for each in audit.trials if (each.trained, each.tested) == (trained, tested))


@pytest.fixture(scope="module")
def audit() -> Utility:
    notes = make_notes()
    labels = find_labels(notes, "label")
    return measure_utility(notes, labels, make_word_learner(notes.texts), seeds=(0, 1), folds=3, resamples=200)


def test_a_form_that_is_the_same_costs_nothing(audit: Utility) -> None:
    same = trial(audit, "same", "same")
    assert same.scores["accuracy"].value == trial(audit, "original", "original").scores["accuracy"].value > 0.8
    change = same.changes["accuracy"]
    assert (change.value, change.interval.low, change.interval.high, change.p) == (0, 0, 0, 1)


def test_a_form_without_the_topic_costs_all(audit: Utility) -> None:
    blank = trial(audit, "blank", "blank")
    assert blank.scores["accuracy"].value < 0.5
    assert blank.changes["accuracy"].interval.high < -0.3
    assert blank.changes["macro_f1"].p < 0.02


def test_a_form_with_other_words_is_learned_but_not_read_by_the_original_model(audit: Utility) -> None:
    assert trial(audit, "other", "other").scores["accuracy"].value > 0.8
    assert trial(audit, "original", "other").scores["accuracy"].value < 0.6
    assert trial(audit, "other", "original").scores["accuracy"].value < 0.6


def test_few_patients_show_no_more_than_their_number_can() -> None:
    notes = make_notes(8)
    labels = find_labels(notes, "label")

    def learn(form, places, targets, seed):
        return lambda other, asked: np.array(labels.targets)[asked] if form == other == "original" else (asked * 0 + 2)

    found = measure_utility(notes.keep(range(8)), labels, learn, seeds=(0,), folds=2, resamples=200)
    assert trial(found, "blank", "blank").changes["accuracy"].p >= 0.125


def test_the_original_has_no_change_and_chance_is_told(audit: Utility) -> None:
    assert not audit.trials[0].changes
    assert audit.largest == pytest.approx(1 / 3)
    assert len(audit.trials) == 1 + 3 * 3


def test_no_patient_is_both_trained_and_tested_on() -> None:
    notes = make_notes(30)
    labels = find_labels(notes, "label")

    def learn(form, places, targets, seed):
        known = {notes.patients[at] for at in places}

        def classify(other, asked):
            assert not known & {notes.patients[at] for at in asked}
            return asked * 0

        return classify

    found = measure_utility(notes, labels, learn, seeds=(0,), folds=3, resamples=10)
    assert found.trials[0].scores["accuracy"].value == pytest.approx(1 / 3)


def test_it_is_all_in_the_json_and_no_text_is(audit: Utility) -> None:
    found = as_dict(audit)
    assert found["classes"] == {"bone": 30, "eye": 30, "heart": 30}
    assert found["changed"] == {"same": 0.0, "blank": 1.0, "other": 1.0}
    assert "aorta" not in str(found)

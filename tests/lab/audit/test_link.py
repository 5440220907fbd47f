from random import Random

import numpy as np
import pytest

from incognote.document import Document
from incognote.errors import CorpusError
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.attacks import HAND, RARE, SEX, TRAINED, describe_hand
from incognote.lab.audit.link import Link, as_dict, list_kinds, measure_link
from incognote.lab.audit.pairs import Pairs

FILLER = [f"word{at}" for at in range(80)]


def make_notes(patients: int = 40, *, style: bool = False) -> Aligned:
    """Notes with a name that one patient alone has; the scrubbed form lacks it. With ``style``, a patient's notes also look alike."""
    random = Random(0)
    original, redact = [], []
    for patient in range(patients):
        for number in range(3):
            words = random.choices(FILLER, k=40)
            if style and patient % 2:
                words = [word.upper() for word in words]
            for target, name in ((original, f"Name{patient}"), (redact, "****")):
                target.append(Document(f"{patient}-{number}", f"{name} {' '.join(words)}", patient=f"p{patient}", meta={"kind": "note"}))
    return align(original, {"redact": redact})


def auc(audit: Link, form: str, name: str) -> float:
    return next(attack.auc.value for attack in audit.attacks if (attack.form, attack.name) == (form, name))


@pytest.fixture(scope="module")
def audit() -> Link:
    return measure_link(make_notes(), kind="kind", seeds=(0, 1), resamples=100)


def test_a_name_links_and_without_it_chance_is_all(audit: Link) -> None:
    assert auc(audit, "original", RARE) > 0.99
    assert auc(audit, "original", TRAINED) > 0.95
    for attack in audit.attacks:
        if attack.form == "redact":
            assert attack.auc.interval.low - 0.03 < 0.5 < attack.auc.interval.high + 0.03


def test_the_trained_attack_learns_the_hand() -> None:
    audit = measure_link(make_notes(60, style=True), seeds=(0, 1), resamples=50)
    assert auc(audit, "redact", RARE) < 0.6
    assert auc(audit, "redact", TRAINED) > 0.7
    assert auc(audit, "redact", HAND) > 0.7
    assert auc(audit, "redact", SEX) == 0.5


def test_hidden_states_are_evidence_too() -> None:
    notes = make_notes(60)
    whose = np.array([int(patient[1:]) for patient in notes.patients])
    states = {form: np.eye(64, dtype=np.float32)[whose] for form in notes.forms}
    assert auc(measure_link(notes, states=states, seeds=(0,), resamples=20), "redact", TRAINED) > 0.95


def test_another_attack_stands_beside_the_others() -> None:
    notes = make_notes()

    def know(form: str, train: Pairs, test: Pairs, seed: int) -> np.ndarray:
        assert not {notes.patients[at] for at in train.scrubbed} & {notes.patients[at] for at in test.scrubbed}
        return test.true.astype(np.float64)

    assert auc(measure_link(notes, learner=know, learner_name="oracle", seeds=(0,), resamples=20), "redact", "oracle") == 1.0


def test_it_is_all_in_the_json_and_no_text_is(audit: Link) -> None:
    found = as_dict(audit)
    assert (found["notes"], found["patients"], found["chance"]) == (120, 40, 0.5)
    assert "word1" not in str(found)
    assert "Name1" not in str(found)
    assert len(found["attacks"]) == 12


def test_an_unknown_kind_column_is_refused() -> None:
    with pytest.raises(CorpusError, match="no column sort beside the notes; the columns are: kind"):
        list_kinds(make_notes(4), "sort")


def test_the_same_seeds_give_the_same_figures(audit: Link) -> None:
    again = measure_link(make_notes(), kind="kind", seeds=(0, 1), resamples=100)
    assert as_dict(again) == as_dict(audit)


def test_an_empty_note_has_a_hand() -> None:
    assert len(describe_hand("")) == len(describe_hand("a b\nC"))

"""Facts: what is gathered of a patient does not depend on the order of the notes, and shows nothing."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span, parse_markup
from incognote.facts import Facts, gather_facts, patient_key
from tests.strategies import documents


@given(st.lists(documents(), max_size=5, unique_by=lambda document: document.id))
def test_the_order_of_notes_does_not_matter(notes: list[Document]) -> None:
    assert gather_facts(notes) == gather_facts(notes[::-1])


@given(st.lists(documents(), min_size=1, max_size=5, unique_by=lambda document: document.id))
def test_gathering_apart_and_joining_is_gathering_at_once(notes: list[Document]) -> None:
    whole, apart = gather_facts(notes), [gather_facts([note]) for note in notes]
    for patient, facts in whole.items():
        joined = Facts()
        for one in apart:
            joined |= one.get(patient, Facts())
        assert joined == facts


def test_the_first_place_and_the_surest_score_are_kept() -> None:
    notes = [
        Document("b", "Ann came", patient="p", spans=(Span(0, 3, "PATIENT", 0.9),)),
        Document("a", "saw Ann", patient="p", spans=(Span(4, 7, "PATIENT", 0.5),)),
    ]
    facts = gather_facts(notes)["p"]
    assert facts.places == {("PATIENT", "Ann"): ("a", 4)}
    assert facts.score("PATIENT", "Ann") == 0.9
    assert Facts({("PATIENT", "Ann"): ("a", 0)}).score("PATIENT", "Ann") == 1.0


def test_values_come_in_the_order_they_stand() -> None:
    facts = Facts({("PATIENT", "Ann"): ("b", 0), ("DOCTOR", "Lim"): ("a", 9), ("PATIENT", "Bo"): ("a", 3)})
    assert facts.values() == ("Bo", "Lim", "Ann")
    assert facts.values("PATIENT") == ("Bo", "Ann")


def test_a_note_without_a_patient_is_a_patient_of_its_own() -> None:
    assert patient_key(Document("n1", "")) != patient_key(Document("n2", ""))


def test_facts_show_no_value() -> None:
    assert repr(Facts({("PATIENT", "Ann"): ("a", 0)})) == "Facts(1 values)"


def test_facts_are_frozen_once_for_all_notes_of_a_patient() -> None:
    facts = Facts({("PATIENT", "Ann"): ("n1", 0), ("CITY", "Boston"): ("n2", 4)}, {("CITY", "Boston"): 0.5})
    assert facts.freeze_scores() == {("PATIENT", "Ann", 1.0), ("CITY", "Boston", 0.5)}
    assert facts.freeze_scores() is facts.freeze_scores()
    assert facts.freeze_places() is facts.freeze_places()
    assert pickle.loads(pickle.dumps(facts)) == facts


@pytest.mark.parametrize(
    ("marked", "cues"),
    [
        ("His son <PATIENT>Bill</PATIENT> drives", [{"son"}]),
        ("daughter-in-law: <PATIENT>Peggy Roe</PATIENT>", [{"daughter"}]),
        ("Call <PATIENT>Bob</PATIENT> (her brother)", [{"brother"}]),
        ("<PATIENT>William</PATIENT>, <PATIENT>Bill</PATIENT> and <PATIENT>Bob</PATIENT>", [set(), {"William"}, {"Bill"}]),
        ("<PATIENT>William</PATIENT> came. <PATIENT>Bill</PATIENT> is well", [set(), set()]),
        ("<DOCTOR>William</DOCTOR>, <PATIENT>Bill</PATIENT>", [set(), set()]),
        ("His son <PATIENT>Zbigniew</PATIENT> drives", [{"son"}]),
        ("<PATIENT>Zbigniew</PATIENT>, <PATIENT>Bogdan</PATIENT>", [set(), set()]),
        ("His son <PATIENT>Zbigniew Zielinski</PATIENT> drives", [set()]),
    ],
)
def test_what_stands_beside_one_name_or_one_with_a_short_form_is_kept(marked: str, cues: list[set[str]]) -> None:
    document = parse_markup(marked)
    facts = gather_facts([document])[patient_key(document)]
    assert [facts.cues.get((span.label, document.value(span)), set()) for span in document.spans] == cues

"""Memory: what was found once is found everywhere, and no further than that."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.facts import Facts, gather_facts, patient_key
from incognote.memory.known_mentions import find_known_mentions
from incognote.merge import merge

GIVENS = ("Mirela", "Tomasz", "Ngozi", "Xiaoming", "Fatima", "José", "Siobhan", "Ana-Lucía")
FAMILIES = ("Kaczmarek", "Okonkwo", "Nguyen", "O'Brien", "van der Berg", "al-Masri", "García", "Ruiz-Ortega")


def recall(document: Document, facts: Facts) -> tuple[Span, ...]:
    return find_known_mentions(document, facts, sure=0.65)


def find(text: str, **facts: str) -> list[str]:
    """What memory marks in a text, given one value for each label."""
    known = Facts(dict.fromkeys(facts.items(), ("n0", 0)))
    return [text[span.start : span.end] for span in recall(Document("n1", text), known)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Later Ms. Kaczmarek rested.", "Kaczmarek"),
        ("NAME KACZMAREK, MIRELA", "KACZMAREK, MIRELA"),
        ("labelled Kaczmarek, M.", "Kaczmarek, M"),
        ("Then Mirela slept.", "Mirela"),
        ("then mirela slept", "mirela"),
        ("M. Kaczmarek signed", "M. Kaczmarek"),
        ("Mirela K. signed", "Mirela K"),
        ("Consent of M.K. Kaczmarek", "M.K"),
        ("the initials MK", "MK"),
        ("Kaczmarek's leg", "Kaczmarek"),
        ("KACZMAREK’S LEG", "KACZMAREK"),
        ("seen by Dr. Roe. Mirela is well", "Mirela"),
        ("Ms. Kaczmarek (Mirela to friends)", "Kaczmarek"),
        ("saw Kaczmarek. Mirela left", "Kaczmarek"),
        ("Kaczmarek; M. Roe", "Kaczmarek"),
        ("mail m.kaczmarek@lake.example today", "m.kaczmarek@lake.example"),
        ("login mkaczmarek2 was used", "mkaczmarek2"),
        ("seen with Kaczmrek today", "Kaczmrek"),
        ("seen with Kaczrnarek today", "Kaczrnarek"),
        ("seen with Kacz0arek today", "Kacz0arek"),
        ("seen with Kazcmarek today", "Kazcmarek"),
        ("Mirela\n   Kaczmarek came", "Mirela\n   Kaczmarek"),
    ],
)
def test_a_person_is_found_under_every_alias(text: str, written: str) -> None:
    assert written in find(text, PATIENT="Mirela Kaczmarek")


@pytest.mark.parametrize(
    ("label", "value", "text", "written"),
    [
        ("SSN", "123-45-6789", "SSN on file 123456789.", "123456789"),
        ("SSN", "123456789", "it is 123 45 6789 now", "123 45 6789"),
        ("PHONE", "(555) 010-4477", "call 555.010.4477 or 010-4477", "555.010.4477"),
        ("PHONE", "555-010-4477", "call +1 555 010 4477", "1 555 010 4477"),
        ("MEDICALRECORD", "MK-00 4471", "see mk004471", "mk004471"),
        ("EMAIL", "a.roe@lake.example", "to A.ROE@LAKE.EXAMPLE", "A.ROE@LAKE.EXAMPLE"),
        ("STREET", "12 Elm Street", "lives at 12 Elm St.", "12 Elm St"),
        ("HOSPITAL", "Lakeside General", "from LAKESIDE GENERAL", "LAKESIDE GENERAL"),
        ("ORGANIZATION", "Marlow's Foods", "works at marlow's foods", "marlow's foods"),
    ],
)
def test_other_values_are_found_in_other_shapes(label: str, value: str, text: str, written: str) -> None:
    assert written in find(text, **{label: value})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Grace Young", "A young man in good grace."),
        ("Grace Young", "YOUNG MAN"),
        ("Ann Young", "Young man, well nourished."),
        ("John Parkinson", "Known Parkinson disease and Parkinson's."),
        ("Peter Gleason", "Gleason score 7."),
        ("Mary Davis", "Signed, Jane Roe, M.D. at 3 P.M."),
        ("Mark Other", "her mother called"),
        ("Ana Tomic", "an anatomic repair"),
        ("Bea Colonna", "the colonic wall"),
        ("Mirela Kaczmarek", "MK waves were seen"),
        ("Mirela Kaczmarek", "Dr. Jan Roe"),
        ("Tom Cathete", "a catheter"),
    ],
)
def test_common_and_clinical_words_are_not_remembered_as_names(value: str, text: str) -> None:
    assert find(text, PATIENT=value) == []


def test_a_common_surname_is_found_where_a_capital_makes_it_one() -> None:
    assert find("I told Mr. Young that; later Young agreed.", PATIENT="Grace Young") == ["Young", "Young"]


def test_a_surname_that_is_an_eponym_is_found_away_from_clinical_words() -> None:
    assert find("Mr. Foley pulled the Foley out; Foley catheter replaced. Later Foley slept.", PATIENT="Sean Foley") == ["Foley", "Foley"]


def test_ages_dates_and_states_are_not_remembered() -> None:
    assert find("67 on 7/22 in OR", AGE="67", DATE="7/22", STATE="OR") == []


def test_a_guess_of_one_word_is_not_spread() -> None:
    weak = Facts({("PATIENT", "Blake"): ("n0", 0)}, {("PATIENT", "Blake"): 0.5})
    assert recall(Document("n1", "A Blake was placed. Blake again."), weak) == ()


def test_the_label_is_that_of_the_fact_and_a_title_decides_between_two() -> None:
    facts = Facts({("PATIENT", "Mirela Kaczmarek"): ("n0", 0), ("DOCTOR", "Jan Kaczmarek"): ("n0", 9)})
    spans = recall(Document("n1", "Dr. Kaczmarek saw Ms. Kaczmarek and Jan"), facts)
    assert [(span.label, span.source) for span in spans] == [
        ("DOCTOR", "memory.doctor"),
        ("PATIENT", "memory.patient"),
        ("DOCTOR", "memory.doctor"),
    ]


def test_what_was_found_already_is_left_alone() -> None:
    text = "Kaczmarek Street and Kaczmarek"
    document = Document("n1", text, spans=(Span(0, 16, "STREET"),))
    (span,) = recall(document, Facts({("PATIENT", "Mirela Kaczmarek"): ("n0", 0)}))
    assert span == Span(21, 30, "PATIENT")


def test_memory_crosses_the_notes_of_one_patient_only() -> None:
    first = Document("a", "Mirela Kaczmarek came", patient="p1", spans=(Span(0, 16, "PATIENT"),))
    second, third = (Document(patient, "then Kaczmarek left", patient=patient) for patient in ("p1", "p2"))
    facts = gather_facts([first, second, third])
    assert [len(recall(document, facts[patient_key(document)])) for document in (first, second, third)] == [0, 1, 0]


@given(st.sampled_from(GIVENS), st.sampled_from(("", "J.", "Maria")), st.sampled_from(FAMILIES), st.data())
def test_all_aliases_of_any_name_are_found_whole(given_name: str, middle: str, family: str, data: st.DataObject) -> None:
    alias = data.draw(
        st.sampled_from(
            [
                f"{given_name} {family}",
                f"{family}, {given_name}",
                f"{family.upper()}, {given_name.upper()}",
                f"{given_name} {middle} {family}".replace("  ", " "),
                f"{given_name[0]}. {family}",
                f"{family}, {given_name[0]}",
                given_name,
                family,
                given_name.upper(),
                family.upper(),
            ]
        )
    )
    text = f"earlier that day {alias}'s cousin came"
    facts = Facts({("PATIENT", f"{given_name} {middle} {family}".replace("  ", " ")): ("n0", 0)})
    spans = merge([recall(Document("n", text), facts)], text)
    assert [text[span.start : span.end] for span in spans] == [alias]


def test_a_megabyte_with_fifty_facts_takes_about_a_second() -> None:
    names = [f"{first} {last}" for first in GIVENS for last in FAMILIES][:50]
    facts = Facts({("PATIENT", name): ("n0", at) for at, name in enumerate(names)})
    line = "The patient was seen by the cardiology service for Kaczmarek and 555-010-4477 with unremarkable findings of the abdomen.\n"
    document = Document("n", line * (1_000_000 // len(line)))
    started = perf_counter()
    spans = recall(document, facts)
    assert len(spans) > 8000
    assert perf_counter() - started < 3  # about 0.5 s on an idle core

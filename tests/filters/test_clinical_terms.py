"""The clinical-term guard: terms are left alone by all rules, and names that look like terms are still names."""

import pytest

from incognote.document import Span
from incognote.lexicon import word_list
from incognote.lexicon.clinical_terms import is_clinical
from tests.find.rules.golden import GoldenLine, check_golden, count_golden, golden_params
from tests.judged import find_by_rules, guard_spans


@pytest.mark.parametrize("line", golden_params("clinical_terms"))
def test_golden_clinical_terms(line: GoldenLine) -> None:
    check_golden(line, lambda reading: find_by_rules(reading.text))


def test_there_are_enough_clinical_lines_and_none_is_positive() -> None:
    assert count_golden("clinical_terms")[0] == 0
    assert count_golden("clinical_terms")[1] >= 150


def test_the_lexicon_holds_enough_eponyms_and_name_like_drugs() -> None:
    assert len(word_list("eponyms") | word_list("drugs")) >= 1500


TERMS = [
    ("Crohn's disease", "Crohn"),
    ("Murphy's and McBurney's signs", "Murphy"),
    ("a Zander-Klein syndrome", "Zander"),
    ("history of Barrett's.", "Barrett"),
    ("Boston brace", "Boston"),
    ("West Nile virus", "West Nile"),
    ("started on Yasmin", "Yasmin"),
    ("on tocilizumab", "tocilizumab"),
    ("FOLEY TO GRAVITY", "FOLEY"),
    ("foley in place", "foley"),
    ("Swan-Ganz", "Swan-Ganz"),
    ("Kelly clamps", "Kelly"),
    ("Wilson’s disease", "Wilson"),
    ("Maryland dissector", "Maryland"),
]
NAMES = [
    ("Dr Crohn", "Crohn"),
    ("Dr. Gleason", "Gleason"),
    ("Gleason, Mary", "Gleason"),
    ("Mr. Parkinson", "Parkinson"),
    ("Mary Hodgkin called", "Hodgkin"),
    ("Ms. Bell's palsy", "Bell"),
    ("Murphy's mother", "Murphy"),
    ("J. Foley", "Foley"),
    ("Foley, RN", "Foley"),
    ("Yasmin went home", "Yasmin"),
    ("lives in Boston", "Boston"),
    ("Kelly said so", "Kelly"),
    ("Maria's test", "Maria"),
    ("John Graves", "John Graves"),
    ("12/3", "12/3"),
]


@pytest.mark.parametrize(("text", "words"), TERMS)
def test_a_term_is_clinical(text: str, words: str) -> None:
    start = text.index(words)
    assert is_clinical(text, start, start + len(words))


@pytest.mark.parametrize(("text", "words"), NAMES)
def test_a_name_that_looks_like_a_term_is_not(text: str, words: str) -> None:
    start = text.index(words)
    assert not is_clinical(text, start, start + len(words))


@pytest.mark.parametrize("source", ["rules.name.title", "rules.name.field", "patients", "patients.typo", "memory"])
def test_a_trusted_source_is_believed(source: str) -> None:
    span = Span(0, 5, "PATIENT", source=source)
    assert guard_spans([span], "Foley to gravity") == [span]


@pytest.mark.parametrize("source", ["model.tiny", "rules.name.list"])
def test_another_source_is_not(source: str) -> None:
    assert guard_spans([Span(0, 5, "PATIENT", score=0.9, source=source)], "Foley to gravity") == []


def test_dates_and_numbers_are_never_dropped() -> None:
    span = Span(0, 5, "IDNUM")
    assert guard_spans([span], "Foley to gravity") == [span]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("agreed with gowers. pre-op", "gowers"),
        ("Conradi aware.", "Conradi"),
        ("Del Purwanti / Naegele).", "Naegele"),
        ("f/u Lund 6/29\nStenson pgy2", "Stenson"),
        ("Dear Tanner,", "Tanner"),
        ("Kelling (PCP)", "Kelling"),
        ("as written\nAntoni", "Antoni"),
    ],
)
def test_a_sure_model_may_name_people_by_eponyms(text: str, value: str) -> None:
    start = text.index(value)
    sure = Span(start, start + len(value), "DOCTOR", 0.99, "model.default")
    assert guard_spans([sure], text) == [sure]
    assert guard_spans([Span(sure.start, sure.end, "DOCTOR", 0.2, "model.default")], text) == []


@pytest.mark.parametrize(("text", "value"), [("vtx by Leopold. EFM", "Leopold"), ("Shiley, Blakemore, Dobhoff", "Blakemore")])
def test_an_eponym_among_things_stays_a_term(text: str, value: str) -> None:
    start = text.index(value)
    assert guard_spans([Span(start, start + len(value), "DOCTOR", 0.99, "model.default")], text) == []


@pytest.mark.parametrize(
    ("text", "value", "stays"),
    [
        ("Will see monthly. Labs Tuesday.\nSchwab 04/13", "Schwab", True),
        ("born Croatia, here since '05. - Abadie\n", "Abadie", True),
        ("Foley out at 0600, voided.\nFoley 12/3\n", "Foley", False),
        ("Reflexes: Abadie neg, Babinski down", "Abadie", False),
    ],
)
def test_a_sure_model_may_sign_with_an_eponym(text: str, value: str, stays: bool) -> None:
    start = text.rindex(value) if stays else text.index(value)
    span = Span(start, start + len(value), "DOCTOR", 0.99, "model.default")
    assert bool(guard_spans([span], text)) == stays


def test_a_model_without_a_doubt_is_believed_against_a_clinical_term() -> None:
    text = "Foley to gravity"
    certain, sure = (Span(0, 5, "PATIENT", score, "model.default") for score in (0.9995, 0.99))
    assert guard_spans([certain], text) == [certain]
    assert guard_spans([sure], text) == []

"""What only the shipped model finds is weighed with its words and its context; edges are trimmed before."""

import json

import pytest

from incognote.document import Span
from incognote.rules.edges import trim_spans
from incognote.rules.evidence import gather_evidence, read_surroundings
from incognote.rules.second_reader import WEIGHTS, drop_doubtful, judge


def ours(text: str, value: str, label: str, score: float = 0.95) -> Span:
    start = text.index(value)
    return Span(start, start + len(value), label, score, "model.default")


@pytest.mark.parametrize(
    ("text", "value", "label"), [("KUB shows stool.", "KUB", "DOCTOR"), ("Never again, she says.", "Never", "PATIENT")]
)
def test_clinical_and_plain_words_are_dropped(text: str, value: str, label: str) -> None:
    assert drop_doubtful([ours(text, value, label)], [], text) == []


@pytest.mark.parametrize(
    ("likely", "unlikely", "value", "label"),
    [
        ("Seen 2/6 at the clinic.", "Murmur 2/6 at the base.", "2/6", "DATE"),
        ("Her friend May rang back.", "May shower tomorrow.", "May", "PATIENT"),
    ],
)
def test_context_speaks_for_and_against(likely: str, unlikely: str, value: str, label: str) -> None:
    weighed = [judge(ours(text, value, label), read_surroundings(text, [])) for text in (likely, unlikely)]
    assert weighed[0] > weighed[1]


@pytest.mark.parametrize(
    ("text", "value", "label"),
    [
        ("Pls let Oyelaran know.", "Oyelaran", "DOCTOR"),
        ("Her friend Tsvetelina rang back.", "Tsvetelina", "PATIENT"),
        ("Moved here from Tubbercurry in spring.", "Tubbercurry", "CITY"),
        ("A retired signalman with COPD.", "signalman", "PROFESSION"),
        ("Come back on Weds please.", "Weds", "DATE"),
    ],
)
def test_what_looks_like_phi_stays(text: str, value: str, label: str) -> None:
    span = ours(text, value, label)
    assert drop_doubtful([span], [], text) == [span]


def test_other_models_and_what_rules_see_are_not_judged() -> None:
    text = "Murmur 2/6 at the base."
    span = ours(text, "2/6", "DATE")
    assert drop_doubtful([Span(7, 10, "DATE", 0.9, "model.mine")], [], text)
    assert drop_doubtful([span], [Span(7, 10, "DATE", 0.6, "rules.dates.slash")], text) == [span]


def test_every_weight_is_of_evidence_that_is_gathered() -> None:
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert set(weights) == {"named", "numbered"}
    text = "Seen by Ada today."
    seen = gather_evidence(ours(text, "Ada", "DOCTOR"), read_surroundings(text, []))
    assert {"always", "sure", "doctor", "one word", "after by"} <= set(seen)
    assert all({"always", "sure"} <= set(table) for table in weights.values())


@pytest.mark.parametrize(
    ("text", "label", "kept"),
    [
        ("Rabbi Mordechai Feld", "DOCTOR", "Mordechai Feld"),
        ("Aunty Joyce", "PATIENT", "Joyce"),
        ("Stella Marchetti, DC", "DOCTOR", "Stella Marchetti"),
        ("The Beeches Surgery", "HOSPITAL", "The Beeches Surgery"),
        ("Mercy clinic", "HOSPITAL", "Mercy clinic"),
        ("Suite 3", "DEPARTMENT", "3"),
        ("Minh Do", "PATIENT", "Minh Do"),
        ("Judge", "PATIENT", "Judge"),
        ("the week of 4 March", "DATE", "4 March"),
        ("Labor Day weekend", "DATE", "Labor Day"),
        ("mid-January", "DATE", "January"),
    ],
)
def test_edges_are_cut_where_they_are_no_part_of_the_phi(text: str, label: str, kept: str) -> None:
    (span,) = trim_spans([Span(0, len(text), label)], text)
    assert text[span.start : span.end] == kept

"""Cited literature is no PHI where its form is clear; who was with the patient is found as ever."""

import pytest

from incognote.document import Span
from tests.judged import guard_spans

CITED = [
    ("As shown by Smith et al. 2019, it is safe.", "Smith", "DOCTOR"),
    ("As shown by Smith et al. 2019, it is safe.", "2019", "DATE"),
    ("(Levey et al., 2009)", "Levey et al", "PATIENT"),
    ("Criteria of Nguyen et al were met.", "Nguyen", "DOCTOR"),
    ("Rinaldi et al have shown a benefit", "Rinaldi et al ", "PATIENT"),
    ("Kowalski et al (Chest 2012)", "2012", "DATE"),
    ("Thompson et al., J Clin Oncol 2020;38:1602", "Thompson", "DOCTOR"),
    ("Seen with Smith et al. in clinic.", "al", "DOCTOR"),
    ("N Engl J Med 2015;372:123", "Engl J", "DOCTOR"),
    ("BMJ 2011;343:d5928", "343:d5928", "IDNUM"),
    ("Ann Intern Med. 2009;150(9):604-12.", "Ann", "DOCTOR"),
    ("Smith JA, Jones B, et al. N Engl J Med 2015;372:123-30.", "Smith JA, Jones B", "PATIENT"),
    ("Levey AS, Stevens LA. A new equation for GFR. Ann Intern Med 2009;150:604.", "LA", "STATE"),
    ("see UpToDate 2060", "2060", "DATE"),
    ("per Lancet 2018 data", "2018", "DATE"),
]
FOUND = [
    ("Seen with Smith et al. in clinic.", "Smith", "DOCTOR"),
    ("Seen with Smith et al. 2019", "2019", "DATE"),
    ("Lap chole by Smith et al 2015", "Smith", "DOCTOR"),
    ("Plan per Jones et al. Continue.", "Jones", "DOCTOR"),
    ("Ann Roe et al. 2019", "Roe", "PATIENT"),
    ("Seen by Smith JA. Lancet 2018;391:1023 cited.", "Smith JA", "DOCTOR"),
    ("John Smith N Engl J Med 2015;372:123", "John Smith", "PATIENT"),
    ("Roe seen 2015; 12:30 BP 120/80", "2015", "DATE"),
    ("CT chest 2012 clear", "2012", "DATE"),
]


def guard(text: str, value: str, label: str) -> list[Span]:
    start = text.index(value)
    return guard_spans([Span(start, start + len(value), label, 0.98, "model.default")], text)


@pytest.mark.parametrize(("text", "value", "label"), CITED)
def test_what_is_cited_is_no_phi(text: str, value: str, label: str) -> None:
    assert guard(text, value, label) == []


@pytest.mark.parametrize(("text", "value", "label"), FOUND)
def test_who_may_be_of_the_ward_stays(text: str, value: str, label: str) -> None:
    assert guard(text, value, label)

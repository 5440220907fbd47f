"""Dates: what is easily broken beyond the golden lines."""

import pytest

from incognote.find.rules.dates import find_dates
from incognote.find.rules.engine.reading import Reading


def test_sources_name_family_and_pattern() -> None:
    spans = list(find_dates(Reading("Mon 7/22, spring of 2066, since 2058, Ramadan, 2061-07-02")))
    assert all(span.source.startswith("rules.dates.") and span.label == "DATE" for span in spans)
    assert {"rules.dates.iso", "rules.dates.season", "rules.dates.holiday"} <= {span.source for span in spans}


def test_a_full_date_is_surer_than_a_bare_one() -> None:
    scores = {span.source: span.score for span in find_dates(Reading("2061-07-02 then 7/22 then 7/22/2061"))}
    assert scores["rules.dates.iso"] > scores["rules.dates.day-month-year"] > scores["rules.dates.slash"]


@pytest.mark.parametrize("text", ["", " ", "/", "'", "7/", "/22", "2058", "13/13/13", "0/0/00", "99-99-9999", "\n7/22\n"])
def test_fragments_do_no_harm(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in find_dates(Reading(text)))


def test_evidence_does_not_cross_a_line_break() -> None:
    assert not list(find_dates(Reading("seen on\n5/5 strength")))
    assert not list(find_dates(Reading("since\n2058")))

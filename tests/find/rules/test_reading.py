"""A Reading finds every place a rule may start: trying only there gives what trying everywhere would."""

import re
from itertools import chain

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from incognote.find.rules.ages import stated
from incognote.find.rules.contacts import electronic, phones
from incognote.find.rules.dates import weekdays, written
from incognote.find.rules.engine.pattern import Pattern, PatternTable
from incognote.find.rules.engine.reading import NUMBERS, Reading
from incognote.find.rules.engine.tokens import read_tokens
from incognote.find.rules.identifiers import numbers
from incognote.find.rules.places import addresses, postcodes, rooms
from tests.find.rules.golden import FOLDER, read_golden
from tests.find.rules.test_number_rules import TEXTS

PATTERNS = {
    pattern.name: pattern
    for pattern in chain(
        addresses.PATTERNS,
        stated.PATTERNS,
        electronic.PATTERNS,
        written.MONTH_PATTERNS,
        written.SEASON_PATTERNS,
        numbers.PATTERNS,
        phones.PATTERNS,
        postcodes.PATTERNS,
        rooms.PATTERNS,
        weekdays.WEEKDAY_PATTERNS,
    )
}
GOLDEN = [line.document.text for file in sorted(FOLDER.glob("*.txt")) for line in read_golden(file.stem)]
READINGS = [Reading(text) for line in GOLDEN for text in (line, line.upper(), line.lower())]


def _find(pattern: Pattern, reading: Reading) -> list[tuple[int, int]]:
    return [match.span() for _, matches in PatternTable(pattern).find(reading) for match in matches]


def _words(reading: Reading) -> list[str]:
    return reading.text.split()


def _everywhere(pattern: Pattern, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.regex.finditer(text)]


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS.keys())
def test_starts_and_hints_of_a_pattern_miss_nothing_on_the_golden_lines(pattern: Pattern) -> None:
    for reading in READINGS:
        assert _find(pattern, reading) == _everywhere(pattern, reading.text)


@given(st.one_of(TEXTS, TEXTS.map(lambda text: text.replace(" ", ""))))
@example("٣617-555-0199, (+1-617-555-0199)")
@example("A-12-34567 and S12-3456; x4471")
@settings(max_examples=200, deadline=None)
def test_patterns_that_start_with_a_number_miss_nothing_on_any_text(text: str) -> None:
    reading = Reading(text)
    for pattern in PATTERNS.values():
        if pattern.starts and not pattern.hints and set(pattern.starts) <= set(NUMBERS):
            assert _find(pattern, reading) == _everywhere(pattern, text)


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_places_agree_with_the_text(text: str) -> None:
    reading = Reading(text)
    assert len(reading.lower) == len(text)
    assert list(reading.numbers) == sorted(set(reading.numbers))
    held = reading.held(dict.fromkeys((*NUMBERS, *reading.tokens.keys)).keys())
    assert all(0 <= place < len(text) for place in chain(reading.numbers, reading.capitals, *map(reading.places, held)))
    assert all(text[place].isupper() for place in reading.capitals)
    tokens = read_tokens(text)
    assert all(tokens.word(at) for at in range(len(tokens)))


def test_a_match_hides_the_places_inside_it() -> None:
    assert [match[0] for match in Reading("ages 1, 2 and ages 3").matches(re.compile(r"ages.*|\d"), (*NUMBERS, "ages"))] == [
        "ages 1, 2 and ages 3"
    ]


def test_a_reading_computes_once_and_shows_no_text() -> None:
    reading = Reading("Mr. Roe left")
    assert reading.once(_words) == ["Mr.", "Roe", "left"]
    assert reading.once(_words) is reading.once(_words)
    assert "Roe" not in repr(reading)

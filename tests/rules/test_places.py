"""Addresses, places, organizations and rooms against golden lines, and what they must never do."""

from collections.abc import Iterator
from time import process_time

import pytest
from hypothesis import given

from incognote.document import Span
from incognote.rules.addresses import find_addresses
from incognote.rules.guard import guard_spans
from incognote.rules.organizations import find_organizations
from incognote.rules.places import find_places
from incognote.rules.professions import find_professions
from tests.rules.golden import GoldenLine, check_golden, count_golden, golden_params
from tests.strategies import texts

FINDERS = (find_addresses, find_places, find_organizations, find_professions)


def find_all(text: str) -> Iterator[Span]:
    yield from guard_spans((span for find in FINDERS for span in find(text)), text)


@pytest.mark.parametrize("line", golden_params("places"))
def test_golden_places(line: GoldenLine) -> None:
    check_golden(line, find_all)


def test_there_are_enough_golden_places() -> None:
    positive, negative = count_golden("places")
    assert positive >= 40
    assert negative >= 20


@given(texts)
def test_any_text_gives_spans_inside_it(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in find_all(text))


def test_time_grows_with_length_not_faster() -> None:
    note = "Lives at 14 Quarry Lane, Duluth, MN. Seen at Harrow Heart Clinic; works as a cook at Marlow's Grill. BP 128/84.\n"
    seconds = []
    for times in (200, 1600):
        start = process_time()
        list(find_all(note * times))
        seconds.append(process_time() - start)
    assert seconds[1] < 8 * seconds[0] * 3


@pytest.mark.parametrize(
    "mark", ["St. ", "Aa ", "Aa-", "New ", "works ", "12 ", "Hospital ", "of the ", "A&", "lives in ", ", ", "\n", "a" * 50]
)
def test_repeated_marks_are_read_in_no_time(mark: str) -> None:
    start = process_time()
    list(find_all(mark * 20000))
    assert process_time() - start < 5

"""Every family of rules finds exactly what its golden lines mark, and its file has enough lines with PHI and without."""

from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given

from incognote.document import Span
from incognote.find.rules.ages.stated import find_ages
from incognote.find.rules.contacts.electronic import find_contacts
from incognote.find.rules.dates import find_dates
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers.numbers import find_identifiers
from incognote.find.rules.names import find_names
from incognote.find.rules.organizations.named import find_organizations
from incognote.find.rules.places.addresses import find_addresses
from incognote.find.rules.places.gazetteer import find_places
from incognote.find.rules.places.postcodes import find_postcodes
from incognote.find.rules.places.rooms import find_rooms
from incognote.find.rules.professions import find_professions
from tests.find.rules.golden import GoldenLine, check_golden, count_golden, read_golden
from tests.judged import guard_spans
from tests.strategies import texts


def find_places_and_bodies(reading: Reading) -> Iterator[Span]:
    finders = (find_addresses, find_places, find_organizations, find_professions)
    yield from guard_spans((span for find in finders for span in find(reading)), reading.text)


def find_guarded_identifiers(reading: Reading) -> Iterator[Span]:
    yield from guard_spans(find_identifiers(reading), reading.text)


FINDERS: dict[str, Callable[[Reading], Iterable[Span]]] = {
    "ages": find_ages,
    "dates": find_dates,
    "ids": find_guarded_identifiers,
    "names": find_names,
    "phones": find_contacts,
    "places": find_places_and_bodies,
    "postcodes": find_postcodes,
    "professions": find_professions,
    "rooms": find_rooms,
}


@pytest.mark.parametrize(("name", "line"), [pytest.param(name, line, id=line.place) for name in FINDERS for line in read_golden(name)])
def test_the_spans_found_are_those_marked(name: str, line: GoldenLine) -> None:
    check_golden(line, FINDERS[name])


@pytest.mark.parametrize("name", ["ages", "dates", "ids", "names", "phones", "places"])
def test_there_are_enough_lines_with_phi_and_without(name: str) -> None:
    positive, negative = count_golden(name)
    assert positive >= 40
    assert negative >= 20


@pytest.mark.parametrize("find", [find_names, find_places_and_bodies])
@given(text=texts)
def test_any_text_gives_spans_inside_it(find: Callable[[Reading], Iterable[Span]], text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in find(Reading(text)))

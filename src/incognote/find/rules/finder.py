"""The RuleTagger runs every family of rules over a text; a family is a function from a reading of it to spans."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from incognote.document import Span
from incognote.filters.boundaries import trim_names
from incognote.filters.clinical_terms import guard_spans
from incognote.find.rules.ages.stated import find_ages
from incognote.find.rules.columns import find_columns
from incognote.find.rules.contacts.electronic import find_contacts
from incognote.find.rules.dates.written import find_dates
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers.files import find_files
from incognote.find.rules.identifiers.numbers import find_identifiers
from incognote.find.rules.names import find_names
from incognote.find.rules.organizations.named import find_organizations
from incognote.find.rules.places.addresses import find_addresses
from incognote.find.rules.places.gazetteer import find_places
from incognote.find.rules.places.postcodes import find_postcodes
from incognote.find.rules.professions import find_professions

Finder = Callable[[Reading], Iterable[Span]]

# One line for each family; the clinical-term guard has the last word on names and places. These read every note whole: they hold forms that
# stand whatever a model says (``second_reader.py``), or look at what is far off.
FINDERS: tuple[Finder, ...] = (find_columns, find_contacts, find_dates, find_files, find_identifiers, find_postcodes)
# These are tried near what the shipped model has seen, where it was asked: elsewhere they would not be believed.
GUESSERS: tuple[Finder, ...] = (find_addresses, find_ages, find_organizations, find_places, find_professions)


@dataclass(frozen=True, slots=True)
class Begun:
    """A text that rules have begun to read, and what they found so far."""

    reading: Reading
    found: tuple[Span, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RuleTagger:
    """A Tagger made of rule families. Spans of different families may overlap; the merge settles that.

    What needs nothing but the text can be found beside a model: ``begin``, then ``finish`` with what the model has seen.
    """

    finders: tuple[Finder, ...]
    guessers: tuple[Finder, ...]

    @classmethod
    def default(cls) -> "RuleTagger":
        """All shipped families."""
        return cls(FINDERS, GUESSERS)

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        return self.finish(self.begin(texts), None)

    def begin(self, texts: Iterable[str]) -> Iterator[Begun]:
        """Each text with what is found in it whatever a model sees."""
        for reading in map(Reading, texts):
            yield Begun(reading, tuple(span for find in self.finders for span in find(reading)))

    def finish(self, begun: Iterable[Begun], seen: Iterable[Sequence[Span]] | None) -> list[tuple[Span, ...]]:
        """The spans of each text, but for guesses that touch nothing that a model has ``seen`` there, where one was asked."""
        if seen is None:
            return [self._finish_one(one, one.reading) for one in begun]
        return [self._finish_one(one, one.reading.around(spans)) for one, spans in zip(begun, seen, strict=True)]

    def _finish_one(self, begun: Begun, near: Reading) -> tuple[Span, ...]:
        text = begun.reading.text
        guessed = [span for find in self.guessers for span in find(near)] if near else ()
        found = (*begun.found, *find_names(begun.reading, near=near), *guessed)
        return tuple(sorted(trim_names(guard_spans(found, text), text)))

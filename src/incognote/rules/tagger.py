"""The RuleTagger runs every family of rules over a text; a family is a function from a reading of it to spans."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from incognote.document import Span
from incognote.rules.addresses import find_addresses
from incognote.rules.ages import find_ages
from incognote.rules.columns import find_columns
from incognote.rules.contacts import find_contacts
from incognote.rules.dates import find_dates
from incognote.rules.edges import trim_names
from incognote.rules.files import find_files
from incognote.rules.guard import guard_spans
from incognote.rules.identifiers import find_identifiers
from incognote.rules.names import find_names
from incognote.rules.organizations import find_organizations
from incognote.rules.places import find_places
from incognote.rules.postcodes import find_postcodes
from incognote.rules.professions import find_professions
from incognote.rules.reading import Reading

Finder = Callable[[Reading], Iterable[Span]]

# One line for each family; the clinical-term guard has the last word on names and places.
FINDERS: tuple[Finder, ...] = (
    find_addresses,
    find_ages,
    find_columns,
    find_contacts,
    find_dates,
    find_files,
    find_identifiers,
    find_names,
    find_organizations,
    find_places,
    find_postcodes,
    find_professions,
)


@dataclass(frozen=True, slots=True)
class RuleTagger:
    """A Tagger made of rule families. Spans of different families may overlap; the merge settles that."""

    finders: tuple[Finder, ...]

    @classmethod
    def default(cls) -> "RuleTagger":
        """All shipped families."""
        return cls(FINDERS)

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        return [self._tag_one(text) for text in texts]

    def _tag_one(self, text: str) -> tuple[Span, ...]:
        reading = Reading(text)
        found = (span for find in self.finders for span in find(reading))
        return tuple(sorted(trim_names(guard_spans(found, text), text)))

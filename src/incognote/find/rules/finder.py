"""The shipped rules as rows of a pipeline: pattern rules, whose matches imply their label, and context rules, which guess.

A family is a function from a Reading to spans; a row lists its families. Families under ``whole`` search the whole note. Those under
``near`` search only around the spans of the finder that ``Finder.near`` names, or the whole note if it names none.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from incognote.document import Span
from incognote.find.finder import Batch
from incognote.find.rules.ages import find_ages, find_sure_ages
from incognote.find.rules.columns import find_columns
from incognote.find.rules.contacts import find_contacts
from incognote.find.rules.dates import find_doubtful_dates, find_sure_dates
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers import find_files, find_identifiers
from incognote.find.rules.names import find_cued_names, find_listed_names, find_titled_names
from incognote.find.rules.organizations import find_organizations, find_sure_landmarks
from incognote.find.rules.places import find_addresses, find_places, find_postcodes, find_side_rooms
from incognote.find.rules.professions import find_professions, find_sure_professions

Family = Callable[[Reading], Iterable[Span]]


@dataclass(frozen=True, slots=True)
class Rules:
    """A Find over families of rules: those that search whole notes, and those that search near the spans of another finder."""

    name: str
    whole: tuple[Family, ...] = ()
    near: tuple[Family, ...] = ()

    def __call__(self, batch: Batch) -> list[list[Span]]:
        readings = batch.once("rules.readings", lambda: [Reading(text) for text in batch.texts])
        around = batch.once("rules.around", lambda: _around(readings, batch.seen)) if batch.seen is not None else readings
        return [
            [*(span for find in self.whole for span in find(reading)), *(span for find in self.near if near for span in find(near))]
            for reading, near in zip(readings, around, strict=True)
        ]

    def __str__(self) -> str:
        return self.name


def _around(readings: Sequence[Reading], seen: Sequence[Sequence[Span]] | None) -> list[Reading]:
    return [reading.around(spans) for reading, spans in zip(readings, seen or (), strict=True)]


pattern_rules = Rules("pattern_rules", whole=(find_contacts, find_sure_ages, find_sure_dates))
# The label of a number depends on the words around it, which a model reads better.
identifier_rules = Rules("identifier_rules", whole=(find_identifiers, find_files))
title_rules = Rules("title_rules", whole=(find_titled_names,))
# These are unambiguous, so they need no support from the model.
sure_rules = Rules("sure_rules", whole=(find_side_rooms, find_sure_landmarks, find_sure_professions))
time_rules = Rules("time_rules", whole=(find_doubtful_dates,), near=(find_ages,))
cue_rules = Rules("cue_rules", near=(find_cued_names,))
context_rules = Rules(
    "context_rules",
    whole=(find_columns, find_postcodes),
    near=(find_addresses, find_listed_names, find_organizations, find_places, find_professions),
)

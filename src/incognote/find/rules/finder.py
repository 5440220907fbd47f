"""The rules as three finders: exact patterns, names after a cue, and everything that is a guess from words and context.

Rule families run once per text; the batch's memo keeps what they found for the finder that it belongs to.
"""

from collections.abc import Callable, Iterable, Sequence

from incognote.document import Span
from incognote.find.finder import Batch
from incognote.find.rules.ages import find_ages
from incognote.find.rules.catalogue import is_cued, is_exact, is_identifier, is_time, is_titled
from incognote.find.rules.columns import find_columns
from incognote.find.rules.contacts import find_contacts
from incognote.find.rules.dates import find_dates
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers import find_identifiers
from incognote.find.rules.identifiers.files import find_files
from incognote.find.rules.names import find_names, find_titled_names
from incognote.find.rules.organizations import find_organizations
from incognote.find.rules.places.addresses import find_addresses
from incognote.find.rules.places.gazetteer import find_places
from incognote.find.rules.places.postcodes import find_postcodes
from incognote.find.rules.professions import find_professions

Family = Callable[[Reading], Iterable[Span]]

# These read the whole note: they hold exact forms, or look far ahead.
PATTERN_FAMILIES: tuple[Family, ...] = (find_columns, find_contacts, find_dates, find_files, find_identifiers, find_postcodes)
# These read near what the model found, where there is a model that decides over guesses.
CONTEXT_FAMILIES: tuple[Family, ...] = (find_addresses, find_ages, find_organizations, find_places, find_professions)


def pattern_rules(batch: Batch) -> list[list[Span]]:
    """Forms that tell their label: phones, addresses of the web, a date with its month."""
    return [[span for span in found if is_exact(span.source) and not is_identifier(span.source)] for found in _find_whole(batch)]


def identifier_rules(batch: Batch) -> list[list[Span]]:
    """Numbers that identify. A number does not tell its label: the words around it do, which a model reads better."""
    return [[span for span in found if is_identifier(span.source)] for found in _find_whole(batch)]


def title_rules(batch: Batch) -> list[list[Span]]:
    """Names after a title or before a degree."""
    return [list(spans) for spans in _find_titled(batch)]


def time_rules(batch: Batch) -> list[list[Span]]:
    """Dates and ages that may be something else: 3/4 is a date, a fraction or a score."""
    return [[span for span in found if is_time(span.source)] for found in _find_rest(batch)]


def cue_rules(batch: Batch) -> list[list[Span]]:
    """Names after a cue: a field, a signature, a kinship word, a row of a table."""
    return [[span for span in found if is_cued(span.source)] for found in _find_rest(batch)]


def context_rules(batch: Batch) -> list[list[Span]]:
    """Guesses: words of the lists of names and places, numbers and dates that may be something else."""
    return [[span for span in found if not is_cued(span.source) and not is_time(span.source)] for found in _find_rest(batch)]


def _read(batch: Batch) -> Sequence[Reading]:
    return batch.once("rules.readings", lambda: [Reading(text) for text in batch.texts])


def _find_whole(batch: Batch) -> Sequence[Sequence[Span]]:
    """What the families that read the whole note find in each text."""
    return batch.once("rules.whole", lambda: [[span for find in PATTERN_FAMILIES for span in find(reading)] for reading in _read(batch)])


def _find_titled(batch: Batch) -> Sequence[Sequence[Span]]:
    return batch.once("rules.titled", lambda: [find_titled_names(reading) for reading in _read(batch)])


def _find_rest(batch: Batch) -> Sequence[Sequence[Span]]:
    """What is not exact: of the families that read the whole note, and of those that read near what was seen."""

    def find() -> list[list[Span]]:
        seen = batch.seen if batch.seen is not None else [None] * len(batch.documents)
        each = zip(_read(batch), _find_whole(batch), _find_titled(batch), seen, strict=True)
        return [
            [span for span in (*whole, *_guess(reading, titled, spans)) if not (is_exact(span.source) or is_titled(span.source))]
            for reading, whole, titled, spans in each
        ]

    return batch.once("rules.rest", find)


def _guess(reading: Reading, titled: Sequence[Span], seen: Sequence[Span] | None) -> list[Span]:
    near = reading if seen is None else reading.around(seen)
    found = [span for find in CONTEXT_FAMILIES for span in find(near)] if near else []
    return [*find_names(reading, near=near, titled=titled), *found]

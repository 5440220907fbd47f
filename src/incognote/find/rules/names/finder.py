"""The family of name rules: by title or degree, after a cue, and by the lists; then each person gets one label."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.names.cues import Cue, find_cues
from incognote.find.rules.names.fields import find_field_names
from incognote.find.rules.names.lists import find_listed
from incognote.find.rules.names.logins import find_logins
from incognote.find.rules.names.marks import find_marked
from incognote.find.rules.names.relations import find_related, find_small
from incognote.find.rules.names.rows import find_in_rows
from incognote.find.rules.names.signatures import find_signed, find_trailers
from incognote.find.rules.names.speech import find_spoken
from incognote.find.rules.names.titles import find_degreed, find_roles, find_titled
from incognote.lexicon.person import PersonName, may_be_same, parse_name

# The label of a span this sure is taken as it is; a weaker one yields to the label the same name has elsewhere in the note.
_SURE = 0.85
# No note has more people of one surname whose label may be taken.
_RELATIVES = 64
# The sections of the table of cues after which a name is a guess.
_GUESSES = ("roles", "fields", "doubtful_fields", "signatures", "relations", "speech", "verbs")


def find_names(reading: Reading) -> Iterator[Span]:
    """Names of patients, their people and clinicians, and login names, as spans that may overlap.

    >>> [(span.start, span.end, span.label) for span in find_names(Reading("Seen by Dr. Roe"))]
    [(12, 15, 'DOCTOR')]
    """
    for find in (find_titled_names, find_cued_names, find_listed_names):
        yield from find(reading)


def find_titled_names(reading: Reading) -> Sequence[Span]:
    """Names by their title or degree."""
    return reading.once(_find_titled)


def find_cued_names(reading: Reading) -> Sequence[Span]:
    """Names after a cue: a field, a signature, a kinship word, a row of a table. The context proves that they are names."""
    return reading.once(_find_others)[0]


def find_listed_names(reading: Reading) -> Sequence[Span]:
    """Guesses: names after a role or a verb, names from the name lists, and login names."""
    return reading.once(_find_others)[1]


def _find_titled(reading: Reading) -> list[Span]:
    spans = [*find_titled(reading.text, find_cues(reading, "titles")), *find_degreed(reading)]
    return _settle_labels(reading.text, spans)[0]


def _find_others(reading: Reading) -> list[list[Span]]:
    """Names after a cue, and those that are guesses, with the labels that names by title give them."""
    text, cues = reading.text, dict[str, list[Cue]]()
    for cue in find_cues(reading, *_GUESSES):
        cues.setdefault(cue.section, []).append(cue)
    cued = (
        find_field_names(text, [*cues.get("fields", ()), *cues.get("doubtful_fields", ())]),
        find_signed(reading, cues.get("signatures", ())),
        find_trailers(reading),
        find_related(text, cues.get("relations", ())),
        find_small(reading, cues.get("relations", ())),
        find_in_rows(reading),
    )
    guessed = (
        find_roles(text, cues.get("roles", ())),
        find_logins(reading),
        find_spoken(text, [*cues.get("speech", ()), *cues.get("verbs", ())]),
        find_listed(reading),
        find_marked(reading),
    )
    return _settle_labels(text, find_titled_names(reading.whole), [*chain(*cued)], [*chain(*guessed)])[1:]


def _settle_labels(text: str, *layers: Sequence[Span]) -> list[list[Span]]:
    """A name found by a weak rule takes the label that a sure rule gave to the same surname, or to the very same place."""
    persons: dict[str, dict[PersonName, str]] = {}
    places: dict[tuple[int, int], Span] = {}
    for span in sorted(chain(*layers), key=lambda span: span.score):
        places[span.start, span.end] = span
        if span.score >= _SURE and span.label != "USERNAME" and (key := _family(name := parse_name(text[span.start : span.end]))):
            family = persons.setdefault(key, {})
            family.pop(name, None)  # the surest come last
            family[name] = span.label

    def settle(span: Span) -> Span:
        if span.score >= _SURE or span.label == "USERNAME":
            return span
        name = parse_name(text[span.start : span.end])
        family = islice(reversed(persons.get(_family(name), {}).items()), _RELATIVES)
        label = next((label for person, label in family if may_be_same(name, person)), span.label)
        return replace(span, label=label) if label != span.label else span

    return [[settle(span) for span in spans if places[span.start, span.end].score <= span.score] for spans in layers]


def _family(name: PersonName) -> str:
    return name.family or name.lone

"""The family of name rules as one function: every rule runs over the cues of one pass, then each person keeps one label."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading, read
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
# The sections of the table of cues after which a name is a guess.
_GUESSES = ("roles", "fields", "doubtful_fields", "signatures", "relations", "speech", "verbs")


def find_names(text: str | Reading, *, near: Reading | None = None, titled: Sequence[Span] | None = None) -> Iterator[Span]:
    """Names of patients, their people and clinicians, and login names, as spans that may overlap.

    Names with a title or degree are searched for everywhere, unless they are given as ``titled``; others in ``near``, where it is given.

    >>> [(span.start, span.end, span.label) for span in find_names("Seen by Dr. Roe")]
    [(12, 15, 'DOCTOR')]
    """
    reading = read(text)
    near = reading if near is None else near
    named = find_titled_names(reading) if titled is None else titled
    return _settle_labels(reading.text, [*named, *(_guess_names(near) if near else ())])


def find_titled_names(reading: Reading) -> list[Span]:
    """Names by their title or degree."""
    return [*find_titled(reading.text, find_cues(reading, "titles")), *find_degreed(reading)]


def _guess_names(reading: Reading) -> Iterator[Span]:
    text, cues = reading.text, dict[str, list[Cue]]()
    for cue in find_cues(reading, *_GUESSES):
        cues.setdefault(cue.section, []).append(cue)
    yield from find_roles(text, cues.get("roles", ()))
    yield from find_field_names(text, [*cues.get("fields", ()), *cues.get("doubtful_fields", ())])
    yield from find_signed(reading, cues.get("signatures", ()))
    yield from find_trailers(reading)
    yield from find_logins(reading)
    yield from find_related(text, cues.get("relations", ()))
    yield from find_small(reading, cues.get("relations", ()))
    yield from find_spoken(text, [*cues.get("speech", ()), *cues.get("verbs", ())])
    yield from find_listed(reading)
    yield from find_in_rows(reading)
    yield from find_marked(reading)


def _settle_labels(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """A name found by a weak rule takes the label that a sure rule gave to the same surname, or to the very same place."""
    spans = list(spans)
    persons: dict[str, list[tuple[PersonName, str]]] = {}
    places: dict[tuple[int, int], Span] = {}
    for span in sorted(spans, key=lambda span: span.score):
        places[span.start, span.end] = span
        if span.score >= _SURE and span.label != "USERNAME" and (key := _family(name := parse_name(text[span.start : span.end]))):
            persons.setdefault(key, []).append((name, span.label))
    for span in spans:
        best = places[span.start, span.end]
        if best.score > span.score:
            continue
        if span.score < _SURE and span.label != "USERNAME":
            name = parse_name(text[span.start : span.end])
            label = next((label for person, label in reversed(persons.get(_family(name), ())) if may_be_same(name, person)), span.label)
            span = replace(span, label=label) if label != span.label else span
        yield span


def _family(name: PersonName) -> str:
    return name.family or name.lone

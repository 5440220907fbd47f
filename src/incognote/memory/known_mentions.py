"""Memory: a value found in one note of a patient is found in all of that patient's notes, under all its aliases."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from incognote.document import Document, Span
from incognote.document.scripts import has_caseless_letters
from incognote.facts import Facts
from incognote.lexicon.names import is_common
from incognote.lexicon.person import parse_name
from incognote.memory.aliases import Pair, long_names, name_aliases, number_forms, phrase_forms, street_forms
from incognote.memory.literals import literal_forms
from incognote.memory.mentions import Mentions, compact

_NAMES = frozenset({"PATIENT", "DOCTOR", "NAME"})
_NUMBERS = frozenset("PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM ID ZIP IPADDR".split())
_PHRASES = frozenset("EMAIL URL HOSPITAL ORGANIZATION CITY LOCATION-OTHER LOCATION USERNAME".split())
_SEARCHED = _PHRASES | {"STREET"}

Fact = tuple[str, str, float]


def find_known_mentions(document: Document, facts: Facts, *, sure: float) -> tuple[Span, ...]:
    """Further mentions of the patient's facts in a document, with the label of the fact.

    Ages, dates, states, countries, professions and rooms are not searched for: their words are common. A mention inside a span that was
    already found is skipped, unless it covers all of that span, has another label and the span's score is below ``sure``. A value with a
    score below ``sure`` is searched for without its aliases.
    """
    mentions = _mentions_of(facts.freeze_scores(), sure)
    if not mentions.table and not mentions.literals:
        return ()
    starts = [span.start for span in document.spans]
    found = []
    for span in mentions.find(document.text):
        at = bisect_right(starts, span.start) - 1
        holder = document.spans[at] if at >= 0 and document.spans[at].end >= span.end else None
        if holder is None or (holder.score < sure and (holder.start, holder.end) == (span.start, span.end) and holder.label != span.label):
            found.append(span)
    return tuple(found)


@lru_cache(32)
def _mentions_of(facts: frozenset[Fact], sure: float) -> Mentions:
    pairs = [pair for label, value, score in facts for pair in _ways(label, value, score, sure)]
    longs = [
        pair
        for label, value, score in facts
        if label in _NAMES and score >= sure and not has_caseless_letters(value)
        for pair in long_names(parse_name(value), label, f"memory.{label.lower()}")
    ]
    return Mentions.gather(pairs, sorted(longs, key=lambda pair: (pair[0], pair[1].label == "PATIENT")))


def _ways(label: str, value: str, score: float, sure: float) -> Iterator[Pair]:
    source = f"memory.{label.lower()}"
    if has_caseless_letters(value):
        if label in _NAMES or (label in _SEARCHED and score >= sure):
            yield from literal_forms(value, label, source, name=label in _NAMES, parts=score >= sure)
    elif label in _NAMES:
        yield from name_aliases(parse_name(value), label, source, parts=score >= sure)
    elif label in _NUMBERS:
        yield from number_forms(value, label, source)
    elif label == "STREET":
        yield from street_forms(value, label, source)
    elif label in _PHRASES and _is_telling(label, value, score, sure):
        yield from phrase_forms(value, label, source)


def _is_telling(label: str, value: str, score: float, sure: float) -> bool:
    """Whether the value is specific enough to be searched for: not one common word, not a short code, not one word with a low score."""
    words = value.split()
    if len(words) == 1 and (is_common(value) or score < sure):
        return False
    return len(compact(value)) > (3 if label in ("HOSPITAL", "ORGANIZATION", "CITY", "USERNAME") else 2)

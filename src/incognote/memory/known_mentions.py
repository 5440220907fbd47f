"""Document memory: what was found once about a patient is found everywhere in that patient's notes, under all its aliases."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from incognote.document import Document, Span
from incognote.facts import Facts
from incognote.lexicon.names import is_common
from incognote.lexicon.person import parse_name
from incognote.memory.aliases import Pair, long_names, name_aliases, number_forms, phrase_forms, street_forms
from incognote.memory.mentions import Mentions, compact

# A fact less sure than this, found by the lists alone, is remembered as it stands and not by its parts.
SURE = 0.65

_NAMES = frozenset({"PATIENT", "DOCTOR", "NAME"})
_NUMBERS = frozenset("PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM ID ZIP IPADDR".split())
_PHRASES = frozenset("EMAIL URL HOSPITAL ORGANIZATION CITY LOCATION-OTHER LOCATION USERNAME".split())

Fact = tuple[str, str, float]


def recall(document: Document, facts: Facts) -> tuple[Span, ...]:
    """The further mentions in a document of what is known about its patient, with the label of the fact.

    Ages, dates, states, countries, professions and rooms are not remembered: their words are everybody's. What lies inside a
    span that was found already is left to it, unless that one was a guess.
    """
    mentions = _mentions_of(facts.freeze_scores())
    if not mentions.table:
        return ()
    starts = [span.start for span in document.spans]
    found = []
    for span in mentions.find(document.text):
        at = bisect_right(starts, span.start) - 1
        holder = document.spans[at] if at >= 0 and document.spans[at].end >= span.end else None
        if holder is None or (holder.score < SURE and (holder.start, holder.end) == (span.start, span.end) and holder.label != span.label):
            found.append(span)
    return tuple(found)


@lru_cache(32)
def _mentions_of(facts: frozenset[Fact]) -> Mentions:
    pairs = [pair for label, value, score in facts for pair in _ways(label, value, score)]
    longs = [
        pair
        for label, value, score in facts
        if label in _NAMES and score >= SURE
        for pair in long_names(parse_name(value), label, f"memory.{label.lower()}")
    ]
    return Mentions.gather(pairs, sorted(longs, key=lambda pair: (pair[0], pair[1].label == "PATIENT")))


def _ways(label: str, value: str, score: float) -> Iterator[Pair]:
    source = f"memory.{label.lower()}"
    if label in _NAMES:
        yield from name_aliases(parse_name(value), label, source, parts=score >= SURE)
    elif label in _NUMBERS:
        yield from number_forms(value, label, source)
    elif label == "STREET":
        yield from street_forms(value, label, source)
    elif label in _PHRASES and _is_telling(label, value, score):
        yield from phrase_forms(value, label, source)


def _is_telling(label: str, value: str, score: float) -> bool:
    """Whether the value means the same wherever it stands: not one common word, not a short code, not a guess of one word."""
    words = value.split()
    if len(words) == 1 and (is_common(value) or score < SURE):
        return False
    return len(compact(value)) > (3 if label in ("HOSPITAL", "ORGANIZATION", "CITY", "USERNAME") else 2)

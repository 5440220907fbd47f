"""Features of a span that only a model found: its words, their case, and their context.

A feature is a name and a number (mostly 1); the rescorer weighs them. Named spans (people, places, institutions) and numbered ones
(dates, ages, identifiers) have different features.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from incognote.document import Span, count_cases
from incognote.filters.numeric_features import find_numbered, is_fraction
from incognote.lexicon import word_list, word_rows
from incognote.lexicon.clinical_terms import opens_term
from incognote.lexicon.context import left_of, starts_line
from incognote.lexicon.cues import cue_words
from incognote.lexicon.degrees import DEGREE
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    given_names,
    is_capital_word,
    is_common,
    is_foreign_to_names,
    is_given,
    is_never_name,
    is_surname,
    surnames,
)

NUMBERED = frozenset(
    "DATE AGE ROOM PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM ZIP IPADDR URL EMAIL".split()
)
_PLACES = frozenset({"CITY", "STATE", "COUNTRY", "STREET", "LOCATION-OTHER"})
_BODIES = frozenset({"HOSPITAL", "ORGANIZATION", "DEPARTMENT"})
_WORD = lazy(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?")
_LAST_WORD = lazy(r"(?<![^\W\d_])([^\W\d_]+)\.?['’]?s?[ \t:(\"“]{0,3}$")
_DEGREED = lazy(rf",? ?(?:{DEGREE}|SW\b)")
_OCCUPIED = lazy(r"\b(?:retired|former(?:ly)?|ex|(?:works?|worked|working|employed|job) as|occupation|occ|is|was|an?|as)\W{0,3}$")
_AFTER_DEGREE = lazy(rf"\b(?:{DEGREE}|bs|ba\b),? ?\(?$", re.IGNORECASE)
_BY = frozenset("by with w per and or to from cc via for re is".split())
_IN = frozenset("in at from to near of through via outside".split())
_OFTEN = 3000
# How far around a span other spellings of its word are looked for: a note may be megabytes long.
_NEAR = 5000


def weigh_score(score: float) -> float:
    """The log-odds of the model's score, clipped to 0.0025 and 0.999.

    >>> round(weigh_score(0.5), 1), round(weigh_score(0.9), 1), weigh_score(0.9995) == weigh_score(1.0)
    (0.0, 2.2, True)
    """
    kept = min(max(score, 0.0025), 0.999)
    return math.log(kept / (1 - kept))


@dataclass(frozen=True, slots=True, repr=False)
class Surroundings:
    """Features that all spans of a note share: its text, its case style, the words of names that rules found, and whether the rules
    found a date written as a fraction (``6/23``)."""

    text: str
    style: str
    names: frozenset[str]
    days: bool


def read_surroundings(text: str, known: Sequence[Span]) -> Surroundings:
    """The surroundings of a note's spans. ``known`` are the spans that rules found in it."""
    named = (text[span.start : span.end] for span in known if span.label not in NUMBERED)
    days = any(is_fraction(text[span.start : span.end]) for span in known if span.label == "DATE")
    return Surroundings(text, _style(text), frozenset(word for value in named for word in _WORD.findall(value)), days)


def gather_features(span: Span, note: Surroundings) -> dict[str, float]:
    """The features of the span, by name."""
    found = find_numbered(span, note.text, days=note.days) if span.label in NUMBERED else _named(span, note)
    return {"always": 1.0, "sure": weigh_score(span.score), **dict.fromkeys(found, 1.0)}


def _named(span: Span, note: Surroundings) -> Iterator[str]:
    text = note.text
    value = text[span.start : span.end]
    words = [word for word in _WORD.findall(value) if len(word) > 1] or [value]
    yield _kind(span.label)
    if span.label == "PROFESSION" and _OCCUPIED.search(left_of(text, span.start)):
        yield "occupation told"
    # Occupations are in lower case like other words.
    yield from _written(value, words, note.style) if span.label != "PROFESSION" else ()
    yield from _listed(value, words)
    yield from _beside(span, text)
    if not note.names.isdisjoint(words):
        yield "found elsewhere"
    if value.istitle() and len(words) == 1 and f" {value.lower()}" in text[max(0, span.start - _NEAR) : span.end + _NEAR]:
        yield "small elsewhere"


def _kind(label: str) -> str:
    if label in _PLACES:
        return "place"
    return "body" if label in _BODIES else label.lower()


def _written(value: str, words: Sequence[str], style: str) -> Iterator[str]:
    """How the words are written, beside how the note is."""
    one = len(words) == 1
    shape = "small" if value.islower() else "capitals" if value.isupper() else "capital"
    if shape == style and shape != "capital":
        yield f"{shape} as the note"
    elif shape == "capitals" and one and len(words[0]) <= 5:
        yield "short capitals"
    else:
        yield shape
    yield "one word" if one else "two words" if len(words) == 2 else "many words"
    if one and len(value) <= 2:
        yield "two letters"
    if shape == "small" != style and all(map(is_common, words)):
        yield "small and common"
    if any(character.isdigit() for character in value):
        yield "digits inside"


def _style(text: str) -> str:
    """Whether a note is written in capitals, in small letters, or in both."""
    upper, lower = count_cases(text)
    return "capitals" if upper > 2 * lower else "small" if lower > 60 * upper else "capital"


def _listed(value: str, words: Sequence[str]) -> Iterator[str]:
    """What the word lists say of the words."""
    folded = value.casefold()
    common = [is_common(word) for word in words]
    names = [is_given(word) or is_surname(word) for word in words]
    if all(common):
        yield "all common"
    elif any(common):
        yield "one common"
    if all(names):
        yield "all names"
    elif any(names):
        yield "one name"
    if not _frequent_names().isdisjoint(map(str.casefold, words)):
        yield "frequent name"
    plain = all(usual or is_capital_word(word) or is_never_name(word) for word, usual in zip(words, common, strict=True))
    if plain:
        yield "words and no name" if not any(names) else "words and a name"
    if folded in word_list("cities"):
        yield "city"
    if folded in word_list("professions"):
        yield "occupation"
    if is_capital_word(value) or opens_term(value):
        yield "clinical term"
    elif any(word.casefold() in _clinical_words() or is_capital_word(word) for word in words):
        yield "clinical word"
    if is_never_name(words[-1]) or is_never_name(words[0]):
        yield "never a name"
    if is_foreign_to_names(value):
        yield "country or people"


@cache
def _frequent_names() -> frozenset[str]:
    return given_names(_OFTEN) | surnames(_OFTEN)


@cache
def _clinical_words() -> frozenset[str]:
    """Every word of a clinical term, a drug or a head that is no common name."""
    rows = (row for name in ("clinical-terms", "drugs", "eponyms", "clinical-heads") for row in word_rows(name))
    words = {word for row in rows for word in _WORD.findall(row[0].casefold())}
    return frozenset(words) - given_names(_OFTEN)


def _beside(span: Span, text: str) -> Iterator[str]:
    """What stands before and after a named span."""
    before, after = left_of(text, span.start), text[span.end : span.end + 12]
    last = _LAST_WORD.search(before)
    word = last[1] if last else ""
    if word:
        yield from (f"after a {section}" for section in ("titles", "roles", "relations") if word in cue_words(section))
        if word in _BY:
            yield "after by"
        if word in _IN:
            yield "after in"
    if opens_term(text[span.start : span.end]) and re.match(r"'?s?:? ?(?:\d|[A-C1-4I]{1,3}\b)", text[span.end : span.end + 8]):
        yield "term and a grade"
    if is_capital_word(text[span.start : span.end]) and re.match(r"[ \t:=]{1,3}[<>]?\d", after):
        yield "test and a value"
    if _opens_clause(span, text, before):
        yield "opens a clause as a word"
    if _AFTER_DEGREE.search(before):
        yield "after a degree"
    if before.endswith("(") and text[span.end : span.end + 1] == ")":
        yield "in brackets"
    if starts_line(text, span.start):
        yield "starts a line"
    elif re.search(r"[.!?][\"”)]?\s{1,2}$", before):
        yield "starts a sentence"
    elif re.search(r"[:|=\t]\s{0,3}$", before):
        yield "after a mark"
    elif re.search(r"[\d%)]\s?$", before):
        yield "after a number"
    elif re.search(r"[/+&-]\s?$", before):
        yield "after a stroke"
    yield from _following(after, text, span.end)


def _opens_clause(span: Span, text: str, before: str) -> bool:
    """``Rose slowly``, ``May shower``: a common word at the head of a clause, before a small word that no person is the subject of."""
    word = text[span.start : span.end]
    if " " in word or not is_common(word) or not (starts_line(text, span.start) or re.search(r"[.!?:;][\"”)]?\s{1,2}$", before)):
        return False
    follows = re.match(r" ([a-z]+)", text[span.end : span.end + 20])
    return follows is not None and follows[1] not in cue_words("verbs")


def _following(after: str, text: str, end: int) -> Iterator[str]:
    if re.match(r"\s?[#:=]?\s?[\d<>+]", after):
        yield "before a number"
    elif re.match(r"\s?[:=]", after):
        yield "before a colon"
    elif re.match(r"['’]s\b", after):
        yield "possessive"
    elif _DEGREED.match(text, end):
        yield "before a degree"
    elif re.match(r"\s*(?:\n|$)", after):
        yield "ends a line"
    elif re.match(r"[/+&-]", after):
        yield "before a stroke"
    follows = _WORD.match(after.lstrip(" \t"))
    if follows and follows[0] in cue_words("verbs"):
        yield "before a verb"
    if follows and follows[0].casefold() in word_list("clinical-heads"):
        yield "before a clinical head"

"""Names by the lists alone: a given name and a surname side by side, neither a common word, with no cue near."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.rules.guard import is_clinical
from incognote.rules.names.shape import BLANK, CAPITALISED, WORD, is_place, read_name, words_of
from incognote.rules.names.vocabulary import (
    is_capital_word,
    is_city,
    is_city_word,
    is_common,
    is_foreign_to_names,
    is_frequent_given,
    is_given,
    is_name,
    is_sentence_word,
    is_surname,
)
from incognote.rules.reading import Reading

SOURCE = "rules.name.list"

_RUN = re.compile(
    rf"(?<![\w'’.-]){WORD}(?:,?{BLANK}(?:(?:van|von|der|den|de|del|di|da|dos|la|le|al|el|bin|ibn)[ \t])*{CAPITALISED}"
    rf"|{BLANK}[A-Z]\.?(?=[ \t])){{1,6}}"
)
# Small letters a capitalised name may start with: al-Sayed, d'Angelo.
_SMALL_STARTS = ("al", "el", "ben", "ibn", "d")
_START = re.compile(rf"(?<![\w'’-]){WORD}")
_SAINT = re.compile(r"(?:\b(?:St|Saint|Mt|Mount|San|Santa|Fort|Lake|Port|New|Camp|Point)\.?[ \t]+|\b[B-HJ-Z]\.?[ \t]+|['’-])$")
_ALONE = re.compile(
    r"\b(?P<cue>with|by|and|told|asked|for|w|w/|per|call|called|meet|seeing|from|to|in)[ \t](?P<name>(?:[A-Z]\.[ ]?)?(?:van |de |von |al-|el-)?(?P<word>[A-Z][a-zà-ÿ]{1,}))"
    r"(?=[ \t,.;)/(]|$)(?![ \t]+[A-Z]|,? et al)",
    re.MULTILINE,
)
_ALONE_STARTS = ("with", "by", "and", "told", "asked", "for", "w", "per", "call", "called", "meet", "seeing", "from", "to", "in")


def find_listed(reading: Reading) -> Iterator[Span]:
    """Full names the lists know, and frequent given names alone after a preposition."""
    for run in reading.matches_at(_RUN, sorted({*reading.capitals, *reading.starts(_SMALL_STARTS)})):
        yield from _find_in_run(reading.text, *run.span())
    for match in reading.matches(_ALONE, _ALONE_STARTS):
        if score := _score_alone(match):
            yield Span(*match.span("name"), "DOCTOR" if match["cue"] in ("by", "per", "w", "w/") else "PATIENT", score, SOURCE)


def _score_alone(match: re.Match[str]) -> float:
    """How sure one name after a small word is: a given name that people often bear; after "by" and "per" any name of the lists."""
    word = match["word"]
    if is_common(word) or is_capital_word(word) or is_foreign_to_names(word) or not is_name(word):
        return 0.0
    if is_clinical(match.string, *match.span("word")):
        return 0.0
    if match["cue"] in ("by", "per") or match["name"] != word:
        return 0.55
    if match["cue"] in ("from", "to", "in", "for", "called") and is_city_word(word):
        return 0.0
    return 0.5 if is_frequent_given(word) else 0.0


def _find_in_run(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for match in _START.finditer(text, start, end):
        if match.start() < at or len(match.group()) < 2:
            continue
        first = match.group().rstrip(".")
        if len(first) > 1 and not is_given(first) and not is_surname(first):
            continue
        found = read_name(text, match.start())
        if found is None or is_place(text, found[1]) or _SAINT.search(text, max(0, match.start() - 8), match.start()):
            continue
        written = text[slice(*found)]
        if is_sentence_word(first) or is_city(written):
            continue
        score = _score(written, words_of(text, found))
        if score:
            yield Span(*found, "PATIENT", score, SOURCE)
            at = found[1]


def _score(written: str, words: list[str]) -> float:
    """0.75 for a given name and a surname that are nothing else; less where a word has another use."""
    if len(words) < 2 or any(is_foreign_to_names(word) and not is_frequent_given(word) for word in words):
        return 0.0
    given, family = (words[-1], words[0]) if "," in written else (words[0], words[-1])
    if "," in written:
        given = words[1]
        if len(given) < 3 or (written.isupper() and len(family) < 4):
            return 0.0
    if not is_given(given) or not is_surname(family):
        return 0.0
    if is_name(given) and is_name(family):
        sure = is_frequent_given(given)
        return 0.75 if sure and not written.isupper() else 0.65 if sure else 0.5
    if is_common(given) and is_common(family):
        return 0.0
    if written.isupper():
        return 0.0
    return 0.6 if is_frequent_given(given) else 0.0

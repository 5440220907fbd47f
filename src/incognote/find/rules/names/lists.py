"""Names by the name lists alone, without a cue: a given name next to a surname, neither a common word."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.names.shape import BLANK, CAPITALISED, WORD, Range, is_address, is_place, read_name, words_of
from incognote.lexicon.clinical_terms import is_clinical, opens_term
from incognote.lexicon.degrees import DEGREE
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    frequent_given_names,
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

SOURCE = "rules.name.list"

_RUN = lazy(
    rf"(?<![\w'’.-]){WORD}(?:,?{BLANK}(?:(?:van|von|der|den|de|del|di|da|dos|la|le|al|el|bin|ibn)[ \t])*{CAPITALISED}"
    rf"|{BLANK}[A-Z]\.?(?=[ \t])){{1,6}}"
)
# Small letters a capitalised name may start with: al-Sayed, d'Angelo.
_SMALL_STARTS = ("al", "el", "ben", "ibn", "d")
_START = lazy(rf"(?<![\w'’-]){WORD}")
_SAINT = lazy(r"(?:\b(?:St|Saint|Mt|Mount|San|Santa|Fort|Lake|Port|New|Camp|Point|Co|County)\.?[ \t]+|\b[B-HJ-Z]\.?[ \t]+|['’-])$")
_ALONE = lazy(
    r"\b(?P<cue>with|by|and|told|asked|for|w|w/|per|call|called|meet|seeing|from|to|in)[ \t](?P<name>(?:[A-Z]\.[ "
    r"]?)?(?:van |de |von |al-|el-)?(?P<word>[A-Z][a-zà-ÿ]{1,}))"
    r"(?=[ \t,.;)/(]|$)(?![ \t]+[A-Z]|,? et al)",
    re.MULTILINE,
)
# A given name and the first letter of the family's: "Rico D."
_SHORTENED = lazy(r"(?<![\w'’.-])(?<![A-Z]\. )(?<![a-z] St )(?P<name>(?P<given>[A-Z][a-zà-ÿ]{2,}) [A-Z]\.)(?=[\s,;:)]|$)(?! [A-Z][a-z])")
_ARTICLES = frozenset("a an the french second another first two three".split())
# What may stand after a name that stands alone, and before it.
_FREE = lazy(
    r"(?:['’]s)?(?:[.,;:!?)\"”]|[ \t]*\n|[ ]?$|[ ][(—–-]|[ ](?:is|was|has|had|will|would|can|to|in|at|on|and|or|who|with|"
    r"w|for|from|as|by|did|does|says|said|"
    r"came|went|called|states|stated|reports|reported|denies|told|asked|feels|lives|works|also|then|when|today|mum|mom|dad|here)\b)"
)
_OPEN = lazy(r"(?:^|[\s(\"“/&])$")
# Who does a thing is told after what was done ("read by Jones"); "definite by Jones", "ankles by Weber" are graded so.
_DONE_BY = lazy(
    r"(?:\w(?:ed|en|un|wn|ne|t|de|'d|d/c)|sx|bx|tx|f/u|placed|note|report|reviewed|r/v|eval|consult|cath|scope|repair|call)[ ]$",
    re.IGNORECASE,
)
_LISTED_NEXT = lazy(rf",[ \n](?!{DEGREE})(?P<word>[A-Z][a-z]+)(?:-[A-Z][a-z]+)?(?=[,;. ])")
_LISTED_BEFORE = lazy(r"(?P<word>[A-Z][a-z]+)(?:[ ][×x\d]{1,3})?,[ \n]$")
_ROMAN = lazy(r"[IVX]+")
_ALONE_STARTS = ("with", "by", "and", "told", "asked", "for", "w", "per", "call", "called", "meet", "seeing", "from", "to", "in")


def find_listed(reading: Reading) -> Iterator[Span]:
    """Full names from the lists, and frequent given names alone after a preposition."""
    for run in reading.matches_at(_RUN, sorted({*reading.capitals, *reading.starts(_SMALL_STARTS)})):
        yield from _find_in_run(reading.text, *run.span())
    yield from _find_bare(reading)
    for match in reading.matches_at(_SHORTENED, reading.pairs):
        if is_frequent_given(match["given"]) and not _is_other(match["given"]):
            yield Span(*match.span("name"), "PATIENT", 0.5, SOURCE)
    for match in reading.matches(_ALONE, _ALONE_STARTS):
        if score := _score_alone(match):
            yield Span(*match.span("name"), "DOCTOR" if match["cue"] in ("by", "per", "w", "w/") else "PATIENT", score, SOURCE)


def _is_other(word: str) -> bool:
    return is_common(word) or is_capital_word(word) or is_foreign_to_names(word) or is_city_word(word) or opens_term(word)


def _find_bare(reading: Reading) -> Iterator[Span]:
    """Given names that people often bear and that are nothing else, where no thing follows that is named for a person (Blake drains)."""
    tokens, text = reading.tokens, reading.text
    for at in [at for at in tokens.find(frequent_given_names()) if tokens.is_capital(at)]:
        word, start, end = tokens.word(at), tokens.starts[at], tokens.ends[at]
        if (
            not word[1:].islower()
            or len(word) < 4
            or is_common(word)
            or is_capital_word(word)
            or is_foreign_to_names(word)
            or is_city_word(word)
        ):
            continue
        if opens_term(word) or _SAINT.search(text, max(0, start - 8), start):
            continue
        article = at > 0 and tokens.keys[at - 1] in _ARTICLES and tokens.gap(at - 1) == " "
        if article or not _FREE.match(text, end) or not _OPEN.search(text, max(0, start - 2), start) or is_clinical(text, start, end):
            continue
        yield Span(start, end, "PATIENT", 0.45, SOURCE)


def _score_alone(match: re.Match[str]) -> float:
    """How sure one name after a small word is: a given name that people often bear; after "by" and "per" any name of the lists."""
    word = match["word"]
    if is_common(word) or is_capital_word(word) or is_foreign_to_names(word) or not is_name(word):
        return 0.0
    if is_clinical(match.string, *match.span("word")):
        return 0.0
    if match["cue"] == "by" and opens_term(word) and not _DONE_BY.search(match.string, max(0, match.start() - 24), match.start()):
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
        if is_sentence_word(first) or is_city(written) or _ROMAN.fullmatch(first) or _is_capital_term(text, match.start(), first):
            continue
        if "," in written and (_is_enumerated(text, found) or is_address(text, found)):
            continue
        score = _score(written, words_of(text, found))
        if score:
            yield Span(*found, "PATIENT", score, SOURCE)
            at = found[1]


def _is_enumerated(text: str, found: Range) -> bool:
    """``Ober, Thomas, Ely +``: a pair inside a list of three or more, one of them an eponym, is no family and given name."""
    after, before = _LISTED_NEXT.match(text, found[1]), _LISTED_BEFORE.search(text, max(0, found[0] - 30), found[0])
    if after is None and before is None:
        return False
    near = [one["word"] for one in (after, before) if one]
    return any(opens_term(word) for word in (*words_of(text, found), *near))


def _is_capital_term(text: str, start: int, word: str) -> bool:
    """``10.1 METS, Bruce stage 4``: an abbreviation in a text that is not in capitals."""
    return word.isupper() and is_capital_word(word) and not text[max(0, start - 60) : start + 60].isupper()


def _score(written: str, words: list[str]) -> float:
    """0.75 for a given name and a surname that are nothing else; less where a word has another use."""
    if len(words) < 2 or any(is_foreign_to_names(word) and not is_frequent_given(word) for word in words):
        return 0.0
    given, family = (words[-1], words[0]) if "," in written else (words[0], words[-1])
    if "," in written:
        given = words[1]
        # "Cork, Ireland" is a town more often than a person.
        if len(given) < 3 or (written.isupper() and len(family) < 4) or (is_city_word(family) and is_foreign_to_names(given)):
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

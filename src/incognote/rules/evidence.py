"""Evidence for and against a span that only a model found: what its words are, how they are written, and what stands beside them.

Each piece is a name and a number (mostly 1); the second reader weighs them. Named spans (people, places, bodies) and numbered ones (dates,
ages, identifiers) have evidence of their own.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache

from incognote.document import Span
from incognote.lexicon import frequent_words, word_list, word_rows
from incognote.rules.context import left_of, right_of, starts_line
from incognote.rules.guard import opens_term
from incognote.rules.names.cues import cue_words
from incognote.rules.names.vocabulary import is_capital_word, is_common, is_foreign_to_names, is_given, is_never_name, is_surname
from incognote.rules.units import is_quantity
from incognote.rules.word_lists import read_word_lists

NUMBERED = frozenset(
    "DATE AGE ROOM PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM ZIP IPADDR URL EMAIL".split()
)
_PLACES = frozenset({"CITY", "STATE", "COUNTRY", "STREET", "LOCATION-OTHER"})
_BODIES = frozenset({"HOSPITAL", "ORGANIZATION", "DEPARTMENT"})
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.?['’]?s?[ \t:(\"“]{0,3}$")
_FRACTION = re.compile(r"(\d{1,3})\s?/\s?(\d{1,3})")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):?[0-5]\d(?::[0-5]\d)?(?:\s?(?:h|hrs|[ap]m?))?", re.IGNORECASE)
_CALENDAR = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|"
    r"mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|fall|autumn|winter|day|eve)(?![^\W\d_])",
    re.IGNORECASE,
)
_AGED = re.compile(r"\b(?:aged?|turn(?:s|ed|ing)?|at|was|is|y/?o|yrs?|years?)\W{0,3}$")
_AGE_NEXT = re.compile(r"\s?-?(?:y/?o\b|yrs?\b|years?\b|[mf]\b|/[mf]\b|months?\b|mos?\b|wks?\b|d/o)")
_TOLD = re.compile(
    r"(?:\b(?:id|nos?|number|num|ref|mrn|acct|account|serial|s/?n|lot|code|case|claim|policy|lic|license|badge|reg)\b|#)\W{0,3}$"
)
_IN_ROOM = re.compile(r"\b(?:rm|room|bed|bay|chair|cubicle|cot|pod|suite|cell|side ?room|resus|isolette|in|to|from)\W{0,2}$")
_OF = re.compile(r"\b(?:on|since|until|til|from|by|before|after|for|in|due|of|and|or|to|last|next|dated?|seen|w/e)\W{0,2}$")
_DATES = read_word_lists("dates")
_SCORED = re.compile(rf"\b(?:{_DATES['score_before']})\b[^.;]{{0,22}}$")
_SCORE_NEXT = re.compile(rf"[\s-]*(?:in |on |with |of |and |by )?(?:{_DATES['score_next']})|\s?of\b")
_DATED = re.compile(rf"\b(?:{_DATES['evidence']})[.:,;)(@~–-]{{0,2}}\s{{0,3}}(?:the\s)?[(~]?$")
_DEGREED = re.compile(r",? ?(?:M\.?D|R\.?N|N\.?P|D\.?O|Ph\.?D|PA(?:-C)?|LPN|CNA|PT|OT|SW|MSW|LCSW|FNP|RPh|PharmD|DPT|RD|Esq)\b")
_OCCUPIED = re.compile(r"\b(?:retired|former(?:ly)?|ex|(?:works?|worked|working|employed|job) as|occupation|occ|is|was|an?|as)\W{0,3}$")
_BY = frozenset("by with w per and or to from cc via for re is".split())
_IN = frozenset("in at from to near of through via outside".split())
_OFTEN = 3000


def weigh_score(score: float) -> float:
    """How sure the model is, on a scale where doubt and certainty are straight lines; past 0.99 it says no more.

    >>> round(weigh_score(0.5), 1), round(weigh_score(0.9), 1), weigh_score(0.999) == weigh_score(1.0)
    (0.0, 2.2, True)
    """
    kept = min(max(score, 0.05), 0.99)
    return math.log(kept / (1 - kept))


def gather_evidence(span: Span, text: str, known: Sequence[Span]) -> dict[str, float]:
    """What speaks for and against the span, by name. ``known`` are the rules' spans of the text."""
    find = _numbered if span.label in NUMBERED else _named
    evidence = dict.fromkeys(find(span, text, known), 1.0)
    return {"always": 1.0, "sure": weigh_score(span.score), **evidence}


def _named(span: Span, text: str, known: Sequence[Span]) -> Iterator[str]:
    value = text[span.start : span.end]
    words = [word for word in _WORD.findall(value) if len(word) > 1] or [value]
    yield _kind(span.label)
    if span.label == "PROFESSION" and _OCCUPIED.search(left_of(text, span.start)):
        yield "occupation told"
    yield from _written(value, words, text)
    yield from _listed(value, words)
    yield from _beside(span, text)
    if any(word in _WORD.findall(text[other.start : other.end]) for other in known if other.label not in NUMBERED for word in words):
        yield "found elsewhere"


def _kind(label: str) -> str:
    if label in _PLACES:
        return "place"
    return "body" if label in _BODIES else label.lower()


def _written(value: str, words: Sequence[str], text: str) -> Iterator[str]:
    """How the words are written, beside how the note is."""
    one = len(words) == 1
    shape = "small" if value.islower() else "capitals" if value.isupper() else "capital"
    style = _style(text)
    if shape == style and shape != "capital":
        yield f"{shape} as the note"
    elif shape == "capitals" and one and len(words[0]) <= 5:
        yield "short capitals"
    else:
        yield shape
    yield "one word" if one else "two words" if len(words) == 2 else "many words"
    if one and len(value) <= 2:
        yield "two letters"
    if shape == "capital" and one and f" {value.lower()}" in text:
        yield "small elsewhere"
    if any(character.isdigit() for character in value):
        yield "digits inside"


def _style(text: str) -> str:
    """Whether a note is written in capitals, in small letters, or in both."""
    letters = text[:4000]
    upper, lower = sum(map(str.isupper, letters)), sum(map(str.islower, letters))
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
    if any(word.casefold() in frequent_words(name, _OFTEN) for word in words for name in ("given-names", "surnames")):
        yield "frequent name"
    if folded in word_list("cities-us") or folded in word_list("cities-world"):
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
def _clinical_words() -> frozenset[str]:
    """Every word of a clinical term, a drug or a head that is no common name."""
    rows = (row for name in ("clinical-terms", "drugs", "eponyms", "clinical-heads") for row in word_rows(name))
    words = {word for row in rows for word in _WORD.findall(row[0].casefold())}
    return frozenset(words) - frequent_words("given-names", _OFTEN)


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


def _numbered(span: Span, text: str, known: Sequence[Span]) -> Iterator[str]:
    value = text[span.start : span.end]
    kind = span.label.lower() if span.label in ("DATE", "AGE", "ROOM", "PHONE") else "identifier"
    yield kind
    yield f"{kind}: {_shape(value)}"
    before, after = left_of(text, span.start), right_of(text, span.end)
    if _SCORED.search(before):
        yield f"{kind} after a score"
    if _SCORE_NEXT.match(after):
        yield f"{kind} before a score"
    if is_quantity(text, span.end):
        yield f"{kind} before a unit"
    for told, pattern in (("date", _DATED), ("date", _OF), ("age", _AGED), ("room", _IN_ROOM)):
        if kind == told and pattern.search(before):
            yield f"{kind} told" if pattern is not _OF else "date after of"
    if kind == "age" and _AGE_NEXT.match(after):
        yield "age before years"
    if kind == "identifier" and _TOLD.search(before):
        yield "identifier told"
    if starts_line(text, span.start):
        yield f"{kind} starts a line"
    elif re.search(r"[:|=\t]\s{0,3}$", before):
        yield f"{kind} after a mark"


def _shape(value: str) -> str:
    """How a number is written.

    >>> [_shape(value) for value in ("7/10", "7/22", "27/30", "2200", "12", "late May", "1.04", "A-1182-B")]
    ['score', 'day', 'share', 'clock', 'short', 'calendar', 'decimal', 'code']
    """
    fraction = _FRACTION.fullmatch(value)
    if fraction:
        first, second = int(fraction[1]), int(fraction[2])
        if first <= second <= 10 and not value.startswith("0"):
            return "score"
        return "day" if (1 <= first <= 12 and 1 <= second <= 31) or (1 <= second <= 12 and 1 <= first <= 31) else "share"
    if _CALENDAR.search(value):
        return "calendar"
    if re.fullmatch(r"(?:19|20)\d\d", value):
        return "year"
    if len(value) > 3 and _CLOCK.fullmatch(value):
        return "clock"
    if re.fullmatch(r"\d{1,3}", value):
        return "short"
    if re.fullmatch(r"\d+\.\d+", value):
        return "decimal"
    if value.replace(" ", "").isalpha():
        return "words"
    return "code" if sum(map(str.isdigit, value)) > 3 else "mixed"

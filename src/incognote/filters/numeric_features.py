"""Features of dates, ages, rooms and identifiers that only a model found: their form and their context."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.lexicon.calendar import MONTH, SHORT_WEEKDAY, WEEKDAY
from incognote.lexicon.context import left_of, right_of, starts_line
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

_FRACTION = lazy(r"(\d{1,3})\s?/\s?(\d{1,3})")
_CLOCK = lazy(r"(?:[01]?\d|2[0-3]):?[0-5]\d(?::[0-5]\d)?(?:\s?(?:h|hrs|[ap]m?))?", re.IGNORECASE)
_CALENDAR = lazy(
    rf"\b(?:{MONTH}|{SHORT_WEEKDAY}|{WEEKDAY}s?|spring|summer|fall|autumn|winter|day|eve)(?![^\W\d_])",
    re.IGNORECASE,
)
_AGED = lazy(r"\b(?:aged?|turn(?:s|ed|ing)?|at|was|is|y/?o|yrs?|years?)\W{0,3}$")
_AGE_NEXT = lazy(r"\s?-?(?:y/?o\b|yrs?\b|years?\b|[mf]\b|/[mf]\b|months?\b|mos?\b|wks?\b|d/o)")
_WHILE = lazy(r"\b(?:last|past|next|over|for|every|within|another|previous|additional|further)(?: the)? $")
_WHILE_NEXT = lazy(r"[ -]?(?:years?|yrs?|months?|mos?|weeks?|wks?|days?) (?:older|younger|ago|prior|later|earlier|before|after|apart)\b")
_PERIOD = lazy(r"[ -]?(?:years?|yrs?|months?|mos?|weeks?|wks?|days?)\b(?![ -](?:old|of age))")
_TOLD = lazy(r"(?:\b(?:id|nos?|number|num|ref|mrn|acct|account|serial|s/?n|lot|code|case|claim|policy|lic|license|badge|reg)\b|#)\W{0,3}$")
_IN_ROOM = lazy(r"\b(?:rm|room|bed|bay|chair|cubicle|cot|pod|suite|cell|side ?room|resus|isolette|in|to|from)\W{0,2}$")
_OF = lazy(r"\b(?:on|since|until|til|from|by|before|after|for|in|due|of|and|or|to|last|next|dated?|seen|w/e)\W{0,2}$")
_DATES = read_word_lists("dates")
_SCORED = lazy(rf"\b(?:{_DATES['score_before']})\b[^.;]{{0,22}}$")
_SCORE_NEXT = lazy(rf"[\s-]*(?:in |on |with |of |and |by )?(?:{_DATES['score_next']})|\s?of\b")
_DATED = lazy(rf"\b(?:{_DATES['evidence']})[.:,;)(@~–-]{{0,2}}\s{{0,3}}(?:the\s)?[(~]?$")


def is_fraction(value: str) -> bool:
    """Whether the value is two numbers and a slash."""
    return _FRACTION.fullmatch(value) is not None


def find_numbered(span: Span, text: str, *, days: bool) -> Iterator[str]:
    """The features of a span of a date, an age or an identifier; ``days``: the note has dates written as fractions elsewhere."""
    value = text[span.start : span.end]
    kind = span.label.lower() if span.label in ("DATE", "AGE", "ROOM", "PHONE") else "identifier"
    yield kind
    shape = _shape(value)
    yield f"{kind}: {shape}"
    before, after = left_of(text, span.start), right_of(text, span.end)
    if kind == "date" and shape in ("score", "day"):
        yield from _fraction(value, shape, before, after)
        if days:
            yield "days written so"
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
    if kind == "age" and (_WHILE_NEXT.match(after) or (_WHILE.search(before) and _PERIOD.match(after))):
        yield "age of a while"
    if kind == "identifier" and _TOLD.search(before):
        yield "identifier told"
    if starts_line(text, span.start):
        yield f"{kind} starts a line"
    elif re.search(r"[:|=\t]\s{0,3}$", before):
        yield f"{kind} after a mark"


def _fraction(value: str, shape: str, before: str, after: str) -> Iterator[str]:
    """Features that separate 5/7 as a date from 5/7 as a proportion: the words next to it."""
    if _DATED.search(before) or _OF.search(before):
        yield f"date: {shape} told"
    if value.endswith(("/7", "/52", "/12", "/24")):
        yield "date of sevenths"
    if re.match(r"\s?(?:[a-z]{3,}|\()", after) and not re.match(r"\s?(?:at|by|in|and|to|with|for|am|pm|labs?)\b", after):
        yield "date before a word"
    if re.search(r"[A-Za-z]{3,}:? $", before):
        yield "date after a word"


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

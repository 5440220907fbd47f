"""Text that looks like a date but is not: times of day, scores, shifts, ranges, years of guidelines, words such as sun, sat and fall."""

import re
from itertools import takewhile

from incognote.lexicon.calendar import FOREIGN_MONTHS, MONTH_STARTS
from incognote.lexicon.context import left_of, line_around, right_of
from incognote.lexicon.fractions import (
    FRACTION,
    TOLD,
    is_cause,
    is_flat,
    is_measured,
    is_no_day,
    is_pain,
    is_score,
    is_span_of_time,
    is_whole,
    may_be_day,
)
from incognote.lexicon.hours import is_hour
from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

_WORDS = read_word_lists("lookalikes")
_SMALL_RANGE = lazy(r"\d{1,2}\s?[-–]\s?\d{1,2}")
_RANGE_BEFORE = lazy(rf"(?:\b(?:{_WORDS['counted']})[ :#]{{0,2}}|#)$")
_SHIFT = lazy(r"(?<![\d/-])(?:7-3|3-11|11-7|7-7|0?7-19|19-0?7|0?7-15|15-23|23-0?7|8-4|4-12|12-8)(?![\d/-])")
# "REPORT TO 3-11.", "SHIFT SUMMARY (07-19)", "6/5/2061  7-3" at the end of a line.
_SHIFT_TOLD = lazy(r"\b(?:report to|shift(?: \w+)?|nsg|nursing|npn|tour)[ :(]{1,3}$")
_DAY_BEFORE, _LINE_ENDS = lazy(r"\d[/.-]\d{1,2}[/.-]\d{2,4}[ \t]{1,4}$"), lazy(r"[ \t\r]*(?:\n|$)")
_OPEN = lazy(r"\b(?:visiting(?: is| hours)?|hours|open|opens|office|desk)[ :]{1,2}$")
_RANGE_NEXT = lazy(r"-\d{1,2}(?![\d/-])")
_FIRST = lazy(r"\d{1,2}\Z")
_NEAR_DATE = lazy(rf"\d[/-]\d|\b(?:{MONTH_STARTS})|(?:st|nd|rd|th)\b|\bthe \d|\d \d")
_CALENDAR = lazy(rf"\b(?:{MONTH_STARTS}|{FOREIGN_MONTHS}|{_WORDS['calendar']})|day\b", re.IGNORECASE)
# "lacks qualifying sat", "second fall this month": oxygen saturation, an accident.
_SAT_BEFORE = lazy(r"\b(?:qualifying|o2|oxygen|low|lowest|resting|ambulatory|initial|spo2) $")
_FALL_BEFORE = lazy(r"\b(?:second|third|another|unwitnessed|witnessed|mechanical|a|weekend) $")
_FALL_NEXT = lazy(r" (?:risk|from|off|down|in intake|this (?:month|week)|precautions?|prevention|out of)\b")
# What a laboratory counts in thousands: "lipase 1970", "ANC recovered to 2013".
_COUNTED = lazy(
    r"\b(?:lipase|amylase|anc|ldh|cpk|ck|bnp|probnp|ferritin|trop\w*|hours)(?: (?:of|to|was|is|at|now|up to|recovered to))?[ :]{1,2}$"
)
_SUN_BEFORE = lazy(r"\b(?:art?ctic|the|direct|full|afternoon|much|avoid|from) $")
# The year of a guideline: "ASCO/CAP 2018 & 2020 guidelines", "(ILAE 2022)".
_YEAR = lazy(r"(?:19|20)\d\d")
_ISSUED = lazy(
    r"(?: ?(?:&|and|,|/|-) ?(?:19|20)\d\d)?[ )]{1,2}(?:(?!(?:by|per|with|and|on|in|met|under|using|via|to|for|when)\b)[a-z]+ )?"
    r"(?:guidelines?|guidance|criteria|classification|consensus|recommendations|statement|definitions?|reference|strategy)\b"
)
_ISSUER = lazy(rf"(?<![a-z])(?:{_WORDS['issuers']})(?:[/&-][a-z]{{2,6}}){{0,2}}[ ,]{{1,2}}(?:(?:19|20)\d\d ?(?:&|and|,|/|-) ?)?$")
# "Hgb/Hct 11/34 10/31", and the row below such a heading.
_ANALYTE = rf"(?:\w+ )?(?:{_WORDS['analytes']})"
_PAIR = rf"(?<![\w/]){_ANALYTE} ?/ ?(?:{_WORDS['analytes']})(?![\w/])"
_HEADING = lazy(_PAIR)
_PAIRED = lazy(rf"{_PAIR}(?:[ \t:=|,;-]|was|is|of|and|(?<!\d)\d{{1,3}}/\d{{1,3}}(?![\d/]))*\Z")
_TABLE = 300  # characters between a heading and the last row looked at
_VALUES = lazy(r"[ \t|,;]*(?:\d{1,3}(?:\.\d+)?/\d{1,3}(?:\.\d+)?(?![\d/])[ \t|,;HL*()]*)+")
# "Fasted 6/2", "8-2 film".
_FASTED = lazy(r"\b(?:fasted|fasting|starved)[ :]{1,2}$")
_DOSED = lazy(r" ?(?:films?|strips?|tabs?|tablets?|sl)\b")


def is_no_date(text: str, start: int, end: int) -> bool:
    """Whether the context of the value, or its form, shows that it is not a date.

    >>> is_no_date("photos 1-8", 7, 10), is_no_date("seen 1/6", 5, 8)
    (True, False)
    """
    value = text[start:end]
    if not any(map(str.isdigit, value)):
        return not _CALENDAR.search(value) or _is_sun(text, start, value) or _is_other_word(text, start, end)
    if is_hour(text, start, end):
        return True
    if _YEAR.fullmatch(value):
        return _is_edition(text, start, end) or _COUNTED.search(left_of(text, start)) is not None
    if value[0] == "-" and (first := _FIRST.search(text, max(0, start - 2), start)):
        start, value = first.start(), text[first.start() : end]
    if value.isdigit() and len(value) < 3 and (more := _RANGE_NEXT.match(text, end)):
        end, value = more.end(), text[start : more.end()]
    if _SMALL_RANGE.fullmatch(value):
        before = left_of(text, start)
        told = _RANGE_BEFORE.search(before) or _OPEN.search(before) or _DOSED.match(right_of(text, end))
        return bool(told) or _is_shift(text, start, end)
    if FRACTION.fullmatch(value):
        return _is_share(text, start, end)
    return value.isdigit() and len(value) < 3 and not _NEAR_DATE.search(f"{left_of(text, start, reach=16)}|{right_of(text, end, reach=16)}")


def _is_edition(text: str, start: int, end: int) -> bool:
    """A year that tells which issue of a guideline, by the body before it or the word after it."""
    return bool(_ISSUED.match(right_of(text, end, reach=50)) or _ISSUER.search(left_of(text, start)))


def _is_share(text: str, start: int, end: int) -> bool:
    """A fraction that is a score, a share, a span of time or a cause."""
    first, second = FRACTION.fullmatch(text, start, end).groups()  # type: ignore[union-attr]  # the caller has matched it
    if any(tells(text, start, end) for tells in (is_no_day, is_cause, is_flat, is_measured, is_pain, is_score, is_whole, is_span_of_time)):
        return True
    before = left_of(text, start)
    if _FASTED.search(before) or is_result(text, start):
        return True
    return first == second in ("3", "4", "5") and bool(before.strip()) and not TOLD.search(before)


def is_result(text: str, start: int) -> bool:
    """Whether a fraction is one of the values after a pair of analytes (``Hgb/Hct 11/34 10/31``), or in a row of them below such a pair.

    >>> is_result("H/H 11/34 10/31", 10), is_result("Hgb 11 on 10/31", 10)
    (True, False)
    """
    if _PAIRED.search(left_of(text, start, reach=80)):
        return True
    line, line_end = line_around(text, start)
    rows = [text[line:line_end], *reversed(text[max(0, line - _TABLE) : line].splitlines())]
    values = list(takewhile(_VALUES.fullmatch, rows))
    heading = rows[len(values)].casefold() if 0 < len(values) < len(rows) else ""
    pairs, first = len(_HEADING.findall(heading)), FRACTION.findall(values[-1]) if values else []
    # Under one pair the first column may be dates, unless its first value is no day (11/34); under several, each has its column.
    return bool(pairs and first) and (pairs == len(first) > 1 or not may_be_day("/".join(first[0])))


def _is_sun(text: str, start: int, value: str) -> bool:
    """``Arctic Sun``, ``avoid the sun``: no day of the week."""
    return value.lower() == "sun" and _SUN_BEFORE.search(left_of(text, start)) is not None


def _is_other_word(text: str, start: int, end: int) -> bool:
    """``qualifying sat``, ``second fall this month``: no day of the week and no season."""
    value, before = text[start:end].lower(), left_of(text, start)
    if value == "sat":
        return _SAT_BEFORE.search(before) is not None
    return value == "fall" and (_FALL_BEFORE.search(before) or _FALL_NEXT.match(right_of(text, end))) is not None


def _is_shift(text: str, start: int, end: int) -> bool:
    """``7-3, 3-11, 11-7``: one shift among others, or after a word such as "shift", or after a date."""
    if not _SHIFT.fullmatch(text, start, end):
        return False
    before = left_of(text, start)
    dated = _DAY_BEFORE.search(before) and _LINE_ENDS.match(text, end)
    return bool(_SHIFT_TOLD.search(before) or dated) or len(_SHIFT.findall(text[max(0, start - 14) : end + 14])) > 1

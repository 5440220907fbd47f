"""What is written like a date and is none: times of day, scores, shifts, ranges, the years of guidelines, and the sun."""

import re

from incognote.rules.clocks import is_hour
from incognote.rules.context import left_of, right_of
from incognote.rules.fractions import (
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
)
from incognote.rules.lazy import lazy
from incognote.rules.word_lists import read_word_lists

_WORDS = read_word_lists("lookalikes")
_SMALL_RANGE = lazy(r"\d{1,2}\s?[-–]\s?\d{1,2}")
_RANGE_BEFORE = lazy(rf"(?:\b(?:{_WORDS['counted']})[ :#]{{0,2}}|#)$")
_SHIFT = lazy(r"(?<![\d/-])(?:7-3|3-11|11-7|7-7|7-19|19-7|8-4|4-12|12-8)(?![\d/-])")
_OPEN = lazy(r"\b(?:visiting(?: is| hours)?|hours|open|opens|office|desk)[ :]{1,2}$")
_RANGE_NEXT = lazy(r"-\d{1,2}(?![\d/-])")
_NEAR_DATE = lazy(r"\d[/-]\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:st|nd|rd|th)\b|\bthe \d|\d \d")
_CALENDAR = lazy(rf"\b(?:{_WORDS['calendar']})|day\b", re.IGNORECASE)
_SUN_BEFORE = lazy(r"\b(?:art?ctic|the|direct|full|afternoon|much|avoid|from) $")
# The year of a guideline: "ASCO/CAP 2018 & 2020 guidelines", "(ILAE 2022)".
_YEAR = lazy(r"(?:19|20)\d\d")
_ISSUED = lazy(
    r"(?: ?(?:&|and|,|/|-) ?(?:19|20)\d\d)?[ )]{1,2}(?:(?!(?:by|per|with|and|on|in|met|under|using|via|to|for|when)\b)[a-z]+ )?"
    r"(?:guidelines?|guidance|criteria|classification|consensus|recommendations|statement|definitions?|reference|strategy)\b"
)
_ISSUER = lazy(rf"(?<![a-z])(?:{_WORDS['issuers']})(?:[/&-][a-z]{{2,6}}){{0,2}}[ ,]{{1,2}}(?:(?:19|20)\d\d ?(?:&|and|,|/|-) ?)?$")
# "Fasted 6/2", "8-2 film".
_FASTED = lazy(r"\b(?:fasted|fasting|starved)[ :]{1,2}$")
_DOSED = lazy(r" ?(?:films?|strips?|tabs?|tablets?|sl)\b")


def is_no_date(text: str, start: int, end: int) -> bool:
    """Whether what stands beside the value, or how it is written, says that it is no date.

    >>> is_no_date("photos 1-8", 7, 10), is_no_date("seen 1/6", 5, 8)
    (True, False)
    """
    value = text[start:end]
    if not any(map(str.isdigit, value)):
        return not _CALENDAR.search(value) or _is_sun(text, start, value)
    if is_hour(text, start, end):
        return True
    if _YEAR.fullmatch(value):
        return _is_edition(text, start, end)
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
    if _FASTED.search(before):
        return True
    return first == second in ("3", "4", "5") and bool(before.strip()) and not TOLD.search(before)


def _is_sun(text: str, start: int, value: str) -> bool:
    """``Arctic Sun``, ``avoid the sun``: no day of the week."""
    return value.lower() == "sun" and _SUN_BEFORE.search(left_of(text, start)) is not None


def _is_shift(text: str, start: int, end: int) -> bool:
    """``7-3, 3-11, 11-7``: one shift among others."""
    return bool(_SHIFT.fullmatch(text, start, end)) and len(_SHIFT.findall(text[max(0, start - 14) : end + 14])) > 1

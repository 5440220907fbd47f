"""What is written like a date and is none: times of day, ratios, scores, shifts, ranges, and words that are also seasons or days."""

import re

from incognote.rules.clocks import is_hour
from incognote.rules.context import left_of, right_of
from incognote.rules.fractions import (
    DAY_TOLD,
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
_RATIO = lazy(r"\d{1,3}:\d{1,4}")
_HALF_DAY_CLOCK = lazy(r"\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\.?", re.IGNORECASE)
_POINTED_CLOCK = lazy(r"(?:[01]\d|2[0-3])\.(?:00|15|30|45)")
# "14.11.24 10.10": after a whole date comes the hour.
_POINTED = lazy(r"(?:[01]?\d|2[0-3])[.:][0-5]\d")
_AFTER_DATE = lazy(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? $")
# The minutes of an hour, and half a range.
_MINUTES_BEFORE = lazy(r"\d:$")
_HALF = lazy(r"\d{1,2}-")
_DECIMALS = lazy(r"\d{1,3}(?:\.\d{1,2})?/\d{1,3}\.\d{1,2}|\d{1,3}\.\d{1,2}/\d{1,3}")
# Weeks and days of a pregnancy: "31 4/7".
_GESTATION = lazy(r"[234]\d ?\+? ?[0-6]/7")
_TRIPLE = lazy(r"\d-\d-\d")
_LETTERED = lazy(r"[A-Za-z]+(?=-?\d)")
# "bup 16", "Arr 1912": a word that no date holds, and its number.
_WORDED = lazy(r"(?P<word>[A-Za-z]{3,}) (?P<number>\d{1,2}|\d{4})")
_WHOLE = lazy(r"[a-z] \d $")
_SMALL_RANGE = lazy(r"\d{1,2}\s?[-–]\s?\d{1,2}")
_RANGE_BEFORE = lazy(rf"(?:\b(?:{_WORDS['counted']})[ :#]{{0,2}}|#)$")
SHIFT = lazy(r"(?<![\d/-])(?:7-3|3-11|11-7|7-7|7-19|19-7|8-4|4-12|12-8)(?![\d/-])")
_ON_DUTY = lazy(r"\b(?:\w{3,6}day|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|shift|nights?|days|lab)[ :]{1,2}$")
_OPEN = lazy(r"\b(?:visiting(?: is| hours)?|hours|open|opens|office|desk)[ :]{1,2}$")
_RANGE_NEXT = lazy(r"-\d{1,2}(?![\d/-])")
_NEAR_DATE = lazy(r"\d[/-]\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:st|nd|rd|th)\b|\bthe \d|\d \d")
_CALENDAR = lazy(rf"\b(?:{_WORDS['calendar']})|day\b", re.IGNORECASE)
_LEADING = lazy(r"the|early|mid|late|around|about|week|beginning|end|of|and|on", re.IGNORECASE)
_VERB_BEFORE = lazy(r"\b(?:will|to|would|usually|often|they|we|and then|then|he|she|pt|patient|who|(?:can|could) not) $")
_SUN_BEFORE = lazy(r"\b(?:art?ctic|the|direct|full|afternoon|much|avoid|from) $")
# "Mother states fall": what befell somebody.
_FELL = lazy(
    r"\b(?:states|stated|reports|reported|denies|s/p|(?:un)?witnessed|mechanical|ground[- ]level|sustained|suffered|possible|due to|"
    r"another|recurrent|accidental) $"
)
_FALL = lazy(r"(?:1st|2nd|3rd|\dth|first|second|third|fourth|last|recent) falls?", re.IGNORECASE)
_ORDINAL = r"(?:1st|2nd|3rd|\dth|first|second|third|fourth|fifth)"
_ORDINAL_BEFORE, _FALL_NEXT = lazy(rf"\b(?:a|an|her|his|their|the|my) {_ORDINAL} $"), lazy(r" falls?\b")
_SAT_UP = lazy(r" (?:at|by) \d{1,2} m")
_WHOSE = lazy(r"\b(?:a|an|her|his|their|the|my|after|since|pt['’]?s) $")
_SCORED = lazy(
    r"\b(?:goals met|iop|iop ta|murmur|strength|power|reflexes|dtrs?|pulses?|gallop|pain|nrs|vas|cranial|apgars?|gcs|rass)\b[^.;]{0,16}$"
)


# A dilated cervix (2/98/1), a setting (10/5/.30), a saturation (Sat 71): no month has so many days.
_THREE = lazy(r"\d{1,2}/(?:3[2-9]|[4-9]\d|100)/[+-]?\d|\d{1,2}/\d{1,2}/\.\d{1,2}")
_SATURATION = lazy(r"(?:Sat|sat|SAT) (?:3[2-9]|[4-9]\d)")
_MEASURED = lazy(rf"(?:\b(?:{_WORDS['graded']}|flag of)[ .:#=-]{{1,2}}|[,|\t])$")
_DECIMAL = lazy(r"\d{1,3}\.\d")
# The year of a guideline: "ASCO/CAP 2018 & 2020 guidelines", "(ILAE 2022)".
_YEAR = lazy(r"(?:19|20)\d\d")
_ISSUED = lazy(
    r"(?: ?(?:&|and|,|/|-) ?(?:19|20)\d\d)?[ )]{1,2}(?:(?!(?:by|per|with|and|on|in|met|under|using|via|to|for|when)\b)[a-z]+ )?"
    r"(?:guidelines?|guidance|criteria|classification|consensus|recommendations|statement|definitions?|reference|strategy)\b"
)
_ISSUER = lazy(rf"(?<![a-z])(?:{_WORDS['issuers']})(?:[/&-][a-z]{{2,6}}){{0,2}}[ ,]{{1,2}}(?:(?:19|20)\d\d ?(?:&|and|,|/|-) ?)?$")
# "out 5-9a", "first week of", "Fasted 6/2", "8-2 film".
_HOURS = lazy(r"\d{1,2}[-–]\d{1,2} ?[ap]m?", re.IGNORECASE)
_PART_OF = lazy(r"(?:the )?(?:1st|2nd|3rd|4th|first|second|third|fourth|last) (?:week|half|part|days?) of(?: the)?", re.IGNORECASE)
_FASTED = lazy(r"\b(?:fasted|fasting|starved)[ :]{1,2}$")
_DOSED = lazy(r" ?(?:films?|strips?|tabs?|tablets?|sl)\b")
_GRADED_NEXT = lazy(r" (?:allred)\b")
_FORMS = (_RATIO, _HALF_DAY_CLOCK, _HOURS, _TRIPLE, _GESTATION, _POINTED_CLOCK, _DECIMALS, _HALF, _THREE, _SATURATION)


def is_calendar(word: str) -> bool:
    """Whether a date may hold the word.

    >>> is_calendar("Sept"), is_calendar("gave")
    (True, False)
    """
    return _CALENDAR.match(word) is not None or _LEADING.fullmatch(word) is not None


def is_no_date(text: str, start: int, end: int) -> bool:
    """Whether what stands beside the value, or how it is written, says that it is no date.

    >>> is_no_date("titer 1:64", 6, 10), is_no_date("seen 1/6", 5, 8)
    (True, False)
    """
    value = text[start:end]
    if _PART_OF.fullmatch(value):
        return True
    if not any(map(str.isdigit, value)):
        return not _CALENDAR.search(value) or _is_word(text, start, value)
    if any(form.fullmatch(value) for form in _FORMS) or is_hour(text, start, end) or _is_pointed_hour(text, start, end):
        return True
    if _YEAR.fullmatch(value):
        return _is_edition(text, start, end)
    if not _CALENDAR.search(value) and (_LETTERED.match(value) or _WORDED.fullmatch(value)):
        return _is_worded(text, start, end)
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


def _is_pointed_hour(text: str, start: int, end: int) -> bool:
    before = left_of(text, start)
    if text[start:end].isdigit() and _MINUTES_BEFORE.search(before):
        return True
    if _DECIMAL.fullmatch(text, start, end) and _MEASURED.search(before):
        return True
    return _POINTED.fullmatch(text, start, end) is not None and _AFTER_DATE.search(before) is not None


def _is_worded(text: str, start: int, end: int) -> bool:
    """A word that is no part of a date, and a number: a dose, a code, or an hour."""
    if word := _LETTERED.match(text, start, end):
        return word.end() - word.start() > 2
    word = _WORDED.fullmatch(text, start, end)
    if word is None or _LEADING.fullmatch(word["word"]):
        return False
    return len(word["number"]) < 3 or is_hour(text, *word.span("number"))


def _is_share(text: str, start: int, end: int) -> bool:
    """A fraction that is a score, a share, a span of time or a cause."""
    first, second = FRACTION.fullmatch(text, start, end).groups()  # type: ignore[union-attr]  # the caller has matched it
    if any(tells(text, start, end) for tells in (is_no_day, is_cause, is_flat, is_measured, is_pain, is_score, is_whole, is_span_of_time)):
        return True
    before = left_of(text, start)
    if _FASTED.search(before) or _GRADED_NEXT.match(right_of(text, end)):
        return True
    if _WHOLE.search(before) or (first == second in ("3", "4", "5") and before.strip() and not TOLD.search(before)):
        return True
    return int(first) <= int(second) <= 10 and bool(_SCORED.search(before)) and not DAY_TOLD.search(before)


def _is_word(text: str, start: int, value: str) -> bool:
    """``will winter in``, ``then sat``, ``Arctic Sun``, ``his third fall``: the word is what somebody does, or a thing."""
    before = left_of(text, start)
    if value == "Sat" and _SAT_UP.match(right_of(text, start + 3)):
        return True
    if value.lower() == "sun":
        return bool(_SUN_BEFORE.search(before))
    if _FALL.fullmatch(value) or (re.fullmatch(_ORDINAL, value) and _FALL_NEXT.match(right_of(text, start + len(value)))):
        return bool(_WHOSE.search(before))
    if value == "fall" and (_ORDINAL_BEFORE.search(before) or _FELL.search(before)):
        return True
    return value in ("winter", "summer", "fall", "spring", "sat", "may", "march") and bool(_VERB_BEFORE.search(before))


def _is_shift(text: str, start: int, end: int) -> bool:
    """``7-3, 3-11, 11-7``: one shift among others, or after a word for the day or the duty."""
    if not SHIFT.fullmatch(text, start, end):
        return False
    return len(SHIFT.findall(text[max(0, start - 14) : end + 14])) > 1 or bool(_ON_DUTY.search(left_of(text, start)))

"""Dates in digits: ISO, m/d/y in every separator, m/y, and the bare ``7/22``, which needs context to tell it from a score or a dose."""

import re
from collections.abc import Iterator, Sequence

from incognote.document import Span
from incognote.find.rules.engine.reading import FOUR, INNER, LONG, SHORT, Reading
from incognote.lexicon.context import left_of, right_of, starts_line
from incognote.lexicon.fractions import (
    MAXIMA,
    TOLD,
    is_among_shares,
    is_cause,
    is_flat,
    is_measured,
    is_months,
    is_no_day,
    is_pain,
    is_span_of_time,
    is_whole,
)
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

_YEAR = r"(?:18|19|20|21)\d\d"
_ISO = lazy(
    rf"(?<![A-Za-z0-9-]){_YEAR}([-/.])(0?[1-9]|1[0-2])\1(0?[1-9]|[12]\d|3[01])"
    r"(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![A-Za-z0-9]|-\d|/)"
)
_END = r"(?![A-Za-z0-9/%]|\.\d)"
_DAY_RANGE = lazy(r"(?<![\d/.])(\d{1,2})/(\d{1,2}) ?(?:→|[-=]{1,2}>) ?(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)")
# "Seen3/3/24": a blank is easily lost after a word.
_SLASHED = lazy(rf"(?:(?<![A-Za-z0-9/+#$])|(?<=[a-z]{{3}}))(?<!\d\.)(\d{{1,2}}) ?/ ?(\d{{1,2}}) ?/ ?({_YEAR}|\d{{2}}){_END}")
_SLASHED_RANGE = lazy(rf"(?<![A-Za-z0-9/+#$])(?<!\d\.)(\d{{1,2}})/(\d{{1,2}})[-–]\d{{1,2}}/({_YEAR}|\d{{2}}){_END}")
_DASHED = lazy(rf"(?<![A-Za-z0-9/+#$])(?<![A-Za-z0-9][.-])(\d{{1,2}})-(\d{{1,2}})-({_YEAR}|\d{{2}}){_END}(?!-\d)")
_DOTTED = lazy(rf"(?<![A-Za-z0-9/+#$])(?<![A-Za-z0-9][.-])(\d{{1,2}})\.(\d{{1,2}})\.({_YEAR}|\d{{2}}){_END}(?!-\d)")
_MONTH_YEAR = lazy(rf"(?<![A-Za-z0-9/.+#$-])(0?[1-9]|1[0-2])[/-]({_YEAR})(?![A-Za-z0-9/%-]|\.\d)")
# What any of these starts with: one cheap look saves eight.
_PARTED = lazy(r"\d{1,2} ?[/.-]")
_BARE = lazy(r"(?<![A-Za-z0-9/+#$])(?<!\d\.)(\d{1,2})/(\d{1,2})(?:[-–](\d{1,2})(?![\d/]))?(?![A-Za-z0-9/%]|\.\d)")
_BARE_HYPHEN = lazy(r"(?<![A-Za-z0-9/.+#$-])(0?[1-9]|1[0-2])-(1[3-9]|2\d|3[01])(?![A-Za-z0-9/%-]|\.\d)")
_COMPACT = lazy(
    r"(?<![A-Za-z0-9.-])(?:(?:19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|\d{6}|"
    r"\d{1,2} \d{1,2} (?:\d{4}|\d{2})|\d{8})(?![A-Za-z0-9-]|\.\d)"
)
# Between the bars of a message, as HL7 writes: a day, with or without a time.
_BARRED = lazy(r"(?<=\|)(?:18|19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d)?)?(?=[|^])")

_BIRTH = lazy(r"\b(?:dob|d\.o\.b\.?|date of birth|birth ?date|b/d|born(?: on)?)\W{0,4}$")
_DATED = lazy(
    r"\b(?:dates?(?: of \w{3,12})?|dated|dos|doa|dod|study date|exam date|collected|performed|"
    r"on|since|until|from|seen|given|due|review|reviewed)\W{0,4}$"
)
_VERSION = lazy(r"\b(?:version|ver|v|release|rev|firmware|software|build|section|sec|chapter|fig|figure|table|item|§)\W{0,3}$")
_NUMBERED = lazy(r"\b(?:mrn|mr|unit|no|number|id|acct|account|chart|case|lot|serial|phone|tel|fax|ssn)\b[^a-z0-9]{0,4}$|#\W?$")

_WORDS = read_word_lists("dates")
_WEAK_POSITIVE = lazy(r"\b(?:of|from|by|before|after|around|in|approx\.?|circa|to|between|and|s/p|pod|for|early|late|mid)\b[-:( ]{0,2}$")
_POSITIVE_NEXT = lazy(
    r"\s*(?:@ ?\d|at \d|\d{1,2}:\d\d|\d{1,2}\s?[ap]\.?m\b|\d{4}\s?h)|\s?:|"
    r"\s+(?:labs?|cxr|ct|mri|visit|appt|note|echo|ekg|admission|scan|culture|surgery)\b"
)
_RANGE_NEXT = lazy(r"\s?(?:-|–|to|through|thru|until)\s?\d{1,2}/\d{1,2}/\d{2}")
_SCORE_BEFORE = lazy(rf"\b(?:{_WORDS['score_before']})(?:[- ]?\d{{1,2}})?\b[^.;]{{0,22}}$")
_SCORE_NEXT = lazy(
    rf"[\s-]*(?:in |on |with |of |and |by )?(?:{_WORDS['score_next']})|\s?of (?:the|her|his|a|an|them|these|those|all|my|our)\b"
)
_DURATION = lazy(r"\b(?:x|for|in|over|after|past|every|within|next|last)\s?$")
_TELLING = (is_no_day, is_pain, is_cause, is_flat, is_whole, is_months, is_measured, is_span_of_time)
# "3/4-3/9, 2024": the comma says that it is no hour.
_YEAR_AFTER = lazy(r", (?:19|20|21)\d\d(?![\w%/-]|[.,:]\d| ?(?:hrs?|hours|m[lg]|kcal|units)\b)")
_JOINED = lazy(r"\s?(?:,|,? ?and|&|to|through|thru|-|–|or|;|\+|→|->)\s?$")
_STRONG = 0.9
_LASTING = lazy(r" (?:of|hx|history|ago|duration|post)\b")
_CELL = lazy(r"[\t|]\s?$")
# "EPDS: 14/30": what stands in capitals before a share of a usual maximum is a questionnaire.
_QUESTIONNAIRE = lazy(r"(?<![\w-])(?:[A-Z][A-Za-z]?[A-Z]{2,}|[A-Z]{2,}-?\d{1,2})(?: score)?:?[ =]{0,2}$")
_COUNTED = lazy(r"\b(?:day|cycle|dose|visit|session|assist|fraction|week)[ #]{1,2}$")
_HYPHEN_TOLD = lazy(
    r"\b(?:on|dated|since|admitted|seen|pre-?op|post-?op|surgery|sx|f/u|appt|due|return|recheck|s/?r|dos|lmp|last dose|last visit|until"
    r"|thru|through|rtc|started|stopped|restart(?:ed)?|placed|removed|exp|expires|repeat|next|given|done|dc|d/c|adm|edd|edc|visit"
    r"|signed|before|after)[ :]{1,2}$"
)
# After these even two small numbers are a day.
_DAY_TOLD = lazy(r"\b(?:pre-?op|post-?op|surgery|sx|dos|lmp|edd|edc|dob|admitted|adm|s/?r|suture removal)[ :]{1,2}$")
_HYPHEN = lazy(r"(?<![A-Za-z0-9/.+#$-])(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?![A-Za-z0-9/%-]|\.\d)")
_DAYS_NEXT = lazy(r" ?d\b")
_EQUALS = lazy(r"\bday \d{1,2} ?= ?$")


def find_full_dates(reading: Reading) -> Iterator[Span]:
    """Spans of dates in digits that say themselves what they are: with a month and a year; ``7/2-7/5`` gives two, ``7/2-5`` one."""
    places = reading.once(_find_parted)
    for match in reading.matches(_ISO, (FOUR,)):
        yield _span(match, 0.99, "iso")
    yield from _find_full(reading, places)
    for match in reading.matches_at(_MONTH_YEAR, places):
        if not is_quantity(reading.text, match.end()):
            yield _span(match, 0.9 if "/" in match[0] else 0.75, "month-year")
    for match in reading.matches(_COMPACT, (SHORT, LONG)):
        if _BIRTH.search(left_of(reading.text, match.start())):
            yield _span(match, 0.9, "birth")


def find_short_dates(reading: Reading) -> Iterator[Span]:
    """Spans of ``7/22``, ``7-22`` and digits without separators: dates where what stands beside them says so."""
    places = reading.once(_find_parted)
    yield from _find_bare(reading, places)
    for match in reading.matches_at(_BARE_HYPHEN, places):
        if _HYPHEN_TOLD.search(left_of(reading.text, match.start())) and not is_quantity(reading.text, match.end()):
            yield _span(match, 0.55, "hyphen")
    for match in reading.matches_at(_HYPHEN, places):
        if _DAY_TOLD.search(left_of(reading.text, match.start())) and not (
            is_quantity(reading.text, match.end()) or _DAYS_NEXT.match(reading.text, match.end())
        ):
            yield _span(match, 0.55, "hyphen")
    yield from _find_compact(reading)


def _find_parted(reading: Reading) -> list[int]:
    """Where a number of one or two digits stands before a separator."""
    return [place for place in reading.starts((SHORT, INNER)) if _PARTED.match(reading.text, place)]


def _span(match: re.Match[str], score: float, name: str) -> Span:
    return Span(match.start(), match.end(), "DATE", score, f"rules.dates.{name}")


def _find_full(reading: Reading, places: Sequence[int]) -> Iterator[Span]:
    for pattern, separator in ((_SLASHED, "/"), (_SLASHED_RANGE, "/"), (_DASHED, "-"), (_DOTTED, ".")):
        for match in reading.matches_at(pattern, places):
            if _is_calendar(int(match[1]), int(match[2])) and _is_written_as_date(match, separator):
                yield _span(match, 0.98 if len(match[3]) == 4 else 0.95, "day-month-year")


def find_day_ranges(reading: Reading) -> Iterator[Span]:
    """Both days of ``1/5→1/6``: the month goes on and the day rises, which two scores of one scale never do.

    >>> text = "nights 1/5→1/6, 1/31 → 2/2; strength 3/5→4/5"
    >>> [text[span.start : span.end] for span in find_day_ranges(Reading(text))]
    ['1/5', '1/6', '1/31', '2/2']
    """
    for match in reading.matches(_DAY_RANGE, (SHORT,)):
        month, day, later_month, later_day = map(int, match.groups())
        rises = (month == later_month and day < later_day) or (later_month % 12 == (month + 1) % 12 and later_day < day)
        if rises and all(map(_is_calendar, (month, later_month), (day, later_day))):
            yield Span(match.start(1), match.end(2), "DATE", 0.9, "rules.dates.range")
            yield Span(match.start(3), match.end(4), "DATE", 0.9, "rules.dates.range")


def _is_calendar(first: int, second: int) -> bool:
    """Whether the two numbers are a month and a day in one order or the other."""
    return (1 <= first <= 12 and 1 <= second <= 31) or (1 <= second <= 12 and 1 <= first <= 31)


def _is_written_as_date(match: re.Match[str], separator: str) -> bool:
    """Whether a month, a day and a year with this separator are a date, not a version, a chart number or three scores."""
    first, second, year = match.groups()
    before = left_of(match.string, match.start())
    if separator == ".":
        clear = len(year) == 4 or int(year) > 31 or (len(first) == 2 and len(second) == 2)
        return not _VERSION.search(before) and (clear or bool(_DATED.search(before) or _BIRTH.search(before)))
    if len(year) == 4:
        return True
    if separator == "-" and _NUMBERED.search(before):
        return False
    return not re.search(r"\b(?:apgars?|strength|scores?|sizes?)\b[^.;]{0,15}$", before) and not is_quantity(match.string, match.end())


def _find_bare(reading: Reading, places: Sequence[int]) -> Iterator[Span]:
    """``7/22`` and ``7/61``: candidates are weighed in order, since a date in a list supports the next."""
    text, taken_end, taken_score = reading.text, -1, 0.0
    for match in reading.matches_at(_BARE, places):
        score = _weigh_bare(match, text)
        joined = 0 <= match.start() - taken_end <= 6 and _JOINED.fullmatch(text, taken_end, match.start())
        if joined and not is_quantity(text, match.end()) and 1 <= int(match[1]) <= 12 and 1 <= int(match[2]) <= 31:
            score = max(score, taken_score if not _is_ambiguous(match) or taken_score >= _STRONG else 0.0)
        if score:
            end = match.end() if match[3] and int(match[2]) < int(match[3]) <= 31 else match.end(2)
            end = year.end() if end == match.end() and (year := _YEAR_AFTER.match(text, end)) else end
            yield Span(match.start(), end, "DATE", score, "rules.dates.slash")
            taken_end, taken_score = end, score


def _is_ambiguous(match: re.Match[str]) -> bool:
    """Whether the numbers are those of common scores and fractions: 5/5, 7/10, 2/6, 1/2, 3/4; a score has no leading zero (04/04)."""
    return int(match[1]) <= int(match[2]) <= 10 and "0" not in (match[1][0], match[2][0])


def _weigh_bare(match: re.Match[str], text: str) -> float:
    """The score of a bare ``a/b`` as a date; 0 when it is not one."""
    first, second = int(match[1]), int(match[2])
    before, after = left_of(text, match.start()), right_of(text, match.end())
    told = bool(TOLD.search(before) or _EQUALS.search(before))
    if any(tells(text, match.start(), match.end(2)) for tells in _TELLING):
        return 0.0
    # "C4 done 12/29" after a stage is a date: the word beside it outweighs the score further off.
    scored = _SCORE_BEFORE.search(before) and (_is_ambiguous(match) or not told)
    if scored or _SCORE_NEXT.match(after) or is_quantity(text, match.end()):
        return 0.0
    if not told and first <= second and (_COUNTED.search(before) or _is_questionnaire(match)):
        return 0.0
    if match[2] == "40":  # weeks of a pregnancy
        return 0.0
    if match[2] in ("7", "12", "52") and (_DURATION.search(before) or _is_duration(match, text, told=told)):
        return 0.0
    listed = starts_line(text, match.start()) and re.match(r"\s?[-–:)]", after)
    positive = bool(told or _POSITIVE_NEXT.match(after) or _RANGE_NEXT.match(after) or listed)
    if not 1 <= first <= 12:
        day_first = 13 <= first <= 31 and 1 <= second <= 12 and (first, second) not in ((24, 7), (20, 10))
        celled = _CELL.search(before) and re.match(r"\s*(?:\t|\||$)", after)
        return _STRONG if day_first and (positive or celled) else 0.0
    if not positive and not _WEAK_POSITIVE.search(before) and is_among_shares(text, match.start(), match.end(2)):
        return 0.0
    if second > 31 or second == 0:
        supported = positive or _WEAK_POSITIVE.search(before)
        return 0.85 if supported else 0.55 if second >= 50 else 0.0
    if positive:
        return _STRONG
    return 0.0 if _is_ambiguous(match) else 0.8 if _WEAK_POSITIVE.search(before) else 0.6


def _is_questionnaire(match: re.Match[str]) -> bool:
    """Whether an abbreviation stands right before a share of a usual maximum, in a text that is not all in capitals."""
    if int(match[2]) not in MAXIMA or match[0].startswith("0"):
        return False
    lead = match.string[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
    return bool(_QUESTIONNAIRE.search(lead)) and not match.string[max(0, match.start() - 200) : match.end() + 200].isupper()


def _is_duration(match: re.Match[str], text: str, *, told: bool) -> bool:
    """``6/52`` is six weeks where British doctors write, ``3/12`` three months and ``5/7`` five days; a word such as ``since`` says no."""
    if match[2] == "52":
        return not re.search(r"\b(?:since|in|born|dob|dated|of)\s$", left_of(text, match.start()))
    if _LASTING.match(right_of(text, match.end())):
        return True
    return not told and "/52" in text and int(match[1]) <= 12


def _find_compact(reading: Reading) -> Iterator[Span]:
    """Digits without separators are dates only after a word that says so, or between bars."""
    if "|" in reading.text:
        yield from (_span(match, 0.9, "barred") for match in reading.matches(_BARRED, (LONG,)))
    for match in reading.matches(_COMPACT, (SHORT, LONG)):
        before = left_of(reading.text, match.start())
        if len(match[0]) == 8 and match[0][:2] in ("19", "20", "21") and _DATED.search(before) and not _BIRTH.search(before):
            yield _span(match, 0.85, "compact")

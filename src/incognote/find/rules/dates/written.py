"""Dates as clinicians write them: in digits (numeric_dates), years alone (years), and in words, which are here.

What a DATE span covers, after the i2b2-2014 guidelines: the date itself with its weekday when they stand side by side (``Mon 11/16``)
and the part of a month before it (``mid-July``); never a time of day, an article, the part of a year (``early 2061`` gives ``2061``) or
words that count or point (``second week of July``, ``end of July`` and ``week of July 4`` give the month or the day).
Each end of a range is a span of its own where each can stand alone (``7/2-7/5/61``, ``2059-2061``), else the range is one span
(``July 2-5``). An ISO time stamp is one span.
``MWF`` (dialysis days) is left.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.find.rules.dates.checks import (
    SPELLED_YEAR,
    YEAR,
    is_autumn,
    is_capital_or_cued,
    is_dictated_or_cued,
    is_holiday,
    is_season,
    is_year_two_digits,
    reads_as_month,
    stands_alone,
)
from incognote.find.rules.dates.numeric import find_numeric_dates
from incognote.find.rules.dates.weekdays import PATTERNS as WEEKDAYS
from incognote.find.rules.dates.weekdays import join_weekdays
from incognote.find.rules.dates.years import find_years
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import FOUR, INNER, LETTERED, SHORT, Reading, read
from incognote.lexicon.calendar import FOREIGN_MONTHS, MONTH, MONTHS, ORDINALS, SHORT_MONTHS, start_of_month
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

_D = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_ORDINAL = "|".join(reversed(ORDINALS)).replace("-", "[- ]")
_TO = r"\s?(?:-|–|to|through|thru|and|&|or|/)\s?(?:the\s)?"
_WORDS = read_word_lists("dates")


def _row(
    name: str, regex: str, score: float, check: Check | None = None, *, starts: tuple[str, ...], look: re.Pattern[str] | None = None
) -> Pattern:
    return Pattern(f"dates.{name}", "DATE", lazy(regex, re.IGNORECASE), score, check, starts=starts, look=look)


_MONTHS = tuple(dict.fromkeys((*MONTHS, *SHORT_MONTHS)))
_SEASONS = ("spring", "summer", "autumn", "fall", "winter")
_HOLIDAYS = (SHORT, INNER, *_WORDS["holiday_starts"].split("|"))
_ORDINALS = tuple(dict.fromkeys(ordinal.partition("-")[0] for ordinal in (*ORDINALS, "thirty")))
_PATTERNS = PatternTable(
    _row(
        "month-day",
        rf"(?<!\d-)\b(?P<month>{MONTH})(?:\.?\s{{1,2}}|[.-])(?:the\s)?{_D}(?![\d]|/\d{{1,2}}/\d)(?:(?:,\s{_D}(?!\d)){{0,4}}{_TO}{_D}(?![\d/]))?(?:(?:\s?[,/-]\s?|\s)(?:of\s)?{YEAR}(?!\d))?",
        0.92,
        reads_as_month,
        starts=_MONTHS,
    ),
    # The end of "Nov 30-Dec 2"; in 30-Dec-2061 the day stands before its month.
    _row(
        "month-day-last",
        rf"\b{MONTH}\.?\s{_D}\s?[-–]\s?(?P<phi>(?P<month>{MONTH})\.?\s{_D}(?!\d|/\d)(?:(?:\s?,\s?|\s)(?:of\s)?{YEAR}(?!\d))?)",
        0.95,
        reads_as_month,
        starts=_MONTHS,
    ),
    _row(
        "day-month",
        rf"(?<![A-Za-z0-9/.,#-]){_D}(?:{_TO}{_D})?[\s./-]{{0,2}}(?:day\s)?(?:of\s)?(?P<month>{MONTH})\b(?:\.?[\s,./-]{{0,2}}(?:of\s)?{YEAR}(?!\d))?",
        0.92,
        reads_as_month,
        starts=(SHORT,),
    ),
    _row(
        "day-month-glued",
        rf"(?<![A-Za-z0-9]){_D}[ -]?(?P<month>{MONTH})[ -]?(?:(?:19|20|21)?\d\d)(?![A-Za-z0-9:]|\.\d)",
        0.93,
        is_year_two_digits,
        starts=(SHORT, INNER),
    ),
    _row(
        "month-day-short-year", rf"\b(?P<month>{MONTH})\.?\s{_D}(?:,\s?|/)\d\d(?![\dA-Za-z:.-])", 0.85, is_year_two_digits, starts=_MONTHS
    ),
    _row(
        "month-year",
        rf"\b(?P<month>{MONTH})\.?(?:\s?[,/-]\s?|\s)?(?:of\s)?(?:{YEAR}|(?<=[-/ ])[4-9]\d)(?![\dA-Za-z%]|[.:]\d)",
        0.9,
        reads_as_month,
        starts=_MONTHS,
    ),
    _row("month", rf"\b(?P<month>{MONTH})\b", 0.75, stands_alone, starts=_MONTHS),
    _row(
        "spelled-day",
        rf"\b(?=[efnst])(?:{_ORDINAL})(?:\sday)?\s(?:of\s)?(?P<month>{MONTH})\b(?:,?\s(?:{YEAR}|(?:in\s)?{SPELLED_YEAR}))?",
        0.85,
        is_capital_or_cued,
        starts=_ORDINALS,
    ),
    _row(
        "month-spelled-day",
        rf"\b(?P<month>{MONTH})\s(?:the\s)?(?:{_ORDINAL})\b(?:,?\s(?:{YEAR}|{SPELLED_YEAR}))?",
        0.8,
        is_dictated_or_cued,
        starts=_MONTHS,
    ),
    _row(
        "year-month-day", rf"(?<![A-Za-z0-9/.,-])(?:18|19|20|21)\d\d[ /-](?P<month>{MONTH})[ /-]{_D}(?![A-Za-z0-9])", 0.95, starts=(FOUR,)
    ),
    _row(
        "day-of-this-month",
        r"\b(?:(?:on|by|until|till?|since|from|actually|or|before|after) (?:or about )?the|on|until|till?|since) "
        r"(?P<phi>(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th))(?=\s*(?:[,.;)]|$)|\s(?:at|and|for|when|to|she|he|w/|with)\b)",
        0.7,
        starts=("on", "by", "until", "till", "til", "since", "from", "actually", "or", "before", "after"),
    ),
    _row(
        "day-of-told-month",
        rf"\b(?:(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)|{_ORDINAL})(?= of (?:this|last|next|the same) month\b)",
        0.7,
        starts=(SHORT, *_ORDINALS),
    ),
    _row("season", rf"\b(?:spring|summer|autumn|fall|winter)(?: of(?: the year)?|,)?\s{YEAR}(?![\d%])", 0.85, is_season, starts=_SEASONS),
    _row(
        "season-told",
        r"\b(?:last|next|this|by|until)(?: past| coming)? (?P<phi>spring|summer|autumn|winter)\b",
        0.7,
        starts=("last", "next", "this", "by", "until"),
    ),
    _row(
        "season-fall",
        r"\b(?:last|by|in|until|flu|this|next|this past|this coming) (?P<phi>fall)(?=\s*(?:[,.;)]|$))",
        0.65,
        is_autumn,
        starts=("last", "by", "in", "until", "flu", "this", "next"),
    ),
    _row("season-in", r"\bin the (?P<phi>spring|summer|autumn|winter)\b(?! of \d)", 0.6, starts=("in",)),
    _row(
        "spelled-year",
        rf"\b(?:in|since|from|until|of|year|no,|it[’']s) (?P<phi>{SPELLED_YEAR})",
        0.75,
        lambda match: not is_quantity(match.string, match.end()),
        starts=("in", "since", "from", "until", "of", "year", "no", "it"),
    ),
    _row(
        "quarter",
        rf"\bQ[1-4](?: of|,)? ?{YEAR}(?!\d)|\b(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter(?: of|,)? {YEAR}(?!\d)",
        0.9,
        starts=(SHORT, INNER, LETTERED, "first", "second", "third", "fourth"),
    ),
    _row(
        "quarter-bare",
        r"\b(?:in|by|for|during|end of|late|early|until|since) (?P<phi>Q[1-4])\b(?! ?(?:h|hr|hours|days?|wk|weeks?|months?)\b)",
        0.75,
        starts=("in", "by", "for", "during", "end", "late", "early", "until", "since"),
    ),
    _row(
        "holiday",
        rf"\b(?:{_WORDS['holidays']})\b(?: weekend\b)?(?:,?\s{YEAR}(?!\d))?",
        0.85,
        is_holiday,
        starts=_HOLIDAYS,
        look=lazy(r"4t|[^\W\d_]", re.IGNORECASE),  # the only number that one starts with is 4th
    ),
    _row(
        "foreign",
        rf"(?<![\w/.-])(?:0?[1-9]|[12]\d|3[01])(?:er|\.)?\s(?:de\s)?(?:{FOREIGN_MONTHS})\b(?:,?\s(?:del?\s)?(?:19|20|21)\d\d(?!\d))?",
        0.9,
        starts=(SHORT,),
    ),
)


def find_dates(text: str | Reading) -> Iterator[Span]:
    """Spans of DATE in the text; they may overlap.

    >>> sorted((s.start, s.end) for s in find_dates("Mon 11/16: BP 128/84, MI '58"))
    [(0, 3), (0, 9), (4, 9), (25, 28)]
    """
    reading = read(text)
    spans = [*find_numeric_dates(reading), *find_years(reading), *find_patterns(_PATTERNS, reading), *find_patterns(WEEKDAYS, reading)]
    yield from (_with_part(span, reading.text) for span in spans)
    yield from join_weekdays(spans, reading.text)


def _with_part(span: Span, text: str) -> Span:
    start = start_of_month(text, span.start) if span.source.startswith("rules.dates.month") else span.start
    return span if start == span.start else replace(span, start=start)

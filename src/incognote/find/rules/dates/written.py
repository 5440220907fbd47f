"""Dates in words: months with their days and years, seasons, quarters and holidays."""

import re

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
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable
from incognote.find.rules.engine.reading import FOUR, INNER, LETTERED, SHORT
from incognote.lexicon.calendar import FOREIGN_MONTHS, MONTH, MONTHS, ORDINALS, SHORT_MONTHS
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
# With a month, or a year in words: these are dates wherever they stand.
MONTH_PATTERNS = PatternTable(
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
        "spelled-year",
        rf"\b(?:in|since|from|until|of|year|no,|it[’']s) (?P<phi>{SPELLED_YEAR})",
        0.75,
        lambda match: not is_quantity(match.string, match.end()),
        starts=("in", "since", "from", "until", "of", "year", "no", "it"),
    ),
    _row(
        "day-of-named-month",
        rf"\b(?:(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)|{_ORDINAL})(?= of (?:this|last|next|the same) month\b)",
        0.7,
        starts=(SHORT, *_ORDINALS),
    ),
)
# What may be another thing, or says no more than the time of the year.
SEASON_PATTERNS = PatternTable(
    _row(
        "day-of-this-month",
        r"\b(?:(?:on|by|until|till?|since|from|actually|or|before|after) (?:or about )?the|on|until|till?|since) "
        r"(?P<phi>(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th))(?=\s*(?:[,.;)]|$)|\s(?:at|and|for|when|to|she|he|w/|with)\b)",
        0.7,
        starts=("on", "by", "until", "till", "til", "since", "from", "actually", "or", "before", "after"),
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

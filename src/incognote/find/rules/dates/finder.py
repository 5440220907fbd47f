"""The family of date rules: sure ones, whose form is a date's, and doubtful ones, which may be a score, an hour or a fraction.

What a DATE span covers, after the i2b2-2014 guidelines: the date itself with its weekday when they stand side by side (``Mon 11/16``)
and the part of a month before it (``mid-July``); never a time of day, an article, the part of a year (``early 2061`` gives ``2061``) or
words that count or point (``second week of July``, ``end of July`` and ``week of July 4`` give the month or the day).
Each end of a range is a span of its own where each can stand alone (``7/2-7/5/61``, ``2059-2061``), else the range is one span
(``July 2-5``). An ISO time stamp is one span. ``MWF`` (dialysis days) is left.
"""

from collections.abc import Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.find.rules.dates.numeric import find_day_ranges, find_full_dates, find_short_dates
from incognote.find.rules.dates.weekdays import WEEKDAY_PATTERNS, join_weekdays
from incognote.find.rules.dates.written import MONTH_PATTERNS, SEASON_PATTERNS
from incognote.find.rules.dates.years import find_fiscal_years, find_years
from incognote.find.rules.engine.pattern import find_patterns
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.calendar import start_of_month


def find_dates(reading: Reading) -> Iterator[Span]:
    """Spans of DATE in the text; they may overlap.

    >>> sorted((s.start, s.end) for s in find_dates(Reading("Mon 11/16: BP 128/84, MI '58")))
    [(0, 3), (0, 9), (4, 9), (25, 28)]
    """
    yield from find_sure_dates(reading)
    yield from find_doubtful_dates(reading)


def find_sure_dates(reading: Reading) -> list[Span]:
    """Dates with their month in words, and in full in digits.

    >>> text = "Seen 7/22 and mid-July"
    >>> [text[span.start : span.end] for span in find_sure_dates(Reading(text))]
    ['mid-July']
    """
    return reading.once(_find_sure)


def find_doubtful_dates(reading: Reading) -> Iterator[Span]:
    """Dates in part: ``7/22``, years, weekdays, seasons and holidays; and weekdays joined with any date beside them."""
    dates = [*find_short_dates(reading), *find_years(reading), *find_patterns(SEASON_PATTERNS, reading)]
    weekdays = list(find_patterns(WEEKDAY_PATTERNS, reading))
    yield from dates
    yield from weekdays
    yield from join_weekdays(weekdays, [*find_sure_dates(reading), *dates], reading.text)


def _find_sure(reading: Reading) -> list[Span]:
    named = (replace(span, start=start_of_month(reading.text, span.start)) for span in find_patterns(MONTH_PATTERNS, reading))
    return [*find_full_dates(reading), *find_day_ranges(reading), *find_fiscal_years(reading), *named]

"""How a patient's notes write dates: which of day and month comes first, and whether 3 is written 03."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from incognote.lexicon.calendar import MONTHS, SHORT_WEEKDAY, WEEKDAY
from incognote.replace.calendar_words import weekday_number

# 22APR2061 is written by those who put the month first, too.
_MONTH = f"(?:{'|'.join(month for month in MONTHS if month != 'may')})"
_DAY_BEFORE = re.compile(
    rf"(?<!\d)(?:\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}|\d\d)(?!\d)|(?!4(?:th)?\s+july\b(?!,?\s+\d))\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}\b)",
    re.IGNORECASE,
)
_DAY_AFTER = re.compile(rf"\b{_MONTH}\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\b", re.IGNORECASE)
_IDIOMS = ("24/7", "9/11", "7/11", "20/20")
_WITH_WEEKDAY = re.compile(
    rf"\b(?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})\b\W{{0,3}}(?:the\s)?(?P<one>\d{{1,2}})\s?[/.-]\s?(?P<two>\d{{1,2}})\s?[/.-]\s?(?P<year>\d{{4}}|\d\d)(?!\d)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?<![\d/.-])(\d{1,2})\s?[/.-]\s?(\d{1,2})(?!\d)")


def writes_day_first(values: Iterable[str]) -> bool:
    """Whether a patient's notes put the day before the month, by the dates that can be read one way only; if none, no.

    A weekday beside a date decides, too. Where nothing does, points between the numbers and days written before the month's name count,
    but no idioms: Americans as well say "4th of July".

    >>> writes_day_first(["22.7.2061", "3/4/2061"]), writes_day_first(["3/4/2061"]), writes_day_first(["4th of July", "3/4/2061"])
    (True, False, False)
    >>> writes_day_first(["3/4/2061", "12th September 2061"]), writes_day_first(["3/4/2061", "September 12, 2061"])
    (True, False)
    """
    return _weigh_order(tuple(values)) > 0


def is_order_open(values: Iterable[str]) -> bool:
    """Whether nothing says which of day and month comes first, and the intervals between the dates depend on it.

    >>> is_order_open(["3/4/2061", "3/5/2061"]), is_order_open(["3/4/2061", "3/15/2061"]), is_order_open(["Sun 3/4/2063", "3/5/2063"])
    (True, False, False)
    """
    values = tuple(values)
    open_pairs = {pair for value in values for pair in _PAIR.findall(value) if pair[0] != pair[1] and max(map(int, pair)) <= 12}
    return len(open_pairs) > 1 and not _weigh_order(values)


def _weigh_order(values: Sequence[str]) -> int:
    """Above 0 where the dates put the day first, below where the month, 0 where they leave it open."""
    votes = 0
    for value in values:
        for one, two in _PAIR.findall(value):
            if value.strip() not in _IDIOMS:
                votes += (int(two) <= 12 < int(one) <= 31) - (int(one) <= 12 < int(two) <= 31)
        if match := _WITH_WEEKDAY.search(value):
            fits = [_is_weekday(match, day_first=day_first) for day_first in (True, False)]
            votes += fits[0] - fits[1]
    return votes or sum(bool(_DAY_BEFORE.search(value)) - bool(_DAY_AFTER.search(value)) for value in values)


def _is_weekday(match: re.Match[str], *, day_first: bool) -> bool:
    """Whether the date beside a weekday falls on it, in this order."""
    year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
    month, day = (match["two"], match["one"]) if day_first else (match["one"], match["two"])
    try:
        return date(year, int(month), int(day)).weekday() == weekday_number(match["weekday"])
    except ValueError:
        return False


def writes_zeros(values: Iterable[str]) -> bool:
    """Whether a patient's notes write 3/4 as 03/04; no where no date shows it.

    >>> writes_zeros(["12/28/2061", "01/04/2062"]), writes_zeros(["12/28/2061"])
    (True, False)
    """
    numbers: list[str] = [number for value in values for pair in _PAIR.findall(value) for number in pair]
    return sum(number[0] == "0" for number in numbers) > sum(len(number) == 1 for number in numbers)

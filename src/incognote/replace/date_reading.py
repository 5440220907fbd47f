"""Reading a written date: which parts it has, and where each stands in the value."""

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from incognote.replace.calendar_words import holiday_date, month_number, ordinal_number, weekday_number
from incognote.replace.date_shapes import GLUE, SEASONS, compiled_shapes

EARLIEST, LATEST = 1500, 2999
# A year with 29 February, for dates that name no year and have none near them.
ANY_YEAR = 2060
_QUARTER_WORDS = ("first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """One date in a value: its parts as numbers (None where it has none) and the place of each written part."""

    parts: Mapping[str, tuple[int, int]] = field(repr=False)
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_day: int | None = None
    cycle: int | None = None
    holiday: str | None = None

    def on(self, year: int) -> date | None:
        """The day meant, if it names a day of the year: its own year, else the one given."""
        if self.holiday:
            return holiday_date(self.holiday, self.year or year)
        if not self.month or not self.day:
            return None
        for chosen in (self.year or year, ANY_YEAR):
            try:
                return date(chosen, self.month, self.day)
            except ValueError:
                continue
        return None

    def nearest(self, day: date) -> date | None:
        """The day meant, if it names one, in the year (and month) that brings it nearest to another, where it does not write its own."""
        if self.day and not self.month:
            return _nearest_of_number(self.day, day)
        years = (self.year,) if self.year else (day.year, day.year - 1, day.year + 1)
        meant = [found for year in years if (found := self.on(year))]
        return min(meant, key=lambda found: abs(found - day), default=None)

    @property
    def full(self) -> date | None:
        """The day meant, if year, month and day are all written."""
        return self.on(self.year) if self.year else None


def _nearest_of_number(number: int, day: date) -> date:
    """The day with that number in the month of another day, or in the month before or after it."""
    months = [day.replace(day=15) + timedelta(30 * step) for step in (0, -1, 1)]
    return min((month.replace(day=number) for month in months if number <= monthrange(month.year, month.month)[1]),
               key=lambda found: abs(found - day))  # fmt: skip


@lru_cache(4096)
def read_dates(value: str, *, day_first: bool) -> tuple[WrittenDate, ...] | None:
    """Every date in the value, or None where any of it cannot be read.

    >>> [written.full for written in read_dates("7/22/2061 to 9-Nov-71", day_first=False)]
    [datetime.date(2061, 7, 22), datetime.date(2071, 11, 9)]
    >>> read_dates("the day of the match", day_first=False) is None
    True
    """
    found: list[WrittenDate] = []
    at = 0
    while at < len(value):
        written = _read_at(value, at, day_first=day_first)
        if written:
            found.append(written)
            at = written.end
        elif glue := GLUE.match(value, at):
            at = glue.end()
        else:
            return None
    return tuple(found) or None


def _read_at(value: str, at: int, *, day_first: bool) -> WrittenDate | None:
    # A date starts where a word or a number starts: 12 is no date in A12, nor is Sun in Sunil.
    if at and value[at].isalnum() and value[at - 1].isalnum() and not (value[at - 1] in "tT" and value[at].isdigit()):
        return None
    for shape in compiled_shapes():
        match = shape.match(value, at)
        if match and (written := _read_match(match, day_first=day_first)):
            return written
    return None


def _read_match(match: re.Match[str], *, day_first: bool) -> WrittenDate | None:
    named = [(name, part) for name, part in match.groupdict().items() if part is not None]
    text = {name.rstrip("_"): part for name, part in named}
    place = {name.rstrip("_"): match.span(name) for name, _ in named}
    if "one" in text:
        first_is_day = int(text["one"]) > 12 or (day_first and int(text["two"]) <= 12)
        for old, new in zip(("one", "two"), ("day", "month") if first_is_day else ("month", "day"), strict=True):
            text[new], place[new] = text.pop(old), place.pop(old)
    year = int(text["year"]) if "year" in text else None
    if year is not None:
        # A shift from 2099 on would miss 29 February, which 2000 has and 2100 has not.
        year = year + (1900 if year == 99 else 2000) if len(text["year"]) == 2 else year
        if not EARLIEST <= year <= LATEST or _may_be_day(match.string, place):
            return None
    written = WrittenDate(place, match.end(), year, _month(text), _day(text), _number(text, "day2"), _cycle(text), text.get("holiday"))
    return written if _is_sound(written, text) else None


def _may_be_day(value: str, place: Mapping[str, tuple[int, int]]) -> bool:
    """Whether what stands for the year is as likely one more day: ``July 22, 25``, but not ``22 July 25``."""
    start, end = place["year"]
    day = place.get("day") or place.get("ordinal")
    if not day or "name" not in place or end - start != 2 or int(value[start:end]) > 31 or value[start - 1] in "'’":
        return False
    return place["name"] < day and value[day[0] - 1].isspace()


def _number(text: Mapping[str, str], name: str) -> int | None:
    return int(text[name]) if name in text else None


def _month(text: Mapping[str, str]) -> int | None:
    return month_number(text["name"]) if "name" in text else _number(text, "month")


def _day(text: Mapping[str, str]) -> int | None:
    return ordinal_number(text["ordinal"]) if "ordinal" in text else _number(text, "day")


def _cycle(text: Mapping[str, str]) -> int | None:
    """Where in its round a weekday, season or quarter stands, from 0; the decade as a year."""
    if "weekday" in text:
        return weekday_number(text["weekday"])
    if "season" in text:
        return SEASONS.index("fall" if text["season"].lower() == "autumn" else text["season"].lower())
    if "quarter_word" in text:
        word = text["quarter_word"].lower()
        return int(word[0]) - 1 if word[0].isdigit() else _QUARTER_WORDS.index(word)
    if "quarter" in text:
        return int(text["quarter"]) - 1
    return _number(text, "decade")


def _is_sound(written: WrittenDate, text: Mapping[str, str]) -> bool:
    """Whether the numbers can be what the shape takes them for."""
    if written.month is not None and not 1 <= written.month <= 12:
        return False
    if written.day is not None and written.month is None:
        return 1 <= written.day <= 31
    if written.last_day is not None and not (written.day or 0) < written.last_day <= 31:
        return False
    if written.day is not None and written.full is None and (written.year is not None or written.on(ANY_YEAR) is None):
        return False
    # ``full`` falls back to a leap year; a written 29 February of another year is no date.
    return not (written.full and written.holiday is None and written.full.year != written.year)

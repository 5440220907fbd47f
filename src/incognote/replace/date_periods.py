"""Dates that name no day: a month, quarter or season moves as a day in it does, a year as the days of the patient's notes do."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from incognote.replace.date_reading import ANY_YEAR, WrittenDate, read_dates


@dataclass(frozen=True, slots=True)
class Period:
    """A month, quarter or season. ``at`` counts them from 0 in a year; ``early`` is by how many months the first begins before the year.
    ``in_pair`` says that the next year is written, too, as in winter 2060-61.

    >>> spring = Period(3, early=1, year=2061, at=1)
    >>> spring.first(2061), Period.around(date(2060, 12, 5), like=spring)
    (datetime.date(2061, 3, 1), Period(months=3, early=1, year=2061, at=0, in_pair=False))
    """

    months: int
    early: int
    year: int | None
    at: int
    in_pair: bool = False

    @classmethod
    def around(cls, day: date, *, like: "Period") -> "Period":
        """The period of the same kind that a day is in."""
        number = (12 * day.year + day.month - 1 + like.early) // like.months
        return cls(like.months, like.early, *divmod(number, 12 // like.months), in_pair=like.in_pair)

    def first(self, year: int) -> date:
        """The first day of the period in a year."""
        return _start_month(12 * year + self.at * self.months - self.early)

    def nearest(self, day: date | None) -> date:
        """The first day of the period, in its own year or in the one that brings it nearest to a day."""
        if self.year or day is None:
            return self.first(self.year or ANY_YEAR)
        half = timedelta(15 * self.months)
        return min((self.first(day.year + step) for step in (0, -1, 1)), key=lambda first: abs(first + half - day))

    def moved(self, days: int, *, near: date | None, known: Sequence[date]) -> tuple["Period", int]:
        """The period that its first known day comes to lie in, and by how many years the year written with it moves.

        Where none is known, its first day is taken, and of a winter New Year. So every date before it stays before it or comes to lie
        in it, and so does every date after it.
        """
        first = self.nearest(near)
        end = _start_month(12 * first.year + first.month - 1 + self.months)
        at = bisect_left(known, first)
        usual = date(first.year + 1, 1, 1) if first.month == 12 and self.months > 1 else first
        day = min((day for day in (*known[at : at + 1], near) if day and first <= day < end), default=usual)
        old, new = (Period.around(each, like=self) for each in (day, day + timedelta(days)))
        if self.in_pair:
            return new, new.first(new.year or 0).year - first.year
        # Some count December to the winter of its own year, some to that of the next.
        return new, 0 if new == old else (day + timedelta(days)).year - (old.year or 0)


def _start_month(number: int) -> date:
    """The first day of a month, counted from the year 0."""
    return date(number // 12, number % 12 + 1, 1)


def read_period(written: WrittenDate) -> Period | None:
    """The month, quarter or season that a date names, if it names no day."""
    if written.month:
        return Period(1, 0, written.year, written.month - 1)
    if "season" in written.parts:
        # Winter 2060-61 is the one before the spring of 2061.
        in_pair = "year2" in written.parts
        return Period(3, 1, written.year and written.year + (in_pair and written.cycle == 0), written.cycle or 0, in_pair)
    if "quarter" in written.parts or "quarter_word" in written.parts:
        return Period(3, 0, written.year, written.cycle or 0)
    return None


def known_days(values: Iterable[str], *, day_first: bool) -> tuple[date, ...]:
    """The days that are written with year, month and day, in order."""
    return tuple(sorted({one.full for value in values for one in read_dates(value, day_first=day_first) or () if one.full}))


def years_moved(values: Iterable[str], days: int, *, day_first: bool) -> int:
    """By how many years a year written alone moves: as the latest day does, but past no day of its own year.

    All years of a patient move alike, so that intervals between them stay.

    >>> years_moved(["2023", "11/2/2024"], 90, day_first=False), years_moved(["2024", "2/3/2024", "11/2/2024"], 90, day_first=False)
    (1, 0)
    """
    alone: set[int] = set()
    marks: set[date] = set()
    for value in values:
        for one in read_dates(value, day_first=day_first) or ():
            period = read_period(one)
            if one.full:
                marks.add(one.full)
            elif one.year and period:
                marks.add(period.first(one.year))
            elif one.year:
                alone.add(one.year)
                if "year2" in one.parts:
                    end = int(value[slice(*one.parts["year2"])])
                    alone.add(end if end > 99 else one.year - one.year % 100 + end)
    latest = max(marks, default=None)
    moves = [(day + timedelta(days)).year - day.year for day in marks if day.year in alone or day == latest]
    return min(moves, default=int(days // 365.25))

"""Moving dates: one shift per patient, intervals kept to the day, each date in the shape it was written in."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import pairwise

from incognote.replace.calendar_words import month_name, ordinal_suffix, ordinal_word, weekday_name
from incognote.replace.casing import match_case
from incognote.replace.date_periods import Period, known_days, read_period, years_moved
from incognote.replace.date_reading import ANY_YEAR, WrittenDate, read_dates
from incognote.replace.date_shapes import SEASONS
from incognote.replace.keyed_choice import KeyedChoice

# A day without a month lies near this one where the note has no other: mid-month, so that every number is in it.
_NO_DAY = date(ANY_YEAR, 1, 16)
_QUARTERS = ("first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class DateOptions:
    """How far dates may move, and what the move must not change."""

    most_days: int = 365
    keep_weekday: bool = False
    keep_season: bool = False

    @property
    def furthest(self) -> int:
        """The most days that a date moves."""
        return min(self.most_days, 28) if self.keep_season else self.most_days


@dataclass(frozen=True, slots=True)
class DateShift:
    """The move of one patient's dates, in days. ``known`` are the full dates of the patient's notes, in order.

    ``years`` is by how many years one written alone moves; the whole years of the move where no date of the notes says more.
    """

    days: int
    keep_season: bool = False
    known: tuple[date, ...] = ()
    years: int | None = None

    @property
    def whole_years(self) -> int:
        """By how many years a year that is written alone moves."""
        return int(self.days // 365.25) if self.years is None else self.years


def fit_shift(shift: DateShift, values: Collection[str], *, day_first: bool) -> DateShift:
    """The shift with what the patient's dates say of those that name no day, so that the order of all of them stays."""
    known, years = known_days(values, day_first=day_first), years_moved(values, shift.days, day_first=day_first)
    return replace(shift, known=known, years=years)


def choose_shift(choice: KeyedChoice, options: DateOptions) -> DateShift:
    """The shift of a patient: never 0, never whole weeks (weekdays would not change) unless asked for."""
    sizes = _list_sizes(options.furthest, keep_weekday=options.keep_weekday)
    steps = choice.of("date shift").below(2 * len(sizes))
    return DateShift(sizes[steps // 2] * (1 if steps % 2 else -1), options.keep_season)


@cache
def _list_sizes(most: int, *, keep_weekday: bool) -> tuple[int, ...]:
    return tuple(days for days in range(1, most + 1) if (days % 7 == 0) == keep_weekday and not _comes_round(days))


def _comes_round(days: int) -> bool:
    """Whether 7/22 may be 7/22 again after so many days: one year or several, with or without their leap days."""
    return days > 1 and abs(days - 365.25 * round(days / 365.25)) < 1


def shift_value(value: str, shift: DateShift, *, day_first: bool, padded: bool = False, near: date | None = None) -> str | None:
    """The value with every date in it moved, or None where it cannot be read. ``near`` supplies the year (and month) not written.

    ``padded`` says that 3 is written 03, where the date itself does not show it.

    >>> shift_value("the 5th of April", DateShift(27), day_first=False)
    'the 2nd of May'
    >>> shift_value("02JUL2061", DateShift(-2), day_first=False), shift_value("Mon, 7/30/61", DateShift(2), day_first=False)
    ('30JUN2061', 'Wed, 8/1/61')
    """
    written = read_dates(value, day_first=day_first)
    if written is None:
        return None
    near = next((one.full for one in written if one.full), near)
    near = near or next((day for one in written if (day := one.on(ANY_YEAR))), None)
    pieces: list[str] = []
    at = 0
    try:
        for one in written:
            texts = _moved_parts(value, one, shift, near, padded)
            _swap_order(value, one, texts, day_first=day_first)
            for (start, end), text in sorted(texts.items()):
                pieces += [value[at:start], text]
                at = end
    except (OverflowError, ValueError):  # before year 1 or after 9999
        return None
    return "".join([*pieces, value[at:]])


def _moved_parts(value: str, written: WrittenDate, shift: DateShift, near: date | None, padded: bool) -> dict[tuple[int, int], str]:
    """The new text of each part of one date."""
    day = written.nearest(near or _NO_DAY)
    if day is not None:
        return _render_day(value, written, day, shift, padded=_is_padded(value, written, padded))
    if period := read_period(written):
        still = "season" in written.parts and shift.keep_season
        new, years = (period, 0) if still else period.moved(shift.days, near=near, known=shift.known)
        return _render_period(value, written, new, years)
    return _render_rest(value, written, shift)


def _render_day(value: str, written: WrittenDate, old: date, shift: DateShift, *, padded: bool) -> dict[tuple[int, int], str]:
    texts: dict[tuple[int, int], str] = {}
    new = old + timedelta(shift.days)
    last = old.replace(day=written.last_day) + timedelta(shift.days) if written.last_day else new
    for name, (start, end) in written.parts.items():
        was = value[start:end]
        match name:
            case "year":
                texts[start, end] = _year_text(last.year, was)
            case "month" | "day":
                texts[start, end] = f"{getattr(new, name):0{2 if padded else 1}d}"
            case "day2":
                texts[start, end] = f"{last.day:0{2 if padded else 1}d}"
            case "name":
                texts[start, end] = _month_text(value, last if _follows(written, "name", "day2") else new, start, end)
            case "suffix":
                texts[start, end] = ordinal_suffix(new.day, like=was)
            case "suffix2":
                texts[start, end] = ordinal_suffix(last.day, like=was)
            case "ordinal":
                texts[start, end] = ordinal_word(new.day, like=was)
            case "holiday":
                texts[start, end] = match_case(f"{month_name(new.month, like='', short=False)} {new.day}", was)
    if "to" in written.parts and last.month != new.month:
        _part_months(value, written, new, last, texts)
    return texts


def _swap_order(value: str, written: WrittenDate, texts: dict[tuple[int, int], str], *, day_first: bool) -> None:
    """Swap day and month where only the old day showed their order: ``31/3``, moved to 8 May, is 5/8 where others write the month first."""
    if not {"day", "month"} <= written.parts.keys() or (written.day or 0) <= 12:
        return
    day, month = written.parts["day"], written.parts["month"]
    apart = min(day[1], month[1]) < max(day[0], month[0])
    year_first = "year" in written.parts and written.parts["year"] < min(day, month)
    if apart and not year_first and (day < month) != day_first and int(texts[day]) <= 12:
        texts[day], texts[month] = texts[month], texts[day]


def _follows(written: WrittenDate, part: str, other: str) -> bool:
    return other in written.parts and written.parts[part] > written.parts[other]


def _part_months(value: str, written: WrittenDate, new: date, last: date, texts: dict[tuple[int, int], str]) -> None:
    """``July 3-5`` that comes to lie across two months names both: ``July 31-August 2``."""
    start, end = written.parts["to"]
    name = written.parts["name"]
    if _follows(written, "name", "day2"):
        texts[start, end] = f" {_month_text(value, new, *name)}{value[start:end]}"
    else:
        texts[start, end] = f"{value[start:end]}{_month_text(value, last, *name)} "


def _month_text(value: str, day: date, start: int, end: int) -> str:
    was = value[start:end]
    # May is long and short at once; beside a digit or a dash (02MAY2061) people write short names.
    tight = (start > 0 and not value[start - 1].isspace()) or (end < len(value) and value[end] in "-/.0123456789")
    return month_name(day.month, like=was, short=tight if was.lower() == "may" else len(was) <= 4 and was.lower() not in ("june", "july"))


def _is_padded(value: str, written: WrittenDate, usual: bool) -> bool:
    """Whether one-digit days and months have a zero; where the date does not show it, ISO and unbroken dates do, others as usual."""
    numbers = [value[slice(*written.parts[name])] for name in ("month", "day", "day2") if name in written.parts]
    if any(number.startswith("0") for number in numbers):
        return True
    if any(len(number) == 1 for number in numbers) or not numbers:
        return False
    places = sorted(place for name, place in written.parts.items() if name in ("year", "month", "day", "name"))
    unbroken = len(places) > 2 and all(one[1] == two[0] for one, two in pairwise(places))
    year_first = "year" in written.parts and written.parts["year"] == places[0]
    return unbroken or (year_first and "month" in written.parts) or (usual and "name" not in written.parts)


def _year_text(year: int, was: str) -> str:
    return f"{year:04d}" if len(was) == 4 else f"{year % 100:02d}"


def _render_period(value: str, written: WrittenDate, new: Period, years: int) -> dict[tuple[int, int], str]:
    """Months, quarters and seasons."""
    texts: dict[tuple[int, int], str] = {}
    for name, (start, end) in written.parts.items():
        was = value[start:end]
        match name:
            case "month":
                year_first = "year" in written.parts and written.parts["year"] < (start, end)
                texts[start, end] = f"{new.at + 1:0{2 if was.startswith('0') or year_first else 1}d}"
            case "name":
                texts[start, end] = _month_text(value, date(ANY_YEAR, new.at + 1, 1), start, end)
            case "season":
                texts[start, end] = match_case(SEASONS[new.at], was)
            case "quarter":
                texts[start, end] = str(new.at + 1)
            case "quarter_word":
                number = f"{new.at + 1}{ordinal_suffix(new.at + 1, like=was)}"
                texts[start, end] = number if was[0].isdigit() else match_case(_QUARTERS[new.at], was)
            case "year" | "year2":
                texts[start, end] = _year_text(int(was) + years, was)
    return texts


def _render_rest(value: str, written: WrittenDate, shift: DateShift) -> dict[tuple[int, int], str]:
    """Weekdays and years; a decade is the same after a year or less."""
    texts: dict[tuple[int, int], str] = {}
    for name, (start, end) in written.parts.items():
        was = value[start:end]
        if name == "weekday":
            texts[start, end] = weekday_name(((written.cycle or 0) + shift.days) % 7, like=was)
        elif name in ("year", "year2"):
            texts[start, end] = _year_text(int(was) + shift.whole_years, was)
    return texts

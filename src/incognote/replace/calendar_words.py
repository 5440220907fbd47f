"""Dates of holidays, and names of months and days in the style of the note."""

from datetime import date, timedelta

from incognote.lexicon.calendar import MONTHS, ORDINALS, WEEKDAYS
from incognote.replace.casing import match_case
from incognote.replace.date_shapes import FIXED_HOLIDAYS

_APOSTROPHES = str.maketrans("", "", "'’")
_FIXED = {name.translate(_APOSTROPHES): day for name, day in FIXED_HOLIDAYS.items()}


def holiday_date(name: str, year: int) -> date:
    """The day of a holiday in a year; holidays of other calendars get a usual day.

    >>> holiday_date("Thanksgiving", 2024), holiday_date("easter", 2024)
    (datetime.date(2024, 11, 28), datetime.date(2024, 3, 31))
    """
    key = name.lower().translate(_APOSTROPHES)
    return date(year, *_FIXED[key]) if key in _FIXED else _movable_holiday(key, year)


def _movable_holiday(name: str, year: int) -> date:
    from_easter = {
        "easter": 0, "easter sunday": 0, "easter monday": 1, "good friday": -2, "maundy thursday": -3, "palm sunday": -7,
        "ash wednesday": -46, "mardi gras": -47, "shrove tuesday": -47, "ascension day": 39,
        "whitsun": 49, "whit sunday": 49, "pentecost": 49, "whit monday": 50,
    }  # fmt: skip
    if name in from_easter:
        return _easter(year) + timedelta(from_easter[name])
    if name == "black friday":
        return _movable_holiday("thanksgiving", year) + timedelta(1)
    if name == "memorial day":
        return date(year, 5, 31) - timedelta(date(year, 5, 31).weekday())
    month, weekday, nth = {
        "thanksgiving": (11, 3, 4), "thanksgiving day": (11, 3, 4), "labor day": (9, 0, 1), "labour day": (9, 0, 1),
        "mothers day": (5, 6, 2),
        "fathers day": (6, 6, 3), "columbus day": (10, 0, 2), "presidents day": (2, 0, 3), "mlk day": (1, 0, 3),
        "martin luther king day": (1, 0, 3), "patriots day": (4, 0, 3),
    }[name]  # fmt: skip
    first = date(year, month, 1)
    return first + timedelta((weekday - first.weekday()) % 7 + 7 * (nth - 1))


def _easter(year: int) -> date:
    """The Gregorian computus of Meeus, Jones and Butcher."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return date(year, month, day + 1)


def month_number(name: str) -> int:
    """1 to 12 from a name or its first three letters.

    >>> month_number("Sept")
    9
    """
    return next(at for at, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))


def month_name(number: int, *, like: str, short: bool) -> str:
    """The name of a month, as long and in the capitals of ``like``.

    >>> month_name(9, like="Jul", short=True), month_name(9, like="JULY", short=False)
    ('Sep', 'SEPTEMBER')
    """
    name = MONTHS[number - 1].capitalize()
    return match_case(name[:3] if short else name, like)


def weekday_number(name: str) -> int:
    """0 for Monday to 6 for Sunday."""
    return next(at for at, day in enumerate(WEEKDAYS) if day.startswith(name[:3].lower()))


def weekday_name(number: int, *, like: str) -> str:
    """The name of a weekday, whole or of three letters like the one it stands for."""
    name = WEEKDAYS[number].capitalize()
    return match_case(name if like.lower().endswith("day") else name[:3], like)


def ordinal_suffix(day: int, *, like: str) -> str:
    """The letters after the number.

    >>> [f"{day}{ordinal_suffix(day, like='th')}" for day in (1, 2, 3, 4, 11, 22, 31)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '31st']
    """
    suffix = "th" if 10 <= day <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return match_case(suffix, like)


def ordinal_number(word: str) -> int:
    """1 from ``first``."""
    return ORDINALS.index(word.lower()) + 1


def ordinal_word(day: int, *, like: str) -> str:
    """``first`` from 1."""
    return match_case(ORDINALS[day - 1], like)

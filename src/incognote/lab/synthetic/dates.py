"""Dates in every shape that notes have, as segments; the shapes follow what a DATE span covers in the i2b2-2014 guidelines."""

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random

from incognote.lab.synthetic.library import FOLDER
from incognote.lab.synthetic.people import Segment
from incognote.lexicon import calendar

MONTHS = [month.capitalize() for month in calendar.MONTHS]
DAYS = [day.capitalize() for day in calendar.WEEKDAYS]


def ordinal(number: int) -> str:
    """
    >>> ordinal(1), ordinal(12), ordinal(22)
    ('1st', '12th', '22nd')
    """
    return f"{number}{'th' if 10 < number % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


_TABLES = tomllib.loads((FOLDER / "shapes.toml").read_text(encoding="utf-8"))
SHAPES: Mapping[str, str] = _TABLES["dates"]
FORMS: Mapping[str, list[str]] = _TABLES["date_forms"]
_FORMS_DAY_FIRST = {**FORMS, **_TABLES["date_forms_day_first"]}
_LISTS = _TABLES["date_lists"]
WHOLE = tuple(name for name in SHAPES if not name.startswith("md") and name != "stamp")
YEARLESS = tuple(name for name in SHAPES if name.startswith("md"))
_HEADED = tuple(name for name in WHOLE if name not in ("weekday", "wdshort", "wdday", "ofmonth"))
# What a profile writes most of its dates in.
PROFILE_SHAPES = (*_LISTS["profile"], *_HEADED)
PROFILE_SHAPES_DAY_FIRST = _LISTS["profile_day_first"]


def write_shape(shape: str, day: date) -> str:
    """The date in one shape.

    >>> write_shape("wdday", date(2031, 3, 2)), write_shape("glued", date(2031, 3, 2))
    ('Sunday 2nd March 2031', '02MAR2031')
    """
    month, weekday = MONTHS[day.month - 1], DAYS[day.weekday()]
    return SHAPES[shape].format(
        d=day.day, dd=f"{day.day:02}", th=ordinal(day.day), m=day.month, mm=f"{day.month:02}", yyyy=day.year, yy=f"{day.year % 100:02}",
        month=month, mon=month[:3], MON=month[:3].upper(), weekday=weekday, wday=weekday[:3],
        hour=f"{day.day % 24:02}", minute=f"{day.month * 4:02}",
    )  # fmt: skip


def write_date(
    day: date, form: str, profile_shape: str, rng: Random, *, mixed: float = 0.3, yearless: bool = False, day_first: bool = False
) -> list[Segment]:
    """The date in a form, or in the profile's shape; ``mixed`` is how often it is in another, ``yearless`` allows one without a year."""
    if form in FORMS:
        shape = rng.choice((_FORMS_DAY_FIRST if day_first else FORMS)[form])
    else:
        headed, whole, short = (*(PROFILE_SHAPES_DAY_FIRST,) * 2, _LISTS["yearless_day_first"]) if day_first else (_HEADED, WHOLE, YEARLESS)
        others = headed if not yearless else whole if rng.random() < 0.6 else short
        shape = rng.choice(others) if rng.random() < mixed else profile_shape
    if shape == "stamp":  # the time of day is no part of the date
        stamped, time = write_shape(shape, day).split("T")
        return [(stamped, "DATE"), (f"T{time}", "")]
    return [(write_shape(shape, day), "DATE")]


def write_range(first: date, rng: Random, *, day_first: bool = False) -> list[Segment]:
    """Two dates, each a span where each can stand alone; else one span."""
    last = first + timedelta(days=rng.randint(1, 9))
    kind = rng.randrange(6)
    joint = rng.choice(("-", " - ", " to ", " through ", "–"))
    md, short, slash, long = ("mdday", "dmyshort", "dmyslash", "mddaylong") if day_first else ("md", "short", "slash", "mdlong")
    if kind == 0:
        return [(write_shape(md, first), "DATE"), (joint, ""), (write_shape(short, last), "DATE")]
    if kind == 1:
        return [(write_shape(slash, first), "DATE"), (joint, ""), (write_shape(slash, last), "DATE")]
    if kind == 2 and first.month == last.month:
        month = MONTHS[first.month - 1]
        return [(f"{first.day}-{last.day} {month}" if day_first else f"{month} {first.day}-{last.day}", "DATE")]
    if kind == 3:
        return [(str(first.year - rng.randint(1, 12)), "DATE"), (rng.choice(("-", " to ", "–")), ""), (str(first.year), "DATE")]
    if kind == 4:
        return [(write_shape(long, first), "DATE"), (" to ", ""), (write_shape(long, last), "DATE")]
    return [(write_shape(md, first), "DATE"), (joint, ""), (write_shape(md, last), "DATE")]


def write_loosely(slot: str, today: date, rng: Random, *, holidays: Sequence[str] = ()) -> list[Segment]:
    """A year, a month, a weekday, a season, a holiday or a decade before the note's date; ``holidays`` are the country's own."""
    past = today - timedelta(days=rng.randint(20, 9000))
    if slot == "date.year":
        return [(str(past.year) if rng.random() < 0.93 else f"'{past.year % 100:02}", "DATE")]
    if slot == "date.weekday":
        return [(rng.choice(DAYS) if rng.random() < 0.75 else rng.choice(_LISTS["short_weekdays"]), "DATE")]
    if slot == "date.decade":
        return [(f"{past.year // 10 * 10}s" if rng.random() < 0.8 else f"{past.year // 10 * 10}'s", "DATE")]
    if slot == "date.holiday":
        year = rng.choice(("", "", f" {past.year}", f", {past.year}"))
        named = holidays if holidays and rng.random() < 0.75 else _LISTS["holidays"]
        return [(rng.choice(named) + year, "DATE")]
    if slot == "date.season":
        season = rng.choice(("spring", "summer", "fall", "autumn", "winter"))
        if rng.random() < 0.35:
            return [(rng.choice(("last ", "this ", "next ", "the ", "early ")), ""), (season, "DATE")]
        article = [("the ", "")] if rng.random() < 0.5 else []
        return [*article, (f"{season} of {past.year}" if article or rng.random() < 0.4 else f"{season} {past.year}", "DATE")]
    month = MONTHS[past.month - 1]
    if rng.random() < 0.12:
        lead = rng.choice(("early ", "late ", "mid-", "mid ", "the first week of ", "the second week of ", "the end of "))
        return [(lead, ""), (month, "DATE")] if lead.startswith("the ") else [(lead + month, "DATE")]
    shapes = (month, month, f"{month} {past.year}", f"{month} {past.year}", f"{month} of {past.year}", f"{month[:3]} {past.year}")
    return [(rng.choice((*shapes, f"{past.month:02}/{past.year}", f"{past.month}/{past.year}", f"{month}, {past.year}")), "DATE")]

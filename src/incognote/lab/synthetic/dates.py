"""Dates in every shape that notes have, as segments; the shapes follow what a DATE span covers in the i2b2-2014 guidelines."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from random import Random

from incognote.lab.synthetic.people import Segment
from incognote.lexicon import calendar

MONTHS = [month.capitalize() for month in calendar.MONTHS]
DAYS = [day.capitalize() for day in calendar.WEEKDAYS]
_SHORT_DAYS = "Mon Tue Tues Wed Weds Thu Thur Thurs Fri Sat Sun Mondays Tuesdays Sundays weds tues thurs".split()
_HOLIDAYS = (
    "Christmas",
    "Thanksgiving",
    "Easter",
    "New Year's Day",
    "New Year's Eve",
    "Labor Day",
    "Memorial Day",
    "Independence Day",
    "Halloween",
    "Valentine's Day",
    "Mother's Day",
    "Father's Day",
    "Christmas Eve",
    "Veterans Day",
    "Columbus Day",
    "Ramadan",
    "Passover",
    "Hanukkah",
    "Cinco de Mayo",
    "St. Patrick's Day",
    "Yom Kippur",
    "Diwali",
    "Juneteenth",
    "Presidents' Day",
    "Groundhog Day",
    "Good Friday",
    "Boxing Day",
    "Eid",
    "Lunar New Year",
    "Mardi Gras",
    "Ash Wednesday",
    "Lent",
    "Rosh Hashanah",
    "July 4th",
    "the 4th of July",
    "MLK Day",
    "Palm Sunday",
    "Canada Day",
    "Super Bowl Sunday",
    "Black Friday",
    "Victoria Day",
    "May Day",
)


def ordinal(number: int) -> str:
    """
    >>> ordinal(1), ordinal(12), ordinal(22)
    ('1st', '12th', '22nd')
    """
    return f"{number}{'th' if 10 < number % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


Shape = Callable[[date], str]
_MON = [month[:3] for month in MONTHS]

SHAPES: Mapping[str, Shape] = {
    "slash": lambda d: f"{d.month}/{d.day}/{d.year}",
    "slash0": lambda d: f"{d.month:02}/{d.day:02}/{d.year}",
    "short": lambda d: f"{d.month}/{d.day}/{d.year % 100:02}",
    "short0": lambda d: f"{d.month:02}/{d.day:02}/{d.year % 100:02}",
    "dash": lambda d: f"{d.month:02}-{d.day:02}-{d.year}",
    "dash2": lambda d: f"{d.month}-{d.day}-{d.year % 100:02}",
    "dot": lambda d: f"{d.month:02}.{d.day:02}.{d.year}",
    "dot2": lambda d: f"{d.month}.{d.day}.{d.year % 100:02}",
    "iso": lambda d: d.isoformat(),
    "isoslash": lambda d: f"{d.year}/{d.month:02}/{d.day:02}",
    "compact": lambda d: f"{d.year}{d.month:02}{d.day:02}",
    "stamp": lambda d: f"{d.isoformat()}T{d.day % 24:02}:{d.month * 4:02}:00",
    "long": lambda d: f"{MONTHS[d.month - 1]} {d.day}, {d.year}",
    "long0": lambda d: f"{MONTHS[d.month - 1]} {d.day:02}, {d.year}",
    "nocomma": lambda d: f"{MONTHS[d.month - 1]} {d.day} {d.year}",
    "ordinal": lambda d: f"{MONTHS[d.month - 1]} {ordinal(d.day)}, {d.year}",
    "daymonth": lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}",
    "ofmonth": lambda d: f"{ordinal(d.day)} of {MONTHS[d.month - 1]} {d.year}",
    "mon": lambda d: f"{_MON[d.month - 1]} {d.day}, {d.year}",
    "mondot": lambda d: f"{_MON[d.month - 1]}. {d.day}, {d.year}",
    "dmon": lambda d: f"{d.day:02}-{_MON[d.month - 1]}-{d.year}",
    "dmon2": lambda d: f"{d.day}-{_MON[d.month - 1]}-{d.year % 100:02}",
    "dmonspace": lambda d: f"{d.day:02} {_MON[d.month - 1]} {d.year}",
    "glued": lambda d: f"{d.day:02}{_MON[d.month - 1].upper()}{d.year}",
    "glued2": lambda d: f"{d.day:02}{_MON[d.month - 1].upper()}{d.year % 100:02}",
    "dmy": lambda d: f"{d.day:02}/{d.month:02}/{d.year}",
    "dmydot": lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    "weekday": lambda d: f"{DAYS[d.weekday()]}, {MONTHS[d.month - 1]} {d.day}, {d.year}",
    "wdshort": lambda d: f"{DAYS[d.weekday()][:3]} {d.month}/{d.day}/{d.year % 100:02}",
    "spaced": lambda d: f"{d.month:02} / {d.day:02} / {d.year}",
    "blank": lambda d: f"{d.month} {d.day} {d.year % 100:02}",
    "ymon": lambda d: f"{d.year}-{_MON[d.month - 1]}-{d.day:02}",
    "upmon": lambda d: f"{_MON[d.month - 1].upper()} {d.day},{d.year}",
    "wdday": lambda d: f"{DAYS[d.weekday()]} {ordinal(d.day)} {MONTHS[d.month - 1]} {d.year}",
    "dmyshort": lambda d: f"{d.day}/{d.month}/{d.year % 100:02}",
    "dmydot2": lambda d: f"{d.day}.{d.month}.{d.year % 100:02}",
    "monquote": lambda d: f"{_MON[d.month - 1]} {d.day} '{d.year % 100:02}",
    "dmyshort0": lambda d: f"{d.day:02}/{d.month:02}/{d.year % 100:02}",
    "dmyslash": lambda d: f"{d.day}/{d.month}/{d.year}",
    "dmydash": lambda d: f"{d.day:02}-{d.month:02}-{d.year}",
    "dmonshort": lambda d: f"{d.day} {_MON[d.month - 1]} {d.year % 100:02}",
    "dayord": lambda d: f"{ordinal(d.day)} {MONTHS[d.month - 1]} {d.year}",
    "dayordmon": lambda d: f"{ordinal(d.day)} {_MON[d.month - 1]} {d.year}",
    "md": lambda d: f"{d.month}/{d.day}",
    "mddash": lambda d: f"{d.month}-{d.day}",
    "mdday": lambda d: f"{d.day}/{d.month}",
    "mdday0": lambda d: f"{d.day:02}/{d.month:02}",
    "mddaylong": lambda d: f"{d.day} {MONTHS[d.month - 1]}",
    "mddayord": lambda d: f"{ordinal(d.day)} {MONTHS[d.month - 1]}",
    "mdwdslash": lambda d: f"{DAYS[d.weekday()][:3]} {d.day}/{d.month}",
    "mdwdmon": lambda d: f"{DAYS[d.weekday()][:3]} {_MON[d.month - 1]} {d.day}",
    "mdwdday": lambda d: f"{DAYS[d.weekday()][:3]} {d.day} {MONTHS[d.month - 1]}",
    "mddaymon": lambda d: f"{d.day} {_MON[d.month - 1]}",
    "mdwdthe": lambda d: f"{DAYS[d.weekday()]} the {ordinal(d.day)}",
    "mdwdord": lambda d: f"{DAYS[d.weekday()]} {ordinal(d.day)}",
    "md0": lambda d: f"{d.month:02}/{d.day:02}",
    "mdlong": lambda d: f"{MONTHS[d.month - 1]} {d.day}",
    "mdord": lambda d: f"{MONTHS[d.month - 1]} {ordinal(d.day)}",
    "mdmon": lambda d: f"{_MON[d.month - 1]} {d.day}",
    "mdof": lambda d: f"{ordinal(d.day)} of {MONTHS[d.month - 1]}",
    "mdwd": lambda d: f"{DAYS[d.weekday()][:3]} {d.month}/{d.day}",
    "mdwdlong": lambda d: f"{DAYS[d.weekday()]}, {MONTHS[d.month - 1]} {ordinal(d.day)}",
}
WHOLE = tuple(name for name in SHAPES if not name.startswith("md") and name != "stamp")
YEARLESS = tuple(name for name in SHAPES if name.startswith("md"))
_HEADED = tuple(name for name in WHOLE if name not in ("weekday", "wdshort", "wdday", "ofmonth"))
# What a profile writes most of its dates in; the common ones stand several times.
PROFILE_SHAPES = (*"slash slash slash0 slash0 short short short0 long long iso mon dmon dash dash2".split(), *_HEADED)
# What is written where the day stands before the month.
PROFILE_SHAPES_DAY_FIRST = (
    *"dmy dmy dmy dmyslash dmyslash dmyshort dmyshort dmyshort0 dmyshort0 dmydash dmydot dmydot2 daymonth daymonth".split(),
    *"dayord dmonspace dmonspace dmonshort dmon dmon2 dayordmon iso glued".split(),
)
_DAY_FIRST_YEARLESS = (*"mdday mdday mdday mdday0 mddaymon mddaymon mddaylong mddayord mdwdday mdwdslash mdwdord mdof mdwdthe".split(),)
FORMS: Mapping[str, tuple[str, ...]] = {
    "slash": ("slash", "slash0"),
    "iso": ("iso", "iso", "iso", "isoslash", "stamp"),
    "compact": ("compact",),
    "long": ("long", "long", "ordinal", "nocomma", "long0", "daymonth"),
    "short": ("short", "short0", "dash2", "dot2"),
    "md": ("md", "md", "md", "md0", "mdwd", "mddash"),
    "dmy": ("dmy", "daymonth", "dmydot", "dmonspace", "dmyshort", "wdday"),
    "mon": ("mon", "dmon", "dmon2", "glued", "mondot", "dmonspace", "glued2"),
}

_FORMS_DAY_FIRST: Mapping[str, tuple[str, ...]] = {
    **FORMS,
    "slash": ("dmyslash", "dmy"),
    "long": ("daymonth", "daymonth", "dayord", "ofmonth", "wdday"),
    "short": ("dmyshort", "dmyshort0", "dmonshort", "dmydot2"),
    "md": ("mdday", "mdday", "mdday0", "mddaymon", "mdwdslash", "mddaymon"),
    "mon": ("dmonspace", "dmon", "dmon2", "glued", "dmonshort", "dayordmon", "glued2"),
}


def write_date(
    day: date, form: str, profile_shape: str, rng: Random, *, mixed: float = 0.3, yearless: bool = False, day_first: bool = False
) -> list[Segment]:
    """The date in a form, or in the profile's shape; ``mixed`` is how often it is in another, ``yearless`` allows one without a year."""
    if form in FORMS:
        shape = rng.choice((_FORMS_DAY_FIRST if day_first else FORMS)[form])
    else:
        headed, whole, short = (
            (PROFILE_SHAPES_DAY_FIRST, PROFILE_SHAPES_DAY_FIRST, _DAY_FIRST_YEARLESS) if day_first else (_HEADED, WHOLE, YEARLESS)
        )
        others = headed if not yearless else whole if rng.random() < 0.6 else short
        shape = rng.choice(others) if rng.random() < mixed else profile_shape
    if shape == "stamp":  # the time of day is no part of the date
        stamped, time = SHAPES[shape](day).split("T")
        return [(stamped, "DATE"), (f"T{time}", "")]
    return [(SHAPES[shape](day), "DATE")]


def write_range(first: date, rng: Random, *, day_first: bool = False) -> list[Segment]:
    """Two dates, each a span where each can stand alone; else one span."""
    last = first + timedelta(days=rng.randint(1, 9))
    kind = rng.randrange(6)
    joint = rng.choice(("-", " - ", " to ", " through ", "–"))
    md, short, slash, long = ("mdday", "dmyshort", "dmyslash", "mddaylong") if day_first else ("md", "short", "slash", "mdlong")
    if kind == 0:
        return [(SHAPES[md](first), "DATE"), (joint, ""), (SHAPES[short](last), "DATE")]
    if kind == 1:
        return [(SHAPES[slash](first), "DATE"), (joint, ""), (SHAPES[slash](last), "DATE")]
    if kind == 2 and first.month == last.month:
        month = MONTHS[first.month - 1]
        return [(f"{first.day}-{last.day} {month}" if day_first else f"{month} {first.day}-{last.day}", "DATE")]
    if kind == 3:
        return [(str(first.year - rng.randint(1, 12)), "DATE"), (rng.choice(("-", " to ", "–")), ""), (str(first.year), "DATE")]
    if kind == 4:
        return [(SHAPES[long](first), "DATE"), (" to ", ""), (SHAPES[long](last), "DATE")]
    return [(SHAPES[md](first), "DATE"), (joint, ""), (SHAPES[md](last), "DATE")]


def write_loosely(slot: str, today: date, rng: Random, *, holidays: Sequence[str] = ()) -> list[Segment]:
    """A year, a month, a weekday, a season, a holiday or a decade before the note's date; ``holidays`` are the country's own."""
    past = today - timedelta(days=rng.randint(20, 9000))
    if slot == "date.year":
        return [(str(past.year) if rng.random() < 0.93 else f"'{past.year % 100:02}", "DATE")]
    if slot == "date.weekday":
        return [(rng.choice(DAYS) if rng.random() < 0.75 else rng.choice(_SHORT_DAYS), "DATE")]
    if slot == "date.decade":
        return [(f"{past.year // 10 * 10}s" if rng.random() < 0.8 else f"{past.year // 10 * 10}'s", "DATE")]
    if slot == "date.holiday":
        year = rng.choice(("", "", f" {past.year}", f", {past.year}"))
        named = holidays if holidays and rng.random() < 0.75 else _HOLIDAYS
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

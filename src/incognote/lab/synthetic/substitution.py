"""Draws a new value of the same label for a span of real text, in the world of one patient; the same text gets the same value."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random

from incognote.lab.synthetic.charts import draw_town
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.dates import DAYS, MONTHS, WHOLE, YEARLESS, write_shape
from incognote.lab.synthetic.filling import FILLS
from incognote.lab.synthetic.name_grammar import spell_name
from incognote.lab.synthetic.numbers import make_number, make_phone
from incognote.lab.synthetic.people import Person, make_person, write_name

# For labels whose slot gives any value of the kind.
_SLOTS = {
    "STATE": "state2", "COUNTRY": "country2", "ROOM": "room", "DEPARTMENT": "department", "LOCATION-OTHER": "place", "FAX": "fax",
    "EMAIL": "email", "URL": "url", "USERNAME": "username", "MEDICALRECORD": "mrn", "ACCOUNT": "account", "SSN": "ssn",
    "HEALTHPLAN": "healthplan", "ZIP": "zip", "IPADDR": "ip",
}  # fmt: skip
_NUMBERS = {"LICENSE": "license", "VEHICLE": "vehicle.plate", "DEVICE": "device", "BIOID": "bioid", "IDNUM": "accession"}
_MADE = {"HOSPITAL": "hospital", "ORGANIZATION": "employer", "STREET": "street"}
_MONTH = re.compile("|".join(f"{month[:3]}[a-z]*" for month in MONTHS), re.IGNORECASE)
_BLANK = re.compile(r"[\W_]*(?:[A-Z]|[xX]+|_+|\*+|ABC[A-Z]*|XYZ|DEF)?[\W_]*")


class Substitutes:
    """The new values of one note. Holds who and what was already named, so that a name keeps its bearer."""

    def __init__(self, context: NoteContext) -> None:
        self._context = context
        self._values: dict[tuple[str, str], str] = {}
        self._people: dict[tuple[str, str], Person] = {}

    def value(self, label: str, old: str) -> str:
        """The text that takes the place of ``old``; ``old`` itself where it cannot be replaced, which keeps its label."""
        key = (label, old.casefold())
        if key not in self._values:
            self._values[key] = self._make(label, old)
        new = self._values[key]
        return new.upper() if old.isupper() and len(old) > 3 and not _BLANK.fullmatch(old) else new

    def _make(self, label: str, old: str) -> str:
        rng, part = self._context.rng, self._context.chart.part
        if label in ("PATIENT", "DOCTOR"):
            return self._name(label, old)
        if label in _MAKERS:
            return _MAKERS[label](old, self._context)
        if label in _MADE:
            return spell_name(_MADE[label], rng, part)
        if label in _NUMBERS:
            return make_number(_NUMBERS[label], rng)
        if label in _SLOTS:
            return FILLS[_SLOTS[label]](self._context, "")[0][0]
        return old

    def _name(self, label: str, old: str) -> str:
        words = [word for word in re.split(r"[\s,]+", old) if word.strip(".'")]
        family = words[0] if "," in old else words[-1] if words else old
        person = self._person(label, family.casefold().removesuffix("'s"))
        if "," in old and len(words) > 1:
            form = "last_first"
        elif len(words) > 1:
            form = "full"
        else:
            form = "last" if label == "DOCTOR" or _BLANK.fullmatch(old) or self._context.rng.random() < 0.5 else "first"
        return write_name(person, form, label, self._context.rng)[0][0]

    def _person(self, label: str, family: str) -> Person:
        """The first patient that is named is the patient; others are someone else."""
        key = (label, family)
        if key not in self._people:
            chart, first = self._context.chart, not any(known == label for known, _ in self._people)
            if first:
                self._people[key] = chart.patient if label == "PATIENT" else chart.staff("attending")
            else:
                self._people[key] = make_person(self._context.rng, chart.part, role="" if label == "PATIENT" else "doctor2")
        return self._people[key]


def _make_date(old: str, context: NoteContext) -> str:
    """Another date as exact as the old one."""
    rng = context.rng
    day = context.today - timedelta(days=int(3 + 4000 * rng.random() ** 3))
    if old.capitalize().rstrip("s") in DAYS:
        return rng.choice(DAYS)
    if re.fullmatch(r"(?:18|19|20|21)\d\d", old):
        return str(day.year)
    year = bool(re.search(r"\d{4}|/\S+/|['’]\d\d", old))
    if _MONTH.fullmatch(old):
        return MONTHS[day.month - 1]
    if _MONTH.search(old):
        if not re.search(r"\b\d{1,2}(?:st|nd|rd|th)?\b", old):
            return f"{MONTHS[day.month - 1]} {day.year}" if year else old
        return write_shape(rng.choice(("long", "ordinal", "mon", "daymonth") if year else ("mdlong", "mdord", "mdmon")), day)
    if re.fullmatch(r"[\dxX_*mMdDyY]{1,4}[/.-][\dxX_*mMdDyY]{1,4}(?:[/.-][\dxX_*mMdDyY]{2,4})?", old):
        return write_shape(rng.choice(WHOLE if len(re.findall(r"[/.-]", old)) > 1 else YEARLESS), day)
    return old


def _make_age(old: str, context: NoteContext) -> str:
    if old.isdigit() and int(old) > 2:
        return str(max(3, int(old) + context.rng.randint(-4, 6)))
    return str(context.rng.randint(19, 94)) if _BLANK.fullmatch(old) else old


def _make_phone(old: str, context: NoteContext) -> str:
    return make_phone(context.rng) if len(re.sub(r"[^\dxX]", "", old)) >= 10 else make_number("phone.short", context.rng)


def _make_city(_: str, context: NoteContext) -> str:
    return draw_town(context.rng, context.chart.part).name


_MAKERS: Mapping[str, Callable[[str, NoteContext], str]] = {"DATE": _make_date, "AGE": _make_age, "PHONE": _make_phone, "CITY": _make_city}


def guess_sex(text: str, rng: Random) -> str:
    """``woman`` or ``man``, as the pronouns of the text have it.

    >>> guess_sex("She takes her pills; he left.", Random(1))
    'woman'
    """
    women = len(re.findall(r"\b(?:she|her|hers|female|woman)\b", text, re.IGNORECASE))
    men = len(re.findall(r"\b(?:he|him|his|male|man|gentleman)\b", text, re.IGNORECASE))
    if women == men:
        return rng.choice(("woman", "man"))
    return "woman" if women > men else "man"

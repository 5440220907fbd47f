"""Fills slots: for each PHI slot, the text and its label from the note's world, in a shape that the profile likes."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import partial
from random import Random

from incognote.lab.synthetic import slots
from incognote.lab.synthetic.bystanders import fill_other
from incognote.lab.synthetic.contexts import Fill, NoteContext
from incognote.lab.synthetic.dates import write_date, write_loosely, write_range
from incognote.lab.synthetic.numbers import make_email, make_login, make_number, make_phone, make_trailer, make_url
from incognote.lab.synthetic.people import Person, Segment, make_person, pick_form, write_name
from incognote.lab.synthetic.places import fill_address, fill_body, fill_hospital, fill_place, fill_profession, fill_room
from incognote.lab.synthetic.terms import fill_term
from incognote.lexicon.number_words import ONES, TENS, spell_number


def _fill_patient(context: NoteContext, form: str) -> list[Segment]:
    form = form or pick_form(context.rng, "PATIENT")
    written = write_name(context.chart.patient, form, "PATIENT", context.rng)
    locale = context.chart.locale
    if locale and locale.family == "india" and form == "full" and "guardian" not in context.said and context.rng.random() < 0.15:
        context.said["guardian"] = ""
        written += _name_guardian(context)
    return written


def _name_guardian(context: NoteContext) -> list[Segment]:
    """Whose son, daughter or wife the patient is, as records of South Asia say after the name."""
    chart = context.chart
    married = context.chart.audience not in ("child", "infant") and chart.fact("married", lambda rng: rng.random() < 0.7)
    mark = "S/o" if chart.patient.sex == "m" else "W/o" if married else "D/o"

    def make_guardian(rng: Random) -> Person:
        return make_person(rng, chart.part, sex="m", last=chart.patient.last if rng.random() < 0.6 else "", locale=chart.locale)

    guardian = chart.fact("guardian", make_guardian)
    joint = context.rng.choice((f" {mark} ", f", {mark} ", f" {mark.upper()} ", f" {mark}. "))
    return [(joint, ""), *write_name(guardian, context.rng.choice(("full", "full", "first")), "PATIENT", context.rng)]


def _fill_relative(role: str, context: NoteContext, form: str) -> list[Segment]:
    if form == "relation":
        return [(context.chart.kin_word(role), "")]
    if form == "their":
        return [(f"{'his' if context.chart.patient.sex == 'm' else 'her'} {context.chart.kin_word(role)}", "")]
    form = form or context.rng.choices(("first", "full", "title_last"), (50, 40, 10))[0]
    return write_name(context.chart.relative(role), form, "PATIENT", context.rng)


def _fill_doctor(role: str, context: NoteContext, form: str) -> list[Segment]:
    return write_name(context.chart.staff(role), form or pick_form(context.rng, "DOCTOR"), "DOCTOR", context.rng)


def _fill_date(slot: str, context: NoteContext, form: str) -> list[Segment]:
    rng, today, profile = context.rng, context.today, context.chart.profile
    if slot == "date.range":
        return write_range(today - timedelta(days=rng.randint(3, 2000)), rng, day_first=profile.day_first)
    if slot in ("date.year", "date.month", "date.weekday", "date.season", "date.holiday", "date.decade") and not form:
        return write_loosely(slot, today, rng, holidays=profile.locale.holidays if profile.locale else ())
    day = _day_of(slot, context)
    yearless = slot not in ("dob", "date.birth", "admit", "discharge", "today")
    return write_date(day, form, profile.date_shape, rng, mixed=profile.mixed_dates, yearless=yearless, day_first=profile.day_first)


def _day_of(slot: str, context: NoteContext) -> date:
    rng, today = context.rng, context.today
    if slot == "dob":
        return context.chart.birth
    if slot == "date.birth":
        return today - timedelta(days=rng.randint(300, 35000))
    if slot == "today":
        return today
    if slot in ("admit", "discharge"):
        stay = int(context.once("stay", lambda rng: str(rng.randint(1, 14))))
        after = int(context.once("after", lambda rng: str(rng.choice((0, 0, 0, 1)))))
        return today - timedelta(days=after + (stay if slot == "admit" else 0))
    if slot == "date.recent":
        return today - timedelta(days=rng.randint(1, 28))
    if slot == "date.future":
        return today + timedelta(days=rng.randint(1, 120))
    return today - timedelta(days=int(30 + 9000 * rng.random() ** 2.5))


def _fill_age(slot: str, context: NoteContext, _: str) -> list[Segment]:
    rng = context.rng
    years = age_on(context.chart.birth, context.today)
    if context.chart.audience == "infant":
        years = max(1, (context.today - context.chart.birth).days // 30)
    if slot == "age.baby":
        return [(str(rng.randint(1, 23) if rng.random() < 0.9 else rng.randint(1, 6)), "AGE")]
    if slot == "age.relative":
        years = rng.randint(1, 99) if context.chart.audience in ("child", "infant") or rng.random() < 0.2 else rng.randint(17, 97)
    elif slot == "age.other":
        years = rng.randint(18, 97)
    elif slot == "age.days":
        years = rng.randint(1, 28)
    elif slot == "age.onset":
        years = rng.randint(4, max(5, years))
    elif slot == "age.decade":
        tens = rng.choice((20, 30, 40, 50, 60, 70, 80, 90))
        word = TENS[tens // 10].removesuffix("y") + "ies"
        if rng.random() < 0.1:
            return [(f"{tens}", "AGE"), ("'s", "")]
        return [(f"{tens}s" if rng.random() < 0.83 else word, "AGE")]
    return [(spell_number(years) if slot == "age.words" else str(years), "AGE")]


def age_on(birth: date, day: date) -> int:
    """Full years between the two days."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def speak_digits(number: str, rng: Random) -> str:
    """The digits as they are said.

    >>> speak_digits("508-555", Random(1))
    'five oh eight five five five'
    """
    zero = rng.choice(("oh", "zero"))
    return " ".join(zero if digit == "0" else ONES[int(digit)] for digit in number if digit.isdigit())


def _fill_phone(slot: str, context: NoteContext, _: str) -> list[Segment]:
    area = context.chart.fact("area", lambda rng: str(rng.randint(201, 989)))
    locale = context.chart.locale
    label = "FAX" if slot == "fax" else "PHONE"
    if slot == "phone.spoken":
        return [(speak_digits(make_phone(context.rng, area=area, locale=locale), context.rng), label)]
    if slot == "phone.other":
        return [(make_phone(context.rng, area=area, locale=locale), label)]
    if slot in ("phone", "phone2", "fax"):
        return [(context.chart.fact(slot, lambda rng: make_phone(rng, area=area, locale=locale)), label)]
    return [(make_number(slot, context.rng), label)]


def _fill_email(slot: str, context: NoteContext, _: str) -> list[Segment]:
    if slot == "url":
        return [(context.chart.fact(slot, lambda rng: make_url(context.chart.profile.hospital, rng)), "URL")]
    if slot == "email.doctor":
        domain = make_url(context.chart.profile.hospital, Random(context.chart.key)).split("//")[-1].split("/")[0].removeprefix("www.")
        return [(context.chart.fact(slot, lambda rng: make_email(context.chart.staff("attending"), rng, domain=domain)), "EMAIL")]
    return [(context.chart.fact(slot, lambda rng: make_email(context.chart.patient, rng)), "EMAIL")]


def _fill_username(context: NoteContext, form: str) -> list[Segment]:
    if form == "trailer":
        return [(context.once("trailer", lambda rng: make_trailer(context.chart.staff("attending"), rng)), "USERNAME")]
    return [(context.chart.fact("username", lambda rng: make_login(context.chart.staff("attending"), rng)), "USERNAME")]


def _fill_id(slot: str, label: str, context: NoteContext, _: str) -> list[Segment]:
    """Numbers of the person stay; those of an order, a visit or a device are new in each note, or each time."""
    make_id = partial(make_number, slot.removesuffix(".other"), locale=context.chart.locale)
    if slot in ("device", "device.lot", "lot", "mrn.other"):
        return [(make_id(context.rng), label)]
    if slot in ("accession", "caseno", "encounter"):
        return [(context.once(slot, make_id), label)]
    return [(context.chart.fact(slot, make_id), label)]


_SEXED = {
    "he": ("he", "she"), "He": ("He", "She"), "him": ("him", "her"), "Him": ("Him", "Her"), "his": ("his", "her"), "His": ("His", "Her"),
    "himself": ("himself", "herself"), "boy": ("boy", "girl"), "child": ("son", "daughter"), "mr": ("Mr.", "Ms."),
}  # fmt: skip


def _fill_sexed(slot: str, context: NoteContext, _: str) -> list[Segment]:
    male = context.chart.patient.sex == "m"
    if slot in _SEXED:
        return [(_SEXED[slot][not male], "")]
    young = age_on(context.chart.birth, context.today) < 16
    words = ("boy", "girl") if young else ("man", "woman")
    if slot == "sex":
        words = context.rng.choices((words, ("male", "female"), ("gentleman", "lady") if not young else words), (50, 42, 8))[0]
    word = words[not male]
    return [(word.capitalize() if slot == "Man" else word, "")]


_LABELS = {
    "ssn.last4": "SSN", "license.driver": "LICENSE", "npi": "LICENSE", "dea": "LICENSE",
    "vehicle.plate": "VEHICLE", "vehicle.vin": "VEHICLE",
    "device.lot": "DEVICE", "lot": "", "mrn": "MEDICALRECORD", "mrn.other": "MEDICALRECORD",
    "accession": "IDNUM", "caseno": "IDNUM", "encounter": "IDNUM",
}  # fmt: skip
_BODIES = {
    **dict.fromkeys(("employer", "service", "school", "insurer", "pharmacy", "agency"), "ORGANIZATION"),
    "nursinghome": "HOSPITAL",
    "department": "DEPARTMENT",
    "place": "LOCATION-OTHER",
    "county": "LOCATION-OTHER",
    "road": "STREET",
}
FILLS: Mapping[str, Fill] = {
    "patient": _fill_patient,
    **{slot: partial(fill_other, slot) for slot in (*slots.OTHERS, *slots.RETURNING)},
    **{slot: partial(fill_term, slot) for slot in slots.TERMS},
    **{slot: partial(_fill_relative, slot) for slot in slots.KIN},
    **{slot: partial(_fill_doctor, slot) for slot in slots.DOCTORS},
    "username": _fill_username,
    **{slot: partial(_fill_date, slot) for slot in slots.DATES},
    **{slot: partial(_fill_age, slot) for slot in slots.AGES},
    **{slot: partial(fill_hospital, slot) for slot in ("hospital", "hospital2", "clinic")},
    **{slot: partial(fill_place, slot) for slot in ("street", "city", "state", "zip", "country", "city2", "state2", "country2")},
    "address": fill_address,
    **{slot: partial(fill_body, slot, label) for slot, label in _BODIES.items()},
    **{slot: partial(fill_room, slot) for slot in ("room", "room.other")},
    **{slot: partial(fill_profession, slot) for slot in ("profession", "profession2")},
    **{slot: partial(_fill_phone, slot) for slot in slots.CONTACTS if slot.startswith(("phone", "fax"))},
    **{slot: partial(_fill_email, slot) for slot in ("email", "email.doctor", "url")},
    "ip": partial(_fill_id, "ip", "IPADDR"),
    **{slot: partial(_fill_id, slot, _LABELS.get(slot, slot.upper())) for slot in slots.IDS},
    **{slot: partial(_fill_sexed, slot) for slot in slots.PLAIN},
}

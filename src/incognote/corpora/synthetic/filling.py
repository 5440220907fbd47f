"""Slots filled: for each PHI slot, the text and its label from the note's world, in a shape that the house likes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from random import Random

from incognote.corpora.synthetic import slots
from incognote.corpora.synthetic.dates import write_date, write_loosely, write_range
from incognote.corpora.synthetic.lists import countries, pick, professions, state_names, world_cities
from incognote.corpora.synthetic.making import make
from incognote.corpora.synthetic.numbers import make_email, make_login, make_number, make_phone, make_trailer, make_url
from incognote.corpora.synthetic.people import Segment, pick_form, write_name
from incognote.corpora.synthetic.world import Chart, draw_town

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


@dataclass(slots=True)
class Scene:
    """One note being written: its patient, its date, its random source, and what was already said in it."""

    chart: Chart
    today: date
    rng: Random
    said: dict[str, str] = field(default_factory=dict)

    def once(self, name: str, make_value: Callable[[Random], str]) -> str:
        """A value that stays the same through this note."""
        if name not in self.said:
            self.said[name] = make_value(self.rng)
        return self.said[name]


Fill = Callable[[Scene, str], list[Segment]]


def _fill_patient(scene: Scene, form: str) -> list[Segment]:
    form = form or pick_form(scene.rng, "PATIENT")
    return write_name(scene.chart.patient, form, "PATIENT", scene.rng)


def _fill_relative(role: str, scene: Scene, form: str) -> list[Segment]:
    if form == "relation":
        return [(scene.chart.relation(role), "")]
    if form == "their":
        return [("his" if scene.chart.patient.sex == "m" else "her", "")]
    form = form or scene.rng.choices(("first", "full", "title_last"), (50, 40, 10))[0]
    return write_name(scene.chart.relative(role), form, "PATIENT", scene.rng)


def _fill_doctor(role: str, scene: Scene, form: str) -> list[Segment]:
    return write_name(scene.chart.staff(role), form or pick_form(scene.rng, "DOCTOR"), "DOCTOR", scene.rng)


def _fill_date(slot: str, scene: Scene, form: str) -> list[Segment]:
    rng, today = scene.rng, scene.today
    if slot == "date.range":
        return write_range(today - timedelta(days=rng.randint(3, 2000)), rng)
    if slot in ("date.year", "date.month", "date.weekday", "date.season", "date.holiday", "date.decade") and not form:
        return write_loosely(slot, today, rng)
    day = _day_of(slot, scene)
    yearless = slot not in ("dob", "admit", "discharge", "today")
    return write_date(day, form, scene.chart.house.date_shape, rng, yearless=yearless)


def _day_of(slot: str, scene: Scene) -> date:
    rng, today = scene.rng, scene.today
    if slot == "dob":
        return scene.chart.birth
    if slot == "today":
        return today
    if slot in ("admit", "discharge"):
        stay = int(scene.once("stay", lambda rng: str(rng.randint(1, 14))))
        after = int(scene.once("after", lambda rng: str(rng.choice((0, 0, 0, 1)))))
        return today - timedelta(days=after + (stay if slot == "admit" else 0))
    if slot == "date.recent":
        return today - timedelta(days=rng.randint(1, 28))
    if slot == "date.future":
        return today + timedelta(days=rng.randint(1, 120))
    return today - timedelta(days=int(30 + 9000 * rng.random() ** 2.5))


def _fill_age(slot: str, scene: Scene, _: str) -> list[Segment]:
    rng = scene.rng
    years = age_on(scene.chart.birth, scene.today)
    if scene.chart.audience == "infant":
        years = max(1, (scene.today - scene.chart.birth).days // 30)
    if slot == "age.baby":
        return [(str(rng.randint(1, 23) if rng.random() < 0.9 else rng.randint(1, 6)), "AGE")]
    if slot == "age.relative":
        years = rng.randint(1, 99)
    elif slot == "age.onset":
        years = rng.randint(4, max(5, years))
    elif slot == "age.decade":
        tens = rng.choice((20, 30, 40, 50, 60, 70, 80, 90))
        word = _TENS[tens // 10].removesuffix("y") + "ies"
        return [(f"{tens}s" if rng.random() < 0.75 else f"{tens}'s" if rng.random() < 0.4 else word, "AGE")]
    return [(str(years), "AGE")]


def age_on(birth: date, day: date) -> int:
    """Full years between the two days."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def spell_number(number: int) -> str:
    """
    >>> spell_number(67), spell_number(80), spell_number(104)
    ('sixty-seven', 'eighty', '104')
    """
    if number < 20:
        return _ONES[number]
    if number > 99:
        return str(number)
    tens, one = divmod(number, 10)
    return _TENS[tens] + (f"-{_ONES[one]}" if one else "")


def _fill_hospital(slot: str, scene: Scene, form: str) -> list[Segment]:
    maker = "clinic" if slot == "clinic" else "hospital"
    name = scene.chart.house.hospital if slot == "hospital" else scene.chart.body(slot, maker)
    known = f"{slot} named" in scene.said
    scene.said[f"{slot} named"] = ""
    if form == "short" or (known and scene.rng.random() < 0.4):
        name = shorten(name, scene.once(f"{slot} short", lambda rng: rng.choice(("letters", "front", "words"))))
    return [(name, "HOSPITAL")]


def shorten(name: str, how: str) -> str:
    """A body's initials, or the first part of its name.

    >>> shorten("Lakeview General Hospital", "letters"), shorten("St. Mary's Hospital", "letters"), shorten("Lakeview General", "front")
    ('LGH', "St. Mary's", 'Lakeview')
    """
    words = name.split()
    if how == "letters" and len(words) > 2 and not words[0].startswith(("St", "Saint")):
        return "".join(word[0] for word in words if word[0].isupper())
    saintly = words[0] in ("St.", "St", "Saint", "Mount", "University", "Our", "The", "Royal", "Children's")
    kept = words[: 2 if saintly or how == "words" else 1]
    return " ".join(words if kept[-1] in ("of", "and", "&", "Lady") else kept)


def _fill_place(slot: str, scene: Scene, _: str) -> list[Segment]:
    home, rng = scene.chart.home, scene.rng
    label = slot.rstrip("2").upper()
    if slot == "state":
        return [(home.state if scene.once("state form", lambda rng: rng.choice("nnc")) == "n" else home.code, label)]
    if slot in ("street", "city", "zip"):
        return [(getattr(home, slot), label)]
    if slot == "city2":
        name = scene.once(
            slot,
            lambda rng: pick(rng, world_cities(scene.chart.part), skew=2) if rng.random() < 0.2 else draw_town(rng, scene.chart.part).name,
        )
        return [(name, label)]
    if slot == "state2":
        return [
            (
                scene.once(slot, lambda rng: rng.choice(rng.choice(state_names())) if rng.random() < 0.5 else rng.choice(state_names())[0]),
                label,
            )
        ]
    if slot == "country":
        american = ("United States", "USA", "U.S.", "United States of America", "US")
        chosen = scene.chart.fact(
            slot, lambda rng: rng.choice(american) if rng.random() < 0.25 else rng.choice(countries(scene.chart.part))
        )
        return [(chosen, label)]
    return [(rng.choice(countries(scene.chart.part)), label)]


def _fill_address(scene: Scene, _: str) -> list[Segment]:
    home = scene.chart.home
    line = scene.rng.choice((", ", ", ", ", ", "\n", " "))
    between = scene.rng.choice((", ", ", ", " "))
    state = home.code if scene.rng.random() < 0.8 else home.state
    gap = scene.rng.choice((" ", " ", "  ", ", "))
    return [(home.street, "STREET"), (line, ""), (home.city, "CITY"), (between, ""), (state, "STATE"), (gap, ""), (home.zip, "ZIP")]


def _fill_body(slot: str, label: str, scene: Scene, _: str) -> list[Segment]:
    if slot in ("place", "department"):
        return [
            (
                scene.once(slot, lambda rng: make(slot, rng, scene.chart.part))
                if slot == "department"
                else make(slot, scene.rng, scene.chart.part),
                label,
            )
        ]
    return [(scene.chart.body(slot, slot), label)]


def _fill_room(scene: Scene, _: str) -> list[Segment]:
    return [
        (
            scene.once(
                "room",
                lambda rng: rng.choice((f"{rng.randint(1, 40)}", f"{rng.randint(100, 999)}", f"{rng.randint(100, 990)}{rng.choice('AB')}")),
            ),
            "ROOM",
        )
    ]


def _fill_profession(slot: str, scene: Scene, _: str) -> list[Segment]:
    return [(scene.chart.fact(slot, lambda rng: rng.choice(professions(scene.chart.part))), "PROFESSION")]


def _fill_phone(slot: str, scene: Scene, _: str) -> list[Segment]:
    area = scene.chart.fact("area", lambda rng: str(rng.randint(201, 989)))
    label = "FAX" if slot == "fax" else "PHONE"
    if slot in ("phone", "phone2", "fax"):
        return [(scene.chart.fact(slot, lambda rng: make_phone(rng, area=area)), label)]
    return [(make_number(slot, scene.rng), label)]


def _fill_email(slot: str, scene: Scene, _: str) -> list[Segment]:
    if slot == "url":
        return [(scene.chart.fact(slot, lambda rng: make_url(scene.chart.house.hospital, rng)), "URL")]
    if slot == "email.doctor":
        domain = make_url(scene.chart.house.hospital, Random(scene.chart.key)).split("//")[-1].split("/")[0].removeprefix("www.")
        return [(scene.chart.fact(slot, lambda rng: make_email(scene.chart.staff("attending"), rng, domain=domain)), "EMAIL")]
    return [(scene.chart.fact(slot, lambda rng: make_email(scene.chart.patient, rng)), "EMAIL")]


def _fill_username(scene: Scene, form: str) -> list[Segment]:
    if form == "trailer":
        return [(scene.once("trailer", lambda rng: make_trailer(scene.chart.staff("attending"), rng)), "USERNAME")]
    return [(scene.chart.fact("username", lambda rng: make_login(scene.chart.staff("attending"), rng)), "USERNAME")]


def _fill_id(slot: str, label: str, scene: Scene, _: str) -> list[Segment]:
    """Numbers of the person stay; those of an order, a visit or a device are new in each note, or each time."""
    if slot in ("device", "lot"):
        return [(make_number(slot, scene.rng), label)]
    if slot in ("accession", "caseno", "encounter"):
        return [(scene.once(slot, partial(make_number, slot)), label)]
    return [(scene.chart.fact(slot, partial(make_number, slot)), label)]


_SEXED = {
    "he": ("he", "she"), "He": ("He", "She"), "him": ("him", "her"), "Him": ("Him", "Her"), "his": ("his", "her"), "His": ("His", "Her"),
    "himself": ("himself", "herself"), "boy": ("boy", "girl"), "child": ("son", "daughter"), "mr": ("Mr.", "Ms."),
}  # fmt: skip


def _fill_sexed(slot: str, scene: Scene, _: str) -> list[Segment]:
    male = scene.chart.patient.sex == "m"
    if slot in _SEXED:
        return [(_SEXED[slot][not male], "")]
    young = age_on(scene.chart.birth, scene.today) < 16
    words = ("boy", "girl") if young else ("man", "woman")
    if slot == "sex":
        words = scene.rng.choices((words, ("male", "female"), ("gentleman", "lady") if not young else words), (50, 42, 8))[0]
    word = words[not male]
    return [(word.capitalize() if slot == "Man" else word, "")]


_LABELS = {
    "ssn.last4": "SSN", "license.driver": "LICENSE", "npi": "LICENSE", "dea": "LICENSE",
    "vehicle.plate": "VEHICLE", "vehicle.vin": "VEHICLE",
    "lot": "DEVICE", "mrn": "MEDICALRECORD", "accession": "IDNUM", "caseno": "IDNUM", "encounter": "IDNUM",
}  # fmt: skip
_BODIES = {
    **dict.fromkeys(("employer", "school", "insurer", "pharmacy", "agency"), "ORGANIZATION"),
    "nursinghome": "HOSPITAL",
    "department": "DEPARTMENT",
    "place": "LOCATION-OTHER",
}
FILLS: Mapping[str, Fill] = {
    "patient": _fill_patient,
    **{slot: partial(_fill_relative, slot) for slot in slots.KIN},
    **{slot: partial(_fill_doctor, slot) for slot in slots.DOCTORS},
    "username": _fill_username,
    **{slot: partial(_fill_date, slot) for slot in slots.DATES},
    **{slot: partial(_fill_age, slot) for slot in slots.AGES},
    **{slot: partial(_fill_hospital, slot) for slot in ("hospital", "hospital2", "clinic")},
    **{slot: partial(_fill_place, slot) for slot in ("street", "city", "state", "zip", "country", "city2", "state2", "country2")},
    "address": _fill_address,
    **{slot: partial(_fill_body, slot, label) for slot, label in _BODIES.items()},
    "room": _fill_room,
    **{slot: partial(_fill_profession, slot) for slot in ("profession", "profession2")},
    **{slot: partial(_fill_phone, slot) for slot in slots.CONTACTS if slot.startswith(("phone", "fax"))},
    **{slot: partial(_fill_email, slot) for slot in ("email", "email.doctor", "url")},
    "ip": partial(_fill_id, "ip", "IPADDR"),
    **{slot: partial(_fill_id, slot, _LABELS.get(slot, slot.upper())) for slot in slots.IDS},
    **{slot: partial(_fill_sexed, slot) for slot in slots.PLAIN},
}

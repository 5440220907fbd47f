"""Fills the slots of places: hospitals and their short names, the patient's home, other towns, bodies, wards and work."""

import re
from random import Random

from incognote.lab.synthetic.charts import draw_town
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.locales import Locale, towns_of
from incognote.lab.synthetic.name_grammar import spell_name
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.vocabulary import countries, pick, professions, state_names, world_cities


def fill_hospital(slot: str, context: NoteContext, form: str) -> list[Segment]:
    kind = "clinic" if slot == "clinic" else "hospital"
    name = context.chart.profile.hospital if slot == "hospital" else context.chart.body(slot, kind)
    known = f"{slot} named" in context.said
    context.said[f"{slot} named"] = ""
    if form == "short" or (known and context.rng.random() < 0.4):
        name = shorten(name, context.once(f"{slot} short", lambda rng: rng.choice(("letters", "front", "words"))))
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


def fill_place(slot: str, context: NoteContext, _: str) -> list[Segment]:
    home, rng = context.chart.home, context.rng
    label = slot.rstrip("2").upper()
    if slot == "state":
        return [(home.state if context.once("state form", lambda rng: rng.choice("nnc")) == "n" else home.code, label)]
    if slot in ("street", "city", "zip"):
        return [(getattr(home, slot), label)]
    if slot == "city2":
        return [(context.once(slot, lambda rng: _other_town(rng, context)), label)]
    if slot == "state2":
        return [(context.once(slot, lambda rng: _other_state(rng, context.chart.locale)), label)]
    if slot == "country":
        own = context.chart.locale.names if context.chart.locale else ("United States", "USA", "U.S.", "United States of America", "US")
        chosen = context.chart.fact(slot, lambda rng: rng.choice(own) if rng.random() < 0.25 else rng.choice(countries(context.chart.part)))
        return [(chosen, label)]
    return [(rng.choice(countries(context.chart.part)), label)]


def _other_town(rng: Random, context: NoteContext) -> str:
    part, locale = context.chart.part, context.chart.locale
    if rng.random() < 0.2:
        return pick(rng, world_cities(part), skew=2)
    return pick(rng, towns_of(locale, part), skew=1.3) if locale else draw_town(rng, part).name


def _other_state(rng: Random, locale: Locale | None) -> str:
    if locale and rng.random() < 0.85:
        return rng.choice(locale.states)[rng.randrange(2)]
    return rng.choice(rng.choice(state_names())) if rng.random() < 0.5 else rng.choice(state_names())[0]


def fill_address(context: NoteContext, _: str) -> list[Segment]:
    home = context.chart.home
    if locale := context.chart.locale:
        return _address_abroad(context, locale)
    line = context.rng.choice((", ", ", ", ", ", "\n", " "))
    between = context.rng.choice((", ", ", ", " "))
    state = home.code if context.rng.random() < 0.8 else home.state
    gap = context.rng.choice((" ", " ", "  ", ", "))
    return [(home.street, "STREET"), (line, ""), (home.city, "CITY"), (between, ""), (state, "STATE"), (gap, ""), (home.zip, "ZIP")]


_PART = re.compile(r"\{(\w+)\}")


def _address_abroad(context: NoteContext, locale: Locale) -> list[Segment]:
    """The home in one of the country's layouts."""
    pieces = _PART.split(context.rng.choice(locale.addresses))  # text and names in turn
    found: list[Segment] = []
    for place, piece in enumerate(pieces):
        if place % 2:
            found.append((getattr(context.chart.home, piece), "STATE" if piece == "code" else piece.upper()))
        elif piece:
            found.append((piece, ""))
    return found


def fill_body(slot: str, label: str, context: NoteContext, _: str) -> list[Segment]:
    def spell(rng: Random) -> str:
        return spell_name(slot, rng, context.chart.part, context.chart.locale)

    if slot == "department":
        return [(context.once(slot, spell), label)]
    return [(spell(context.rng) if slot in ("place", "road") else context.chart.body(slot, slot), label)]


def fill_room(slot: str, context: NoteContext, _: str) -> list[Segment]:
    return [(make_room(context.rng) if slot == "room.other" else context.once("room", make_room), "ROOM")]


def make_room(rng: Random) -> str:
    """The number of a room, a bed or a bay, mostly plain."""
    low, high, side, floor = rng.randint(1, 40), rng.randint(100, 999), rng.choice("ABCDEFHNSTW"), rng.randint(2, 12)
    if (chance := rng.random()) < 0.55:
        return rng.choice((f"{low}", f"{high}", f"{high}", f"{high}{rng.choice('AB')}", f"{floor}{low:02}"))
    if chance < 0.97:
        shapes = (
            f"{high}-{rng.choice('AB12')}", f"{floor}{side}-{low:02}", f"{floor}{side}{low:02}", f"{side}-{low:02}", f"{side}{low}",
            f"{side}-{high}", f"{floor}-{high}", f"{high}{side}", f"{floor}{high}", f"{floor}-{high}{rng.choice('ab')}",
            f"{high}.{rng.randint(1, 4)}",
        )  # fmt: skip
        return rng.choice(shapes)
    return side


def fill_profession(slot: str, context: NoteContext, _: str) -> list[Segment]:
    return [(context.chart.fact(slot, lambda rng: rng.choice(professions(context.chart.part))), "PROFESSION")]

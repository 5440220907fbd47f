"""Place slots filled: hospitals and their short names, the patient's home, other towns, bodies, wards and work."""

import re
from random import Random

from incognote.lab.synthetic.lands import Land, towns_of
from incognote.lab.synthetic.lists import countries, pick, professions, state_names, world_cities
from incognote.lab.synthetic.making import make
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.scenes import Scene
from incognote.lab.synthetic.world import draw_town


def fill_hospital(slot: str, scene: Scene, form: str) -> list[Segment]:
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


def fill_place(slot: str, scene: Scene, _: str) -> list[Segment]:
    home, rng = scene.chart.home, scene.rng
    label = slot.rstrip("2").upper()
    if slot == "state":
        return [(home.state if scene.once("state form", lambda rng: rng.choice("nnc")) == "n" else home.code, label)]
    if slot in ("street", "city", "zip"):
        return [(getattr(home, slot), label)]
    if slot == "city2":
        return [(scene.once(slot, lambda rng: _other_town(rng, scene)), label)]
    if slot == "state2":
        return [(scene.once(slot, lambda rng: _other_state(rng, scene.chart.land)), label)]
    if slot == "country":
        own = scene.chart.land.names if scene.chart.land else ("United States", "USA", "U.S.", "United States of America", "US")
        chosen = scene.chart.fact(slot, lambda rng: rng.choice(own) if rng.random() < 0.25 else rng.choice(countries(scene.chart.part)))
        return [(chosen, label)]
    return [(rng.choice(countries(scene.chart.part)), label)]


def _other_town(rng: Random, scene: Scene) -> str:
    part, land = scene.chart.part, scene.chart.land
    if rng.random() < 0.2:
        return pick(rng, world_cities(part), skew=2)
    return pick(rng, towns_of(land, part), skew=1.3) if land else draw_town(rng, part).name


def _other_state(rng: Random, land: Land | None) -> str:
    if land and rng.random() < 0.85:
        return rng.choice(land.states)[rng.randrange(2)]
    return rng.choice(rng.choice(state_names())) if rng.random() < 0.5 else rng.choice(state_names())[0]


def fill_address(scene: Scene, _: str) -> list[Segment]:
    home = scene.chart.home
    if land := scene.chart.land:
        return _address_abroad(scene, land)
    line = scene.rng.choice((", ", ", ", ", ", "\n", " "))
    between = scene.rng.choice((", ", ", ", " "))
    state = home.code if scene.rng.random() < 0.8 else home.state
    gap = scene.rng.choice((" ", " ", "  ", ", "))
    return [(home.street, "STREET"), (line, ""), (home.city, "CITY"), (between, ""), (state, "STATE"), (gap, ""), (home.zip, "ZIP")]


_PART = re.compile(r"\{(\w+)\}")


def _address_abroad(scene: Scene, land: Land) -> list[Segment]:
    """The home in one of the country's layouts."""
    pieces = _PART.split(scene.rng.choice(land.addresses))  # text and names in turn
    found: list[Segment] = []
    for place, piece in enumerate(pieces):
        if place % 2:
            found.append((getattr(scene.chart.home, piece), "STATE" if piece == "code" else piece.upper()))
        elif piece:
            found.append((piece, ""))
    return found


def fill_body(slot: str, label: str, scene: Scene, _: str) -> list[Segment]:
    if slot in ("place", "road", "department"):
        return [
            (
                scene.once(slot, lambda rng: make(slot, rng, scene.chart.part, scene.chart.land))
                if slot == "department"
                else make(slot, scene.rng, scene.chart.part, scene.chart.land),
                label,
            )
        ]
    return [(scene.chart.body(slot, slot), label)]


def fill_room(slot: str, scene: Scene, _: str) -> list[Segment]:
    return [
        (
            make_room(scene.rng) if slot == "room.other" else scene.once("room", make_room),
            "ROOM",
        )
    ]


def make_room(rng: Random) -> str:
    """The number of a room, a bed or a bay, mostly plain."""
    low, high, side, floor = rng.randint(1, 40), rng.randint(100, 999), rng.choice("ABCDEFHNSTW"), rng.randint(2, 12)
    if (chance := rng.random()) < 0.55:
        return rng.choice((f"{low}", f"{high}", f"{high}", f"{high}{rng.choice('AB')}", f"{floor}{low:02}"))
    if chance < 0.97:
        shapes = (
            f"{high}-{rng.choice('AB12')}", f"{floor}{side}-{low:02}", f"{floor}{side}{low:02}", f"{side}-{low:02}", f"{side}{low}",
            f"{side}-{high}",
            f"{floor}-{high}", f"{high}{side}", f"{floor}{high}", f"{floor}-{high}{rng.choice('ab')}", f"{high}.{rng.randint(1, 4)}",
        )  # fmt: skip
        return rng.choice(shapes)
    return side


def fill_profession(slot: str, scene: Scene, _: str) -> list[Segment]:
    return [(scene.chart.fact(slot, lambda rng: rng.choice(professions(scene.chart.part))), "PROFESSION")]

"""Countries other than the United States: how a chart from there writes addresses, numbers, dates and kin; the data is ``lands.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random

from incognote.lab.synthetic.library import FOLDER, Part, Skeleton
from incognote.lab.synthetic.lists import keep, world_cities

# How often a note that could be of any country is not of the United States.
ABROAD = 0.08
_ANYWHERE = tuple("GB GB GB IE AU AU NZ IN PK SG MY PH ZA NG KE GH CA CA JM AE LK HK".split())
# The countries of the skeletons of a file, by how its name begins; the first that fits.
_FILES = (
    ("visit_abroad", ("GB", "GB", "IE", "AU", "AU", "CA", "CA", "IN")),
    ("britain_", ("GB", "GB", "GB", "GB", "IE")),
    ("pacific_", ("AU", "AU", "AU", "NZ", "NZ", "FJ")),
    ("asia_india", ("IN",)),
    ("asia_", ("SG", "MY", "PH", "HK", "PK", "LK", "IN")),
    ("africa_", ("ZA", "ZA", "NG", "KE", "GH")),
    ("abroad_canada", ("CA",)),
    ("lands_uk", ("GB", "GB", "GB", "GB", "IE")),
    ("lands_pacific", ("AU", "AU", "AU", "NZ", "NZ")),
    ("lands_canada", ("CA",)),
    ("lands_south", ("IN", "IN", "IN", "PK", "LK")),
    ("lands_east", ("SG", "MY", "HK", "PH")),
    ("lands_africa", ("ZA", "NG", "KE", "GH")),
    ("lands_gulf", ("AE",)),
    ("lands_isles", ("JM",)),
    ("lands_travel", tuple("GB AU CA NZ SG ZA AE IN KE HK".split())),
    ("doubt_abroad", tuple("GB GB GB IE AU AU NZ IN PK SG MY PH ZA NG KE GH CA CA JM AE LK HK FJ".split())),
    ("voice_abroad", _ANYWHERE),
    ("terse_abroad", tuple("GB GB GB IE AU AU NZ IN IN PK SG MY PH ZA ZA NG KE GH CA JM AE LK HK".split())),
    ("chart_abroad", _ANYWHERE),
    ("seek_world", _ANYWHERE),
    ("craft_lands", _ANYWHERE),
    ("post_uk", ("GB", "GB", "GB", "GB", "IE")),
    ("post_abroad", tuple("GB IE AU AU NZ IN PK SG MY PH ZA NG KE GH CA CA JM AE LK HK FJ".split())),
    ("request_abroad", _ANYWHERE),
    ("epistle_uk", ("GB", "GB", "GB", "IE")),
    ("epistle_pacific", ("AU", "AU", "NZ")),
    ("epistle_canada", ("CA",)),
    ("epistle_india", ("IN",)),
    ("epistle_east", ("SG", "PH")),
    ("epistle_africa", ("ZA", "ZA", "NG")),
    ("inbox_uk", ("GB", "GB", "GB", "IE")),
    ("inbox_pacific", ("AU", "AU", "NZ")),
    ("inbox_south", ("IN", "IN", "PK")),
    ("inbox_east", ("SG", "MY", "PH")),
    ("inbox_africa", ("ZA", "NG", "KE", "GH")),
    ("inbox_gulf", ("AE",)),
    ("inbox_isles", ("JM",)),
    ("inbox_canada", ("CA",)),
    ("inbox_world", _ANYWHERE),
    ("inquiry_world", _ANYWHERE),
    ("overseas_nhs", ("GB",)),
    ("overseas_eire", ("IE",)),
    ("overseas_aotearoa", ("NZ", "FJ")),
    ("overseas_oz", ("AU",)),
    ("overseas_canada", ("CA",)),
    ("overseas_gulf", ("AE",)),
    ("overseas_india", ("IN",)),
    ("overseas_isles", ("JM",)),
    ("overseas_levant", ("AE",)),
    ("overseas_philippines", ("PH",)),
    ("overseas_southafrica", ("ZA",)),
    ("overseas_southasia", ("PK", "LK")),
    ("overseas_eastafrica", ("KE",)),
    ("overseas_westafrica", ("NG", "GH")),
    ("overseas_east", ("SG", "MY", "HK")),
    ("overseas_", _ANYWHERE),
    (
        "abroad_",
        tuple("GB GB IE AU AU NZ FJ IN PK LK SG MY HK PH ZA NG KE GH CA JM AE".split()),
    ),
)
# What a variant's name begins with where it is not the country's code: np_trek.
_BEGINNINGS = {
    "bd": "LK", "np": "LK", "mv": "LK", "bn": "MY", "sb": "FJ", "tt": "JM", "bs": "JM", "qa": "AE", "lb": "AE", "uk": "GB", "ug": "KE",
    "tz": "KE", "sl": "GH", "gm": "GH", "zw": "ZA", "mw": "ZA", "zm": "ZA", "bw": "ZA", "na": "ZA", "ls": "ZA", "rw": "KE", "et": "KE",
    "lr": "GH", "cm": "GH", "om": "AE", "kw": "AE", "bh": "AE", "eg": "AE", "jo": "AE", "il": "AE", "ps": "AE", "bb": "JM", "gy": "JM",
    "bz": "JM", "bm": "JM", "ky": "JM", "lc": "JM", "gd": "JM", "mt": "GB", "pg": "FJ", "to": "FJ", "ws": "FJ", "vu": "FJ", "ck": "NZ",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Land:
    """A country: its names, the shapes of its numbers, and its words. ``family`` says which makers name its streets and bodies."""

    code: str
    names: tuple[str, ...]
    family: str
    origins: tuple[str, ...]
    states: tuple[tuple[str, str, str], ...]  # name, short name, shape of a postcode or ""
    addresses: tuple[str, ...]
    phones: tuple[str, ...]
    day_first: bool
    holidays: tuple[str, ...]
    ids: Mapping[str, tuple[str, ...]] = field(hash=False)
    kin: Mapping[str, tuple[str, ...]] = field(hash=False)
    codes: tuple[str, ...] = ()
    cities: tuple[str, ...] = ()
    towns: tuple[str, ...] = ()


@cache
def lands() -> Mapping[str, Land]:
    """Every country of ``lands.toml`` by its code."""
    tables = tomllib.loads((FOLDER / "lands.toml").read_text(encoding="utf-8"))
    return {code: _read_land(code, table) for code, table in tables.items()}


def _read_land(code: str, table: Mapping[str, object]) -> Land:
    values: dict[str, object] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    for name in ("ids", "kin"):
        values[name] = {key: tuple(shapes) for key, shapes in table[name].items()}  # type: ignore[attr-defined]
    values["states"] = tuple(_read_state(row) for row in table["states"])  # type: ignore[attr-defined]
    return Land(**{"code": code, "cities": (code,), **values})  # type: ignore[arg-type]


def _read_state(row: str) -> tuple[str, str, str]:
    name, short, shape = (*row.split("|"), "", "")[:3]
    return name, short or name, shape


@cache
def towns_of(land: Land, part: Part) -> tuple[str, ...]:
    """Towns of the country, or of each of the countries that stand together, largest first."""
    named = land.towns or [town for code in land.cities for town in world_cities("all", code)]
    # Macrons and dots are the map's there, not the people's; the list has each such town without them too.
    return keep([town for town in named if land.family not in ("india", "gulf") or town.isascii()], part)


def lands_of(skeleton: Skeleton) -> tuple[str, ...]:
    """The codes of the countries that a skeleton may be of; none where it may be of any.

    >>> lands_of(Skeleton("asia_east.sg_poly", frozenset(), (), "skeletons/asia_east.txt", ((1, ""),)))
    ('SG',)
    """
    file = skeleton.file.rpartition("/")[2]
    found = next((codes for start, codes in _FILES if file.startswith(start)), ())
    beginning, mark, _ = skeleton.name.partition(".")[2].partition("_")
    named = _BEGINNINGS.get(beginning, beginning.upper())
    if beginning == "sa":  # Saudi Arabia, but South Africa in the file of Africa
        named = "AE" if "AE" in found else "ZA"
    return (named,) if mark and named in found else found


def draw_land(rng: Random, codes: tuple[str, ...] = ()) -> Land | None:
    """One of the countries; where none is named, mostly none, which is the United States."""
    if codes:
        return lands()[rng.choice(codes)]
    return lands()[rng.choice(_FILES[-1][1])] if rng.random() < ABROAD else None

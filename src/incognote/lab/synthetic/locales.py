"""Countries other than the United States: how a chart from there writes addresses, numbers, dates and kin; the data is ``locales.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random

from incognote.lab.synthetic.library import FOLDER, Part
from incognote.lab.synthetic.vocabulary import keep, world_cities

# How often a note that could be of any country is not of the United States.
ABROAD = 0.08
_ABROAD = tuple("GB GB IE AU AU NZ FJ IN PK LK SG MY HK PH ZA NG KE GH CA JM AE".split())


@dataclass(frozen=True, slots=True)
class Locale:
    """A country: its names, the shapes of its numbers, its words; ``family`` says which files of the name grammar spell its bodies."""

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
def locales() -> Mapping[str, Locale]:
    """Every country of ``locales.toml`` by its code."""
    tables = tomllib.loads((FOLDER / "locales.toml").read_text(encoding="utf-8"))
    return {code: _read_locale(code, table) for code, table in tables.items()}


def _read_locale(code: str, table: Mapping[str, object]) -> Locale:
    values: dict[str, object] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    for name in ("ids", "kin"):
        values[name] = {key: tuple(shapes) for key, shapes in table[name].items()}  # type: ignore[attr-defined]
    values["states"] = tuple(_read_state(row) for row in table["states"])  # type: ignore[attr-defined]
    return Locale(**{"code": code, "cities": (code,), **values})  # type: ignore[arg-type]


def _read_state(row: str) -> tuple[str, str, str]:
    name, short, shape = (*row.split("|"), "", "")[:3]
    return name, short or name, shape


@cache
def towns_of(locale: Locale, part: Part) -> tuple[str, ...]:
    """Towns of the country, or of each of the countries that stand together, largest first."""
    named = locale.towns or [town for code in locale.cities for town in world_cities("all", code)]
    # Macrons and dots are the map's there, not the people's; the list has each such town without them too.
    return keep([town for town in named if locale.family not in ("india", "gulf") or town.isascii()], part)


def draw_locale(rng: Random, codes: tuple[str, ...] = ()) -> Locale | None:
    """One of the countries; where none is named, mostly none, which is the United States."""
    if codes:
        return locales()[rng.choice(codes)]
    return locales()[rng.choice(_ABROAD)] if rng.random() < ABROAD else None

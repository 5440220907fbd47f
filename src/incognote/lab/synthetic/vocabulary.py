"""The lists that synthetic facts are drawn from, each divided by a stable hash so that train and test share few names and places."""

import gzip
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from incognote.lab.synthetic.library import FOLDER, Part, part_of
from incognote.lexicon import word_list, word_order, word_rows
from incognote.lexicon.names import given_rows, surname_order

# A list of names in which fewer than this many fall to one part is not divided.
_DIVIDED_FROM = 12


@dataclass(frozen=True, slots=True)
class Names:
    """Given names by sex and surnames, most frequent first where that is known."""

    given: Mapping[str, tuple[str, ...]]
    family: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Town:
    """A city with its state (or province) and the first digits of its ZIP codes."""

    name: str
    state: str
    zip3: str


def keep(values: Sequence[str], part: Part) -> tuple[str, ...]:
    """The values that belong to a part; all of them where too few do."""
    if part == "all":
        return tuple(values)
    kept = tuple(value for value in values if part_of(value) == part)
    return kept if len(kept) >= _DIVIDED_FROM else tuple(values)


@cache
def shapes(table: str) -> Mapping[str, tuple[str, ...]]:
    """A table of ``shapes.toml``."""
    return {key: tuple(values) for key, values in tomllib.loads((FOLDER / "shapes.toml").read_text(encoding="utf-8"))[table].items()}


@cache
def american_names(part: Part) -> Names:
    """Names of the US census lists."""
    given: dict[str, list[str]] = {"f": [], "m": []}
    for name, sex in given_rows():
        for one in "fm" if sex == "e" else sex:
            given[one].append(name)
    return Names({sex: keep(names, part) for sex, names in given.items()}, keep(surname_order(), part))


@cache
def wordlike_names(part: Part) -> Names:
    """Names that are also common words or eponyms: Will, Rose, Young, Foley."""
    words = word_list("ambiguous-names") | word_list("eponyms")
    whole = american_names("all")
    given = {sex: keep([name for name in names if name.casefold() in words], part) for sex, names in whole.given.items()}
    return Names(given, keep([name for name in whole.family if name.casefold() in words], part))


@cache
def foreign_names(part: Part) -> Mapping[str, Names]:
    """Names of some fifty origins in Latin letters; a surname goes with a given name of its origin."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"f": [], "m": [], "s": []})
    for line in gzip.decompress((FOLDER / "names.txt.gz").read_bytes()).decode().splitlines():
        origin, kind, name = line.split("\t")
        for one in "fm" if kind == "e" else kind:
            found[origin][one].append(name)
    return {
        origin: Names({sex: keep(kinds[sex], part) for sex in "fm"}, keep(kinds["s"], part))
        for origin, kinds in found.items()
        if all(kinds.values())
    }


@cache
def nicknames() -> Mapping[str, tuple[str, ...]]:
    """What the bearers of a given name are called."""
    lines = (FOLDER / "nicknames.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {name: tuple(short.split()) for name, short in rows}


@cache
def towns(part: Part) -> tuple[Town, ...]:
    """Cities of the United States with a ZIP code, largest first."""
    rows = [Town(*row) for row in word_rows("cities-us") if len(row) == 3 and row[2]]
    return tuple(town for town in rows if part == "all" or part_of(town.name) == part)


@cache
def world_cities(part: Part, country: str = "") -> tuple[str, ...]:
    """Cities outside the United States, of one country if named, largest first."""
    return keep([row[0] for row in word_rows("cities-world") if not country or row[1] == country], part)


@cache
def state_names(country: str = "US") -> tuple[tuple[str, str], ...]:
    """Name and code of each state or province."""
    return tuple((row[0], row[1]) for row in word_rows("states") if row[2] == country)


@cache
def countries(part: Part) -> tuple[str, ...]:
    """Names of countries."""
    return keep([name for name in word_order("countries") if len(name) > 3], part)


@cache
def professions(part: Part) -> tuple[str, ...]:
    """Occupations."""
    return keep(word_order("professions"), part)


def pick(rng: Random, values: Sequence[str], *, skew: float = 1.0) -> str:
    """One of the values; with a skew above 1 the first, which are the most frequent, come more often."""
    return values[int(len(values) * rng.random() ** skew)]

"""Surrogate places: states, cities and ZIP codes move together, so that each new city lies in its new state and ZIP area."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from incognote.facts import Facts
from incognote.lexicon import word_list, word_order, word_rows
from incognote.lexicon.person import fold
from incognote.replace.casing import match_case
from incognote.replace.identifiers import canonical_id, fill_shape, surrogate_id
from incognote.replace.keyed_choice import KeyedChoice
from incognote.replace.vocabulary import vocabulary

_COUNTY = re.compile(r"(?:co\.?|county)\s+", re.IGNORECASE)
_FEWEST_CITIES = 30
_WORLD_CITIES = 3000
_FEWEST_ABROAD, _MOST_ABROAD = 20, 60
# What may stand between a city and its country: ", " or " (".
_LONGEST_JOIN = 3


@cache
def _state_codes() -> Mapping[str, str]:
    """Every writing of a state or province, by its letters, with its code."""
    codes = {row[1].casefold(): row[1] for row in word_rows("states")}
    return codes | {_letters(row[0]): row[1] for row in (*word_rows("states"), *word_rows("state-abbreviations"))}


def _letters(value: str) -> str:
    return re.sub(r"[.\s]", "", fold(value))


@cache
def _states() -> Mapping[str, tuple[str, str]]:
    """Name and country of each code; of two that share one (WA, NT) the first, so that Washington is not Western Australia."""
    found: dict[str, tuple[str, str]] = {}
    for name, code, country in (row[:3] for row in word_rows("states")):
        found.setdefault(code, (name, country))
    return found


@cache
def _options(country: str) -> Mapping[str, tuple[str, str]]:
    """The codes of the states of a country that may stand for another, each with its code and its name, folded."""
    return {code: (code.casefold(), fold(name)) for code, (name, land) in _states().items()
            if land == country and (land != "US" or len(_cities().get(code, ())) >= _FEWEST_CITIES)}  # fmt: skip


@cache
def _cities() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """The cities of each state that have a ZIP area, with it; names that are common words are left out."""
    found: dict[str, list[tuple[str, str]]] = {}
    common = word_list("common-words")
    for name, state, area in ((*row, "")[:3] for row in word_rows("cities-us")):
        if area and name.casefold() not in common:
            found.setdefault(state, []).append((name, area))
    return {state: tuple(cities) for state, cities in found.items()}


@cache
def _states_of_city() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """For each city, folded, the states that have one and its ZIP area there, the most populous first."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, state, area in ((*row, "")[:3] for row in word_rows("cities-us")):
        folded = fold(name)
        found[folded] = (*found.get(folded, ()), (state, area))
    return found


@cache
def _areas() -> Mapping[str, str]:
    return {row[0]: row[1] for row in word_rows("zip3")}


@cache
def _world_cities() -> tuple[tuple[str, str], ...]:
    return tuple((name, "") for name in word_order("cities-world")[:_WORLD_CITIES] if name.isascii())


@cache
def _countries() -> Mapping[str, str]:
    """The code of each country that has enough cities to stand for another."""
    rows = (row.split(":") for row in sorted(vocabulary("lands")))
    return {name.replace("_", " "): code for code, name in rows if len(_cities_abroad().get(code, ())) >= _FEWEST_ABROAD}


@cache
def _cities_abroad() -> Mapping[str, tuple[str, ...]]:
    """The greatest cities of each country, by its code; names that are common words are left out."""
    found: dict[str, list[str]] = {}
    for name, code in word_rows("cities-world"):
        cities = found.setdefault(code, [])
        if len(cities) < _MOST_ABROAD and name.isascii() and name.casefold() not in word_list("common-words"):
            cities.append(name)
    return {code: tuple(cities) for code, cities in found.items()}


@cache
def _regions() -> tuple[str, ...]:
    return tuple(name for name in word_order("regions") if name.isascii() and name.isalpha() and name not in vocabulary("counties"))


def _regions_like(value: str, *, county: bool) -> tuple[str, ...]:
    """Counties of Ireland, shires or other regions, as the value is one."""
    if county or value.capitalize() in vocabulary("counties"):
        counties: tuple[str, ...] = vocabulary("counties")
        return counties
    shire = fold(value).endswith("shire")
    return tuple(name for name in _regions() if name.endswith("shire") == shire)


def _is_short(value: str) -> bool:
    """Whether it is written as a code (NJ, N.J., NSW, UK); its surrogate then need not be in capitals."""
    return sum(map(str.isalpha, value)) <= 3


def read_state(value: str) -> str | None:
    """The code of a state: ``MA`` from ``MA``, ``Mass.`` or ``Massachusetts``."""
    return _state_codes().get(_letters(value))


@dataclass(frozen=True, slots=True)
class Places:
    """Where a patient's places are moved to. ``homes`` are the state and the ZIP area of each city, ``firsts`` the first city of each,

    ``lands`` the country of each city that stands before one."""

    choice: KeyedChoice
    real: frozenset[str] = field(repr=False)
    keep_states: bool = False
    keep_countries: bool = False
    home_state: str = "OH"
    states: dict[str, str] = field(default_factory=dict, repr=False)
    cities: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    homes: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    firsts: dict[str, str] = field(default_factory=dict, repr=False)
    taken: set[str] = field(default_factory=set, repr=False)
    lands: Mapping[str, str] = field(default_factory=dict, repr=False)

    def state(self, value: str) -> str | None:
        """Another state, by code or by name as it was written."""
        code = read_state(value)
        if code is None:
            return self._mislabelled(value)
        new = self.new_state(code)
        return match_case(new if _is_short(value) else _states()[new][0], value)

    def _mislabelled(self, value: str) -> str | None:
        """For a country, a region or a city that was labelled as a state."""
        if value.strip().casefold() in word_list("countries"):
            return self.country(value)
        return self._region(value) or (self.city(value) if fold(value).strip() in word_list("cities-world") else None)

    def _region(self, value: str) -> str | None:
        """Another county, or province abroad; ``Co.`` stays before a county of Ireland. None where it is neither."""
        lead = _COUNTY.match(value)
        bare = value[lead.end() :] if lead else value
        if not lead and bare.casefold() not in word_list("regions"):
            return None
        name = self._other("region", bare, _regions_like(bare, county=bool(lead)))
        return (lead[0] if lead else "") + match_case(name, bare) if name else None

    def new_state(self, code: str) -> str:
        """The code of the state that stands for one."""
        if self.keep_states and code in _cities():
            return code
        if code not in self.states:  # what is stored depends on the code alone
            options = _options(_states().get(code, ("", "US"))[1])
            others = [other for other, folded in options.items() if other != code and self.real.isdisjoint(folded)]
            self.states[code] = self.choice.of("state", code).pick(others) if others else code
        return self.states[code]

    def city(self, value: str) -> str | None:
        """Another city: in the state that stands for its own, or abroad if it is abroad."""
        key = fold(value).strip()
        return match_case((self.cities.get(key) or self.new_city(key))[0], value)

    def new_city(self, key: str) -> tuple[str, str]:
        """The city that stands for one, and its ZIP area."""
        home = self.homes.get(key) or next(iter(_states_of_city().get(key, ())), None)
        choice = self.choice.of("city", key)
        abroad = home is None and key in word_list("cities-world")
        state = self.new_state(home[0] if home else self.home_state)
        pool = self._pool_abroad(key) or (_world_cities() if abroad else _cities().get(state) or _cities()["OH"])
        for attempt in range(60):
            city = choice.of(attempt).pick(pool)
            if city[0] not in self.taken and not {fold(city[0]), *fold(city[0]).split()} & self.real:
                return city
        # With so many real cities two may share a surrogate; the plan masks one that is real itself.
        return choice.pick(pool)

    def _pool_abroad(self, key: str) -> tuple[tuple[str, str], ...]:
        """The cities of the country that stands for a city's own; nothing where that is not written."""
        land = self.lands.get(key)
        new = land if self.keep_countries else self.country(land) if land else None
        return tuple((name, "") for name in _cities_abroad().get(_code_of(new), ())) if new else ()

    def zip_code(self, value: str) -> str | None:
        """A ZIP code of the new city, or of the new state where no city is known; postcodes with letters start with Q, as none does."""
        digits = canonical_id(value)
        if not digits.isdigit():
            new = surrogate_id(digits, self.choice.of("postcode", digits))
            return fill_shape(value, "Q" + new[1:]) if new and digits[0].isalpha() else None
        if len(digits) in (4, 6):
            new = surrogate_id(digits, self.choice.of("postcode", digits))
            return fill_shape(value, new) if new else None
        if len(digits) not in (3, 5, 9):
            return None
        area = self._new_area(digits[:3])
        if area is None:
            return None
        for attempt in range(20):
            new = area + self.choice.of("zip", digits, attempt).digits(len(digits))[3:]
            if new != digits and new not in self.real:
                return fill_shape(value, new)
        return None

    def _new_area(self, area: str) -> str | None:
        """The ZIP area of the city that stands for one in this area, else in its state; None where the state has no other area."""
        state = _areas().get(area, "")
        here = self.firsts.get(area) or self.firsts.get(state)
        if here and self.cities[here][1]:
            return self.cities[here][1]
        new = self.new_state(state or "OH")
        others = [other for other, where in _areas().items() if where == new and other != area]
        return self.choice.of("area", area).pick(others) if others else None

    def country(self, value: str) -> str | None:
        """Another country."""
        name = self._other("country", value, tuple(_countries()))
        return name if name is None or _is_short(value) else match_case(name, value)

    def _other(self, kind: str, value: str, names: Sequence[str]) -> str | None:
        """One of the names that is nothing real here."""
        for attempt in range(50):
            name = self.choice.of(kind, fold(value), attempt).pick(names)
            if not {fold(name), *fold(name).split()} & self.real and fold(name) != fold(value):
                return name
        return None


def _code_of(country: str) -> str:
    return next((code for name, code in _countries().items() if fold(name) == fold(country)), "")


def assign_places(choice: KeyedChoice, facts: Facts, real: frozenset[str], *, keep_states: bool, keep_countries: bool = False) -> Places:
    """The moves of all places among the facts. A city of many states is taken for the one that the notes name."""
    codes = [code for value in facts.values("STATE") if (code := read_state(value))]
    codes += [state for value in facts.values("ZIP") if (state := _areas().get(re.sub(r"\D", "", value)[:3]))]
    named = frozenset(codes)
    cities = sorted({fold(value).strip() for value in facts.values("CITY")})
    homes: dict[str, tuple[str, str]] = {}
    for value in cities:
        options = _states_of_city().get(value, ())
        if home := next((option for option in options if option[0] in named), options[0] if options else None):
            homes[value] = home
    lands = _find_lands(facts, {city for city, (state, _) in homes.items() if state in named})
    homes = {city: home for city, home in homes.items() if city not in lands}
    places = Places(choice, real, keep_states, keep_countries, codes[0] if codes else "OH", homes=homes, lands=lands)
    for value, home in homes.items():
        for where in home:
            places.firsts.setdefault(where, value)
    for value in cities:
        places.cities[value] = places.new_city(value)
        places.taken.add(places.cities[value][0])
    return places


def _find_lands(facts: Facts, settled: Collection[str]) -> dict[str, str]:
    """The country of each city that stands before one (Kingston, Jamaica), and of the greatest cities of a country that is named.

    Those ``settled`` in a state that is named need the country beside them."""
    starts = {place: value for (label, value), place in facts.places.items() if label == "COUNTRY"}
    greatest = {fold(city): name for name in reversed(facts.values("COUNTRY")) for city in _cities_abroad().get(_code_of(name), ())}
    found: dict[str, str] = {}
    beside: dict[str, str] = {}
    for (label, value), (note, start) in facts.places.items():
        city = fold(value).strip()
        if label != "CITY":
            continue
        behind = (starts.get((note, start + len(value) + gap)) for gap in range(1, _LONGEST_JOIN + 1))
        if country := next((country for country in behind if country), None):
            beside[city] = country
        elif city in greatest and city not in settled:
            found[city] = greatest[city]
    return found | beside

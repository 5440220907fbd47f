"""Surrogates of people, their accounts, jobs and towns that a reader believes."""

import re

import pytest

from incognote.document import parse_markup
from incognote.facts import gather_facts
from incognote.lexicon import word_list, word_rows
from incognote.lexicon.names import given_ranks
from incognote.lexicon.nicknames import short_forms
from incognote.replace import load_policy, make_replacer, rewrite
from incognote.replace.keyed_choice import KeyedChoice
from incognote.replace.name_pools import family_pool, given_pool
from incognote.replace.professions import surrogate_profession
from incognote.replace.vocabulary import vocabulary

KEYS = [bytes([at]) * 32 for at in range(1, 13)]


def scrub(text: str, key: bytes, policy: str = "i2b2") -> list[str]:
    """The replacement of each tagged mention."""
    document = parse_markup(text)
    replacer = make_replacer("surrogate", policy=load_policy(policy), key=key)
    clean, _ = rewrite(document, replacer.replace(document, next(iter(gather_facts([document]).values()))))
    return [clean.value(span) for span in clean.spans]


@pytest.mark.parametrize(
    "name", ['William "Billy" Harrington', "Katherine (Kate) Lane", 'Harold "Hal" Price', "Elizabeth 'Libby' Crane", "THEODORE (TED) ASH"]
)
def test_a_nickname_is_another_name_than_the_whole(name: str) -> None:
    crowd = " ".join(f"<DOCTOR>{given} Roe</DOCTOR>" for given in ["Nick", "Kenny", "Ernie", "Cliff", "Susie", "Vero", "Toby"])
    for key in KEYS:
        given, short, *_ = re.findall(r"\w+", scrub(f"<PATIENT>{name}</PATIENT> seen. {crowd}", key)[0].casefold())
        assert given != short


def test_a_nickname_is_a_short_form_of_the_surrogate_where_one_is_free() -> None:
    for key in KEYS:
        given, short, _ = re.findall(r"\w+", scrub('<PATIENT>William "Billy" Harrington</PATIENT>', key)[0].casefold())
        assert short in short_forms()[given]


@pytest.mark.parametrize(
    "text",
    [
        "She lives with my sister <PATIENT>Kim</PATIENT>.",
        "His niece <PATIENT>Rollins</PATIENT> drives.",
        "Her brother <PATIENT>Lee</PATIENT> called.",
        "<PATIENT>Martin</PATIENT>, his son, is here.",
        "Spoke to daughter <DOCTOR>Blake</DOCTOR>.",
        "Her aunt is called <PATIENT>Scott</PATIENT>.",
    ],
)
def test_kin_who_go_by_one_name_go_by_a_given_name(text: str) -> None:
    pool = {name for role in ("PATIENT", "DOCTOR") for gender in "mfe" for name in given_pool(role, gender)}
    assert all(scrub(text, key)[0] in pool for key in KEYS)


@pytest.mark.parametrize(("kin", "gender"), [("sister", "f"), ("niece", "f"), ("brother", "m"), ("grandson", "m")])
def test_kin_have_names_of_their_gender(kin: str, gender: str) -> None:
    for name in ("Kim", "Rollins", "Taylor"):
        assert all(scrub(f"Her {kin} <PATIENT>{name}</PATIENT>", key)[0] in given_pool("PATIENT", gender) for key in KEYS)


@pytest.mark.parametrize(
    ("handle", "form"),
    [
        ("kstrick", "{g1}{f6}"),
        ("k.strick", "{g1}.{f6}"),
        ("kmstrick", "{g1}{m1}{f6}"),
        ("strickk", "{f6}{g1}"),
        ("katherines", "{g}{f1}"),
        ("stricklandk", "{f}{g1}"),
        ("kms", "{g1}{m1}{f1}"),
        ("k_strickland", "{g1}_{f}"),
        ("mstrickland", "{m1}{f}"),
        ("kat.strickland", "{g3}.{f}"),
    ],
)
def test_an_address_is_made_of_the_surrogate_name(handle: str, form: str) -> None:
    for key in KEYS:
        name, email = scrub(f"<PATIENT>Katherine Mary Strickland</PATIENT> <EMAIL>{handle}@yahoo.com</EMAIL>", key)
        given, middle, family = name.casefold().split()
        parts = {"g": given, "f": family, "g1": given[0], "g3": given[:3], "m1": middle[0], "f1": family[0], "f6": family[:6]}
        assert email.split("@")[0] == form.format(**parts)


@pytest.mark.parametrize("value", ["researchers", "both teachers", "retired nurses", "school bus drivers", "policemen"])
def test_several_stay_several(value: str) -> None:
    for seed in KEYS:
        new = surrogate_profession(value, KeyedChoice(seed))
        assert new
        assert new.endswith(("s", "men"))
        assert new not in vocabulary("professions")


@pytest.mark.parametrize("value", ["construction", "works in sales", "landscaping", "IT", "retail"])
def test_a_trade_stays_a_trade(value: str) -> None:
    for seed in KEYS:
        new = surrogate_profession(value, KeyedChoice(seed))
        assert new
        assert new.removeprefix("works in ") in vocabulary("trades")


@pytest.mark.parametrize("value", ["nurse", "seamstress", "boss", "physics teacher"])
def test_one_stays_one(value: str) -> None:
    assert all(surrogate_profession(value, KeyedChoice(seed)) in vocabulary("professions") for seed in KEYS)


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        ("From <CITY>Kingston</CITY>, <COUNTRY>Jamaica</COUNTRY>.", ""),
        ("Born in <CITY>Lyon</CITY> (<COUNTRY>France</COUNTRY>).", ""),
        ("<CITY>Toronto</CITY> <COUNTRY>Canada</COUNTRY>", ""),
        ("Moved from <CITY>TBILISI</CITY>, <COUNTRY>GEORGIA</COUNTRY>", ""),
        ("Family in <COUNTRY>Poland</COUNTRY>, mostly <CITY>Krakow</CITY>.", ""),
        ("From <CITY>Kingston</CITY>, <COUNTRY>Jamaica</COUNTRY>.", " Lives in <CITY>Boston</CITY>, <STATE>MA</STATE>."),
    ],
)
def test_a_city_lies_in_the_country_beside_it(text: str, elsewhere: str) -> None:
    codes = dict(row.split(":")[::-1] for row in vocabulary("lands"))
    cities = {(name.casefold(), code) for name, code in word_rows("cities-world")}
    for key in KEYS:
        found = {value.casefold() for value in scrub(text + elsewhere, key)[:2]}
        lands = {name.replace("_", " ").casefold(): code for name, code in codes.items()}
        (country,) = found & lands.keys()
        (city,) = found - {country}
        assert (city, lands[country]) in cities


def test_a_city_beside_a_kept_country_stays_in_it() -> None:
    cities = {name for name, code in word_rows("cities-world") if code == "PL"}
    for key in KEYS:
        city, country = scrub("From <CITY>Krakow</CITY>, <COUNTRY>Poland</COUNTRY>.", key, "safe-harbor")
        assert city in cities - {"Krakow"}
        assert country == "Poland"


def test_no_surrogate_name_offends_or_reads_as_something_else() -> None:
    names = {*family_pool("PATIENT"), *family_pool("DOCTOR")}
    names |= {name for role in ("PATIENT", "DOCTOR") for gender in "mfe" for name in given_pool(role, gender)}
    odd = set("dick christian butts dung hooker hung german asia jesus kike slaughter looney moody crack cancer lupus tylenol".split())
    folded = {name.casefold() for name in names}
    assert not folded & odd
    assert not folded & (word_list("countries") | word_list("demonyms") | word_list("clinical-terms") | word_list("drugs"))
    assert all(len(given_pool(role, gender)) > 60 for role in ("PATIENT", "DOCTOR") for gender in "mfe")


def test_the_vocabulary_of_odd_names_is_of_names() -> None:
    assert vocabulary("odd") & given_ranks().keys()

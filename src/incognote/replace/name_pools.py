"""The names that surrogate persons may have, by role and gender."""

import re
from collections.abc import Collection
from functools import cache
from itertools import islice

from incognote.lexicon import word_list
from incognote.lexicon.names import given_rows, surname_order
from incognote.lexicon.person import PARTICLES
from incognote.lexicon.relation_cues import FEMALE_KIN, MALE_KIN
from incognote.replace.people import NAME_LABELS
from incognote.replace.vocabulary import vocabulary

# Common names are the least telling; beyond these the lists grow rare and odd.
_GIVEN_NAMES, _EITHER, _SURNAMES = 600, 250, 5000
_FEMALE, _MALE = re.compile(r"\s*(?:mrs|ms|miss)\b", re.IGNORECASE), re.compile(r"\s*mr\b", re.IGNORECASE)


@cache
def family_pool(role: str, size: int = 4000) -> tuple[str, ...]:
    """Surnames for a role. The roles have no name in common, so a clinician never shares one with a patient."""
    return usable(surname_order()[:size])[_parity(role) :: 2]


@cache
def given_pool(role: str, gender: str) -> tuple[str, ...]:
    """Given names for a role and a gender (m, f, or e for either)."""
    # Brooklyn and Nevada would be read as places; where either gender will do, many of the list are better known as surnames.
    unwanted = word_list("cities-us") | word_list("states") | word_list("countries") | _either()
    if gender == "e":
        unwanted |= {name.casefold() for name in surname_order()[:_SURNAMES]}
    rows = (row[0] for row in given_rows() if row[1] == gender and row[0].casefold() not in unwanted)
    names = list(islice(rows, _GIVEN_NAMES))
    if gender == "e":
        names = [*(name.capitalize() for name in sorted(_either())), *names[:_EITHER]]
    return usable(names)[_parity(role) :: 2]


def _parity(role: str) -> int:
    return int(role != NAME_LABELS[0])


def usable(names: Collection[str]) -> tuple[str, ...]:
    """Names that are not read as a word, a term, or the end of a sentence."""
    return tuple(name for name in names if len(name) > 3 and name.isascii() and name.isalpha() and name.casefold() not in _unwanted())


@cache
def _unwanted() -> frozenset[str]:
    lists = ("common-words", "ambiguous-names", "eponyms", "drugs", "clinical-terms", "demonyms", "countries", "states")
    return frozenset(PARTICLES | vocabulary("odd")).union(*map(word_list, lists))


@cache
def _either() -> frozenset[str]:
    """Names of men and of women, whatever the list says: a woman's name would look wrong after Mr., which is no part of the name."""
    return frozenset(vocabulary("either"))


@cache
def _genders() -> dict[str, str]:
    return {row[0].casefold(): row[1] for row in given_rows()}


def gender_of(word: str, values: Collection[str]) -> str:
    """m, f or e: by a word of kinship among the values, else by the given name, else by a title in the values.

    >>> gender_of("rollins", ["niece"]), gender_of("mary", []), gender_of("kim", ["Mr. Kim"])
    ('f', 'f', 'm')
    """
    kin = _one_gender(not FEMALE_KIN.isdisjoint(values), not MALE_KIN.isdisjoint(values))
    own = "e" if word in _either() else _genders().get(word, "e")
    titled = _one_gender(any(map(_FEMALE.match, values)), any(map(_MALE.match, values)))
    return next((gender for gender in (kin, own, titled) if gender != "e"), "e")


def _one_gender(female: bool, male: bool) -> str:
    return "e" if female == male else "f" if female else "m"

"""The names that surrogate persons may have, by role and gender."""

import re
from collections.abc import Collection
from functools import cache
from itertools import islice

from incognote.lexicon import word_list
from incognote.lexicon.names import given_rows, surname_order
from incognote.lexicon.person import PARTICLES
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
    return word_list("common-words") | word_list("ambiguous-names") | word_list("eponyms") | word_list("drugs") | PARTICLES


@cache
def _either() -> frozenset[str]:
    """Names of men and of women, whatever the list says: a woman's name would look wrong after Mr., which is no part of the name."""
    return frozenset(vocabulary("either"))


@cache
def _genders() -> dict[str, str]:
    return {row[0].casefold(): row[1] for row in given_rows()}


def gender_of(word: str, values: Collection[str]) -> str:
    """m, f or e: by the given name, else by a title in the values."""
    gender = "e" if word in _either() else _genders().get(word, "e")
    if gender == "e":
        female, male = any(map(_FEMALE.match, values)), any(map(_MALE.match, values))
        return "e" if female == male else "f" if female else "m"
    return gender

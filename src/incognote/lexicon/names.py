"""Personal names: the lists of given names and surnames, and whether a word is a name, a common word, or never a name."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from incognote.lexicon import frequent_words, word_list, word_order, word_rows
from incognote.lexicon.person import fold

# Names that are also words of every sentence; after a first name in capitals they are the words.
_SENTENCE_WORDS = frozenset(
    "will may can do see saw has had was is are be call called states says said did does than then and an he her him his in me my no nor "
    "not per "
    "now of on or she so that the them they to too up us very we who you your asked told came went made got noted given seen".split()
)
# The months that the lists of names hold too.
_MONTHS = frozenset({"april", "june", "august", "jan", "mardi", "march"})
_GIVEN, _SURNAMES = "given-names", "surnames"
_FREQUENT_GIVEN = 4000
_FREQUENT_SURNAMES = 3000


def given_names(most: int | None = None) -> frozenset[str]:
    """The given names of the list, casefolded: all, or so many of the most frequent.

    >>> "mary" in given_names(100), "mirela" in given_names(100), "mirela" in given_names()
    (True, False, True)
    """
    return frequent_words(_GIVEN, most) if most else word_list(_GIVEN)


def surnames(most: int | None = None) -> frozenset[str]:
    """The surnames of the list, casefolded: all, or so many of the most frequent."""
    return frequent_words(_SURNAMES, most) if most else word_list(_SURNAMES)


def given_rows() -> tuple[tuple[str, ...], ...]:
    """Every given name as it is written, the most frequent first, with the sex of who bears it: m, f, or e for either."""
    return word_rows(_GIVEN)


@cache
def given_ranks() -> Mapping[str, int]:
    """How far down the list each given name stands, casefolded; 0 is the most frequent."""
    return _rank(word_order(_GIVEN))


@cache
def surname_ranks() -> Mapping[str, int]:
    """How far down the list each surname stands, casefolded."""
    return _rank(surname_order())


def _rank(order: Sequence[str]) -> dict[str, int]:
    return dict(zip(map(str.casefold, order[::-1]), range(len(order) - 1, -1, -1), strict=True))


def surname_order() -> tuple[str, ...]:
    """Every surname as it is written, the most frequent first."""
    return word_order(_SURNAMES)


@cache
def _never_names() -> frozenset[str]:
    text = (Path(__file__).parent / "not-names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@cache
def frequent_given_names() -> frozenset[str]:
    """The given names that people really bear often, folded."""
    return frozenset(map(fold, given_names(_FREQUENT_GIVEN)))


def is_never_name(word: str) -> bool:
    """Whether the word is a role, a heading, a day, an abbreviation.

    >>> is_never_name("Attending"), is_never_name("Roe")
    (True, False)
    """
    return fold(word).rstrip(".") in _never_names()


def is_sentence_word(word: str) -> bool:
    """Whether the word is one of the small words of every sentence, though some bear it as a name."""
    return fold(word) in _SENTENCE_WORDS


@lru_cache(65536)
def is_common(word: str) -> bool:
    """Whether the word is one of the language or of medicine, name or not.

    >>> is_common("Chest"), is_common("Young"), is_common("Kaczmarek")
    (True, True, False)
    """
    folded = fold(word)
    if "-" in folded and not is_frequent_given(folded):
        return any(_is_common_part(part) for part in folded.split("-") if len(part) > 2)
    return _is_common_part(folded)


def _is_common_part(folded: str) -> bool:
    return (
        folded in word_list("common-words")
        or folded in word_list("ambiguous-names")
        or folded in _never_names()
        or folded in _SENTENCE_WORDS
    )


@lru_cache(65536)
def is_given(word: str) -> bool:
    """Whether the word, or a part of it, is a known given name.

    >>> is_given("Mirela"), is_given("Ana-Lucía"), is_given("Chest")
    (True, True, False)
    """
    return _known(word, _GIVEN)


@lru_cache(65536)
def is_surname(word: str) -> bool:
    """Whether the word, or a part of it, is a known surname.

    >>> is_surname("O'Brien"), is_surname("Ruiz-Ortega"), is_surname("lungs")
    (True, True, False)
    """
    return _known(word, _SURNAMES)


@cache
def _frequent_surnames() -> frozenset[str]:
    return frozenset(map(fold, surnames(_FREQUENT_SURNAMES)))


def is_frequent_surname(word: str) -> bool:
    """Whether the word is among the surnames that people really bear often, a common word or not.

    >>> is_frequent_surname("Young"), is_frequent_surname("None")
    (True, False)
    """
    return fold(word) in _frequent_surnames()


def is_frequent_given(word: str) -> bool:
    """Whether the word is among the given names that people really bear often."""
    folded = fold(word)
    return folded in frequent_given_names() or any(part in frequent_given_names() for part in folded.split("-")[:1] if "-" in folded)


def is_name(word: str) -> bool:
    """Whether the word is a known name and not a common word."""
    return not is_common(word) and (is_given(word) or is_surname(word))


def _known(word: str, name: str) -> bool:
    names, plain = word_list(name), word_list(f"{name}-plain")
    folded = fold(word).replace("’", "'")
    bare = folded.replace("'", "")
    if folded in names or folded in plain or bare in names or bare in plain:
        return True
    return "-" in folded and all(part in names or part in plain for part in folded.split("-") if len(part) > 2)


@lru_cache(65536)
def is_foreign_to_names(word: str) -> bool:
    """Whether the word or phrase is a country, a state, a people, a month or a holiday: capitalised for a reason of its own.

    >>> is_foreign_to_names("Spanish"), is_foreign_to_names("Ohio"), is_foreign_to_names("Ruiz")
    (True, True, False)
    """
    folded = fold(word)
    return folded in _MONTHS or any(folded in word_list(name) for name in ("countries", "states", "demonyms"))


def is_capital_word(word: str) -> bool:
    """Whether notes write the word with a capital for another reason than its being a name: a brand, an abbreviation.

    >>> is_capital_word("Bovie"), is_capital_word("CXR"), is_capital_word("Okafor")
    (True, True, False)
    """
    folded = fold(word)
    return folded in word_list("capital-words") or folded in word_list("drugs")


def is_city_word(word: str) -> bool:
    """Whether one word is the name of a city that the lists know."""
    folded = fold(word)
    return folded in word_list("cities")


def is_city(phrase: str) -> bool:
    """Whether the whole phrase is a city or a state of two words or more.

    >>> is_city("San Diego"), is_city("North Carolina"), is_city("Jane Roe")
    (True, True, False)
    """
    folded = phrase.casefold()
    return " " in folded and any(folded in word_list(name) for name in ("cities", "states", "countries"))

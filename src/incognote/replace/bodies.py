"""What surrogate bodies are called: plausible names of places and saints, and the kind of a known body whose name has no word for it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from incognote.lexicon import frequent_words, word_list, word_rows
from incognote.lexicon.names import given_names, surnames
from incognote.lexicon.person import fold
from incognote.replace.casing import match_case
from incognote.replace.keyed_choice import KeyedChoice

WORD = re.compile(r"\d+(?:st|nd|rd|th)?(?![^\W_])|[^\W\d_]+(?:['’.][^\W\d_]+)*|\d+", re.IGNORECASE)
_FREQUENT = 4000  # surrogate persons have the most frequent surnames
_CITIES = 3000
_LONGEST_NAME = 11
_LONGEST_ACRONYM, _SHORTEST_WORD = 5, 4
_LETTERS = "BCDFGHKLMNPRSTW"


@cache
def place_names() -> tuple[str, ...]:
    """Names that a clinic, a school or a street may have; none is a common word, or the name of a surrogate person.

    >>> "Alderbrook" in place_names(), len(place_names()) > 1000
    (True, True)
    """
    unwanted = word_list("common-words") | word_list("eponyms") | word_list("drugs") | frequent_words("cities-us", _CITIES)
    unwanted |= surnames(_FREQUENT) | given_names(_FREQUENT)
    names = _read("names")
    pairs = product(names["starts"].split(), names["ends"].split())
    both = [start + end for start, end in pairs if end[:3] not in start.casefold() and start[-1] != end[0]]
    return tuple(name for name in both if len(name) <= _LONGEST_NAME and name.casefold() not in unwanted)


@cache
def saints() -> tuple[str, ...]:
    """Saints after whom hospitals, schools and churches are called."""
    return tuple(_read("names")["saints"].split())


def split_words(value: str) -> list[str]:
    """The words and numbers of a value, folded."""
    return [fold(token) for token in WORD.findall(value)]


def known_kind(words: Sequence[str]) -> str:
    """The kind of a known body by its folded words, also where others follow; nothing where it is not known.

    >>> known_kind(["blue", "cross", "of", "ohio"]), known_kind(["oakdale", "bakery"])
    ('insurer', '')
    """
    words, known = words[words[:1] == ["the"] :], _known_kinds()
    return next((known[start] for end in range(len(words), 0, -1) if (start := tuple(words[:end])) in known), "")


def name_body(name: str, value: str, kind: str, choice: KeyedChoice) -> str:
    """A name with a word for the kind behind it, in the capitals of the value, if that is no acronym."""
    whole = f"{name} {choice.pick(_read('forms')[kind])}"
    return whole if is_acronym(value) else match_case(whole, value)


def is_acronym(value: str) -> bool:
    """Whether a value is capitals that are no word: MGH and U.P.M.C., not MERCY.

    >>> is_acronym("MGH"), is_acronym("V.A."), is_acronym("MERCY")
    (True, True, False)
    """
    letters = value.replace(".", "")
    if not (letters.isascii() and letters.isalpha() and letters.isupper() and 2 <= len(letters) <= _LONGEST_ACRONYM):
        return False
    word = letters.casefold()
    return "." in value or len(letters) < _SHORTEST_WORD or word not in word_list("common-words") | surnames() | _words_of_known()


def surrogate_acronym(label: str, letters: str, choice: KeyedChoice) -> str | None:
    """Other letters that a body of this kind may be called by, with the end of these where it is a usual one; None for other kinds.

    >>> surrogate_acronym("HOSPITAL", "MGH", KeyedChoice(b"key"))[1:]
    'GH'
    """
    kind = "veterans" if letters.casefold() in _read("names")["veterans"].split() else known_kind([letters.casefold()])
    forms = _read("acronyms").get(kind or ("hospital" if label == "HOSPITAL" else ""))
    if not forms:
        return None
    own = max((form for form in forms if form[0] == "*" and letters.endswith(form[1:])), key=len, default="")
    form: str = own or choice.of("form").pick([form for form in forms if form != letters])
    return form.replace("*", choice.of("letter").pick([letter for letter in _LETTERS if letter not in letters]))


@cache
def _known_kinds() -> Mapping[tuple[str, ...], str]:
    return {tuple(split_words(row[0])): kind for row in word_rows("known-bodies") for kind in row[2:] if kind != "cue"}


@cache
def _words_of_known() -> frozenset[str]:
    """The names of known bodies that are one word: Cigna, not BCBS."""
    return frozenset(row[0].casefold() for row in word_rows("known-bodies") if not row[0].isupper())


@cache
def _read(table: str) -> Any:
    return tomllib.loads((files("incognote.replace") / "bodies.toml").read_text(encoding="utf-8"))[table]

"""Reading a written name: its parts, the persons of a couple, words spelled out, and whether the family name stands first."""

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from incognote.lexicon.names import given_ranks, surname_ranks
from incognote.lexicon.person import GENERATIONS, PARTICLES, POSSESSIVE, SUFFIXES, TITLES, PersonName, fold, parse_name

# A letter may carry its accent as a character of its own.
LETTER = r"(?:[^\W\d_][\u0300-\u036f]*)"
_COUPLE = re.compile(r"(?<=[\w.])\s+(?:and|&|\+)\s+(?=\w)", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
# Particles that people are called by, too.
_ALSO_GIVEN = frozenset("al ben della mac san".split())
_COMMA = re.compile(r"[,^]")
_APOSTROPHES = str.maketrans("", "", "'’ʼ`´")
_SPELLED = re.compile(rf"(?<![\w-]){LETTER}(?P<mark>\s?-\s?|\.\s?|\s){LETTER}(?:(?P=mark){LETTER})*(?![\w-])")
# Three letters with points or spaces between them are initials.
_SHORTEST, _SHORTEST_HYPHENED = 4, 3
_KEPT = 4096  # a patient's values are asked for again and again
_JOINED_GIVEN = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_A-Z]+)+")
_GENERATION = re.compile(rf"\b({'|'.join(sorted(GENERATIONS))})\b\.?(?:['’]s)?(?=,|\s*$)", re.IGNORECASE)


def fold_name(text: str) -> str:
    """As :func:`fold`, and without apostrophes: OBRIEN in the head of a note is the O'Brien of its text.

    >>> fold_name("O’Brien")
    'obrien'
    """
    return fold(text).translate(_APOSTROPHES)


@lru_cache(_KEPT)
def read_name(value: str) -> PersonName:
    """As :func:`parse_name`, folded; ``van der Berg`` alone is a family name.

    >>> read_name("van der Berg").family
    'van der berg'
    """
    name = parse_name(fold_name(POSSESSIVE.sub("", value.strip())))
    if name.given in PARTICLES and not name.lone and _opens_family(value, name):
        return PersonName(family=" ".join((name.given, *name.middle, name.family)))
    return name


def _opens_family(value: str, name: PersonName) -> bool:
    """Whether the first word is no given name: it is small among capitals, or another particle follows. Ben de la Cruz is called Ben."""
    written = next((word for word in _LETTERS.findall(value) if fold_name(word) == name.given), "")
    small = written.islower() and (not value.islower() or name.given not in _ALSO_GIVEN)
    # St. Pierre is no given and family name.
    return small or name.given == "st" or (name.given not in _ALSO_GIVEN and (*name.middle, *name.family.split())[0] in PARTICLES)


def join_letters(value: str) -> tuple[str, dict[str, str]]:
    """The value with words that are spelled out written as words, and what stood between the letters of each.

    >>> join_letters("John S-M-I-T-H"), join_letters("J. R. R. Roe")[0]
    (('John SMITH', {'SMITH': '-'}), 'J. R. R. Roe')
    """
    marks: dict[str, str] = {}

    def join(spelled: re.Match[str]) -> str:
        word = spelled[0].replace(spelled["mark"], "")
        shortest = _SHORTEST if "-" not in spelled["mark"] else 2 if spelled[0] == value else _SHORTEST_HYPHENED
        if len(word) < shortest:
            return spelled[0]
        marks[word] = spelled["mark"]
        return word

    return _SPELLED.sub(join, value), marks


@lru_cache(_KEPT)
def part_couple(value: str) -> tuple[tuple[str, str], ...]:
    """The persons of a mention, each as written and as a whole: spelled-out words joined, a family name that only one of them has added.

    >>> part_couple("Bill and Martha Roe"), part_couple("Mr. and Mrs. L-E-E")
    ((('Bill', 'Bill roe'), ('Martha Roe', 'Martha Roe')), (('Mrs. L-E-E', 'Mrs. LEE'),))
    """
    *first, last = _COUPLE.split(value)
    parts = [*(part for part in first if read_name(part).lone not in TITLES), last]
    wholes = [join_letters(part)[0] for part in parts]
    family = read_name(wholes[-1]).family
    lent = [f"{whole} {family}" if family and read_name(whole).lone else whole for whole in wholes[:-1]]
    return tuple(zip(parts, (*lent, wholes[-1]), strict=True))


def rewrite_couple(value: str, rewrite: Callable[[str, str], str | None]) -> str | None:
    """The value with each of its persons, as written and as a whole, rewritten; None where one cannot be."""
    pieces, at = [], 0
    for written, whole in part_couple(value):
        start = value.index(written, at)
        new = rewrite(written, whole)
        if new is None:
            return None
        pieces += [value[at:start], new]
        at = start + len(written)
    return "".join([*pieces, value[at:]])


def name_parts(family: str) -> list[str]:
    """The words of a family name, those joined by a hyphen apart."""
    return family.replace("-", " ").split()


def name_rank(word: str) -> int | None:
    """How far down the lists of names a word stands; None where it is on none."""
    return min((rank for ranks in (given_ranks(), surname_ranks()) if (rank := ranks.get(word)) is not None), default=None)


def lone_slot(word: str, role: str) -> str:
    """Given or family, for a word that stands alone everywhere: clinicians go by family names, others by what is more common."""
    never = 10**9
    given, family = given_ranks().get(word, never), surname_ranks().get(word, never)
    if role == "DOCTOR" and family < never:
        return "family"
    return "given" if given < family else "family"


def is_joined_given(value: str) -> bool:
    """Whether the small letter after a hyphen says that two words are one given name: Soo-jin, not Ruiz-Ortega."""
    return _JOINED_GIVEN.fullmatch(value) is not None


@lru_cache(_KEPT)
def is_initials(value: str) -> bool:
    """Whether a mention may be initials alone: M.K., MK, or mk where no such name is known.

    >>> is_initials("M.K.-R."), is_initials("MK"), is_initials("Jo"), is_initials("JO"), is_initials("李秀英")
    (True, True, False, True, False)
    """
    letters = re.sub(r"[\s.]|(?<=\.)-", "", value)
    if not letters.isalpha() or not 2 <= len(letters) <= 3 or letters.upper() == letters.lower():
        return False
    name = read_name(value)
    return is_brief(name) or (name.lone != "" and len(letters) == 2 and letters.isupper())


def initials(name: PersonName) -> str:
    """First letters, given name first."""
    return name.lone or "".join(part[:1] for part in (name.given, *name.middle, name.family))


def is_brief(name: PersonName) -> bool:
    """Whether a name is nothing but initials."""
    if name.lone:
        return 1 < len(name.lone) < 4 and name.lone not in given_ranks() and name.lone not in surname_ranks()
    return all(len(part) == 1 for part in (name.given, *name.middle, name.family))


def read_generation(value: str) -> str:
    """Jr, Sr or a number after a name, in small letters."""
    found = _GENERATION.search(value)
    return found[1].casefold() if found and found.start() else ""


def may_be_turned(name: PersonName) -> bool:
    """Whether the last word may be the given name, as in ``SMITH JOHN`` and ``Smith J.``: such names are resolved after clear ones."""
    never = 10**9
    family_first = surname_ranks().get(name.given, never) < given_ranks().get(name.given, never)
    return len(name.family) == 1 or (family_first and name.family in given_ranks())


def has_comma(value: str) -> bool:
    """Whether a comma, or the caret of a message, says that the family name stands first: not the one before ``Jr.``"""
    comma = _COMMA.search(value)
    return comma is not None and any(word not in SUFFIXES for word in fold(value[comma.end() :]).replace(".", "").replace(",", " ").split())


def join_family(name: PersonName, families: Collection[str]) -> PersonName:
    """The name with the family name of several words that another mention shows: Ana Ruiz Ortega beside RUIZ ORTEGA, ANA, and Van Dyke
    beside Dick Van Dyke."""
    *first, last = name.given, *name.middle
    joined = f"{last} {name.family}"
    if joined not in families:
        return name
    return PersonName(first[0], tuple(first[1:]), joined) if first else PersonName(family=joined)


def turn_name(name: PersonName) -> PersonName | None:
    """The name read with its first word as the family name; None where it is one word, or has more than an initial after the second.

    >>> turn_name(read_name("SMITH JOHN A")) == PersonName("john", ("a",), "smith"), turn_name(read_name("Mary Ann Lee"))
    (True, None)
    """
    first = [*name.middle, *name.family.split()]
    if not name.given or not first or any(len(word) > 1 for word in first[1:]):
        return None
    return PersonName(first[0], tuple(first[1:]), name.given)

"""Typos in names: Smtih is Smith where Smith is in the notes."""

import re
from collections.abc import Callable, Collection, Mapping

from incognote.lexicon.names import is_given, is_surname
from incognote.lexicon.person import PersonName
from incognote.lexicon.typos import TypoIndex
from incognote.replace.name_reading import name_rank

_PART = re.compile(r"[^\s-]+")
# Beyond these the lists of names hold typos too.
_WELL_KNOWN = 20_000
_WELL, _LISTED, _UNLISTED = range(3)
_SHORTEST_MISSPELT = 5


def allowed_typos(length: int) -> int:
    """How many typos a word of so many letters may hold and still be taken for another."""
    return 0 if length < _SHORTEST_MISSPELT else 1 if length < 9 else 2


def find_misspelt(words: Collection[str]) -> Mapping[str, str]:
    """Each word that is no known name, with the one among the others that it all but is; Hansen and Hanson are both known and stay apart.

    >>> find_misspelt({"kaczmarek", "kaczmarck", "hansen", "hanson", "smtih", "smith"}) == {"kaczmarck": "kaczmarek", "smtih": "smith"}
    True
    """
    standing = dict(sorted(((word, _standing(word)) for word in words), key=lambda each: each[::-1]))
    doubted = [word for word, own in standing.items() if own != _WELL and len(word) >= _SHORTEST_MISSPELT]
    index = TypoIndex.gather(standing)
    found: dict[str, str] = {}
    for word in doubted:
        own = standing[word]
        its, other = min((standing[other], other) for _, other in index.near(word))
        if its < own or (own == _UNLISTED and other < word):
            found[word] = found.get(other, other)
    return found


def _standing(word: str) -> int:
    if (rank := name_rank(word)) is not None:
        return _WELL if rank < _WELL_KNOWN else _LISTED
    return _LISTED if is_given(word) or is_surname(word) else _UNLISTED


def respell(name: PersonName, spell: Callable[[str], str]) -> PersonName:
    """The name with each of its words spelled right."""

    def fix(part: str) -> str:
        return _PART.sub(lambda word: spell(word[0]), part)

    return PersonName(fix(name.given), tuple(map(fix, name.middle)), fix(name.family), fix(name.lone))

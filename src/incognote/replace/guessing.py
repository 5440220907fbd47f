"""How many choices are in a key, as someone who guesses would make them: words, repetitions and sequences count for little."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from incognote.lexicon.words import word_list

_PASSWORDS = """
    admin administrator changeme clinic default deidentify demo doctor dragon example football health hello hospital incognote iloveyou
    letmein login master medical monkey passphrase passwd password passwort patient princess qwerty secret sunshine test welcome winter
    spring summer autumn monday tuesday wednesday thursday friday saturday sunday
""".split()
_ROWS = [
    "1234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv",
]
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[a-z]+")
_REPEATED, _SEQUENCE, _WORD = 1, 2, 3  # choices
_SHORTEST_WORD, _SHORTEST_PIECE = 4, 3


def count_choices(key: str) -> int:
    """The choices of about 4 bits that a key is made of.

    >>> count_choices("passwordpassword"), count_choices("0" * 32), count_choices("correct horse battery staple") >= 12
    (4, 2, True)
    """
    key, at, choices = key.lower(), 0, 0
    while at < len(key):
        length, cost = max(_list_pieces(key, at), key=lambda piece: (piece[0], -piece[1]))
        at, choices = at + length, choices + cost
    return choices


def _list_pieces(key: str, at: int) -> Iterator[tuple[int, int]]:
    """What may stand at this place of the key: lengths and costs."""
    yield 1, 1
    rest = key[at:]
    repeated = next((size for size in range(len(rest), _SHORTEST_PIECE - 1, -1) if rest[:size] in key[:at]), 0)
    sequence = next((size for size in range(len(rest), _SHORTEST_PIECE - 1, -1) if _is_sequence(rest[:size])), 0)
    letters = _LETTERS.match(rest)
    sizes = range(len(letters[0]) if letters else 0, _SHORTEST_WORD - 1, -1)
    word = next((size for size in sizes if rest[:size] in _words()), 0)
    year = 4 if _YEAR.match(rest) else 0
    yield from [(repeated, _REPEATED), (sequence, _SEQUENCE), (word, _WORD), (year, _SEQUENCE)]


def _is_sequence(piece: str) -> bool:
    """Neighbours on a keyboard, or characters at one distance: 111, abc, 9876."""
    steps = {ord(two) - ord(one) for one, two in pairwise(piece)}
    return steps <= {0} or steps <= {1} or steps <= {-1} or any(piece in row or piece[::-1] in row for row in _ROWS)


@cache
def _words() -> frozenset[str]:
    return word_list("common-words") | word_list("given-names") | word_list("surnames") | frozenset(_PASSWORDS)

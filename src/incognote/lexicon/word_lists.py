"""The TOML word lists, each read once as the alternatives of a regular expression."""

import tomllib
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def read_word_lists(name: str) -> dict[str, str]:
    """The lists of ``lexicon/NAME.toml`` by name, each as alternatives ``a|b|c`` to stand inside a group.

    >>> "ramadan" in read_word_lists("dates")["holidays"].split("|")
    True
    """
    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return {key: value.strip().replace("\n", "|") for key, value in tomllib.loads(text).items()}


@cache
def read_words(name: str) -> frozenset[str]:
    """The words of ``lexicon/NAME.txt``; lines that start with ``#`` are comments.

    >>> "trooper" in read_words("titles-and-roles")
    True
    """
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())

"""The TOML word lists beside the rules, each read once as the alternatives of a regular expression."""

import tomllib
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def read_word_lists(name: str) -> dict[str, str]:
    """The lists of ``rules/NAME.toml`` by name, each as alternatives ``a|b|c`` to stand inside a group.

    >>> "ramadan" in read_word_lists("dates")["holidays"].split("|")
    True
    """
    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return {key: value.strip().replace("\n", "|") for key, value in tomllib.loads(text).items()}


@cache
def read_words(name: str) -> frozenset[str]:
    """The words of ``rules/NAME.txt``; lines that start with ``#`` are comments.

    >>> "trooper" in read_words("leads")
    True
    """
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())

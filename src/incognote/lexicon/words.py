"""The loader of word lists: each is read once, when first asked for, from ``NAME.txt`` or ``NAME.txt.gz`` beside this file.

A list has one entry a line, in order of frequency where that is known; columns are split by tabs and the first is the
word; a line that starts with ``#`` is a comment.
"""

import gzip
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from incognote.errors import IncognoteError

_FOLDER = Path(__file__).parent


def list_names() -> tuple[str, ...]:
    """The names of the lists that ship with the package.

    >>> "surnames" in list_names()
    True
    """
    return tuple(sorted(file.name.partition(".")[0] for file in _FOLDER.glob("*.txt*")))


@cache
def word_list(name: str) -> frozenset[str]:
    """The entries of a list, casefolded.

    >>> "kaczmarek" in word_list("surnames"), "chad" in word_list("countries")
    (True, True)
    """
    return frozenset(_first_column(_read(name).casefold()))


@cache
def word_order(name: str) -> tuple[str, ...]:
    """The entries of a list as they are written, most frequent first where frequency is known.

    >>> word_order("surnames")[:2]
    ('Smith', 'Johnson')
    """
    return tuple(_first_column(_read(name)))


@cache
def frequent_words(name: str, count: int) -> frozenset[str]:
    """The first ``count`` entries of a list, casefolded: the most frequent, where frequency is known.

    >>> "smith" in frequent_words("surnames", 10), "kaczmarek" in frequent_words("surnames", 10)
    (True, False)
    """
    first = "\n".join(_read(name).split("\n", count)[:count])
    return frozenset(_first_column(first.casefold()))


@cache
def word_rows(name: str) -> tuple[tuple[str, ...], ...]:
    """All columns of a list, as written.

    >>> word_rows("given-names")[0]
    ('Michael', 'm')
    """
    return tuple(tuple(line.split("\t")) for line in _lines(_read(name)))


@cache
def word_groups(name: str) -> Mapping[str, frozenset[str]]:
    """The casefolded words of each group of a list whose second column names the group ("" where there is none).

    >>> "f" in word_groups("given-names") and "mary" in word_groups("given-names")["f"]
    True
    """
    groups: dict[str, set[str]] = {}
    for row in word_rows(name):
        groups.setdefault(row[1] if len(row) > 1 else "", set()).add(row[0].casefold())
    return {group: frozenset(words) for group, words in groups.items()}


@cache
def word_starts(name: str) -> Mapping[str, int]:
    """For each first word of the entries, casefolded, the most words an entry that starts with it has: how far a scan must look.

    >>> word_starts("countries")["united"]
    4
    """
    longest: dict[str, int] = {}
    for entry in word_list(name):
        words = entry.split()
        longest[words[0]] = max(len(words), longest.get(words[0], 0))
    return longest


def _first_column(text: str) -> list[str]:
    """The first cell of every line. Where all lines have as many cells, as in the long lists, one cut gives them all."""
    lines = _lines(text)
    tabs = text.count("\t")
    if not tabs:
        return lines
    width = lines[0].count("\t") + 1
    cells = "\t".join(lines).split("\t")
    if tabs == (width - 1) * len(lines):  # a test sees to it that no list has lines of several widths that add up
        return cells[::width]
    return [line.partition("\t")[0] for line in lines]


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if "#" in text:
        lines = [line for line in lines if not line.startswith("#")]
    return [line for line in lines if line] if "" in lines else lines


@cache
def _read(name: str) -> str:
    plain, packed = _FOLDER / f"{name}.txt", _FOLDER / f"{name}.txt.gz"
    if plain.is_file():
        return plain.read_text(encoding="utf-8")
    if packed.is_file():
        return gzip.decompress(packed.read_bytes()).decode("utf-8")
    raise IncognoteError(f"there is no word list '{name}'; the lists are {', '.join(list_names())}")

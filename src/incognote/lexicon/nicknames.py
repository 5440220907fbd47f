"""What people are called for short: Bill is William, and Pat is Patrick or Patricia."""

from collections.abc import Mapping
from functools import cache

from incognote.lexicon import word_rows
from incognote.lexicon.person import fold


@cache
def short_forms() -> Mapping[str, tuple[str, ...]]:
    """For each given name, folded, what its bearers are called.

    >>> short_forms()["robert"][:2], "bob" in short_forms()
    (('bob', 'bobby'), False)
    """
    return {fold(name): tuple(fold(short).split()) for name, short in word_rows("nicknames")}


@cache
def whole_forms() -> Mapping[str, frozenset[str]]:
    """For each short form, folded, the given names it may stand for.

    >>> sorted(whole_forms()["pat"])
    ['patricia', 'patrick']
    """
    wholes: dict[str, set[str]] = {}
    for whole, shorts in short_forms().items():
        for short in shorts:
            wholes.setdefault(short, set()).add(whole)
    return {short: frozenset(names) for short, names in wholes.items()}

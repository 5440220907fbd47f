"""The grammar of a tag set: which tag may follow which, between words and inside one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from incognote.document.bio import OUTSIDE

_BEGIN, _INSIDE, _LAST, _SINGLE = "B", "I", "LE", "US"

NEW_WORD, SAME_WORD, MIXED_WORD = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """``steps[link][p, q]``: whether tag q may follow p, for each kind of link: a new word, the same word, or the same word at a change
    between digits and letters.

    ``joins[p, q]`` says that the two then belong to one span. ``opens`` and ``closes`` are the tags allowed at the ends of a note.
    """

    labels: tuple[str, ...]
    steps: NDArray[np.bool_]
    joins: NDArray[np.bool_]
    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]


def split_tag(tag: str) -> tuple[str, str]:
    """Prefix and label. A tag without a prefix is an inside tag, as some published taggers write it.

    >>> split_tag("B-DATE"), split_tag("LOCATION-OTHER"), split_tag("O")
    (('B', 'DATE'), ('I', 'LOCATION-OTHER'), ('', ''))
    """
    if tag == OUTSIDE:
        return "", ""
    prefix, dash, label = tag.partition("-")
    return (prefix, label) if dash and len(prefix) == 1 and prefix in "BILUES" else (_INSIDE, tag)


@lru_cache(maxsize=16)
def grammar_of(tags: tuple[str, ...], within_words: frozenset[str] = frozenset()) -> Grammar:
    """The grammar of BIO, of BILOU and BIOES, and of sets that lack some tags, such as the 41 of Meaney et al.

    A label with no ``B-`` tag may begin with its ``I-``; a label with ``B-`` alone goes on with it. No word is cut in two, but the labels
    ``within_words`` may begin or end between digits and letters: the age in ``67yo``.

    >>> grammar_of(("O", "B-AGE", "I-AGE")).steps[NEW_WORD].astype(int).tolist()
    [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    """
    parts = [split_tag(tag) for tag in tags]
    roles = {(prefix, label) for prefix, label in parts}

    def has(kinds: str, label: str) -> bool:
        return any((kind, label) in roles for kind in kinds)

    def begins(prefix: str, label: str) -> bool:
        return prefix in (_BEGIN, *_SINGLE) or (prefix == _INSIDE and not has(_BEGIN, label))

    def goes_on(prefix: str, label: str) -> bool:
        return prefix in (_INSIDE, *_LAST) or (prefix == _BEGIN and not has(_INSIDE + _LAST, label))

    def may_end(prefix: str, label: str) -> bool:
        return prefix not in (_BEGIN, _INSIDE) or not has(_LAST, label)

    joins = _table(parts, lambda p, q: bool(p[0]) and p[1] == q[1] and p[0] not in (*_LAST, *_SINGLE) and goes_on(*q))
    starts = np.array([not prefix or begins(prefix, label) for prefix, label in parts])
    ends = np.array([may_end(prefix, label) for prefix, label in parts])
    outside = np.array([not prefix for prefix, _ in parts])
    loose = np.array([label in within_words for _, label in parts])
    free = joins | (ends[:, None] & starts[None, :])
    same = joins | (outside[:, None] & outside[None, :])
    mixed = same | (free & (loose[:, None] | loose[None, :]))
    return Grammar(tuple(label for _, label in parts), np.stack([free, same, mixed]), joins, starts, ends)


def _table(parts: Sequence[tuple[str, str]], allowed: Callable[[tuple[str, str], tuple[str, str]], bool]) -> NDArray[np.bool_]:
    return np.array([[allowed(before, after) for after in parts] for before in parts])

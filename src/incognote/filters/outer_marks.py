"""Trims punctuation that is not part of a value: the full stop of its sentence, quotes, commas, unbalanced brackets.

A full stop belongs to the value where it ends an abbreviation (``Acme Inc.``, ``Roe, J.``), and then only one does.
"""

from functools import cache
from string import whitespace

from incognote.lexicon import word_list
from incognote.lexicon.lazy import lazy

_QUOTES = '"“”„«»'
_OPENING = lazy(rf"(?:[,;:.\s{_QUOTES}|^<>]|[(\[{{](?![^()\[\]{{}}]*[)\]}}]))+(?=\w)")
_CLOSING = f"{whitespace}{_QUOTES},;:'’‘/\\|^<>([{{–—-"
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_LONGEST = 40  # characters of a last word that may be a short form
_LAST_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)?$")
# Besides the abbreviations of states.
_SHORT_FORMS = frozenset(
    "jr sr inc co corp ltd pty bros mt ft hosp univ dept ctr assoc dist bldg apt esq elem opp "
    "st str rd dr ave av blvd ln ct pl sq cir hwy pkwy ter terr tce cres gdns rte".split()
)


def cut_marks(text: str, start: int, end: int, *, stops: bool = True) -> tuple[int, int]:
    """Where a value starts and ends without the marks around it; without ``stops`` its last full stop stays (``5.3.`` is a date).

    >>> values = "St. Luke's.", "Acme Inc..", "Mercy).", "J. Roe, Jr.", "Ward 5 (Burns)."
    >>> [value[slice(*cut_marks(value, 0, len(value)))] for value in values]
    ["St. Luke's", 'Acme Inc.', 'Mercy', 'J. Roe, Jr.', 'Ward 5 (Burns)']
    """
    opening = _OPENING.match(text[start:end])
    start += opening.end() if opening else 0
    value = text[start:end]
    while (cut := _cut_last(value, stops=stops)) != value:
        value = cut
    return start, start + len(value)


def _cut_last(value: str, *, stops: bool) -> str:
    """The value without its last marks, where they are not part of it."""
    value = value.rstrip(_CLOSING)
    if (opening := _BRACKETS.get(value[-1:])) and opening not in value:
        return value[:-1]
    return value[:-1] if stops and value.endswith(".") and not _is_short_form(value[:-1]) else value


def _is_short_form(value: str) -> bool:
    """Whether the last word of a value is written with a full stop: an initial, letters with points, or a known short form."""
    word = _LAST_WORD.search(value, max(0, len(value) - _LONGEST))
    if word is None or word[0].isdecimal():
        return False
    pointed = value.endswith(".", 0, word.start()) and len(word[0]) < 3
    return len(word[0]) == 1 or pointed or word[0].casefold() in _short_forms()


@cache
def _short_forms() -> frozenset[str]:
    return _SHORT_FORMS | {name.rstrip(".") for name in word_list("state-abbreviations")}

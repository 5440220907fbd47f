"""Doubts about what a model finds where the rules find nothing: short numbers, plain words and abbreviations, unless it is sure.

On tuning notes most of what the model alone takes for a date is a score ("pain 8/10"). What the rules see too is not doubted, nor is a
word with a capital that is not a common one: a score says how sure the label is, and a patient taken for a doctor is still a name.
"""

import re
from collections.abc import Iterable, Sequence

from incognote.document import Span
from incognote.lexicon import word_list

_SOURCE = "model.default"
_SURE_DATE, _SURE = 0.95, 0.8
_NUMBER = re.compile(r"[\d./:,\- ]{1,7}")
_FRACTION = re.compile(r"(\d{1,3})\s?/\s?(\d{1,3})")
_WORD = re.compile(r"[^\W\d_]+")
_NAMED = frozenset({"DOCTOR", "PATIENT", "PROFESSION", "ORGANIZATION", "CITY", "HOSPITAL", "STATE", "USERNAME"})
_GUESSED = frozenset({"AGE", "ROOM", "DEVICE", "PROFESSION"})
_LISTS = ("surnames", "given-names", "cities-us", "cities-world", "countries", "states")


def drop_doubtful(spans: Iterable[Span], known: Sequence[Span], text: str) -> list[Span]:
    """The spans less the doubtful ones of the shipped model, whose scores are known, that no ``known`` span touches.

    >>> pain = Span(5, 9, "DATE", score=0.9, source="model.default")
    >>> drop_doubtful([pain], [], "Pain 8/10"), len(drop_doubtful([pain], [Span(5, 9, "DATE")], "Seen 8/10"))
    ([], 1)
    """
    return [
        span for span in spans if span.source != _SOURCE or not _is_doubtful(span, text[span.start : span.end]) or _is_touched(span, known)
    ]


def _is_touched(span: Span, known: Sequence[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in known)


def _is_doubtful(span: Span, value: str) -> bool:
    if span.label == "DATE":
        fraction = _FRACTION.fullmatch(value)
        if fraction and not _is_day(int(fraction[1]), int(fraction[2])):
            return True
        return span.score < _SURE_DATE and bool(_NUMBER.fullmatch(value))
    if span.score >= _SURE:
        return False
    return span.label in _GUESSED or (span.label in _NAMED and _is_plain(value))


def _is_day(one: int, two: int) -> bool:
    """Whether the numbers are a day and a month, in either order.

    >>> _is_day(24, 30), _is_day(7, 22), _is_day(22, 7)
    (False, True, True)
    """
    return (1 <= one <= 12 and 1 <= two <= 31) or (1 <= two <= 12 and 1 <= one <= 31)


def _is_plain(value: str) -> bool:
    """Whether every word is common, in small letters or a few capitals, and on no list of names and places.

    >>> _is_plain("DTN"), _is_plain("Tsvetelina"), _is_plain("Rose")
    (True, False, False)
    """
    words = _WORD.findall(value)
    if any(word.lower() in word_list(name) for name in _LISTS for word in words):
        return False
    return all(word.islower() or (word.isupper() and len(word) <= 5) or word.lower() in word_list("common-words") for word in words)

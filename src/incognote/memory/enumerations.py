"""Names in a list of people: of "Will, Hope, and Grace" the last is a name because the others are."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from incognote.document import Span
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_common, is_frequent_given, is_frequent_surname, is_given

_PEOPLE = frozenset({"PATIENT", "DOCTOR", "NAME"})
_ITEM = r"[^\W\d_a-z][^\W\d_]+(?:[-'’][^\W\d_]+)?"
_LIST = lazy(rf"(?<![\w'’-]){_ITEM}(?:(?:, ?(?:and |& )?|; | and | ?& ){_ITEM})+(?![\w'’-]|[ ]\d)")
_WORD = re.compile(_ITEM)
_JOINED = re.compile(r" and | ?& ")
_SCORE = 0.6


def find_listed_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """The given names in lists of single names, one of which is a person's span: with a comma or more, or with "and" between two.

    >>> text = "Will, Hope, and Grace came"
    >>> [text[span.start : span.end] for span in find_listed_names(text, [Span(0, 4, "PATIENT")])]
    ['Hope', 'Grace']
    """
    if all(span.label not in _PEOPLE for span in spans):
        return []
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    lists = (found.span() for found in _LIST.finditer(text))
    return [span for low, high in lists for span in _complete(text, low, high, spans[bisect_right(ends, low) : bisect_left(starts, high)])]


def _complete(text: str, start: int, end: int, spans: Sequence[Span]) -> Iterator[Span]:
    items = [found.span() for found in _WORD.finditer(text, start, end)]
    found = [span.label for span in spans if span.label in _PEOPLE and start <= span.start and span.end <= end]
    if not found or (len(items) < 3 and not _JOINED.search(text, start, end)):
        return
    for low, high in items:
        free = all(high <= span.start or span.end <= low for span in spans)
        if free and _may_be_name(text[low:high]):
            yield Span(low, high, found[0], _SCORE, "memory.listed")


def _may_be_name(word: str) -> bool:
    return is_frequent_given(word) or is_frequent_surname(word) if is_common(word) else is_given(word)

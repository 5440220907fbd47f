"""Cuts very long texts into segments that fit in memory, each with a margin of context, and joins their spans."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from incognote.document import Span

SIZE, MARGIN = 400_000, 4_000  # characters; a margin is more than the overlap of two windows
_SEARCHED = 2_000


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters ``[start, end)`` of text number ``text``; the spans that begin in ``[first, last)`` are taken from it."""

    text: int
    start: int
    end: int
    first: int
    last: int


def tag_segments(texts: Sequence[str], tag: Callable[[Sequence[str]], list[tuple[Span, ...]]]) -> list[tuple[Span, ...]]:
    """The spans that ``tag`` finds in each text, very long ones in segments."""
    segments = cut_texts(texts)
    found = tag([texts[one.text][one.start : one.end] for one in segments])
    return found if len(segments) == len(texts) else join_spans(segments, found, len(texts))


def cut_texts(texts: Sequence[str], *, size: int = SIZE, margin: int = MARGIN) -> list[Segment]:
    """Each text as one segment or, where it is longer than ``size``, several, parted at line breaks or blanks where there are any.

    >>> [(one.start, one.end, one.first, one.last) for one in cut_texts(["ab cd ef gh"], size=5, margin=2)]
    [(0, 5, 0, 3), (1, 8, 3, 6), (4, 11, 6, 11)]
    """
    return [segment for number, text in enumerate(texts) for segment in _cut(number, text, size, margin)]


def _cut(number: int, text: str, size: int, margin: int) -> Iterator[Segment]:
    first = 0
    while len(text) - first > size:
        last = _part(text, first, first + size)
        yield Segment(number, max(0, first - margin), min(len(text), last + margin), first, last)
        first = last
    yield Segment(number, max(0, first - margin), len(text), first, len(text))


def _part(text: str, first: int, last: int) -> int:
    low = max(first + 1, last - _SEARCHED)
    for gap in ("\n", " "):
        found = text.rfind(gap, low, last)
        if found > 0:
            return found + 1
    return last


def join_spans(segments: Sequence[Segment], found: Sequence[Sequence[Span]], count: int) -> list[tuple[Span, ...]]:
    """The spans of each of ``count`` texts from those of the segments; where two segments disagree, the earlier one wins."""
    joined: list[list[Span]] = [[] for _ in range(count)]
    for segment, spans in zip(segments, found, strict=True):
        kept = joined[segment.text]
        for span in spans:
            moved = Span(span.start + segment.start, span.end + segment.start, span.label, score=span.score, source=span.source)
            if segment.first <= moved.start < segment.last and (not kept or kept[-1].end <= moved.start):
                kept.append(moved)
    return [tuple(spans) for spans in joined]

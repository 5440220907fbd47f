"""The types of filters: a Filter judges a Layer of a Note and returns Decisions, which say what became of each candidate and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from incognote.document import Span
from incognote.filters.citations import find_citations
from incognote.merge import Role
from incognote.thresholds import Thresholds


@dataclass(frozen=True, slots=True)
class Decision:
    """A candidate and what became of it: itself (kept), other spans (trimmed, split) or nothing (dropped)."""

    span: Span
    became: tuple[Span, ...]
    by: str = ""
    reason: str = ""

    @property
    def kept(self) -> bool:
        return bool(self.became)


def keep(span: Span) -> Decision:
    """The span stays as it is."""
    return Decision(span, (span,))


def drop(span: Span, by: str, reason: str) -> Decision:
    """The span goes."""
    return Decision(span, (), by, reason)


@dataclass(frozen=True, slots=True)
class Layer:
    """The spans of one finder in one note; see :class:`incognote.find.finder.Finder` for the settings."""

    name: str
    role: Role
    spans: Sequence[Span] = field(repr=False)
    near: str = ""
    cued: bool = False


@dataclass
class Note:
    """The input of filters: the text of a note, the candidates of each finder, and the layers as filtered so far."""

    text: str = field(repr=False)
    candidates: Mapping[str, Layer]
    layers: Mapping[str, Layer]
    thresholds: Thresholds

    @cached_property
    def cited(self) -> bytearray:
        """One byte per character, 1 where the note cites literature."""
        cited = bytearray(len(self.text))
        for start, end in find_citations(self.text):
            cited[start:end] = b"\x01" * (end - start)
        return cited


Filter = Callable[[Layer, Note], list[Decision]]
"""Judges one layer of a note: one Decision for each of its spans, in order."""


def touching(spans: Sequence[Span], others: Sequence[Span], length: int) -> list[bool]:
    """Of each span, whether it shares a character with one of the others, in a text of this length.

    >>> touching([Span(0, 3, "DATE"), Span(4, 6, "DATE")], [Span(5, 9, "AGE")], 10)
    [False, True]
    """
    taken = bytearray(length)
    for span in others:
        taken[span.start : span.end] = b"\x01" * len(span)
    return [1 in taken[span.start : span.end] for span in spans]

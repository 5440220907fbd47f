"""A Span is a labelled range of a text; it holds offsets, never the text itself."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from incognote.errors import SpanError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range ``[start, end)`` of Unicode code points that carries ``label``.

    Score and source are the confidence and the name of the rule or model; they are not part of the identity.

    >>> Span(0, 3, "PATIENT", score=0.9, source="rules.names") == Span(0, 3, "PATIENT")
    True
    """

    start: int
    end: int
    label: str
    score: float = field(default=1.0, compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise SpanError("needs 0 <= start < end", where=f"span {self.place}")

    @property
    def place(self) -> str:
        """The offsets, for a message; a label may be anything in a damaged file."""
        return f"[{self.start:d}, {self.end:d})"

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: "Span") -> bool:
        """Whether the two share a character.

        >>> Span(0, 3, "DATE").overlaps(Span(3, 5, "DATE"))
        False
        """
        return self.start < other.end and other.start < self.end

    def shift(self, by: int) -> "Span":
        """The same span, ``by`` characters further on."""
        return Span(self.start + by, self.end + by, self.label, self.score, self.source)


def first_overlap(spans: Iterable[Span]) -> tuple[Span, Span] | None:
    """The first two of the sorted spans that overlap, or None."""
    before: Span | None = None
    for span in spans:
        if before is not None and span.start < before.end:
            return before, span
        before = span
    return None

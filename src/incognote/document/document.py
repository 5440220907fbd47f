"""A Document is one note: id, patient, text and its spans; immutable, checked when made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from incognote.document.bio import OUTSIDE
from incognote.document.span import Span, first_overlap
from incognote.errors import SpanError
from incognote.shown import show_id, show_text

CODE_POINTS = "offsets count Unicode code points from 0"


@dataclass(frozen=True, slots=True)
class Document:
    """One note. Spans are kept sorted and without repeats; they must lie in the text and not overlap. None is labelled ``O``.

    ``meta`` holds what a format stores besides the note (other columns, annotation ids), to be written back; never change it in place.

    >>> Document("n1", "Ann called", spans=[Span(0, 3, "PATIENT")])
    Document(id='n1', patient='', 10 characters, 1 span)
    """

    id: str
    text: str
    patient: str = ""
    spans: tuple[Span, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        spans = tuple(self.spans)
        ordered = all(one.end <= two.start for one, two in pairwise(spans))
        if not ordered:  # most are, and checking is faster than sorting
            spans = tuple(sorted(dict.fromkeys(spans)))
        object.__setattr__(self, "spans", spans)
        beyond = max(span.end for span in (spans[-1:] if ordered else spans)) if spans else 0
        if beyond > len(self.text):
            raise self._fault(f"a span ends at {beyond:d} but the text has {len(self.text):d} characters", CODE_POINTS)
        if not ordered and (pair := first_overlap(spans)):
            one, two = pair
            raise self._fault(f"spans {show_text(one.place)} and {show_text(two.place)} overlap", "keep one of them")
        if nothing := next((span for span in spans if span.label == OUTSIDE), None):
            raise self._fault(
                f"span {show_text(nothing.place)} has the label {OUTSIDE}, which means that there is no span",
                "remove it, or give it another label",
            )

    def _fault(self, what: str, fix: str) -> SpanError:
        shown = show_id(self.id)
        return SpanError(what, where=f"document {shown}" if shown else "", fix=fix)

    def __repr__(self) -> str:
        plural = "" if len(self.spans) == 1 else "s"
        return f"Document(id={self.id!r}, patient={self.patient!r}, {len(self.text)} characters, {len(self.spans)} span{plural})"

    def with_spans(self, spans: Iterable[Span]) -> "Document":
        """The same note with other spans."""
        return replace(self, spans=tuple(spans))

    def value(self, span: Span) -> str:
        """The text of a span. It is PHI: never log it."""
        return self.text[span.start : span.end]

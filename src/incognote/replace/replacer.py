"""The Replacer protocol, and rewrite, which puts replacements into a document and returns the edits."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from incognote.document import Document, Span
from incognote.facts import Facts


class Replacer(Protocol):
    """Returns the replacement of each span of a document; the value itself where a policy keeps it.

    ``facts`` holds all values found for the patient, so that replacements agree across notes. Picklable, and a
    pure function of its settings and arguments: the result for a note depends on no order or process.
    """

    def replace(self, document: Document, facts: Facts) -> list[str]: ...

    def judge_kept(self, document: Document, facts: Facts) -> list[str]:
        """For each span, the evidence that keeps it as the policy says, ``doubt`` where there is too little, or ``""`` where it goes."""

    def leaves_order_open(self, document: Document, facts: Facts) -> bool:
        """Whether dates were shifted of which nothing says whether day or month comes first: intervals hold for month first only."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: its span before and after. ``original`` and ``replacement`` may be PHI and are not in the repr."""

    before: Span
    after: Span | None
    original: str = field(repr=False)
    replacement: str = field(repr=False)


def rewrite(document: Document, replacements: Sequence[str]) -> tuple[Document, tuple[Edit, ...]]:
    """The document with the replacements in place of its spans, and the edits; text outside spans is untouched.

    >>> from incognote.document import parse_markup
    >>> clean, edits = rewrite(parse_markup("<PATIENT>Ann</PATIENT> called"), ["[PATIENT]"])
    >>> clean.text, clean.spans
    ('[PATIENT] called', (Span(start=0, end=9, label='PATIENT', score=1.0, source=''),))
    """
    parts: list[str] = []
    edits: list[Edit] = []
    at = size = 0
    for span, text in zip(document.spans, replacements, strict=True):
        before = document.text[at : span.start]
        size += len(before)
        after = Span(size, size + len(text), span.label, span.score, span.source) if text else None
        parts += [before, text]
        size += len(text)
        at = span.end
        edits.append(Edit(span, after, document.value(span), text))
    parts.append(document.text[at:])
    spans = tuple(edit.after for edit in edits if edit.after)
    return replace(document, text="".join(parts), spans=spans), tuple(edits)

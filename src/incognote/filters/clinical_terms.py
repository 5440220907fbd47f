"""The clinical-term filter: eponyms, drugs, scores, devices and organisms are not names or places, unless the context says so."""

from collections.abc import Iterable

from incognote.document import Span
from incognote.filters.citations import find_citations
from incognote.filters.lookalikes import is_lookalike
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.person_context import is_among_people

GUARDED = frozenset("PATIENT DOCTOR USERNAME NAME HOSPITAL ORGANIZATION CITY STATE COUNTRY LOCATION LOCATION-OTHER PROFESSION".split())
# What these sources find stands in a context that says it is a name; the guard believes them.
TRUSTED = (
    "rules.name.title",
    "rules.name.field",
    "rules.name.signature",
    "rules.name.relation",
    "rules.name.row",
    "rules.name.kin",
    "patients",
    "memory",
)
_TRUSTED_STARTS = tuple(f"{source}." for source in TRUSTED)
_SURE, _CERTAIN = 0.25, 0.999


def guard_spans(spans: Iterable[Span], text: str) -> list[Span]:
    """The spans less those of names and places that are clinical terms where they stand, numbers that are no PHI there, and what belongs to
    literature that the note cites.

    >>> guard_spans([Span(0, 5, "PATIENT")], "Foley to gravity"), len(guard_spans([Span(4, 9, "DOCTOR")], "Dr. Foley called"))
    ([], 1)
    """
    cited = bytearray(len(text))
    for start, end in find_citations(text):
        cited[start:end] = b"\x01" * (end - start)
    return [
        span
        for span in spans
        if not (is_lookalike(span, text) or _is_cited(span, text, cited) or (span.label in GUARDED and _is_term(span, text)))
    ]


def _is_cited(span: Span, text: str, cited: bytearray) -> bool:
    """Whether a span lies in literature that is cited, but for its marks."""
    return 1 in cited[span.start : span.end] and all(cited[at] or not text[at].isalnum() for at in range(span.start, span.end))


def _is_term(span: Span, text: str) -> bool:
    model = span.source.startswith("model")
    # A model that is all but certain is right four times of five.
    if _trusted(span.source) or (model and span.score >= _CERTAIN) or not is_clinical(text, span.start, span.end):
        return False
    # "agreed with Gowers", "Conradi aware": people bear eponyms, and a model that is sure of one among people is right.
    return not (model and span.score >= _SURE and is_among_people(text, span.start, span.end))


def _trusted(source: str) -> bool:
    return f"{source}.".startswith(_TRUSTED_STARTS)

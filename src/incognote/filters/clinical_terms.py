"""The clinical-term filter: eponyms, drugs, scores, devices and organisms are not names or places, unless the context shows it."""

from incognote.document import Span
from incognote.filters.decision import Decision, Layer, Note, drop, keep
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.person_context import is_among_people
from incognote.merge import Role

_NAMES_AND_PLACES = frozenset(
    "PATIENT DOCTOR USERNAME NAME HOSPITAL ORGANIZATION CITY STATE COUNTRY LOCATION LOCATION-OTHER PROFESSION".split()
)


def drop_clinical_terms(layer: Layer, note: Note) -> list[Decision]:
    """Drops names and places that are clinical terms in their context: "Foley to gravity", not "Dr. Foley"."""
    if layer.cued or layer.role >= Role.EXACT:
        return [keep(span) for span in layer.spans]
    return [
        drop(span, "clinical terms", "a clinical term where it stands") if _is_term(span, layer, note) else keep(span)
        for span in layer.spans
    ]


def _is_term(span: Span, layer: Layer, note: Note) -> bool:
    if span.label not in _NAMES_AND_PLACES:
        return False
    learned = layer.role is Role.LEARNED
    # Where the model is almost certain, it is right four times in five.
    if (learned and span.score >= note.thresholds.clinical_certain) or not is_clinical(note.text, span.start, span.end):
        return False
    # "agreed with Gowers", "Conradi aware": people have eponyms as names. Where the context is about people, a lower score is enough.
    return not (learned and span.score >= note.thresholds.clinical_sure and is_among_people(note.text, span.start, span.end))

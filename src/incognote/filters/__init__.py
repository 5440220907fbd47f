"""Filters judge candidate spans: kept, trimmed or dropped, by which filter, for which reason."""

from incognote.filters.boundaries import trim_boundaries
from incognote.filters.clinical_terms import drop_clinical_terms
from incognote.filters.decision import Decision, Filter, Layer, Note
from incognote.filters.kept_words import KeptWords
from incognote.filters.lookalikes import drop_citations, drop_lookalikes
from incognote.filters.rescorer import Rescorer
from incognote.filters.support import require_support

__all__ = [
    "Decision",
    "Filter",
    "KeptWords",
    "Layer",
    "Note",
    "Rescorer",
    "drop_citations",
    "drop_clinical_terms",
    "drop_lookalikes",
    "require_support",
    "trim_boundaries",
]

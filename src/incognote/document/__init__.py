"""The data model: spans, documents, label schemes, BIO tags and inline markup; standard library only."""

from incognote.document.alignment import Piece, cut_pieces, word_tokens
from incognote.document.bio import fit_tag, spans_to_tags, tags_to_spans
from incognote.document.casing import count_cases, is_all_caps, lowercase_all_caps
from incognote.document.document import Document
from incognote.document.labels import LabelScheme, bio_tags, relabel, scheme, scheme_names, translate
from incognote.document.markup import format_markup, parse_markup
from incognote.document.normalize import NormalizedDocument, normalize_document, normalize_value
from incognote.document.span import Span

__all__ = [
    "Document",
    "LabelScheme",
    "NormalizedDocument",
    "Piece",
    "Span",
    "bio_tags",
    "count_cases",
    "cut_pieces",
    "fit_tag",
    "format_markup",
    "is_all_caps",
    "lowercase_all_caps",
    "normalize_document",
    "normalize_value",
    "parse_markup",
    "relabel",
    "scheme",
    "scheme_names",
    "spans_to_tags",
    "tags_to_spans",
    "translate",
    "word_tokens",
]

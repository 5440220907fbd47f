"""The data model: spans, documents, label schemes, BIO tags and inline markup; standard library only."""

from incognote.document.alignment import Piece, cut_pieces, word_tokens
from incognote.document.bio import fit_tag, spans_to_tags, tags_to_spans
from incognote.document.casing import calm, count_cases, is_shouted
from incognote.document.document import Document
from incognote.document.labels import LabelScheme, bio_tags, relabel, scheme, scheme_names, translate
from incognote.document.markup import format_markup, parse_markup
from incognote.document.normalize import PlainReading, plain_value, read_plainly
from incognote.document.span import Span

__all__ = [
    "Document",
    "LabelScheme",
    "Piece",
    "PlainReading",
    "Span",
    "bio_tags",
    "calm",
    "count_cases",
    "cut_pieces",
    "fit_tag",
    "format_markup",
    "is_shouted",
    "parse_markup",
    "plain_value",
    "read_plainly",
    "relabel",
    "scheme",
    "scheme_names",
    "spans_to_tags",
    "tags_to_spans",
    "translate",
    "word_tokens",
]

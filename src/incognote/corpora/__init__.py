"""Corpora: every format read and written without losing a character, and splits that keep patients apart."""

from incognote.corpora.corpus import find_scheme, read_corpus, write_corpus
from incognote.corpora.extra_columns import TOKENS, drop_extra_columns, list_extra_columns
from incognote.corpora.files import file_of, is_draft, list_drafts, walk, walk_names
from incognote.corpora.format import Columns, Format, Header, ReadOptions, WriteOptions
from incognote.corpora.formats import FORMATS, check_name, detect_format, format_named, keep_columns
from incognote.corpora.headers import holds_spans, read_header, unite_headers
from incognote.corpora.output import check_free, check_output, place_of
from incognote.corpora.split import (
    Corpus,
    Split,
    apply_split,
    extend_split,
    parse_ratio,
    read_split,
    split_corpus,
    split_record,
    write_split,
)

__all__ = [
    "FORMATS",
    "TOKENS",
    "Columns",
    "Corpus",
    "Format",
    "Header",
    "ReadOptions",
    "Split",
    "WriteOptions",
    "apply_split",
    "check_free",
    "check_name",
    "check_output",
    "detect_format",
    "drop_extra_columns",
    "extend_split",
    "file_of",
    "find_scheme",
    "format_named",
    "holds_spans",
    "is_draft",
    "keep_columns",
    "list_drafts",
    "list_extra_columns",
    "parse_ratio",
    "place_of",
    "read_corpus",
    "read_header",
    "read_split",
    "split_corpus",
    "split_record",
    "unite_headers",
    "walk",
    "walk_names",
    "write_corpus",
    "write_split",
]

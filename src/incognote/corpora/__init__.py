"""Corpora: every format read and written without losing a character, and splits that keep patients apart."""

from incognote.corpora.corpus import read_corpus, write_corpus
from incognote.corpora.format import Columns, Format, Header, ReadOptions, WriteOptions
from incognote.corpora.formats import FORMATS, detect_format, format_named
from incognote.corpora.split import Corpus, Split, apply_split, extend_split, parse_ratio, read_split, split_corpus, write_split

__all__ = [
    "FORMATS",
    "Columns",
    "Corpus",
    "Format",
    "Header",
    "ReadOptions",
    "Split",
    "WriteOptions",
    "apply_split",
    "detect_format",
    "extend_split",
    "format_named",
    "parse_ratio",
    "read_corpus",
    "read_split",
    "split_corpus",
    "write_corpus",
    "write_split",
]

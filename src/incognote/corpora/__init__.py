"""Corpora: every format read and written without losing a character, and splits that keep patients apart."""

from incognote.corpora.corpus import find_scheme, publish, read_corpus, write_corpus
from incognote.corpora.format import Columns, Format, ReadOptions, WriteOptions
from incognote.corpora.formats import FORMATS, detect_format, find_format
from incognote.corpora.output import check_free, check_output

__all__ = [
    "FORMATS",
    "Columns",
    "Format",
    "ReadOptions",
    "WriteOptions",
    "check_free",
    "check_output",
    "detect_format",
    "find_format",
    "find_scheme",
    "publish",
    "read_corpus",
    "write_corpus",
]

"""Extra columns or keys that a document carries in ``meta``: scrubbing keeps them unless they are dropped."""

from collections.abc import Collection
from dataclasses import replace

from incognote.corpora.format import Header
from incognote.corpora.jsonl import HEADER
from incognote.document import Document

# Prodigy repeats the whole note under this key, token by token, with the offsets of the text as it was.
TOKENS = "tokens"


def list_extra_columns(document: Document) -> list[str]:
    """The names of the columns or keys beside the note, its id, its patient and its spans.

    >>> list_extra_columns(Document("n", "Ann", meta={"ward": "W3"}))
    ['ward']
    """
    return [name for name in document.meta if name != HEADER]


def drop_extra_columns(document: Document, names: Collection[str]) -> Document:
    """The document without these columns or keys.

    >>> list_extra_columns(drop_extra_columns(Document("n", "Ann", meta={"ward": "W3", "mrn": 7}), ["mrn"]))
    ['ward']
    """
    if not any(name in document.meta for name in names):
        return document
    meta = {name: value for name, value in document.meta.items() if name not in names}
    header = meta.get(HEADER)
    if isinstance(header, Header):
        meta[HEADER] = replace(header, columns=tuple(name for name in header.columns if name not in names))
    return replace(document, meta=meta)

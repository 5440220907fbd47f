"""Further text columns of a table, scrubbed as one text with the note, so that a name has one surrogate in all of them."""

from collections.abc import Sequence
from dataclasses import replace

from incognote.deidentifier import Scrubbed
from incognote.document import Document
from incognote.errors import CorpusError
from incognote.shown import show_text

# A line of its own that no note holds, with nothing that a model or a rule reads.
_BREAK = "\n\n\u241e\n\n"


def join_columns(document: Document, names: Sequence[str]) -> Document:
    """The document with the texts of these columns after its own.

    >>> note = Document("n1", "Seen.", meta={"reason": "Fall", "ward": "B3"})
    >>> join_columns(note, ["reason"]).text == "Seen." + _BREAK + "Fall"
    True
    """
    there = [name for name in names if name in document.meta]
    return replace(document, text=_BREAK.join([document.text, *(_read(document, name) for name in there)])) if there else document


def _read(document: Document, name: str) -> str:
    text = document.meta[name]
    if not isinstance(text, str | None) or _BREAK.strip() in (text or "") or _BREAK.strip() in document.text:
        fault = f"column {show_text(name)} does not hold text, or it or the note holds U+241E, which stands between texts here"
        raise CorpusError(fault, document=document.id, fix="take it out of {scrub_columns}")
    return text or ""


def split_columns(scrubbed: Scrubbed, names: Sequence[str]) -> Scrubbed:
    """The clean note with each clean text back in its column; raises where a break was replaced with the text around it."""
    document = scrubbed.document
    there = [name for name in names if name in document.meta]
    text, *texts = document.text.split(_BREAK)
    if len(texts) != len(there):
        raise CorpusError("what was found runs from the note into a column", document=document.id, fix="take it out of {scrub_columns}")
    cells = {name: clean if document.meta[name] is not None else None for name, clean in zip(there, texts, strict=True)}
    spans = tuple(span for span in document.spans if span.end <= len(text))
    return replace(scrubbed, document=replace(document, text=text, spans=spans, meta={**document.meta, **cells}))

"""Rows of a table as documents and back: which columns hold the note, its id, its patient and its spans, and what is kept beside."""

import json
from collections.abc import Sequence
from pathlib import Path

from incognote.corpora.format import SPANS, Columns, Header, ReadOptions, WriteOptions
from incognote.corpora.gold import make_document
from incognote.corpora.jsonl import HEADER, dump_json, load_json, name_id, parse_spans, plain_meta, span_records
from incognote.document import Document
from incognote.errors import CorpusError
from incognote.shown import show_columns, show_extra_column, show_text

DIFFERENT_COLUMNS, JSONL_HOLDS_ALL = "the documents do not all have the same columns", "write jsonl, which holds any keys"


def check_columns(names: Sequence[str], columns: Columns, path: Path) -> None:
    """Raise when a needed column is missing. A patient column is needed only where it was named."""
    needed = [("note", columns.note), ("id", columns.id)]
    if columns.patient != Columns().patient:
        needed.append(("patient", columns.patient))
    for what, name in needed:
        if name not in names:
            fix = f"name yours with {{{show_text(what)}_column}}"
            raise CorpusError(f"there is no {show_text(what)} column {show_text(name)}; {show_columns(names)}", path=path, fix=fix)
    check_unique(names, path)


def check_unique(names: Sequence[str], path: Path) -> None:
    """Raise when two columns have the same name."""
    if len(set(names)) < len(names):
        raise CorpusError(f"two columns have the same name; {show_columns(names)}", path=path)
    if any("\0" in name for name in names):
        raise CorpusError("the name of a column holds the character NUL", path=path, fix="rename it")


def read_row(header: Header, values: Sequence[object], *, path: Path, place: str, options: ReadOptions) -> Document:
    """The document of one row."""
    cells = dict(zip(header.columns, values, strict=True))
    columns = options.columns
    id, text = name_id(cells.pop(columns.id)), cells.pop(columns.note)
    patient = id if columns.patient == columns.id else name_id(cells.pop(columns.patient, None))
    if not id:
        raise CorpusError(f"no document id in column {show_text(columns.id)}", path=path, place=place)
    text = "" if text is None else text
    if not isinstance(text, str):
        raise CorpusError(f"column {show_text(columns.note)} does not hold text", path=path, document=id, place=place)
    found = cells.pop(SPANS, None)
    spans = parse_spans(_load(found, path, id, place), text, path=path, id=id, place=place) if options.spans else []
    return make_document(
        id,
        text,
        spans,
        path=path,
        options=options,
        patient=patient,
        place=place,
        meta={**cells, HEADER: header},
    )


def _load(cell: object, path: Path, id: str, place: str) -> object:
    if not isinstance(cell, str):
        return cell
    return load_json(cell, path, f"{place}, column {SPANS}", document=id) if cell else None


def choose_columns(first: Document | None, options: WriteOptions) -> tuple[str, ...]:
    """The columns to write, by the header or the first document: those of its table, then the missing ones."""
    columns = options.columns
    header = find_header(first, options)
    names = list(header.columns) if header else []
    if columns.id not in names:
        names.append(columns.id)
    if columns.patient not in names and (header is None or (first is not None and first.patient)):
        names.append(columns.patient)
    if columns.note not in names:
        names.append(columns.note)
    names += [key for key in (first.meta if first else ()) if key != HEADER and key not in names]
    if SPANS in names and not options.spans:
        names.remove(SPANS)
    if SPANS not in names and options.spans:
        names.append(SPANS)
    return tuple(names)


def find_header(first: Document | None, options: WriteOptions) -> Header | None:
    """The header given, else that of the table the first document came from."""
    return options.header or carried_header(first)


def carried_header(document: Document | None) -> Header | None:
    """The header of the table the document came from."""
    carried = document.meta.get(HEADER) if document else None
    return carried if isinstance(carried, Header) else None


def row_values(document: Document, names: Sequence[str], options: WriteOptions) -> dict[str, object]:
    """The document's values by column; ``spans`` as a list of records."""
    columns = options.columns
    own: dict[str, object] = {columns.patient: document.patient or None, columns.id: document.id, columns.note: document.text}
    if options.spans:
        own[SPANS] = span_records(document.spans)
    other = plain_meta(document, own)
    if unknown := [name for name in other if name not in names]:
        fault = f"it has a column {show_extra_column(unknown[0])} that the first document lacks"
        raise CorpusError(fault, document=document.id, fix=JSONL_HOLDS_ALL)
    if document.patient and columns.patient not in names:
        raise CorpusError(f"it has a patient but the table has no column {show_text(columns.patient)}", document=document.id)
    cells = own | other
    return {name: cells.get(name) for name in names}


def text_cell(value: object, id: str) -> str:
    """A value as the text of a cell: strings as they are, None as empty, all else as JSON.

    >>> text_cell(None, "n1"), text_cell("a", "n1"), text_cell(1.5, "n1")
    ('', 'a', '1.5')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    text = dump_json(value, id)
    return str(json.loads(text)) if text.startswith('"') else text

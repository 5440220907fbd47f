"""The XML of i2b2 2006: many records in one file, with ``<PHI TYPE="…">`` around each span in the text.

A record has no place for a patient, so one that is known is written as a ``PATIENT`` attribute beside ``ID``.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element

from incognote.corpora.files import draft, list_files, open_whole, write_parts
from incognote.corpora.format import Format, ReadOptions, WriteOptions, make_each, refuse
from incognote.corpora.gold import check_label, make_document
from incognote.corpora.xml import WRONG_ROOT, check_characters, escape_attribute, escape_content, read_root, stream_elements
from incognote.document import Document, LabelScheme, Span, scheme
from incognote.errors import CorpusError

SUFFIXES = (".xml",)
_OPEN = b"<?xml version='1.0' encoding='UTF-8'?>\n<ROOT>\n"
_CLOSE = b"</ROOT>\n"


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for _, file in list_files(path, SUFFIXES):
        with open_whole(file) as handle:
            if read_root(handle) not in ("ROOT", ""):
                refuse(CorpusError("the root element must be <ROOT>", path=file, fix=WRONG_ROOT), options.quarantine)
                continue
            records = enumerate(stream_elements(handle, "RECORD", path=file), 1)
            yield from make_each(records, partial(_parse, path=file, options=options), options.quarantine)


def _parse(numbered: tuple[int, Element], path: Path, options: ReadOptions) -> Document:
    number, record = numbered
    id, notes = record.get("ID"), record.findall("TEXT")
    if not id or len(notes) != 1:
        raise CorpusError("a record needs an ID and one TEXT", path=path, document=id or "", place=f"record {number:d}")
    note = notes[0]
    text, spans = note.text or "", []
    for index, phi in enumerate(note):
        label, value = phi.get("TYPE"), phi.text or ""
        if phi.tag != "PHI" or not label or not value or len(phi):
            fault = "only <PHI TYPE=…> with text in it, never nested, may stand in TEXT"
            raise CorpusError(fault, path=path, document=id, place=f"element {index:d}")
        spans.append(Span(len(text), len(text) + len(value), label))
        text += value + (phi.tail or "")
    return make_document(id, text, spans, path=path, options=options, patient=record.get("PATIENT", ""))


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    render = partial(_render, labels=options.scheme or scheme(I2B2_2006.scheme))
    return write_parts(documents, path, options, render, head=_OPEN, tail=_CLOSE)


def _render(document: Document, labels: LabelScheme) -> str:
    for value in (document.text, document.id, document.patient):
        check_characters(value, document=document.id)
    parts, at = [], 0
    for span in document.spans:
        label = escape_attribute(check_label(span.label, labels, document=document.id))
        value = escape_content(document.value(span))
        parts += [escape_content(document.text[at : span.start]), f"<PHI TYPE={label}>{value}</PHI>"]
        at = span.end
    body = "".join(parts) + escape_content(document.text[at:])
    patient = f" PATIENT={escape_attribute(document.patient)}" if document.patient else ""
    return f"<RECORD ID={escape_attribute(document.id)}{patient}>\n<TEXT>{body}</TEXT>\n</RECORD>\n"


def join(parts: Sequence[Path], path: Path) -> None:
    """The records of all parts under one root."""
    with draft(path) as file:
        file.write(_OPEN)
        for part in parts:
            size = part.stat().st_size - len(_CLOSE)
            with part.open("rb") as records:
                records.seek(len(_OPEN))
                while (left := size - records.tell()) > 0:
                    file.write(records.read(min(left, 1 << 20)))
        file.write(_CLOSE)


I2B2_2006 = Format("i2b2-2006", "file", SUFFIXES, read, write, join, scheme="i2b2-2006")

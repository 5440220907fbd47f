"""CoNLL IOB2: ``token<tab>start<tab>end<tab>tag`` lines, ``-DOCSTART-<tab>id<tab>patient`` before each document.

The offsets keep every span where it was. White space between tokens is kept in length, not in kind: it comes back as blanks, with
a newline where a sentence ends. Plain files of two or more columns (token first, tag last) are read too: their tokens are joined by
single blanks and their sentences by newlines. A file without ``-DOCSTART-`` is one document, named after the file.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from incognote.corpora.files import decode, list_files, open_whole, write_parts
from incognote.corpora.format import Format, ReadOptions, WriteOptions, make_each
from incognote.corpora.gold import make_document
from incognote.corpora.jsonl import join
from incognote.document import Document, Piece, cut_pieces, spans_to_tags, tags_to_spans, word_tokens
from incognote.errors import CorpusError

SUFFIXES = (".conll", ".iob2", ".bio")
_START = "-DOCSTART-"
_TAG = re.compile(r"O|[BI]-\S+")
# What other people's files have in the columns beside -DOCSTART-.
_NOTHING = re.compile(r"O|-X-|-|_")
# A damaged offset must not make us build gigabytes of blanks.
_WIDEST_GAP = 1_000_000
# Offsets of more digits, which Python may refuse to read, fit no token whatever follows.
_DIGITS = 18


@dataclass(slots=True)
class _Draft:
    """A document while its lines are read."""

    id: str
    patient: str
    line: int
    parts: list[str] = field(default_factory=list)
    size: int = 0
    gap: str = ""
    pieces: list[Piece] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    fault: CorpusError | None = None


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for stem, file in list_files(path, SUFFIXES):
        yield from make_each(_split(file, stem), partial(_finish, path=file, options=options), options.quarantine)


def _finish(note: _Draft, path: Path, options: ReadOptions) -> Document:
    if note.fault is not None:
        raise note.fault
    text, spans = "".join(note.parts), tags_to_spans(note.pieces, note.tags)
    return make_document(note.id, text, spans, path=path, options=options, patient=note.patient, place=f"line {note.line:d}")


def _split(path: Path, stem: str) -> Iterator[_Draft]:
    note, count = _Draft(stem, "", 1), 0
    offset = 0
    with open_whole(path) as file:
        for number, data in enumerate(file, 1):
            start, offset = offset, offset + len(data)
            if data.removeprefix(b"\xef\xbb\xbf").startswith(_START.encode()):
                if count or note.pieces or note.fault:
                    yield note
                count += 1
                note = _Draft(f"{stem}-{count}", "", number)
            if note.fault is None:
                try:
                    _add_line(note, decode(data, path=path, offset=start), number, path)
                except CorpusError as error:
                    note.fault = error
    if count or note.pieces or note.fault:
        yield note


def _add_line(note: _Draft, line: str, number: int, path: Path) -> None:
    line = line.rstrip("\r\n")
    if number == 1:
        line = line.removeprefix("\ufeff")
    cells = line.split("\t") if "\t" in line else line.split()
    if cells and cells[0] == _START:
        # Only our own tab-separated form names the document.
        if "\t" in line and cells[1] and not all(map(_NOTHING.fullmatch, cells[1:])):
            note.id, note.patient = cells[1], cells[2] if len(cells) > 2 else ""
        return
    if not line.strip():
        note.gap = "\n" if note.pieces else ""
        return
    token, tag = cells[0], cells[-1]
    if len(cells) < 2 or not token or not _TAG.fullmatch(tag):
        raise CorpusError("a line is token, other columns, and an IOB2 tag", path=path, document=note.id, place=f"line {number:d}")
    start = note.size + len(note.gap)
    if len(cells) == 4 and cells[1].isdecimal() and cells[2].isdecimal():
        start, end = (int(cell[:_DIGITS]) for cell in cells[1:3])
        if not note.size <= start <= note.size + _WIDEST_GAP or end - start != len(token):
            fault = "start and end do not fit the token, or the token before it"
            raise CorpusError(fault, path=path, document=note.id, place=f"line {number:d}")
        note.gap = (note.gap.strip(" ") + " " * (start - note.size))[: start - note.size]
    note.parts += [note.gap, token]
    note.size, note.gap = start + len(token), " "
    note.pieces.append(Piece(start, start + len(token), -1))
    note.tags.append(tag)


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    return write_parts(documents, path, options, _render)


def _render(document: Document) -> str:
    for value in (document.id, document.patient, *(span.label for span in document.spans)):
        if not re.fullmatch(r"[^\t\r\n]*", value):
            raise CorpusError("CoNLL ids, patients and labels hold no tab or line break", document=document.id, fix="rename them")
    for span in document.spans:
        if document.text[span.start].isspace() or document.text[span.end - 1].isspace() or not re.fullmatch(r"\S+", span.label):
            fault = "CoNLL holds no span with white space at its ends, and no label with white space"
            raise CorpusError(fault, document=document.id, place=f"span {span.place}", fix="trim it")
    pieces = cut_pieces(document.text, word_tokens(document.text), document.spans)
    lines, before = [f"{_START}\t{document.id}\t{document.patient}", ""], 0
    for piece, tag in zip(pieces, spans_to_tags(pieces, document.spans), strict=True):
        if lines[-1] and "\n" in document.text[before : piece.start]:
            lines.append("")
        lines.append(f"{document.text[piece.start : piece.end]}\t{piece.start}\t{piece.end}\t{tag}")
        before = piece.end
    return "\n".join(lines) + "\n\n"


CONLL = Format("conll", "file", SUFFIXES, read, write, join)

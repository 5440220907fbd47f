"""CSV tables, one document a row, quoted as RFC 4180 has it; newlines in notes stay as they are.

Spans are JSON in a column ``spans``. Other columns are kept, in their order. Quotes, line ends and a byte order mark come back as they
were read, so that a table differs from the one it came of in nothing but its notes.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from incognote.corpora.delimited import Lines, Row, check_row, cut_rows, read_names
from incognote.corpora.files import draft, list_files, open_whole
from incognote.corpora.format import Format, Header, ReadOptions, WriteOptions, make_each
from incognote.corpora.table import (
    DIFFERENT_COLUMNS,
    JSONL_HOLDS_ALL,
    carried_header,
    check_columns,
    choose_columns,
    read_row,
    row_values,
    text_cell,
)
from incognote.document import Document
from incognote.errors import OutputError

SUFFIXES = (".csv",)
_MARK = b"\xef\xbb\xbf"
_NEEDS_QUOTES = re.compile(r'[",\r\n]')


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for _, file in list_files(path, SUFFIXES):
        with open_whole(file) as handle:
            yield from _read_file(handle, file, options)


def read_headers(path: Path, options: ReadOptions) -> list[tuple[Path, Header]]:
    found = []
    for _, file in list_files(path, SUFFIXES):
        with open_whole(file) as handle:
            lines = Lines(handle)
            found.append((file, _read_header(cut_rows(lines, file), lines, file, options)))
    return found


def _read_file(handle: BinaryIO, path: Path, options: ReadOptions) -> Iterator[Document]:
    lines = Lines(handle)
    rows = cut_rows(lines, path)
    header = _read_header(rows, lines, path, options)

    def parse(row: Row) -> Document:
        nonlocal header
        check_row(row, header.columns, lines, path)
        header = _look_at(row, header)
        return read_row(header, row.cells, path=path, place=row.place, options=options)

    return make_each(rows, parse, options.quarantine)


def _read_header(rows: Iterator[Row], lines: Lines, path: Path, options: ReadOptions) -> Header:
    row = read_names(rows, lines, path)
    check_columns(row.cells, options.columns, path)
    return _look_at(row, Header(tuple(row.cells), marked=lines.marked))


def _look_at(row: Row, header: Header) -> Header:
    """The header with the quoting of this row; the given one where it is equal, so that rows share it."""
    at, quoted = 0, []
    for name, cell in zip(header.columns, row.cells, strict=True):
        if row.written.startswith('"', at):
            quoted.append(name)
            at += len(cell) + cell.count('"') + 2
        else:
            at += len(cell)
        at += 1  # the comma
    found = replace(header, quoted=frozenset(quoted), newline=row.written[at - 1 :])
    return header if found == header else found


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    written = 0
    rest = iter(documents)
    first = next(rest, None)
    names = choose_columns(first, options)
    header = options.header or replace(carried_header(first) or Header(names), quoted=frozenset())

    def render(document: Document) -> tuple[bytes, Header]:
        look = carried_header(document) or Header(names)
        cells = {name: text_cell(value, document.id) for name, value in row_values(document, names, options).items()}
        return _render(cells, look), look

    with draft(path) as file:
        file.write(_MARK * header.marked + _render(dict(zip(names, names, strict=True)), header))
        last = header
        for line, look in make_each(chain([first] if first else [], rest), render, options.quarantine):
            file.write(line if last.newline else _end_of(header) + line)
            last = look
            written += 1
    return written


def _end_of(header: Header) -> bytes:
    """The line end for a row that was the last of its file and no longer is."""
    return (header.newline or Header(()).newline).encode("utf-8")


def _render(cells: Mapping[str, str], look: Header) -> bytes:
    """A line of the table quoted as in ``look``; a cell that needs quotes gets them in any case."""
    texts = (
        '"{}"'.format(cell.replace('"', '""')) if name in look.quoted or _NEEDS_QUOTES.search(cell) else cell
        for name, cell in cells.items()
    )
    return (",".join(texts) + look.newline).encode("utf-8")


def join(parts: Sequence[Path], path: Path) -> None:
    """The rows of all parts under one header."""
    headers = [_first_line(part) for part in parts]
    filled = [index for index, part in enumerate(parts) if part.stat().st_size > len(headers[index])] or [0]
    header, last = headers[filled[0]], b"\n"
    with draft(path) as file:
        file.write(header)
        for index in filled:
            if headers[index] != header:
                raise OutputError(DIFFERENT_COLUMNS, where=path, fix=JSONL_HOLDS_ALL)
            with parts[index].open("rb") as rows:
                rows.seek(len(header))
                if not last.endswith((b"\r", b"\n")):  # the last line of a file that others follow
                    file.write(header[len(header.rstrip(b"\r\n")) :])
                while block := rows.read(1 << 20):
                    file.write(block)
                    last = block


def _first_line(part: Path) -> bytes:
    with part.open("rb") as handle:
        lines = Lines(handle)
        next(csv.reader(lines, strict=True))
        handle.seek(0)
        return handle.read(lines.offset)


CSV = Format("csv", "file", SUFFIXES, read, write, join, headers=read_headers)

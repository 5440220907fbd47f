"""CSV tables, one document a row, quoted as RFC 4180 has it; newlines in notes stay as they are.

Spans are JSON in a column ``spans``. Other columns are kept, in their order. A byte order mark before the header is passed over.
"""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

from incognote.corpora.files import draft, list_files, open_plain
from incognote.corpora.format import Format, Header, ReadOptions, WriteOptions
from incognote.corpora.table import check_columns, choose_columns, read_row, row_values, text_cell
from incognote.document import Document
from incognote.errors import CorpusError, OutputError

SUFFIXES = (".csv",)


@dataclass(slots=True)
class Lines:
    """The lines of a file as text; a byte that is not UTF-8 becomes a lone surrogate, and its place is noted."""

    file: BinaryIO
    offset: int = 0
    bad: list[int] = field(default_factory=list)

    def __iter__(self) -> Iterator[str]:
        for number, data in enumerate(self.file):
            try:
                line = data.decode("utf-8")
            except UnicodeDecodeError as error:
                self.bad.append(self.offset + error.start)
                line = data.decode("utf-8", "surrogateescape")
            self.offset += len(data)
            yield line.removeprefix("\ufeff") if number == 0 else line


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for _, file in list_files(path, SUFFIXES):
        with open_plain(file) as handle:
            yield from _read_file(handle, file, options)


def read_headers(path: Path, options: ReadOptions) -> list[tuple[Path, Header]]:
    found = []
    for _, file in list_files(path, SUFFIXES):
        with open_plain(file) as handle:
            lines = Lines(handle)
            found.append((file, _read_header(_cut_rows(lines, file), lines, file, options)))
    return found


def _read_file(handle: BinaryIO, path: Path, options: ReadOptions) -> Iterator[Document]:
    lines = Lines(handle)
    rows = _cut_rows(lines, path)
    header = _read_header(rows, lines, path, options)
    for place, row in rows:
        try:
            _check_row(row, header, lines, path, place)
            document = read_row(header, row, path=path, place=place, options=options)
        except CorpusError as error:
            options.refuse(error)
            continue
        yield document


def _cut_rows(lines: Lines, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Place and fields of each row that is not blank."""
    # Notes are longer than the 131,072 characters that Python's csv takes at first.
    csv.field_size_limit(sys.maxsize)
    rows = csv.reader(lines, strict=True)
    while True:
        place = f"line {rows.line_num + 1}"
        try:
            row = next(rows, None)
        except csv.Error as error:
            _check_bytes(lines, path, place)  # UTF-16, say, is no CSV because it is no UTF-8
            lone = "new-line character" in str(error)
            fault = "a line ends in CR alone, or a line break stands in a field without quotes" if lone else str(error)
        else:
            if row is None:
                return
            if row:
                yield place, row
            continue
        raise CorpusError(f"malformed CSV: {fault}", path=str(path), place=place)


def _read_header(rows: Iterator[tuple[str, list[str]]], lines: Lines, path: Path, options: ReadOptions) -> Header:
    place, row = next(rows, ("", []))
    if not row:
        raise CorpusError("the file is empty; it needs a header line", path=str(path))
    _check_bytes(lines, path, place)
    check_columns(row, options.columns, path)
    return Header(tuple(row))


def _check_bytes(lines: Lines, path: Path, place: str) -> None:
    if lines.bad:
        byte = lines.bad[0]
        lines.bad.clear()
        raise CorpusError("not UTF-8; save the file as UTF-8", path=str(path), place=f"{place}, byte {byte}")


def _check_row(row: Sequence[str], header: Header, lines: Lines, path: Path, place: str) -> None:
    _check_bytes(lines, path, place)
    if len(row) != len(header.columns):
        fault = f"{len(row)} fields where the header has {len(header.columns)}"
        raise CorpusError(fault, path=str(path), place=place)


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    written = 0
    rest = iter(documents)
    first = next(rest, None)
    names = choose_columns(first, options)
    with draft(path) as file:
        file.write(_render(names))
        for document in chain([first] if first else [], rest):
            try:
                values = row_values(document, names, options)
                file.write(_render([text_cell(value, document.id) for value in values.values()]))
            except CorpusError as error:
                options.refuse(error)
                continue
            written += 1
    return written


def _render(row: Sequence[str]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(SimpleNamespace(write=text.write)).writerow(row)
    return text.getvalue().encode("utf-8")


def join(parts: Sequence[Path], path: Path) -> None:
    """The rows of all parts under one header."""
    headers = [_first_line(part) for part in parts]
    filled = [index for index, part in enumerate(parts) if part.stat().st_size > len(headers[index])] or [0]
    with draft(path) as file:
        file.write(headers[filled[0]])
        for index in filled:
            if headers[index] != headers[filled[0]]:
                raise OutputError(f"{path}: the documents do not all have the same columns; write jsonl, which holds any keys")
            with parts[index].open("rb") as rows:
                rows.seek(len(headers[index]))
                while block := rows.read(1 << 20):
                    file.write(block)


def _first_line(part: Path) -> bytes:
    with part.open("rb") as handle:
        return _render(next(csv.reader(Lines(handle), strict=True)))


CSV = Format("csv", "file", SUFFIXES, read, write, join, headers=read_headers)

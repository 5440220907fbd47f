"""The rows of a delimited text file, CSV or TSV: UTF-8, quoted as RFC 4180 has it, newlines in cells as they are.

A byte order mark before the header is passed over.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from incognote.errors import CorpusError

_LONE_RETURN = "a line ends in CR alone, or a line break stands in a field without quotes"


@dataclass(slots=True)
class Lines:
    """The lines of a file as text; a byte that is not UTF-8 becomes a lone surrogate, and its place is noted.

    ``taken`` are those of the row that is being read, ``marked`` says whether a byte order mark came first.
    """

    file: BinaryIO
    offset: int = 0
    marked: bool = False
    bad: list[int] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[str]:
        for number, data in enumerate(self.file):
            try:
                line = data.decode("utf-8")
            except UnicodeDecodeError as error:
                self.bad.append(self.offset + error.start)
                line = data.decode("utf-8", "surrogateescape")
            self.offset += len(data)
            if number == 0 and line.startswith("\ufeff"):
                self.marked, line = True, line[1:]
            self.taken.append(line)
            yield line


class Row(NamedTuple):
    """A row that is not blank: where it begins, its cells, and its characters as they stand in the file, the line end with them."""

    place: str
    cells: list[str]
    written: str


def cut_rows(lines: Lines, path: Path, *, delimiter: str = ",") -> Iterator[Row]:
    # Notes are longer than the 131,072 characters that Python's csv takes at first.
    csv.field_size_limit(sys.maxsize)
    rows = csv.reader(lines, strict=True, delimiter=delimiter)
    while True:
        place = f"line {rows.line_num + 1:d}"
        lines.taken.clear()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            _check_bytes(lines, path, place)  # UTF-16, say, is no CSV because it is no UTF-8
            lone = "new-line character" in str(error)
            fault = _LONE_RETURN if lone else "a quote is never closed, or characters follow one that closes a field"
        else:
            if cells is None:
                return
            if cells:
                yield Row(place, cells, "".join(lines.taken))
            continue
        raise CorpusError(f"malformed table: {fault}", path=path, place=place)


def read_names(rows: Iterator[Row], lines: Lines, path: Path) -> Row:
    """The row of the names of the columns."""
    row = next(rows, None)
    if row is None:
        raise CorpusError("the file is empty", path=path, fix="give it a header line")
    _check_bytes(lines, path, row.place)
    return row


def check_row(row: Row, names: Sequence[str], lines: Lines, path: Path) -> None:
    """Raise where the row just read is not UTF-8, or has more or fewer cells than there are names."""
    _check_bytes(lines, path, row.place)
    if len(row.cells) != len(names):
        raise CorpusError(f"{len(row.cells):d} fields where the header has {len(names):d}", path=path, place=row.place)


def _check_bytes(lines: Lines, path: Path, place: str) -> None:
    if lines.bad:
        byte = lines.bad[0]
        lines.bad.clear()
        raise CorpusError("not UTF-8", path=path, place=f"{place}, byte {byte:d}", fix="save the file as UTF-8")

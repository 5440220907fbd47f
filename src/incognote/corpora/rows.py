"""Rows of a table as they stand, in JSON lines, CSV, TSV or Parquet, for data that is more than notes: labelled texts, pairs, questions."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from incognote.corpora.delimited import Lines, check_row, cut_rows, read_names
from incognote.corpora.files import decode, list_files, open_whole
from incognote.corpora.jsonl import load_object, read_lines
from incognote.corpora.parquet import unpack_column
from incognote.corpora.parquet_schema import open_table, read_batches
from incognote.corpora.table import check_unique
from incognote.errors import CorpusError
from incognote.shown import show_text

SUFFIXES = (".jsonl", ".jsonl.gz", ".csv", ".tsv", ".parquet")


class Row(NamedTuple):
    """One row: its file, the place in it, and its cells by column. JSON lines and Parquet give typed cells, the others texts."""

    path: Path
    place: str
    cells: dict[str, object]

    def __repr__(self) -> str:
        return f"Row({str(self.path)!r}, {self.place!r})"


def read_rows(path: Path | str) -> Iterator[Row]:
    """The rows of a file, or of all such files in a folder, in the order of their names."""
    for _, file in list_files(Path(path), SUFFIXES):
        if not file.name.lower().endswith(SUFFIXES):
            raise CorpusError("not a table", path=file, fix=f"give a file that ends in {show_text(', '.join(SUFFIXES))}")
        yield from _READERS[file.name.lower().removesuffix(".gz").rpartition(".")[2]](file)


def _read_jsonl(path: Path) -> Iterator[Row]:
    for number, offset, line in read_lines(path):
        place = f"line {number:d}"
        yield Row(path, place, load_object(decode(line, path=path, offset=offset), path, place))


def _read_delimited(path: Path, delimiter: str) -> Iterator[Row]:
    with open_whole(path) as handle:
        lines = Lines(handle)
        rows = cut_rows(lines, path, delimiter=delimiter)
        names = read_names(rows, lines, path).cells
        check_unique(names, path)
        for row in rows:
            check_row(row, names, lines, path)
            yield Row(path, row.place, dict(zip(names, row.cells, strict=True)))


def _read_parquet(path: Path) -> Iterator[Row]:
    number = 0
    with open_table(path) as file:
        names = list(file.schema_arrow.names)
        check_unique(names, path)
        for batch in read_batches(file, path):
            columns = [unpack_column(batch.column(index), path, name) for index, name in enumerate(names)]
            for values in zip(*columns, strict=True):
                number += 1
                yield Row(path, f"row {number:d}", dict(zip(names, values, strict=True)))


_READERS = {
    "jsonl": _read_jsonl,
    "csv": lambda path: _read_delimited(path, ","),
    "tsv": lambda path: _read_delimited(path, "\t"),
    "parquet": _read_parquet,
}

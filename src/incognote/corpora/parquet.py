"""Parquet tables, one document a row; other columns keep their order and types.

Spans are JSON in a string column ``spans``, or a list of structs where the table came with one. Rows are read in batches and
written in row groups of a fixed size, so that memory stays small and joined parts make the same file as one writing.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

from incognote.corpora.files import draft, list_files
from incognote.corpora.format import Format, Header, ReadOptions, WriteOptions, make_each
from incognote.corpora.jsonl import name_id
from incognote.corpora.parquet_schema import (
    holds_numbers,
    is_text,
    is_uuid,
    load_arrow,
    load_schema,
    make_header,
    open_table,
    read_batches,
    read_partition,
)
from incognote.corpora.table import DIFFERENT_COLUMNS, JSONL_HOLDS_ALL, choose_columns, find_header, read_row, row_values, text_cell
from incognote.document import Document
from incognote.errors import CorpusError, OutputError
from incognote.shown import show_extra_column, show_type

SUFFIXES = (".parquet",)
ROWS_IN_GROUP = 1024


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for _, file in list_files(path, SUFFIXES):
        yield from make_each(_rows(file, path, options), partial(_parse, path=file, options=options), options.quarantine)


def _parse(numbered: tuple[int, Header, tuple[object, ...]], path: Path, options: ReadOptions) -> Document:
    number, header, values = numbered
    return read_row(header, values, path=path, place=f"row {number:d}", options=options)


def read_headers(path: Path, options: ReadOptions) -> list[tuple[Path, Header]]:
    found = []
    for _, file in list_files(path, SUFFIXES):
        with open_table(file) as table:
            found.append((file, make_header(table.schema_arrow, read_partition(file, path), options.columns, file)))
    return found


def _rows(path: Path, root: Path, options: ReadOptions) -> Iterator[tuple[int, Header, tuple[object, ...]]]:
    number = 0
    with open_table(path) as file:
        names = file.schema_arrow.names
        folders = read_partition(path, root)
        header = make_header(file.schema_arrow, folders, options.columns, path)
        wanted = [name for name in names if name not in options.unread]
        for batch in read_batches(file, path, wanted):
            cells = {name: unpack_column(batch.column(name), path, name) for name in wanted}
            columns = [cells.get(name) or [None if name in names else folders[name]] * len(batch) for name in header.columns]
            for values in zip(*columns, strict=True):
                number += 1
                yield number, header, values


def unpack_column(column: Any, path: Path, name: str) -> list[object]:
    arrow, _ = load_arrow()
    try:
        # Python's datetime stops at microseconds; nanoseconds are carried as whole numbers.
        values: list[object] = (column.cast(arrow.int64()) if _nanoseconds(column.type) else column).to_pylist()
        return values
    except (ValueError, OverflowError, arrow.ArrowException):
        pass
    raise CorpusError(
        f"column {show_extra_column(name)} of type {show_type(column.type)} cannot be read",
        path=path,
        fix="drop it, in scrub with {drop_columns}",
    )


def _nanoseconds(kind: Any) -> bool:
    return getattr(kind, "unit", "") == "ns"


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    _, parquet = load_arrow()
    rest = iter(documents)
    first = next(rest, None)
    schema = _choose_schema(first, options)
    rows: list[dict[str, object]] = []
    written = 0

    def fit(document: Document) -> dict[str, object]:
        return _fit(row_values(document, schema.names, options), schema, document.id)

    with draft(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for row in make_each(chain([first] if first else [], rest), fit, options.quarantine):
            rows.append(row)
            written += 1
            if len(rows) == ROWS_IN_GROUP:
                writer.write_table(_table(rows, schema))
                rows = []
        if rows:
            writer.write_table(_table(rows, schema))
    return written


def _choose_schema(first: Document | None, options: WriteOptions) -> Any:
    """The Arrow schema to write: that of the table the documents came from, else by the values of the first document."""
    arrow, _ = load_arrow()
    names = choose_columns(first, options)
    header = find_header(first, options)
    known: dict[str, Any] = {}
    metadata = None
    if header and header.schema:
        old = load_schema(header)
        known = {item.name: item if options.metadata else item.remove_metadata() for item in old}
        metadata = old.metadata if options.metadata else None
    values = row_values(first, names, options) if first else {}
    fields = []
    for name in names:
        value = values.get(name)
        item = known.get(name)
        if (
            item is None
            or (name == options.columns.note and not is_text(item.type))
            or (first and name in (options.columns.id, options.columns.patient) and not _keeps(item.type, value))
        ):
            item = arrow.field(name, _infer(value))
        fields.append(item)
    return arrow.schema(fields, metadata=metadata)


def _keeps(kind: Any, value: object) -> bool:
    """Whether an id can go back into a column of numbers."""
    return not holds_numbers(kind) or (isinstance(value, str) and not isinstance(_to_number(value, kind), str))


def _infer(value: object) -> Any:
    arrow, _ = load_arrow()
    if value is None or isinstance(value, str | list | dict):
        return arrow.string()
    return arrow.array([value]).type


def _fit(values: dict[str, object], schema: Any, id: str) -> dict[str, object]:
    """The values as the columns' types want them, tried one row at a time so that a fault has a document."""
    arrow, _ = load_arrow()
    for item in schema:
        value = values[item.name]
        if value is None and not item.nullable and is_text(item.type):
            value = ""
        elif isinstance(value, str) and holds_numbers(item.type):
            value = _to_number(value, item.type)
        elif isinstance(value, str) and is_uuid(item.type):
            value = UUID(value) if value else None
        elif value is not None and not isinstance(value, str) and is_text(item.type):
            value = text_cell(value, id)
        try:
            arrow.array([value], arrow.int64() if _nanoseconds(item.type) else item.type)
        except (arrow.ArrowException, TypeError, ValueError):
            fault = f"column {show_extra_column(item.name)} is {show_type(item.type)}, which this document's value does not fit"
        else:
            values[item.name] = value
            continue
        raise CorpusError(fault, document=id, fix="write jsonl")
    return values


def _to_number(text: str, kind: Any) -> object:
    """The number that an id was read from, in a column of numbers; the text itself where no number is written so."""
    arrow, _ = load_arrow()
    if text == "":
        return None
    try:
        number = int(text) if arrow.types.is_integer(kind) else float(text) if arrow.types.is_floating(kind) else Decimal(text)
    except (ValueError, InvalidOperation):
        return text
    return number if name_id(number) == text else text


def _table(rows: Sequence[dict[str, object]], schema: Any) -> Any:
    arrow, _ = load_arrow()
    columns = []
    for item in schema:
        values = [row[item.name] for row in rows]
        column = arrow.array(values, arrow.int64()).cast(item.type) if _nanoseconds(item.type) else arrow.array(values, item.type)
        columns.append(column)
    return arrow.table(columns, schema=schema)


def join(parts: Sequence[Path], path: Path) -> None:
    """The rows of all parts, in row groups of the same size as if written at once."""
    arrow, parquet = load_arrow()
    counts = [parquet.read_metadata(part).num_rows for part in parts]
    filled = [part for part, count in zip(parts, counts, strict=True) if count] or list(parts[:1])
    schema = parquet.read_schema(filled[0])
    with draft(path) as file, parquet.ParquetWriter(file, schema) as writer:
        waiting = schema.empty_table()
        for part in filled:
            with parquet.ParquetFile(part) as source:
                if source.schema_arrow != schema:
                    raise OutputError(DIFFERENT_COLUMNS, where=path, fix=JSONL_HOLDS_ALL)
                for batch in source.iter_batches(batch_size=ROWS_IN_GROUP):
                    waiting = arrow.concat_tables([waiting, arrow.Table.from_batches([batch])])
                    while waiting.num_rows >= ROWS_IN_GROUP:
                        writer.write_table(waiting.slice(0, ROWS_IN_GROUP).combine_chunks())
                        waiting = waiting.slice(ROWS_IN_GROUP)
        if waiting.num_rows:
            writer.write_table(waiting.combine_chunks())


PARQUET = Format("parquet", "file", SUFFIXES, read, write, join, headers=read_headers)

"""Parquet tables, one document a row; other columns keep their order and types.

Spans are JSON in a string column ``spans``, or a list of structs where the table came with one. Rows are read in batches and
written in row groups of a fixed size, so that memory stays small and joined parts make the same file as one writing.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from itertools import chain
from pathlib import Path
from typing import Any

from incognote.corpora.files import draft, list_files
from incognote.corpora.format import Format, ReadOptions, WriteOptions
from incognote.corpora.jsonl import HEADER
from incognote.corpora.table import Header, check_columns, choose_columns, name_id, read_row, row_values, text_cell
from incognote.document import Document
from incognote.errors import CorpusError, MissingExtraError, OutputError

SUFFIXES = (".parquet",)
ROWS_IN_GROUP = 1024


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtraError("pyarrow", "parquet") from None
    return pyarrow, pyarrow.parquet


@contextmanager
def open_table(path: Path) -> Iterator[Any]:
    arrow, parquet = _arrow()
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (arrow.ArrowException, OSError) as error:
        fault = f"not a Parquet file, or a damaged one ({type(error).__name__})"
    else:
        return
    raise CorpusError(fault, path=str(path))


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for _, file in list_files(path, SUFFIXES):
        for number, header, values in _rows(file, options):
            try:
                document = read_row(header, values, path=file, place=f"row {number}", options=options)
            except CorpusError as error:
                options.refuse(error)
                continue
            yield document


def _rows(path: Path, options: ReadOptions) -> Iterator[tuple[int, Header, tuple[object, ...]]]:
    number = 0
    with open_table(path) as file:
        schema = file.schema_arrow
        check_columns(schema.names, options.columns, path)
        header = Header(tuple(schema.names), schema.serialize().to_pybytes())
        for batch in file.iter_batches(batch_size=ROWS_IN_GROUP):
            columns = [unpack_column(batch.column(index), path, name) for index, name in enumerate(schema.names)]
            for values in zip(*columns, strict=True):
                number += 1
                yield number, header, values


def unpack_column(column: Any, path: Path, name: str) -> list[object]:
    arrow, _ = _arrow()
    try:
        # Python's datetime stops at microseconds; nanoseconds are carried as whole numbers.
        values: list[object] = (column.cast(arrow.int64()) if _nanoseconds(column.type) else column).to_pylist()
        return values
    except (ValueError, arrow.ArrowException):
        pass
    raise CorpusError(f"column {name} of type {column.type} cannot be read; drop it", path=str(path))


def _nanoseconds(kind: Any) -> bool:
    return getattr(kind, "unit", "") == "ns"


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    _, parquet = _arrow()
    rest = iter(documents)
    first = next(rest, None)
    schema = _choose_schema(first, options)
    rows: list[dict[str, object]] = []
    written = 0
    with draft(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for document in chain([first] if first else [], rest):
            try:
                rows.append(_fit(row_values(document, schema.names, options), schema, document.id))
            except CorpusError as error:
                options.refuse(error)
                continue
            written += 1
            if len(rows) == ROWS_IN_GROUP:
                writer.write_table(_table(rows, schema))
                rows = []
        if rows:
            writer.write_table(_table(rows, schema))
    return written


def _choose_schema(first: Document | None, options: WriteOptions) -> Any:
    """The Arrow schema to write: that of the table the documents came from, else by the values of the first document."""
    arrow, _ = _arrow()
    names = choose_columns(first, options)
    header = first.meta.get(HEADER) if first else None
    known: dict[str, Any] = {}
    metadata = None
    if isinstance(header, Header) and header.schema:
        old = arrow.ipc.read_schema(arrow.py_buffer(header.schema))
        known = {item.name: item if options.metadata else item.remove_metadata() for item in old}
        metadata = old.metadata if options.metadata else None
    values = row_values(first, names, options) if first else {}
    fields = []
    for name in names:
        value = values.get(name)
        item = known.get(name)
        if item is None or (name in (options.columns.id, options.columns.patient) and not _keeps(item.type, value)):
            item = arrow.field(name, _infer(value))
        fields.append(item)
    return arrow.schema(fields, metadata=metadata)


def _keeps(kind: Any, value: object) -> bool:
    """Whether an id can go back into a column of numbers."""
    return not _holds_numbers(kind) or (isinstance(value, str) and not isinstance(_to_number(value, kind), str))


def _holds_numbers(kind: Any) -> bool:
    arrow, _ = _arrow()
    return bool(arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_decimal(kind))


def _infer(value: object) -> Any:
    arrow, _ = _arrow()
    if value is None or isinstance(value, str | list | dict):
        return arrow.string()
    return arrow.array([value]).type


def _fit(values: dict[str, object], schema: Any, id: str) -> dict[str, object]:
    """The values as the columns' types want them, tried one row at a time so that a fault has a document."""
    arrow, _ = _arrow()
    for item in schema:
        value = values[item.name]
        if isinstance(value, str) and _holds_numbers(item.type):
            value = _to_number(value, item.type)
        elif (
            value is not None
            and not isinstance(value, str)
            and (arrow.types.is_string(item.type) or arrow.types.is_large_string(item.type))
        ):
            value = text_cell(value, id)
        try:
            arrow.array([value], arrow.int64() if _nanoseconds(item.type) else item.type)
        except (arrow.ArrowException, TypeError, ValueError):
            fault = f"column {item.name} is {item.type}, which this document's value does not fit; write jsonl"
        else:
            values[item.name] = value
            continue
        raise CorpusError(fault, document=id)
    return values


def _to_number(text: str, kind: Any) -> object:
    """The number that an id was before, in a column of numbers; the text itself where there is none of that writing."""
    arrow, _ = _arrow()
    if text == "":
        return None
    try:
        number = int(text) if arrow.types.is_integer(kind) else float(text) if arrow.types.is_floating(kind) else Decimal(text)
    except (ValueError, InvalidOperation):
        return text
    return number if name_id(number) == text else text


def _table(rows: Sequence[dict[str, object]], schema: Any) -> Any:
    arrow, _ = _arrow()
    columns = []
    for item in schema:
        values = [row[item.name] for row in rows]
        column = arrow.array(values, arrow.int64()).cast(item.type) if _nanoseconds(item.type) else arrow.array(values, item.type)
        columns.append(column)
    return arrow.table(columns, schema=schema)


def join(parts: Sequence[Path], path: Path) -> None:
    """The rows of all parts, in row groups of the same size as if written at once."""
    arrow, parquet = _arrow()
    counts = [parquet.read_metadata(part).num_rows for part in parts]
    filled = [part for part, count in zip(parts, counts, strict=True) if count] or list(parts[:1])
    schema = parquet.read_schema(filled[0])
    with draft(path) as file, parquet.ParquetWriter(file, schema) as writer:
        waiting = schema.empty_table()
        for part in filled:
            with parquet.ParquetFile(part) as source:
                if source.schema_arrow != schema:
                    raise OutputError(f"{path}: the documents do not all have the same columns; write jsonl, which holds any keys")
                for batch in source.iter_batches(batch_size=ROWS_IN_GROUP):
                    waiting = arrow.concat_tables([waiting, arrow.Table.from_batches([batch])])
                    while waiting.num_rows >= ROWS_IN_GROUP:
                        writer.write_table(waiting.slice(0, ROWS_IN_GROUP).combine_chunks())
                        waiting = waiting.slice(ROWS_IN_GROUP)
        if waiting.num_rows:
            writer.write_table(waiting.combine_chunks())


PARQUET = Format("parquet", "file", SUFFIXES, read, write, join)

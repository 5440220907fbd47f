"""The columns of a Parquet file: which can hold notes and ids, what its folders add, and what several files share."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from incognote.corpora.files import open_plain
from incognote.corpora.format import Columns, Header
from incognote.corpora.packed import Unpacking
from incognote.corpora.table import check_columns
from incognote.errors import CorpusError, MissingExtraError
from incognote.shown import show_extra_column, show_text, show_type

# Without a buffer pyarrow reads a whole row group at once, and some tables are one row group of millions of notes.
_BUFFER = 1 << 20
_ROWS_AT_ONCE = 256
# Hive, Spark and DuckDB call a folder so where the value is null.
_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"


def load_arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtraError("pyarrow", "parquet") from None
    return pyarrow, pyarrow.parquet


@contextmanager
def open_table(path: Path) -> Iterator[Any]:
    arrow, parquet = load_arrow()
    open_plain(path).close()  # says it better where the file may not be read
    size = path.stat().st_size
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER) as file:
            unpacking = Unpacking(path)
            unpacking.check(sum(file.metadata.row_group(at).total_byte_size for at in range(file.metadata.num_row_groups)))
            file.schema_arrow.names  # noqa: B018 - names that are not UTF-8 raise here
            yield file
        if path.stat().st_size != size:
            raise CorpusError("the file changed while it was read", path=path, fix="wait until nothing writes it, and start again")
    except UnicodeDecodeError:
        fault = "the name of a column is not UTF-8"
    except (arrow.ArrowException, OSError) as error:
        fault = f"not a Parquet file, or a damaged one ({type(error).__name__})"
    else:
        return
    raise CorpusError(fault, path=path)


def read_batches(file: Any, path: Path, columns: Sequence[str] | None = None) -> Iterator[Any]:
    """The rows of an open table in batches, within what its size can explain: a dictionary repeats one text at no cost."""
    unpacking = Unpacking(path)
    for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns):
        unpacking.take(sum(map(_count_bytes, batch.columns)))
        yield batch


def _count_bytes(column: Any) -> int:
    """The bytes of a column's values, each counted as often as it stands there."""
    arrow, _ = load_arrow()
    return int((column.dictionary_decode() if arrow.types.is_dictionary(column.type) else column).nbytes)


def read_partition(file: Path, root: Path) -> dict[str, str | None]:
    """The columns that the folders between the root and the file stand for, as Hive, Spark and DuckDB write them.

    >>> read_partition(Path("notes/year=2061/ward=B%2F3/part-0.parquet"), Path("notes"))
    {'year': '2061', 'ward': 'B/3'}
    """
    pairs = (part.partition("=") for part in file.relative_to(root).parts[:-1])
    return {name: None if value == _NULL_FOLDER else unquote(value) for name, equals, value in pairs if name and equals}


def make_header(schema: Any, folders: Collection[str], columns: Columns, path: Path) -> Header:
    """The header of a file, its folders' columns last, with the columns that are needed checked."""
    arrow, _ = load_arrow()
    for name in folders:
        if name not in schema.names:
            schema = schema.append(arrow.field(name, arrow.string()))
    check_columns(schema.names, columns, path)
    for item in schema:
        kind = item.type
        if item.name == columns.note and not (is_text(kind) or arrow.types.is_null(kind)):
            raise CorpusError(f"column {show_text(columns.note)} is {show_type(kind)}, not text", path=path, fix="cast it first")
        if item.name in (columns.id, columns.patient) and not _names_things(kind):
            raise CorpusError(
                f"column {show_extra_column(item.name)} is {show_type(kind)}, but ids are text or numbers", path=path, fix="cast it first"
            )
    return Header(tuple(schema.names), schema.serialize().to_pybytes())


def _names_things(kind: Any) -> bool:
    arrow, _ = load_arrow()
    return bool(is_text(kind) or holds_numbers(kind) or arrow.types.is_null(kind) or is_uuid(kind))


def is_text(kind: Any) -> bool:
    """Whether a column holds strings, in whatever way."""
    arrow, _ = load_arrow()
    types = arrow.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_uuid(kind: Any) -> bool:
    return getattr(kind, "extension_name", "") == "arrow.uuid"


def holds_numbers(kind: Any) -> bool:
    arrow, _ = load_arrow()
    return bool(arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_decimal(kind))


def load_schema(header: Header) -> Any:
    arrow, _ = load_arrow()
    return arrow.ipc.read_schema(arrow.py_buffer(header.schema))


def unite_schemas(headers: Sequence[tuple[Path, Header]], names: Sequence[str]) -> bytes:
    """The serialized schema of these columns in all files; a column that is empty throughout a file has the type it has elsewhere."""
    arrow, _ = load_arrow()
    fields: dict[str, Any] = {}
    for path, header in headers:
        for item in load_schema(header):
            known = fields.get(item.name)
            if known is None or arrow.types.is_null(known.type):
                fields[item.name] = item
            elif item.name in names and not (_agree(item.type, known.type) or arrow.types.is_null(item.type)):
                fault = f"column {show_extra_column(item.name)} is {show_type(item.type)}, but {show_type(known.type)} in an earlier part"
                raise CorpusError(fault, path=path, fix="give it one type in all parts, or leave it out with {drop_columns}")
            else:
                fields[item.name] = known.with_nullable(known.nullable or item.nullable)
    schema: bytes = arrow.schema([fields[name] for name in names]).serialize().to_pybytes()
    return schema


def _agree(one: Any, two: Any) -> bool:
    return bool(one == two or (is_text(one) and is_text(two)))

"""The one header of a table in several files, read before any note; parts with different columns are refused."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from incognote.corpora.format import SPANS, Columns, Format, Header, ReadOptions
from incognote.corpora.parquet_schema import unite_schemas
from incognote.errors import CorpusError
from incognote.shown import show_extra_column, show_text


def unite_headers(headers: Sequence[tuple[Path, Header]], *, is_dropped: Callable[[str], bool]) -> Header:
    """The columns that every file has, in the order of the first, without dropped columns and old spans."""

    def keep(header: Header) -> list[str]:
        return [name for name in header.columns if name != SPANS and not is_dropped(name)]

    place, first = headers[0]
    names = keep(first)
    for path, header in headers[1:]:
        here = keep(header)
        other = show_text(place.name)
        added = [show_extra_column(name, at) for at, name in enumerate(here, 1) if name not in names]
        lacking = [show_extra_column(name, at) for at, name in enumerate(names, 1) if name not in here]
        if added or lacking:
            fault = f"has a column {added[0]} that {other} lacks" if added else f"lacks the column {lacking[0]} of {other}"
            fix = "make the parts alike, or leave the column out with {drop_columns}"
            raise CorpusError(f"{fault}, so that they are no one table", path=path, fix=fix)
    return replace(first, columns=tuple(names), schema=unite_schemas(headers, names) if first.schema else b"")


def read_header(path: Path, format: Format, columns: Columns) -> Header | None:
    """The header of the first file of a table; None where the format is no table."""
    return format.headers(path, ReadOptions(columns))[0][1] if format.headers else None


def holds_spans(path: Path, format: Format, columns: Columns) -> bool:
    """Whether these notes have a place for spans: of tables, those with such a column."""
    return format.headers is None or any(SPANS in header.columns for _, header in format.headers(path, ReadOptions(columns)))

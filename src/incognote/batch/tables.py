"""The table of a job, looked at before any note is searched: its one header, and which of its columns are left out."""

from collections.abc import Set
from pathlib import Path

from incognote.corpora import TOKENS, Columns, Format, Header, ReadOptions, unite_headers
from incognote.corpora.table import SPANS
from incognote.errors import ConfigError

ALL_COLUMNS = "all"


def check_table(source: Path, format: Format, columns: Columns, *, drop: Set[str]) -> tuple[Header | None, frozenset[str]]:
    """The header of what is written and the columns that need not be read; nothing of either where the format is no table.

    Raises where a column to drop is nowhere, or where the files of the table do not fit together.
    """
    if format.headers is None:
        return None, frozenset()
    headers = format.headers(source, ReadOptions(columns))
    beside = {name for _, header in headers for name in header.columns} - {columns.note, columns.id, columns.patient, SPANS}
    check_dropped(drop, beside)
    dropped = frozenset(beside if ALL_COLUMNS in drop else beside & (drop | {TOKENS}))
    return unite_headers(headers, is_dropped=dropped.__contains__), dropped


def check_dropped(drop: Set[str], beside: Set[str]) -> None:
    """A mistyped name would leave a column of PHI where it is."""
    missing = sorted(drop - beside - {ALL_COLUMNS})
    if missing:
        there = f"there are: {', '.join(sorted(beside))}" if beside else "there are none beside the notes, their ids and patients"
        raise ConfigError("scrub", [f"--drop-columns: no note has a column {name}; {there}" for name in missing])

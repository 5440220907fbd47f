"""The table of a job, looked at before any note is searched: its one header, and which of its columns are left out."""

from collections.abc import Set
from pathlib import Path

from incognote.corpora import TOKENS, Columns, Format, Header, ReadOptions, list_beside, read_corpus, unite_headers
from incognote.corpora.table import SPANS
from incognote.errors import ConfigError

ALL_COLUMNS = "all"


def check_table(source: Path, format: Format, columns: Columns, *, drop: Set[str]) -> tuple[Header | None, frozenset[str]]:
    """The header of what is written and the columns that need not be read; nothing of either where the format is no table.

    Raises where a column to drop is nowhere, or where the files of the table do not fit together.
    """
    if format.headers is None:
        if wanted := drop - {ALL_COLUMNS}:
            _check_dropped(wanted, _gather_keys(source, format, columns, wanted=wanted))
        return None, frozenset()
    headers = format.headers(source, ReadOptions(columns))
    beside = {name for _, header in headers for name in header.columns} - {columns.note, columns.id, columns.patient, SPANS}
    _check_dropped(drop - {ALL_COLUMNS}, beside)
    dropped = frozenset(beside if ALL_COLUMNS in drop else beside & (drop | {TOKENS}))
    return unite_headers(headers, is_dropped=dropped.__contains__), dropped


def _gather_keys(source: Path, format: Format, columns: Columns, *, wanted: Set[str]) -> set[str]:
    """The keys beside the notes, read until all that are wanted were seen; bad notes are left to the run."""
    found: set[str] = set()
    for document in read_corpus(source, format=format.name, columns=columns, any_label=True, quarantine=lambda _: None):
        found.update(list_beside(document))
        if wanted <= found:
            break
    return found


def _check_dropped(drop: Set[str], beside: Set[str]) -> None:
    """A mistyped name would leave a column of PHI where it is."""
    missing = sorted(drop - beside)
    if missing:
        there = f"there are: {', '.join(sorted(beside))}" if beside else "there are none beside the notes, their ids and patients"
        raise ConfigError("scrub", [f"--drop-columns: no note has a column {name}; {there}" for name in missing])

"""The table of a job, checked before any note is searched: its one header, and which columns are left out."""

from collections.abc import Set
from pathlib import Path

from incognote.corpora import Columns, Format, Header, ReadOptions, read_corpus
from incognote.corpora.extra_columns import TOKENS, list_extra_columns
from incognote.corpora.format import SPANS
from incognote.corpora.headers import unite_headers
from incognote.errors import ConfigError
from incognote.shown import show_extra_column

ALL_COLUMNS = "all"


def check_table(
    source: Path, format: Format, columns: Columns, *, drop: Set[str], scrub: Set[str] = frozenset()
) -> tuple[Header | None, frozenset[str]]:
    """The header of the output and the columns that need not be read; None and no columns where the format is not a table.

    Raises where a column to drop or to scrub does not exist, or where the files of the table differ in columns.
    """
    if format.headers is None:
        if wanted := (drop - {ALL_COLUMNS, SPANS}) | scrub:
            _check_named(drop - {ALL_COLUMNS, SPANS}, scrub, _gather_keys(source, format, columns, wanted=wanted), columns)
        return None, frozenset()
    headers = format.headers(source, ReadOptions(columns))
    extra = {name for _, header in headers for name in header.columns} - {columns.note, columns.id, columns.patient, SPANS}
    _check_named(drop - {ALL_COLUMNS, SPANS}, scrub, extra, columns)
    dropped = frozenset(extra - scrub if ALL_COLUMNS in drop else extra & (drop | {TOKENS}))
    return unite_headers(headers, is_dropped=dropped.__contains__), dropped | {SPANS}


def _gather_keys(source: Path, format: Format, columns: Columns, *, wanted: Set[str]) -> set[str]:
    """The extra keys of the notes, read until all wanted ones are found; bad notes are skipped, as the run reports them."""
    found: set[str] = set()
    for document in read_corpus(source, format=format.name, columns=columns, spans=False, quarantine=lambda _: None):
        found.update(list_extra_columns(document))
        if wanted <= found:
            break
    return found


def _check_named(drop: Set[str], scrub: Set[str], extra: Set[str], columns: Columns) -> None:
    """Raise for a column that does not exist: a mistyped name would leave a column with PHI in the output."""
    needed = (columns.note, columns.id, columns.patient)
    there = (
        f"there are: {', '.join(map(show_extra_column, sorted(extra)))}"
        if extra
        else "there are none beside the notes, their ids and patients"
    )
    faults = [f"{name} is named in {{drop_columns}} and {{scrub_columns}}; choose one" for name in sorted(drop & scrub)]
    faults += [
        f"{{{setting}}}: {name} holds the notes, their ids or patients, and stays"
        if name in needed
        else f"{{{setting}}}: no note has a column {name}; {there}"
        for setting, wanted in (("drop_columns", drop), ("scrub_columns", scrub))
        for name in sorted(wanted - extra)
    ]
    if faults:
        raise ConfigError("scrub", faults)

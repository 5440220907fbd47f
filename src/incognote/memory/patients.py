"""Known patients: finds the values that a hospital has about each patient in that patient's notes, in any form."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from incognote.document import Document, Span
from incognote.document.scripts import has_caseless_letters
from incognote.errors import ConfigError, CorpusError
from incognote.lexicon.lazy import lazy
from incognote.lexicon.person import PersonName, fold, parse_name
from incognote.memory.aliases import Pair, date_forms, long_names, name_aliases, number_forms, phrase_forms, street_forms
from incognote.memory.literals import literal_forms
from incognote.memory.mentions import Mentions, compact
from incognote.memory.patient_columns import COLUMNS, IGNORED, column_kind, known_columns
from incognote.shown import show_extra_column

_DATES = "%Y-%m-%d|%m/%d/%Y|%d.%m.%Y|%Y%m%d|%d %B %Y|%d %b %Y|%B %d, %Y|%b %d, %Y|%B %d %Y|%b %d %Y|%m-%d-%Y".split("|")
_FLAT = lazy(r"(?:apt|apartment|suite|ste|unit|floor|flat|#)\b|#", re.IGNORECASE)
# The least letters for matching a name with a typo: fewer than in memory, because these names are certain.
_LONG_NAME = 6
_LABELS = {
    "name": "PATIENT", "relative": "PATIENT", "birth": "DATE", "mrn": "MEDICALRECORD", "ssn": "SSN", "phone": "PHONE", "fax": "FAX",
    "email": "EMAIL", "street": "STREET", "city": "CITY", "state": "STATE", "zip": "ZIP", "country": "COUNTRY", "employer": "ORGANIZATION",
    "insurance": "HEALTHPLAN", "account": "ACCOUNT",
}  # fmt: skip

Values = tuple[tuple[str, str], ...]


class HasDocuments(Protocol):
    """A batch of documents, as finders get it."""

    @property
    def documents(self) -> Iterable[Document]: ...


@dataclass(frozen=True, slots=True)
class Roster:
    """The values of each patient, as (kind, value) pairs. Rows of one patient id are merged: their values add."""

    patients: Mapping[str, Values] = field(repr=False)

    def __repr__(self) -> str:
        return f"Roster({len(self.patients)} patients)"

    @classmethod
    def from_csv(cls, path: str | Path) -> "Roster":
        """A roster from a CSV file with a header row; several values in one cell are separated by ``;``.

        Known columns are in ``patient_columns``. A column that is not known is a fault, so that nothing is skipped silently.
        """
        path = Path(path)
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                rows = list(csv.reader(file, strict=True))
        except UnicodeDecodeError as error:
            raise CorpusError("the patients file is not UTF-8", path=path, fix="save it as UTF-8") from error
        except csv.Error as error:
            raise CorpusError(f"the patients file is not a CSV file: {error}", path=path) from error
        except OSError as error:
            raise CorpusError(f"the patients file cannot be read: {error.strerror}", path=path) from error
        kinds, faults = _read_header(rows[0] if rows else [])
        patients: dict[str, dict[tuple[str, str], None]] = {}
        if not faults:
            for line, row in enumerate(rows[1:], start=2):
                faults += _read_row(patients, kinds, row, line)
        if faults:
            raise ConfigError(f"patients file {path}", faults)
        return cls({patient: tuple(values) for patient, values in patients.items()})

    def find(self, document: Document) -> tuple[Span, ...]:
        """Every mention of the patient's known values in the document; none for a patient who is not in the roster."""
        values = self.patients.get(document.patient)
        return tuple(_mentions_of(values).find(document.text)) if values else ()

    def __call__(self, batch: HasDocuments) -> list[tuple[Span, ...]]:
        """As a finder: the mentions in each document of a batch."""
        return [self.find(document) for document in batch.documents]


def _read_header(header: list[str]) -> tuple[list[str], list[str]]:
    """The kind of each column, and what is wrong with the header."""
    kinds = [column_kind(name) for name in header]
    if not any(kinds):
        return kinds, [f"line 1: no column of it is known; give the file a header line with names such as {known_columns()}"]
    # A file without a header begins with a patient, who must not be named.
    shown = [repr(show_extra_column(name, number)) if "id" in kinds else str(number) for number, name in enumerate(header, start=1)]
    unknown = [name for name, kind in zip(shown, kinds, strict=True) if not kind]
    faults = [f"line 1: column {name} is not known; take it out or call it one of {known_columns()}" for name in unknown]
    if kinds.count("id") != 1:
        what = "no column" if "id" not in kinds else "more than one column"
        faults.append(f"line 1: {what} holds the patient id; call it one of {', '.join(COLUMNS['id'])}")
    return kinds, faults


def _read_row(patients: dict[str, dict[tuple[str, str], None]], kinds: list[str], row: list[str], line: int) -> list[str]:
    """Add one row to the patients; returns its faults. A blank line is no row."""
    if not any(cell.strip() for cell in row):
        return []
    if len(row) != len(kinds):
        return [f"line {line}: {len(row)} cells, but the header has {len(kinds)}; put quotes around values with commas"]
    cells = [(kind, cell.strip()) for kind, cell in zip(kinds, row, strict=True) if cell.strip() and kind not in IGNORED]
    ids = [cell for kind, cell in cells if kind == "id"]
    if not ids:
        return [f"line {line}: the patient id is empty"]
    faults = [
        f"line {line}: the birth date cannot be read; write it as YYYY-MM-DD"
        for kind, cell in cells
        if kind == "birth"
        for value in _split(cell)
        if _read_date(value) is None
    ]
    values = patients.setdefault(ids[0], {})
    values.update(dict.fromkeys(pair for kind, cell in _with_names(cells) if kind != "id" for pair in _pairs(kind, cell)))
    return faults


def _with_names(cells: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The cells with the parts of a name put together: each family or maiden name with each given name or nickname."""
    cells = list(cells)
    parts: dict[str, list[str]] = {}
    for kind, cell in cells:
        if kind in ("given", "middle", "family", "maiden", "nickname"):
            parts.setdefault(kind, []).extend(_split(cell))
        else:
            yield kind, cell
    full = [parse_name(value) for kind, cell in cells if kind == "name" for value in _split(cell)]
    families = [*parts.get("family", ()), *parts.get("maiden", ()), *(name.family for name in full if parts.get("nickname"))]
    givens = [*parts.get("given", ()), *parts.get("nickname", ()), *(name.given for name in full if parts.get("maiden"))]
    middle = " ".join(parts.get("middle", ()))
    for family in filter(None, families):
        for given in filter(None, givens):
            yield "name", f"{family}, {given} {middle}".strip()
        if not any(givens):
            yield "name", family
    if not any(families):
        yield from (("name", given) for given in filter(None, givens))


def _pairs(kind: str, cell: str) -> Iterator[tuple[str, str]]:
    """The (kind, value) pairs of a cell; an address in one cell is taken apart at its commas."""
    if kind != "street":
        yield from ((kind, value) for value in ([cell] if kind == "name" else _split(cell)))
        return
    for address in _split(cell):
        street, *rest = [part.strip() for part in address.split(",")]
        if rest and _FLAT.match(rest[0]):
            street = f"{street} {rest.pop(0)}"
        yield "street", street
        for part in rest:
            code = part.split()[-1] if part.split() else ""
            if any(map(str.isdigit, code)):
                yield "zip", code
            elif len(part) > 2:
                yield "city", part


def _split(cell: str) -> list[str]:
    return [value.strip() for value in cell.split(";") if value.strip()]


def _read_date(value: str) -> date | None:
    for form in _DATES:
        try:
            return datetime.strptime(value, form).date()
        except ValueError:
            continue
    return None


@lru_cache(256)
def _mentions_of(values: Values) -> Mentions:
    names = [parse_name(value) for kind, value in values if kind in ("name", "relative") and not has_caseless_letters(value)]
    longs = [pair for name in names for pair in long_names(name, "PATIENT", "patients.name", letters=_LONG_NAME)]
    givens = [
        pair for name in names for pair in long_names(PersonName(lone=name.given), "PATIENT", "patients.name", letters=_LONG_NAME + 1)
    ]
    return Mentions.gather((pair for kind, value in values for pair in _ways(kind, value)), [*longs, *givens])


def _ways(kind: str, value: str) -> Iterator[Pair]:
    source = f"patients.{kind}"
    label = _LABELS[kind]
    if has_caseless_letters(value) and kind != "birth":
        yield from literal_forms(value, label, source, name=kind in ("name", "relative"))
    elif kind in ("name", "relative"):
        yield from name_aliases(parse_name(value), label, source)
    elif kind == "birth":
        day = _read_date(value)
        yield from date_forms(day, label, source) if day else ()
        # 3/4/1961 may have been written by a European: search for both readings.
        if day and day.day <= 12 and "/" in value:
            yield from date_forms(date(day.year, day.day, day.month), label, source)
    elif kind in ("phone", "fax", "mrn", "ssn", "account", "insurance", "zip"):
        yield from number_forms(value, label, source)
        if not any(map(str.isdigit, value)):
            yield from phrase_forms(value, label, source)
    elif kind == "street":
        yield from street_forms(value, label, source)
    elif kind != "state" or len(fold(value)) > 3:
        yield from phrase_forms(value, label, source) if len(compact(value)) > 2 else ()

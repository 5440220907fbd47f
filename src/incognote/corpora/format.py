"""What a corpus format is: how it is read, written and joined, and the options all formats share."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from incognote.document import Document, LabelScheme
from incognote.errors import ConfigError, CorpusError
from incognote.shown import show_text

Item = TypeVar("Item")
Made = TypeVar("Made")
Quarantine = Callable[[CorpusError], None]
# The column or key of the spans, in tables and JSON lines.
SPANS = "spans"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table hold the note, its id and its patient; the latter two may be one, where each patient has one note.

    In a folder of notes whose format has no patients, ``patient_from`` is an expression that finds the patient in the id (the path without
    its ending): its first group, or all that it matches.
    """

    note: str = "text"
    id: str = "id"
    patient: str = "patient"
    patient_from: str = ""

    def __post_init__(self) -> None:
        try:
            re.compile(self.patient_from)
        except re.error as error:
            fault = f"{{patient_from}}: not a regular expression: {show_text(error.msg)} at position {error.pos or 0:d}"
            raise ConfigError("columns", [fault]) from None
        if self.note in (self.id, self.patient):
            raise ConfigError(
                "columns", [f"{show_text(self.note)} cannot hold the notes and their ids or patients"], fix="name another column for each"
            )
        if SPANS in (self.note, self.id, self.patient):
            raise ConfigError("columns", [f"{SPANS} is where annotations go"], fix="rename your column")


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a table in order and, for Parquet, its serialized Arrow schema; carried in ``meta`` to be written back.

    For CSV it says how the header line, or that of the document which carries it, was written: the columns in quotes,
    and what ended the line (nothing, where the file ended). ``marked`` is a file that began with a byte order mark.
    """

    columns: tuple[str, ...]
    schema: bytes = b""
    quoted: frozenset[str] = frozenset()
    newline: str = "\r\n"
    marked: bool = False


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """``scheme`` checks every label; ``quarantine`` takes the error of each bad document, so that reading can go on.

    ``unread`` names columns of a Parquet table whose values are not needed; they come as None. Without ``spans`` documents have
    none: those in the files may have any labels and overlap.
    """

    columns: Columns = Columns()
    scheme: LabelScheme | None = None
    quarantine: Quarantine | None = None
    unread: frozenset[str] = frozenset()
    spans: bool = True


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """``scheme`` names the categories that XML formats write; ``spans`` says whether a table gets a ``spans`` column.

    ``metadata`` keeps what a Parquet file says about itself and its columns. That is not searched for PHI, so clean notes go without it.
    ``header`` is that of the table to write, where it is known before the first document is.
    """

    columns: Columns = Columns()
    scheme: LabelScheme | None = None
    quarantine: Quarantine | None = None
    spans: bool = True
    metadata: bool = False
    header: Header | None = None


def refuse(error: CorpusError, quarantine: Quarantine | None) -> None:
    """Hand a bad document's error to the quarantine, or raise it where there is none."""
    if quarantine is None:
        raise error
    quarantine(error)


def make_each(items: Iterable[Item], make: Callable[[Item], Made], quarantine: Quarantine | None) -> Iterator[Made]:
    """What is made of each item, less those that are refused."""
    for item in items:
        try:
            made = make(item)
        except CorpusError as error:
            refuse(error, quarantine)
            continue
        yield made


Read = Callable[[Path, ReadOptions], Iterator[Document]]
Write = Callable[[Iterable[Document], Path, WriteOptions], int]
Join = Callable[[Sequence[Path], Path], None]
ReadHeaders = Callable[[Path, ReadOptions], list[tuple[Path, Header]]]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to keep documents in files.

    ``folder`` layout has a file (or two) per document; ``write`` puts them into a folder, each whole or not at all.
    ``file`` layout has all documents in one file; ``join`` makes one file of parts that ``write`` made, the same file as if all
    had been written at once. ``write`` returns how many documents it wrote. ``scheme`` names the labels the format always has.
    ``headers`` gives the header of each file of a table, without its rows.
    """

    name: str
    layout: Literal["folder", "file"]
    suffixes: tuple[str, ...]
    read: Read
    write: Write
    join: Join | None = None
    scheme: str = ""
    headers: ReadHeaders | None = None

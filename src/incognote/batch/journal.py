"""The journal of a run: the spans found, kept on disk so that memory stays flat and a killed run can resume.

It is in a private work folder next to the output, never inside it, because it holds PHI; a finished run removes it.
"""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from incognote.corpora.locks import take_lock
from incognote.document import Document, Span
from incognote.errors import CorpusError, OutputError
from incognote.facts import gather_facts, patient_key
from incognote.find.model.runtimes.loading import NAMES
from incognote.memory.checksums import find_damage, make_tables
from incognote.memory.stores import FactStore, SqliteFactStore
from incognote.shown import show_id

_TABLES = """
create table if not exists settings (name text primary key, value text not null, checksum);
create table if not exists found (position integer primary key, patient text not null, digest blob not null, spans text, checksum);
create table if not exists chunk (stage text, number integer, summary text not null, checksum, primary key (stage, number));
create table if not exists quarantine (number integer, id text, path text, reason text, checksum, primary key (number, id, path));
"""

_KEY, _LOCK, _FILE = "key", "lock", "journal.sqlite"


def read_one_time_key(folder: Path) -> bytes:
    """The key that a stopped run left in its work folder, or empty bytes."""
    path = folder / _KEY
    return path.read_bytes() if path.exists() else b""


def read_runtime(folder: Path) -> str:
    """The runtime of the models in a stopped run; empty where there is none, or where each model has its own."""
    try:
        with closing(sqlite3.connect(f"{(folder / _FILE).absolute().as_uri()}?mode=rw", uri=True)) as database:
            row = database.execute("select value from settings where name = 'runtime'").fetchone()
    except sqlite3.Error:
        return ""  # opening the journal says what is wrong with it
    return row[0] if row and row[0] in NAMES else ""


def is_unfinished(folder: Path) -> bool:
    """Whether a stopped or killed run left its journal in this folder; raise when another run is using it."""
    if (folder / _LOCK).exists():
        take_lock(folder / _LOCK, folder).close()
    return (folder / _FILE).exists()


def remove_work(folder: Path) -> None:
    """Remove the work folder of an earlier run, unless another run has taken it."""
    if folder.is_dir():
        (folder / _LOCK).touch()
        with closing(take_lock(folder / _LOCK, folder)):
            shutil.rmtree(folder)


def input_changed(*, path: object = "", document: str = "") -> CorpusError:
    """The error for notes that differ from those of the first pass."""
    fix = "see that nothing writes to it, and start again with {overwrite}"
    return CorpusError("the input changed while it was scrubbed", path=path, document=document, fix=fix)


class Journal:
    """The SQLite file of a run in its work folder; every chunk of documents is one transaction."""

    def __init__(self, folder: Path) -> None:
        self._finished = False
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o700)
        self.folder = folder
        (folder / _LOCK).touch()
        self._lock = take_lock(folder / _LOCK, folder)
        resumed = (folder / _FILE).exists()
        try:
            self.parts = folder / "parts"
            self.parts.mkdir(exist_ok=True)
            self._db = sqlite3.connect(folder / _FILE)
            self._open()
        except BaseException:
            if not resumed:
                shutil.rmtree(folder)
            self._lock.close()
            raise

    def _open(self) -> None:
        """Make the tables, and check those of a stopped run: what is damaged would change the output, or show in a message."""
        damage = find_damage(self._db)
        if not damage:
            self.facts = _make_tables(self._db)
            self._db.executescript("pragma journal_mode=wal; pragma synchronous=normal;")
            with closing(sqlite3.connect(":memory:")) as blank:
                _make_tables(blank)
                damage = "" if _list_tables(self._db) == _list_tables(blank) else "its tables"
        if damage:
            what = f"the journal of the run that was stopped is damaged ({damage})"
            raise OutputError(what, where=self.folder, fix="start again with {overwrite}")

    def remember_settings(self, settings: Mapping[str, str]) -> None:
        """Record the run's settings, or check that they are those of the run being resumed."""
        before = dict(self._db.execute("select name, value from settings"))
        changed = [name for name, value in settings.items() if before.get(name, value) != value]
        if changed:
            earlier = ", ".join(f"{name} {before[name]}" for name in ("runtime", "device") if name in changed)
            fix = f"use its settings{f' ({earlier})' if earlier else ''}, or {{overwrite}} to start again"
            raise OutputError(f"cannot resume: {', '.join(changed)} not as in the run that was stopped", fix=fix)
        with self._db:
            self._db.executemany("insert or replace into settings values (?, ?)", settings.items())

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file. Remove the work folder when the run is finished, or has finished no chunk that a resume could use."""
        with closing(self._lock):  # held until the folder is gone, so that no other run takes it meanwhile
            with closing(self._db):
                begun = not self._finished and self._db.execute("select count(*) from chunk").fetchone()[0]
            if not begun:
                shutil.rmtree(self.folder)

    def finish(self) -> None:
        """Mark the run as done: the journal is not needed any more."""
        self._finished = True

    def keep_one_time_key(self, key: bytes) -> None:
        """Store the key of a run to which the user gave none, for a resume."""
        path = self.folder / _KEY
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(key)

    def summary(self, stage: str, number: int) -> dict[str, Any] | None:
        """The record of a finished chunk, or None for one that is not finished."""
        row = self._db.execute("select summary from chunk where stage = ? and number = ?", (stage, number)).fetchone()
        return json.loads(row[0]) if row else None

    def summaries(self, stage: str) -> Iterator[dict[str, Any]]:
        """The records of all finished chunks, in order."""
        for (summary,) in self._db.execute("select summary from chunk where stage = ? order by number", (stage,)):
            yield json.loads(summary)

    def save_found(self, number: int, first: int, documents: Sequence[Document], found: Sequence[Document | None]) -> None:
        """Save a chunk of documents from position ``first`` on, as read and as found; None stands for one in quarantine."""
        with self._db:
            self._db.executemany(
                "insert or replace into found values (?, ?, ?, ?)",
                [
                    (first + at, patient_key(read), _digest(read), None if document is None else _pack(document.spans))
                    for at, (read, document) in enumerate(zip(documents, found, strict=True))
                ],
            )
            kept = [document for document in found if document is not None]
            self.facts.add(gather_facts(kept))
            self._finish("find", number, {"documents": len(kept)})

    def load_found(self, first: int, documents: Sequence[Document]) -> list[Document | None]:
        """The documents from position ``first`` on with the spans found before; None for one in quarantine.

        Raises when a document has changed since the first pass: its spans would belong to another text.
        """
        rows = self._db.execute(
            "select position, digest, spans from found where position >= ? and position < ?", (first, first + len(documents))
        )
        known = {position: (digest, spans) for position, digest, spans in rows}
        loaded = []
        for at, document in enumerate(documents, first):
            digest, spans = known.get(at, (b"", None))
            if digest != _digest(document):
                raise input_changed(document=document.id)
            loaded.append(None if spans is None else document.with_spans(_unpack(spans)))
        return loaded

    def count_notes(self, patients: Container[str]) -> int:
        """How many of the notes found are of these patients."""
        rows = self._db.execute("select patient, count(*) from found where spans is not null group by patient")
        return sum(notes for patient, notes in rows if patient in patients)

    def save_replaced(self, number: int, summary: Mapping[str, object]) -> None:
        """Record a chunk whose clean documents are on disk."""
        with self._db:
            self._finish("replace", number, summary)

    def put_in_quarantine(self, *, id: str, path: str, reason: str, number: int = 0) -> None:
        """Record a document that could not be processed whole, and why.

        ``number`` counts, from 1, the documents that could not be read: they may have no id, or a repeated one. Both passes meet them in
        the same order, so the number makes one entry of the two.
        """
        with self._db:
            self._db.execute("insert or replace into quarantine values (?, ?, ?, ?)", (number, id, path, reason))

    def quarantine(self) -> list[dict[str, str]]:
        """The documents that were not written."""
        rows = self._db.execute("select id, path, reason from quarantine order by path, number, id")
        return [{"document": show_id(id), "path": path, "reason": reason} for id, path, reason in rows]

    def _finish(self, stage: str, number: int, summary: Mapping[str, object]) -> None:
        self._db.execute("insert or replace into chunk values (?, ?, ?)", (stage, number, json.dumps(summary)))


def _make_tables(database: sqlite3.Connection) -> FactStore:
    make_tables(database, _TABLES)
    return SqliteFactStore(database)


def _list_tables(database: sqlite3.Connection) -> list[tuple[str, ...]]:
    return database.execute("select type, name, tbl_name, sql from sqlite_master order by name").fetchall()


def _digest(document: Document) -> bytes:
    parts = "\0".join((document.id, document.patient, document.text))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _pack(spans: Iterable[Span]) -> str:
    return json.dumps([(span.start, span.end, span.label, span.score, span.source) for span in spans])


def _unpack(packed: str) -> tuple[Span, ...]:
    return tuple(Span(*row) for row in json.loads(packed))

"""Fact stores keep the facts of each patient between the two passes of a run."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Protocol

from incognote.facts import Facts
from incognote.memory.checksums import make_tables


class FactStore(Protocol):
    """Keeps the facts of patients. The order and the number of calls of ``add`` do not matter."""

    def add(self, facts: Mapping[str, Facts]) -> None:
        """Add facts to those of each patient."""

    def facts(self, patients: Iterable[str]) -> dict[str, Facts]:
        """The facts of each of these patients."""

    def richest_patient(self) -> tuple[str, int]:
        """The patient with the most distinct values, and their number."""


class MemoryFactStore:
    """Facts in a dict."""

    def __init__(self) -> None:
        self._facts: dict[str, Facts] = {}

    def add(self, facts: Mapping[str, Facts]) -> None:
        for patient, more in facts.items():
            self._facts[patient] = self._facts.get(patient, Facts()) | more

    def facts(self, patients: Iterable[str]) -> dict[str, Facts]:
        return {patient: self._facts.get(patient, Facts()) for patient in patients}

    def richest_patient(self) -> tuple[str, int]:
        sizes = ((patient, len(facts.places)) for patient, facts in sorted(self._facts.items()))
        return max(sizes, key=lambda each: each[1], default=("", 0))


_WORDS = "patient text, label text, value text, word text, checksum, primary key (patient, label, value, word)"
_TABLES = f"""
create table if not exists fact (patient text, label text, value text, document text, start integer, score real, checksum,
  primary key (patient, label, value));
create table if not exists relation_cue ({_WORDS});
create table if not exists evidence ({_WORDS});
"""

# The first place and the highest score win, whatever the order in which facts arrive.
_ADD = """
insert into fact values (?, ?, ?, ?, ?, ?) on conflict do update set
    score = max(score, excluded.score),
    document = iif((excluded.document, excluded.start) < (document, start), excluded.document, document),
    start = iif((excluded.document, excluded.start) < (document, start), excluded.start, start)
"""


class SqliteFactStore:
    """Facts in two tables of an SQLite database. The caller commits, so that facts and what they belong to are one transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        make_tables(database, _TABLES)

    def add(self, facts: Mapping[str, Facts]) -> None:
        for patient, each in facts.items():
            self._db.executemany(_ADD, [(patient, *key, *place, each.score(*key)) for key, place in each.places.items()])
            for table, words in (("relation_cue", each.cues), ("evidence", each.evidence)):
                rows = [(patient, *key, word) for key, some in words.items() for word in some]
                self._db.executemany(f"insert or ignore into {table} values (?, ?, ?, ?)", rows)

    def facts(self, patients: Iterable[str]) -> dict[str, Facts]:
        return {patient: self._facts_of(patient) for patient in dict.fromkeys(patients)}

    def _facts_of(self, patient: str) -> Facts:
        rows = self._db.execute("select label, value, document, start, score from fact where patient = ?", (patient,)).fetchall()
        places = {(label, value): (document, start) for label, value, document, start, _ in rows}
        scores = {(label, value): score for label, value, _, _, score in rows}
        return Facts(places, scores, self._words("relation_cue", patient), self._words("evidence", patient))

    def _words(self, table: str, patient: str) -> dict[tuple[str, str], frozenset[str]]:
        found: dict[tuple[str, str], frozenset[str]] = {}
        for label, value, word in self._db.execute(f"select label, value, word from {table} where patient = ?", (patient,)):
            found[label, value] = found.get((label, value), frozenset()) | {word}
        return found

    def richest_patient(self) -> tuple[str, int]:
        row = self._db.execute("select patient, count(*) from fact group by patient order by 2 desc, 1 limit 1").fetchone()
        return row or ("", 0)

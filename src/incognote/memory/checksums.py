"""Checksums of SQLite records: a column that the database computes as it writes a row, and a check that names the first bad one."""

import hashlib
import re
import sqlite3

_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_FORMAT")
_TABLE = re.compile(r"(create table if not exists \w+ \()([^;]+), checksum([^;]*;)")


def make_tables(database: sqlite3.Connection, tables: str) -> None:
    """Create the tables where they do not exist. A column named ``checksum`` covers those before it; other programs can read the tables."""
    database.create_function("record_checksum", -1, _digest, deterministic=True)
    database.executescript(f"begin; {_TABLE.sub(_compute_checksum, tables)} commit;")


def _compute_checksum(table: re.Match[str]) -> str:
    columns = ", ".join(column.split()[0] for column in table[2].split(","))
    return f"{table[1]}{table[2]}, checksum blob as (record_checksum({columns})) stored{table[3]}"


def was_interrupted(error: BaseException) -> bool:
    """Whether a signal came while SQLite computed a checksum: it reports any exception there, a KeyboardInterrupt too, as its own error."""
    return isinstance(error, sqlite3.OperationalError) and str(error) == "user-defined function raised exception"


def find_damage(database: sqlite3.Connection) -> str:
    """What is damaged: the file, or the first record with another checksum, by its number and without its content; empty if nothing is."""
    try:
        if database.execute("pragma integrity_check(1)").fetchone() != ("ok",):
            return "its pages"
        database.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table' order by name")]
        return next((f"record {number} of {table}" for table in tables for number in _bad_rows(database, table)), "")
    except sqlite3.DatabaseError as error:
        if not error.sqlite_errorname.startswith(_DAMAGE):
            raise
        return f"its structure, {error.sqlite_errorname}"
    finally:
        database.text_factory = str


def _bad_rows(database: sqlite3.Connection, table: str) -> list[int]:
    columns = ", ".join(f'"{row[1]}"' for row in database.execute(f"pragma table_info('{table}')"))
    rows = database.execute(f"select rowid, checksum, {columns} from '{table}'")
    return [number for number, checksum, *values in rows if checksum != _digest(*values)]


def _digest(*values: object) -> bytes:
    return hashlib.blake2b(repr(values).encode(), digest_size=8).digest()

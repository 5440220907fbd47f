"""Parquet files as databases write them: ids of odd types, values beyond Python's calendar, folders that are columns."""

import os
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incognote.corpora import FORMATS, WriteOptions, read_corpus
from incognote.errors import CorpusError


def write(path: Path, **columns: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("column", "values", "fault"),
    [
        ("id", pa.array([b"n1", b"n2"]), "column id is binary, but ids are text or numbers"),
        ("id", pa.array([["n1"], ["n2"]]), "column id is list.*, but ids are text or numbers"),
        ("patient", pa.array([{"a": 1}, {"a": 2}]), "column patient is struct.*, but ids are text or numbers"),
        ("text", pa.array([b"a", b"b"]), "column text is binary, not text"),
    ],
)
def test_columns_that_cannot_hold_notes_or_ids_are_refused_by_their_type(tmp_path: Path, column: str, values: pa.Array, fault: str) -> None:
    sound = {"id": pa.array(["n1", "n2"]), "patient": pa.array(["p", "q"]), "text": pa.array(["a", "b"])}
    path = write(tmp_path / "a.parquet", **(sound | {column: values}))
    with pytest.raises(CorpusError, match=fault):
        list(read_corpus(path, quarantine=lambda _: None))


def test_uuids_are_ids_and_go_back_as_such(tmp_path: Path) -> None:
    ids = [uuid.UUID(int=number) for number in (1, 2)]
    path = write(tmp_path / "a.parquet", id=pa.array(ids, pa.uuid()), text=pa.array(["a", "b"]))
    notes = list(read_corpus(path))
    assert [note.id for note in notes] == [str(id) for id in ids]
    FORMATS["parquet"].write(notes, tmp_path / "b.parquet", WriteOptions(spans=False))
    assert pq.read_table(tmp_path / "b.parquet").equals(pq.read_table(path))


def test_a_column_of_nothing_but_null_notes_is_written_as_text(tmp_path: Path) -> None:
    notes = list(read_corpus(write(tmp_path / "a.parquet", id=["n1"], text=pa.nulls(1), patient=pa.nulls(1))))
    FORMATS["parquet"].write(notes, tmp_path / "b.parquet", WriteOptions(spans=False))
    written = pq.read_table(tmp_path / "b.parquet")
    assert (written.schema.field("text").type, written["text"].to_pylist()) == (pa.string(), [""])


def test_a_patient_that_is_null_stays_null(tmp_path: Path) -> None:
    notes = list(read_corpus(write(tmp_path / "a.parquet", id=["n1", "n2"], text=["a", "b"], patient=[None, "p"])))
    FORMATS["parquet"].write(notes, tmp_path / "b.parquet", WriteOptions(spans=False))
    assert pq.read_table(tmp_path / "b.parquet")["patient"].to_pylist() == [None, "p"]


def test_a_time_that_python_cannot_hold_is_named_and_need_not_be_read(tmp_path: Path) -> None:
    far = pa.array([2**62], pa.timestamp("us"))
    path = write(tmp_path / "a.parquet", id=["n1"], text=["a"], seen=far)
    with pytest.raises(CorpusError, match=r"column seen of type timestamp\[us\] cannot be read; drop it"):
        list(read_corpus(path))
    assert next(read_corpus(path, unread=frozenset({"seen"}))).meta["seen"] is None


def test_folders_named_for_a_value_are_columns(tmp_path: Path) -> None:
    write(tmp_path / "notes" / "patient=p%2F1" / "year=2061" / "a.parquet", id=["n1"], text=["a"])
    write(tmp_path / "notes" / "patient=__HIVE_DEFAULT_PARTITION__" / "year=2062" / "a.parquet", id=["n2"], text=["b"])
    notes = {note.id: note for note in read_corpus(tmp_path / "notes")}
    assert {id: (note.patient, note.meta["year"]) for id, note in notes.items()} == {"n1": ("p/1", "2061"), "n2": ("", "2062")}
    FORMATS["parquet"].write(notes.values(), tmp_path / "b.parquet", WriteOptions(spans=False))
    assert set(pq.read_table(tmp_path / "b.parquet")["patient"].to_pylist()) == {"p/1", None}


def test_a_table_that_is_one_huge_row_group_is_read_piece_by_piece(tmp_path: Path) -> None:
    count, size = 20_000, 1_000
    ids, texts = [str(number) for number in range(count)], [os.urandom(size // 2).hex() for _ in range(count)]
    path = write(tmp_path / "a.parquet", id=ids, text=texts)
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() for _ in read_corpus(path))
    assert most - before < count * size // 2

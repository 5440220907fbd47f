"""A table in several files: what cannot be one table is said before any note is searched, and what can be keeps its columns."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.errors import CorpusError


def scrub(source: Path, target: Path, *options: str) -> BaseException | None:
    arguments = ["scrub", str(source), "-o", str(target), "--mode", "tag", "--model", "none", "--workers", "1", *options]
    return CliRunner().invoke(app, arguments).exception


def write_parts(folder: Path, *parts: dict[str, object]) -> Path:
    folder.mkdir()
    for number, columns in enumerate(parts):
        pq.write_table(pa.table({"id": [f"n{number}"], "text": ["Mr. Kowalczyk left."], **columns}), folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize(
    ("first", "second", "fault"),
    [
        ({}, {"ward": ["B"]}, "1.parquet: has a column ward that 0.parquet lacks"),
        ({"ward": ["B"]}, {}, "1.parquet: lacks the column ward of 0.parquet"),
        ({"ward": pa.array([1], pa.int32())}, {"ward": ["B"]}, "1.parquet: column ward is string, but int32 in an earlier part"),
    ],
)
def test_parts_that_are_no_one_table_stop_the_run_at_once(tmp_path: Path, first: dict, second: dict, fault: str) -> None:
    source, target = write_parts(tmp_path / "parts", first, second), tmp_path / "clean.parquet"
    found = scrub(source, target)
    assert isinstance(found, CorpusError)
    assert fault in str(found)
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]
    assert scrub(source, target, "--drop-columns", "ward") is None
    assert pq.read_schema(target).names == ["id", "text"]


def test_a_column_that_is_empty_in_the_first_part_has_the_type_of_the_others(tmp_path: Path) -> None:
    source = write_parts(tmp_path / "parts", {"ward": pa.nulls(1)}, {"ward": pa.array([7], pa.int16())})
    assert scrub(source, tmp_path / "clean.parquet") is None
    ward = pq.read_table(tmp_path / "clean.parquet")["ward"]
    assert (ward.type, ward.to_pylist()) == (pa.int16(), [None, 7])


def test_parts_with_their_columns_in_another_order_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.csv").write_text("id,text,ward\n" + "".join(f"{n},Well.,B\n" for n in range(100)))
    (tmp_path / "parts" / "b.csv").write_text("ward,id,text\nC,100,Ill.\n")
    assert scrub(tmp_path / "parts", tmp_path / "clean.csv") is None
    lines = (tmp_path / "clean.csv").read_text().splitlines()
    assert (lines[0], lines[-1]) == ("id,text,ward", "100,Ill.,C")


def test_a_table_without_notes_keeps_its_own_columns(tmp_path: Path) -> None:
    nothing = pa.schema([("ward", pa.int16()), ("id", pa.int64()), ("text", pa.large_string())]).empty_table()
    pq.write_table(nothing, tmp_path / "none.parquet")
    assert scrub(tmp_path / "none.parquet", tmp_path / "clean.parquet") is None
    assert pq.read_schema(tmp_path / "clean.parquet") == nothing.schema
    (tmp_path / "none.csv").write_text("ward,id,text,mrn\n")
    assert scrub(tmp_path / "none.csv", tmp_path / "clean.csv", "--drop-columns", "mrn") is None
    assert (tmp_path / "clean.csv").read_text().splitlines() == ["ward,id,text"]


def test_a_column_that_cannot_be_read_can_be_dropped(tmp_path: Path) -> None:
    source = write_parts(tmp_path / "parts", {"seen": pa.array([2**62], pa.timestamp("us"))})
    assert isinstance(scrub(source, tmp_path / "clean.parquet"), CorpusError)
    for names in ("seen", "all"):
        assert scrub(source, tmp_path / "clean.parquet", "--drop-columns", names, "--overwrite") is None
        assert pq.read_schema(tmp_path / "clean.parquet").names == ["id", "text"]

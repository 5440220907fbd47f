"""A table without notes is a table without notes again, with its header."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incognote.corpora import Columns, read_corpus, write_corpus
from tests.fakes import run_command


@pytest.mark.parametrize("command", ["convert", "tag"])
@pytest.mark.parametrize("kinds", [("csv", "csv"), ("csv", "parquet"), ("parquet", "csv"), ("parquet", "parquet")])
def test_a_table_without_rows_keeps_its_columns(tmp_path: Path, kinds: tuple[str, str], command: str) -> None:
    source, target = tmp_path / f"none.{kinds[0]}", tmp_path / f"more.{kinds[1]}"
    (tmp_path / "none.csv").write_text("ward,id,text,age\n")
    pq.write_table(
        pa.table({"ward": pa.array([], pa.string()), "id": [], "text": [], "age": pa.array([], pa.int16())}), tmp_path / "none.parquet"
    )
    options = ["--model", "none", "-o"] if command == "tag" else []
    done = run_command(command, source, *options, target, "--to", kinds[1])
    assert done.returncode == 0, done.stderr
    names = pq.read_schema(target).names if kinds[1] == "parquet" else target.read_text().strip().split(",")
    assert names == ["ward", "id", "text", "age", "spans"]
    if kinds == ("parquet", "parquet"):
        assert pq.read_schema(target).field("age").type == pa.int16()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_a_table_without_notes_is_written_as_one(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"none.{suffix}", tmp_path / f"clean.{suffix}"
    columns = Columns(note="note_text", id="note_id")
    write_corpus([], source, format=suffix, columns=columns)
    names = ["--note-column", columns.note, "--id-column", columns.id] if suffix != "jsonl" else []
    done = run_command("scrub", source, "-o", target, "--mode", "tag", "--model", "none", *names)
    assert done.returncode == 0
    assert "0 notes" in done.stderr
    assert list(read_corpus(target, columns=columns)) == []

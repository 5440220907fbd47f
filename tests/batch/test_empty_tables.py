"""A table without notes is a table without notes again, with its header."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.corpora import Columns, read_corpus, write_corpus


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_a_table_without_notes_is_written_as_one(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"none.{suffix}", tmp_path / f"clean.{suffix}"
    columns = Columns(note="note_text", id="note_id")
    write_corpus([], source, format=suffix, columns=columns)
    names = ["--note-column", columns.note, "--id-column", columns.id] if suffix != "jsonl" else []
    result = CliRunner().invoke(app, ["scrub", str(source), "-o", str(target), "--mode", "tag", "--model", "none", *names])
    assert result.exception is None
    assert "0 notes" in result.output
    assert list(read_corpus(target, columns=columns)) == []

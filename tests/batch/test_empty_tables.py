"""A table without notes is a table without notes again, with its header."""

from pathlib import Path

import pytest

from incognote.corpora import Columns, read_corpus, write_corpus
from tests.fakes import run_command


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

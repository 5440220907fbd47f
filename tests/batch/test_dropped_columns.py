"""Columns to leave out that are not there: said before a table is searched, not hours later."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.errors import ConfigError


def test_a_mistyped_column_of_a_table_is_said_before_any_note_is_searched(tmp_path: Path) -> None:
    source = tmp_path / "notes.csv"
    source.write_text("id,text,name\n" + "".join(f"{n},Mr. Kowalczyk left.,Kowalczyk\n" for n in range(150)))
    result = CliRunner().invoke(
        app, ["scrub", str(source), "-o", str(tmp_path / "clean.csv"), "--drop-columns", "nmae", "--workers", "1", "--model", "none"]
    )
    assert isinstance(result.exception, ConfigError)
    assert "no note has a column nmae; there are: name" in str(result.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.csv"]


@pytest.mark.parametrize("name", ["mrn", "name"])
def test_a_column_that_only_a_later_part_has_can_be_dropped(tmp_path: Path, name: str) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "a.csv").write_text("id,text\n1,Well.\n")
    (parts / "b.csv").write_text(f"id,text,{name}\n2,Ill.,Kowalczyk\n")
    result = CliRunner().invoke(
        app, ["scrub", str(parts), "-o", str(tmp_path / "clean.csv"), "--drop-columns", name, "--mode", "tag", "--model", "none"]
    )
    assert result.exception is None
    assert (tmp_path / "clean.csv").read_text().splitlines() == ["id,text", "1,Well.", "2,Ill."]


def test_blanks_between_the_names_of_columns_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("id,text,name,mrn\n1,Well.,Kowalczyk,17\n")
    arguments = ["scrub", str(tmp_path / "notes.csv"), "-o", str(tmp_path / "clean.csv"), "--drop-columns", "name, mrn"]
    assert CliRunner().invoke(app, [*arguments, "--mode", "tag", "--model", "none"]).exception is None
    assert (tmp_path / "clean.csv").read_text().splitlines() == ["id,text", "1,Well."]

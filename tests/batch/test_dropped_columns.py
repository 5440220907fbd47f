"""Columns to leave out that are not there: said before a table is searched, not hours later."""

from pathlib import Path

import pytest

from tests.fakes import Ended, run_command


def scrub(*arguments: object) -> Ended:
    return run_command("scrub", *arguments, "--mode", "tag", "--model", "none")


def test_a_mistyped_column_of_a_table_is_said_before_any_note_is_searched(tmp_path: Path) -> None:
    source = tmp_path / "notes.csv"
    source.write_text("id,text,name\n" + "".join(f"{n},Mr. Kowalczyk left.,Kowalczyk\n" for n in range(150)))
    done = scrub(source, "-o", tmp_path / "clean.csv", "--drop-columns", "nmae", "--workers", 1)
    assert done.returncode == 2
    assert "no note has a column nmae; there are: name" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.csv"]


def test_a_mistyped_key_of_json_lines_is_said_before_any_note_is_searched(tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text('{"id": 1, "text": "Mr. Kowalczyk left."}\n{"id": 2, "text": "Well.", "name": "Kowalczyk"}\nbroken\n')
    done = scrub(source, "-o", tmp_path / "clean.jsonl", "--drop-columns", "nmae")
    assert done.returncode == 2
    assert "no note has a column nmae; there are: name" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.jsonl"]
    done = scrub(source, "-o", tmp_path / "clean.jsonl", "--drop-columns", "name", "--keep-going")
    assert done.returncode == 3
    assert "name" not in (tmp_path / "clean.jsonl").read_text()


def test_a_format_without_columns_has_none_to_drop(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Mr. Kowalczyk left.")
    done = scrub(tmp_path / "notes", "-o", tmp_path / "clean", "--drop-columns", "name")
    assert done.returncode == 2
    assert "there are none beside the notes" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes"]


@pytest.mark.parametrize("name", ["mrn", "name"])
def test_a_column_that_only_a_later_part_has_can_be_dropped(tmp_path: Path, name: str) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "a.csv").write_text("id,text\n1,Well.\n")
    (parts / "b.csv").write_text(f"id,text,{name}\n2,Ill.,Kowalczyk\n")
    assert scrub(parts, "-o", tmp_path / "clean.csv", "--drop-columns", name).returncode == 0
    assert (tmp_path / "clean.csv").read_text().splitlines() == ["id,text", "1,Well.", "2,Ill."]


def test_blanks_between_the_names_of_columns_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("id,text,name,mrn\n1,Well.,Kowalczyk,17\n")
    assert scrub(tmp_path / "notes.csv", "-o", tmp_path / "clean.csv", "--drop-columns", "name, mrn").returncode == 0
    assert (tmp_path / "clean.csv").read_text().splitlines() == ["id,text", "1,Well."]


def test_a_column_that_is_needed_stays_and_old_spans_go_anyway(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("id,text,spans,name\n1,Well.,feet,Kowalczyk\n")
    done = scrub(tmp_path / "notes.csv", "-o", tmp_path / "clean.csv", "--drop-columns", "id,spans")
    assert done.returncode == 2
    assert "--drop-columns: id holds the notes, their ids or patients, and stays" in done.stderr
    assert scrub(tmp_path / "notes.csv", "-o", tmp_path / "clean.csv", "--drop-columns", "name,spans").returncode == 0
    assert (tmp_path / "clean.csv").read_text() == "id,text\n1,Well.\n"

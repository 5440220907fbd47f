"""A roster that fits none or few of the notes is said to, as what it holds was then not looked for."""

import json
from pathlib import Path

import pytest

from tests.fakes import Ended, run_command


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    path.write_text("patient_id,name\np1,Zyxwort Blimpton\n")
    return path


def run(command: str, *arguments: object) -> Ended:
    return run_command(command, *arguments, "--model", "none")


@pytest.mark.parametrize("command", ["scrub", "tag"])
def test_notes_of_no_known_patient_are_counted_in_a_warning(tmp_path: Path, roster: Path, command: str) -> None:
    source = tmp_path / "notes.jsonl"
    rows = [{"id": f"n{n}", "patient": patient, "text": "zyxwort came"} for n, patient in enumerate(["p1", "p2", ""])]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = run(command, source, "-o", tmp_path / "some.jsonl", "--patients", roster).stderr
    assert "no known-patient values apply to 2 of 3 notes" in said
    source.write_text(json.dumps(rows[0]) + "\n")
    assert "warning" not in run(command, source, "-o", tmp_path / "all.jsonl", "--patients", roster).stderr


@pytest.mark.parametrize("command", ["scrub", "tag"])
def test_a_format_without_patients_makes_the_roster_useless_and_that_is_said(tmp_path: Path, roster: Path, command: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "p1.txt").write_text("zyxwort came")
    said = run(command, tmp_path / "notes", "-o", tmp_path / "clean", "--patients", roster).stderr
    assert "no known-patient values apply to 1 of 1 note" in said
    assert "Does the format hold patient ids" in said


def test_standard_input_takes_no_roster(roster: Path) -> None:
    done = run("scrub", "-", "--mode", "tag", "--patients", roster)
    assert done.returncode == 2
    assert "--patients is for a folder or a table" in done.stderr

"""Notes that were set aside: each is counted and named, whatever it lacks."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from tests.fakes import run_command

ROWS = {
    "no-id.jsonl": ['{"text": "Mr. Kowalczyk left."}', '{"text": "He came back."}', "[", '{"id": "a", "text": "Well."}'],
    "same-id.jsonl": [f'{{"id": "a", "text": "Note {n}."}}' for n in range(4)],
    "nul-and-same-id.jsonl": [
        '{"id": "a", "text": "\\u0000"}',
        '{"id": "a", "text": "Well."}',
        '{"id": "a", "text": "Ill."}',
        '{"id": "b", "text": "Well."}',
    ],
    "fields.csv": ["id,text", "1,a,b", "2,Well.", "3", "4,c,d"],
}


@pytest.mark.parametrize("name", ROWS)
def test_every_bad_note_of_a_file_is_counted_and_named(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    source.write_text("\n".join(ROWS[name]) + "\n")
    options = ("--json", tmp_path / "run.json", "--keep-going", "--mode", "tag", "--model", "none")
    done = run_command("scrub", source, "-o", tmp_path / f"clean-{name}", *options)
    run = json.loads((tmp_path / "run.json").read_text())
    written, aside = run["notes"], [row["reason"] for row in run["quarantine"]]
    assert done.returncode == 3
    assert len(aside) == 3
    assert written + len(aside) == len(ROWS[name]) - name.endswith(".csv")
    assert "3 notes in quarantine" in done.stderr
    assert all(reason in done.stderr for reason in aside)


@pytest.mark.parametrize("command", [["scrub", "-o"], ["tag", "-o"], ["convert"]])
def test_a_run_that_set_every_note_aside_does_not_tell_of_output(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_bytes(b"Ren\xe9 left.")
    options = {"scrub": ["--mode", "tag", "--model", "none"], "tag": ["--to", "brat", "--model", "none"], "convert": ["--to", "brat"]}
    name, *output = command
    done = run_command(name, tmp_path / "notes", *output, tmp_path / "clean", "--keep-going", *options[name])
    assert done.returncode == 3
    assert done.stderr.splitlines()[0] == f"no note was written to {tmp_path / 'clean'}: all are in quarantine"
    assert "1 note in quarantine, not written:" in done.stderr


@pytest.mark.parametrize("name", ["bad.csv", "bad.jsonl"])
@pytest.mark.parametrize("command", [["scrub", "-o"], ["tag", "-o"], ["convert"]])
def test_where_every_note_is_set_aside_no_file_is_left(tmp_path: Path, name: str, command: list[str]) -> None:
    source, target = tmp_path / name, tmp_path / f"out-{name}"
    source.write_text("id,text\n1,a,b\n" if name.endswith("csv") else "[]\n")
    format = name.partition(".")[2]
    options = {"scrub": ["--mode", "tag", "--model", "none"], "tag": ["--model", "none", "--to", format], "convert": ["--to", format]}
    what, *output = command
    for again in ([], ["--resume"] if what == "scrub" else []):
        assert run_command(what, source, *output, target, "--keep-going", *options[what], *again).returncode == 3
        assert [path.name for path in tmp_path.iterdir()] == [name]
    source.write_text("id,text\n1,a\n" if format == "csv" else '{"id": 1, "text": "a"}\n')
    assert run_command(what, source, *output, target, "--keep-going", *options[what]).returncode == 0
    assert target.exists()


def test_a_folder_is_not_left_where_every_note_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_bytes(b"Ren\xe9 left.")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "b.txt").write_text("Well.")
    for name in ("new", "old"):
        done = run_command("convert", tmp_path / "notes", tmp_path / name, "--to", "text", "--keep-going", "--overwrite")
        assert done.returncode == 3
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "b.txt", "notes", "old"]


def test_a_note_whose_file_name_is_not_utf8_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Mr. Kowalczyk left.")
    Path(os.fsdecode(os.fsencode(tmp_path / "notes") + b"/caf\xe9.txt")).write_text("Mr. Kowalczyk came.")
    options = ("--report", tmp_path / "r.html", "--keep-going", "--mode", "tag", "--model", "none")
    done = run_command("scrub", tmp_path / "notes", "-o", tmp_path / "clean", *options)
    assert done.returncode == 3
    assert "the file name is not UTF-8" in done.stderr
    assert "not UTF-8" in (tmp_path / "r.html").read_text()
    assert [path.name for path in (tmp_path / "clean").iterdir()] == ["a.txt"]


def test_a_note_that_the_format_cannot_hold_is_set_aside_too(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"id": 1, "text": "Well.", "dose": 1e999}\n{"id": 2, "text": "Ill."}\n')
    arguments = ["scrub", str(tmp_path / "notes.jsonl"), "-o", str(tmp_path / "clean.jsonl"), "--mode", "tag", "--model", "none"]
    result = CliRunner().invoke(app, [*arguments, "--keep-going", "--json", str(tmp_path / "run.json")])
    assert result.exit_code == 3, result.output
    assert [json.loads(line)["id"] for line in (tmp_path / "clean.jsonl").read_text().splitlines()] == [2]
    counts = json.loads((tmp_path / "run.json").read_text())
    assert (counts["notes"], [row["document"] for row in counts["quarantine"]]) == (1, ["1"])
    assert "document 1: a value beside the note is one that JSON cannot hold" in result.output

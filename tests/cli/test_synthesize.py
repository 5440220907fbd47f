"""incognote synthesize: notes to a folder, a file or the screen; faults in one message."""

from pathlib import Path

import pytest

from incognote.corpora import read_corpus
from incognote.lab.synthetic import synthesize
from tests.fakes import Ended, run_command


def run(*arguments: object) -> Ended:
    return run_command("synthesize", *arguments)


def test_a_folder_gets_i2b2_files_that_read_back_the_same(tmp_path: Path) -> None:
    done = run("-n", 12, "--seed", 4, "-o", tmp_path / "notes")
    assert done.returncode == 0, done.stderr
    assert "12 notes, i2b2" in done.stderr
    made = {note.id: (note.patient, note.text, note.spans) for note in synthesize(12, seed=4)}
    assert {note.id: (note.patient, note.text, note.spans) for note in read_corpus(tmp_path / "notes")} == made


@pytest.mark.parametrize(("name", "format"), [("a.jsonl", None), ("a.csv", None), ("folder", "brat"), ("folder", "markup")])
def test_the_format_is_the_one_the_name_or_the_option_says(tmp_path: Path, name: str, format: str | None) -> None:
    done = run("-n", 5, "-o", tmp_path / name, *(("--format", format) if format else ()))
    assert done.returncode == 0, done.stderr
    assert {note.text for note in read_corpus(tmp_path / name, format=format)} == {note.text for note in synthesize(5)}


def test_notes_are_the_same_twice(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        assert run("-n", 30, "--seed", 9, "--part", "train", "-o", tmp_path / name).returncode == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_a_dash_prints_marked_up_notes() -> None:
    done = run("-n", 2, "--only", "search_query/general_1.lookup", "-o", "-")
    assert done.stdout.count(" search_query/general_1.lookup\n") == 2
    assert "</MEDICALRECORD>" in done.stdout


def test_check_counts_what_there_is() -> None:
    done = run("--check")
    assert done.returncode == 0
    assert "templates" in done.stderr
    assert "no fault" in done.stderr


def test_list_names_what_only_can_ask_for() -> None:
    done = run("--list", "--only", "discharge_summary/*")
    assert done.returncode == 0
    assert all(line.startswith("discharge_summary/") for line in done.stdout.splitlines())
    assert "discharge_summary/surgery_1.*  " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-n", 3), "-o OUT is missing: where to write the notes"),
        (("--part", "dev", "-o", "-"), "--part dev: must be one of train, tune, test, all"),
        (("--only", "nowhere", "-o", "-"), "no skeleton of part all is called nowhere"),
        (("-o", "notes.pdf"), "notes.pdf: no format has this file name ending; add --format"),
        (("-o", "-", "-n", 0), "-n"),
    ],
)
def test_bad_input_is_said_in_one_message(arguments: tuple[object, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_an_older_output_is_not_overwritten_unasked(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    assert run("-n", 1, "-o", target).returncode == 0
    before = target.read_bytes()
    done = run("-n", 2, "-o", target)
    assert done.returncode == 2
    assert target.read_bytes() == before
    assert run("-n", 2, "-o", target, "--overwrite").returncode == 0

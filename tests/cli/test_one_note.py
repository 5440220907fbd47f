"""One text in, one text out."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import run_command

NOTE = "Mr. Kowalczyk was seen on 03/04/2065.\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    file = tmp_path / "note.txt"
    file.write_text(NOTE, encoding="utf-8")
    return file


def scrub(*arguments: object) -> tuple[int, str, str]:
    return run_command("scrub", *map(str, arguments), "--mode", "placeholder", "--runtime", "onnx")


def test_a_text_file_becomes_a_text_file(note: Path) -> None:
    clean = note.with_name("clean.txt")
    code, _, said = scrub(note, "-o", clean)
    assert code == 0, said
    assert clean.read_text(encoding="utf-8") == "Mr. [PATIENT-1] was seen on [DATE-1].\n"
    assert {file.name for file in note.parent.iterdir()} == {"note.txt", "clean.txt"}


def test_a_text_file_goes_to_standard_output(note: Path) -> None:
    command = [sys.executable, "-m", "incognote", "scrub", str(note), "-o", "-", "--mode", "placeholder", "--runtime", "onnx"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == b"Mr. [PATIENT-1] was seen on [DATE-1].\n"


def test_a_file_that_exists_is_replaced_only_when_asked(note: Path) -> None:
    clean = note.with_name("clean.txt")
    clean.write_text("mine", encoding="utf-8")
    assert scrub(note, "-o", clean)[0] == 2
    assert clean.read_text(encoding="utf-8") == "mine"
    assert scrub(note, "-o", clean, "--overwrite")[0] == 0
    assert scrub(note, "-o", note, "--overwrite")[0] == 2
    assert note.read_text(encoding="utf-8") == NOTE


@pytest.mark.parametrize("option", [("--report", "r.html"), ("--resume",), ("--vault", "v")])
def test_what_needs_a_corpus_is_refused(note: Path, option: tuple[str, ...]) -> None:
    code, _, said = scrub(note, "-o", note.with_name("clean.txt"), *option)
    assert code == 2
    assert option[0] in said
    assert not note.with_name("clean.txt").exists()


def test_a_folder_as_target_holds_the_note(note: Path) -> None:
    folder = note.with_name("clean")
    folder.mkdir()
    assert scrub(note, "-o", folder)[0] == 0
    assert (folder / "note.txt").exists()

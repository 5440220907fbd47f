"""Where clean notes may go: links, folders with rights of their own, and no name that promises another format."""

from functools import partial
from pathlib import Path

import pytest

from tests.fakes import run_by_rules

scrub = partial(run_by_rules, "scrub")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Mr. Kowalczyk left on 3/4/2065.")
    return folder


@pytest.mark.parametrize("more", [[], ["--overwrite"]])
def test_the_output_folder_itself_stays_with_its_rights_and_may_be_a_link(notes: Path, tmp_path: Path, more: list[str]) -> None:
    disk, link = tmp_path / "disk", tmp_path / "clean"
    disk.mkdir(mode=0o2770)
    disk.chmod(0o2770)
    before = disk.stat()
    link.symlink_to(disk, target_is_directory=True)
    if more:
        (disk / "ward").mkdir()
        (disk / "ward" / "old.txt").write_text("Mr. Kowalczyk")
    assert scrub(notes, "-o", link, "--mode", "redact", *more)[0] == 0
    assert link.is_symlink()
    assert [path.name for path in disk.iterdir()] == ["a.txt"]
    assert (disk.stat().st_ino, disk.stat().st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.parametrize("name", ["notes.jsonl", "notes.csv"])
def test_a_name_that_promises_a_packed_file_is_refused_before_the_work(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    source.write_text('{"id": "1", "text": "a"}\n' if name.endswith("jsonl") else "id,text\n1,a\n")
    code, said = scrub(source, "-o", tmp_path / f"clean-{name}.gz", "--mode", "tag")
    assert code == 2
    assert "name it without .gz" in said
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_name_that_promises_another_format_is_refused_before_the_work(notes: Path, tmp_path: Path) -> None:
    code, said = scrub(notes / "a.txt", "-o", tmp_path / "clean.csv", "--mode", "tag")
    assert code == 2
    assert "name a folder" in said
    (tmp_path / "t.csv").write_text("id,text\n1,a\n")
    code, said = scrub(tmp_path / "t.csv", "-o", tmp_path / "clean.jsonl", "--mode", "tag")
    assert code == 2
    assert "name it clean.csv" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "t.csv"]


def test_dates_shifted_by_a_key_of_one_run_are_said_to_be_in_every_mode(notes: Path, tmp_path: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text('[actions]\nDATE = "shift"\n')
    assert "shifted dates use a one-time key" in scrub(notes, "-o", tmp_path / "one", "--mode", "tag", "--policy", policy)[1]
    assert "one-time key" not in scrub(notes, "-o", tmp_path / "two", "--mode", "tag")[1]


@pytest.mark.parametrize("name", [".", "../clean"])
def test_clean_notes_may_go_into_the_folder_one_is_in(notes: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clean = tmp_path / "clean"
    clean.mkdir()
    monkeypatch.chdir(clean)
    assert scrub(notes, "-o", name)[0] == 0
    assert [path.name for path in clean.iterdir()] == ["a.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean", "notes"]


def test_the_root_of_the_file_system_is_no_output(notes: Path) -> None:
    code, said = scrub(notes, "-o", "/")
    assert (code, "/: is the root of the file system; choose another output" in said) == (2, True)

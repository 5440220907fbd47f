"""Clean notes that were written and are gone when a run goes on: a machine that went down, or someone who tidied up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.document import Document
from incognote.errors import VaultError
from incognote.replace import open_vault, read_key, write_key

OPTIONS = ["--model", "none", "--mode", "tag", "--workers", "1"]


def write_notes(folder: Path, layout: str) -> Path:
    texts = {f"n{number:03d}": f"Mr. Kowalczyk{number} left." for number in range(250)}
    path = folder / ("notes.jsonl" if layout == "file" else "notes")
    if layout == "file":
        path.write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items()))
        return path
    path.mkdir()
    for id, text in texts.items():
        (path / f"{id}.txt").write_text(text)
    return path


def read_all(target: Path) -> dict[str, bytes]:
    files = [target] if target.is_file() else sorted(target.iterdir())
    return {path.name: path.read_bytes() for path in files}


def scrub(source: Path, target: Path, *more: str) -> BaseException | None:
    return CliRunner().invoke(app, ["scrub", str(source), "-o", str(target), *OPTIONS, *more]).exception


def stop_at_the_end(monkeypatch: pytest.MonkeyPatch, source: Path, target: Path, *more: str) -> None:
    """A run that is stopped when all notes were replaced, before it says so."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("incognote.batch.scrub.Summary.merge", stop)
        patch.setattr("incognote.batch.scrub.finish_output", stop)
        scrub(source, target, *more)


@pytest.mark.parametrize("layout", ["folder", "file"])
def test_what_was_lost_since_it_was_written_is_written_again(tmp_path: Path, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_notes(tmp_path, layout)
    (tmp_path / "whole").mkdir()
    target, whole = tmp_path / f"clean{source.suffix}", tmp_path / "whole" / f"clean{source.suffix}"
    assert scrub(source, whole) is None
    stop_at_the_end(monkeypatch, source, target)
    written = sorted((target if layout == "folder" else tmp_path / f"{target.name}.incognote-work" / "parts").iterdir())
    written[0].write_bytes(b"")
    written[-1].unlink()
    assert scrub(source, target, "--resume") is None
    assert read_all(target) == read_all(whole)


def test_a_vault_that_was_lost_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target, vault = write_notes(tmp_path, "file"), tmp_path / "clean.jsonl", tmp_path / "vault"
    (tmp_path / "key").write_bytes(b"9f86d081884c7d659a2feaa0c55ad015")
    (tmp_path / "key").chmod(0o600)
    options = ("--vault", str(vault), "--key-file", str(tmp_path / "key"))
    stop_at_the_end(monkeypatch, source, target, *options)
    kept = vault.read_bytes()
    vault.unlink()
    lost = scrub(source, target, *options, "--resume")
    assert isinstance(lost, VaultError)
    assert "lacks the notes that are done" in str(lost)
    vault.write_bytes(kept)
    assert scrub(source, target, *options, "--resume") is None


def test_records_that_a_vault_lost_are_added_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target, vault = write_notes(tmp_path, "file"), tmp_path / "clean.jsonl", tmp_path / "vault"
    write_key(tmp_path / "key")
    options = ("--vault", str(vault), "--key-file", str(tmp_path / "key"))
    stop_at_the_end(monkeypatch, source, target, *options)
    whole = vault.read_bytes()
    vault.write_bytes(whole[: len(whole) // 2])
    assert scrub(source, target, *options, "--resume") is None
    notes = [json.loads(line) for line in target.read_text().splitlines()]
    opened = open_vault(vault, read_key(tmp_path / "key"))
    tokens = opened.tokens()
    originals = [opened.restore(Document(note["id"], note["text"]), tokens).text for note in notes]
    assert originals == [f"Mr. Kowalczyk{number} left." for number in range(250)]


def test_a_record_of_a_vault_that_was_damaged_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target, vault = write_notes(tmp_path, "file"), tmp_path / "clean.jsonl", tmp_path / "vault"
    write_key(tmp_path / "key")
    options = ("--vault", str(vault), "--key-file", str(tmp_path / "key"))
    stop_at_the_end(monkeypatch, source, target, *options)
    lines = vault.read_bytes().splitlines(keepends=True)
    lines[17] = lines[17].replace(lines[17][40:41], b"_" if lines[17][40:41] != b"_" else b"-", 1)
    vault.write_bytes(b"".join(lines))
    damaged = scrub(source, target, *options, "--resume")
    assert isinstance(damaged, VaultError)
    assert "its record 17 is damaged" in str(damaged)
    assert not target.exists()


def test_a_disk_that_is_full_leaves_a_run_that_can_go_on_and_says_so(tmp_path: Path) -> None:
    source, target = tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"
    source.write_text("".join(json.dumps({"id": number, "text": "Well. " * 2000}) + "\n" for number in range(100)))
    program = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (300_000,) * 2)\nfrom incognote.cli.main import main\nmain()"
    command = [sys.executable, "-c", program, "scrub", str(source), "-o", str(target), *OPTIONS]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    work = f"{target}.incognote-work"
    assert ended.returncode == 2
    assert f"{work}: holds what was found so far, including PHI; continue with --resume" in ended.stderr
    assert f"error: {work}/parts/00000000.jsonl: cannot be written: File too large" in ended.stderr
    assert not target.exists()
    assert scrub(source, target, "--resume") is None
    assert len(target.read_text().splitlines()) == 100

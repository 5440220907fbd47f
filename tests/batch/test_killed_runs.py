"""A run that is killed for real goes on and ends as if it had never stopped."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

NOTES = 2000


def command(source: Path, target: Path, key: Path, *more: str) -> list[str]:
    options = ["-o", str(target), "--key-file", str(key), "--workers", "1", *more]
    return [sys.executable, "-m", "incognote", "scrub", str(source), "--model", "none", *options]


def finished_chunks(work: Path, stage: str) -> int:
    try:
        with sqlite3.connect(f"file:{work / 'journal.sqlite'}?mode=ro", uri=True) as db:
            return int(db.execute("select count(*) from chunk where stage = ?", (stage,)).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def kill_in_stage(arguments: list[str], work: Path, stage: str) -> None:
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while finished_chunks(work, stage) < 3:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_text("9f86d081884c7d659a2feaa0c55ad015")
    path.chmod(0o600)
    return path


def write_notes(folder: Path, layout: str) -> Path:
    texts = [f"Mr. Kowalczyk{n % 90} seen on 03/{n % 27 + 1:02d}/2065 by Dr. Ana Reyes, MRN 40{n:05d}." for n in range(NOTES)]
    if layout == "file":
        path = folder / "notes.jsonl"
        rows = ({"id": f"n{n}", "patient": f"p{n % 90}", "text": text} for n, text in enumerate(texts))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    path = folder / "notes"
    path.mkdir()
    for n, text in enumerate(texts):
        (path / f"n{n:05d}.txt").write_text(text)
    return path


def read_all(target: Path) -> dict[str, bytes]:
    files = [target] if target.is_file() else sorted(target.rglob("*"))
    return {path.name: path.read_bytes() for path in files if path.is_file()}


@pytest.mark.parametrize(("layout", "stage"), [("file", "find"), ("file", "replace"), ("folder", "replace")])
def test_killed_run_resumes_to_the_same_bytes(tmp_path: Path, key: Path, layout: str, stage: str) -> None:
    source = write_notes(tmp_path, layout)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    unbroken, broken = tmp_path / "a" / source.name, tmp_path / "b" / source.name
    subprocess.run(command(source, unbroken, key), check=True, capture_output=True)
    work = broken.with_name(f"{broken.name}.incognote-work")
    kill_in_stage(command(source, broken, key), work, stage)
    assert not broken.is_file(), "an unfinished file must not stand under the output's name"

    refused = subprocess.run(command(source, broken, key), capture_output=True, text=True)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr

    subprocess.run(command(source, broken, key, "--resume"), check=True, capture_output=True)
    clean = read_all(broken)
    assert clean == read_all(unbroken)
    assert len(clean) == (1 if layout == "file" else NOTES)
    assert not work.exists()


@pytest.mark.parametrize("layout", ["file", "folder"])
def test_files_that_a_kill_left_half_written_are_neither_joined_nor_kept(tmp_path: Path, key: Path, layout: str) -> None:
    source = write_notes(tmp_path, layout)
    target = tmp_path / "out" / source.name
    work = target.with_name(f"{target.name}.incognote-work")
    kill_in_stage(command(source, target, key), work, "replace")
    # What stands there when the kill comes in the middle of a file, which the clock does not give at will.
    torn = [work / "parts" / ".00000003.jsonl.4711.draft", target.parent / f".{source.name}.4711.draft"]
    for path in torn if layout == "file" else [target / ".n00301.txt.4711.draft"]:
        path.write_text('{"id": "n300", "patient": "p30", "te')
    subprocess.run(command(source, target, key, "--resume"), check=True, capture_output=True)
    names = [path.name for path in target.parent.rglob("*") if path.is_file()]
    assert len(names) == (1 if layout == "file" else NOTES)
    if layout == "file":
        assert [json.loads(line)["id"] for line in target.read_text().splitlines()] == [f"n{n}" for n in range(NOTES)]


def test_a_half_written_file_does_not_stop_a_new_run(tmp_path: Path, key: Path) -> None:
    source, target = tmp_path / "notes", tmp_path / "clean"
    for folder in (source, target):
        folder.mkdir()
        (folder / "n.txt").write_text("Mr. Kowalczyk left.")
    (target / ".n.txt.4711.draft").write_text("Mr. Ko")
    subprocess.run(command(source, target, key, "--overwrite"), check=True, capture_output=True)
    assert [path.name for path in target.iterdir()] == ["n.txt"]


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_is_stopped_by_a_signal_names_the_work_folder(tmp_path: Path, key: Path, name: str, workers: str) -> None:
    source, target = write_notes(tmp_path, "file"), tmp_path / "clean.jsonl"
    work = target.with_name(f"{target.name}.incognote-work")
    process = subprocess.Popen([*command(source, target, key), "--workers", workers], stderr=subprocess.PIPE, text=True)
    while finished_chunks(work, "find") < 2:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(getattr(signal, name))
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130, said
    assert f"{work}: holds what was found so far, including PHI; continue with --resume" in said
    assert not target.exists()

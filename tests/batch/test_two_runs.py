"""Two runs to one output: the second is refused while the first is at work, and takes nothing away from it."""

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from incognote.batch import Job, scrub_corpus
from incognote.batch.journal import Journal
from incognote.corpora import FORMATS
from incognote.deidentifier import Deidentifier
from incognote.errors import OutputError


@pytest.mark.parametrize("change", [{}, {"resume": True}, {"overwrite": True}], ids=["plain", "resume", "overwrite"])
@pytest.mark.parametrize("stage", ["find", "replace"])
def test_a_second_run_to_the_same_output_is_refused(tmp_path: Path, change: dict[str, Any], stage: str) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps({"id": f"n{n}", "text": "Mr. Kowalczyk left."}) + "\n" for n in range(150)))
    job = Job(source, tmp_path / "clean.jsonl", FORMATS["jsonl"])
    refused = []

    def run(job: Job, mode: str, *, nested: bool) -> None:
        def progress(at: str, _notes: int, _total: int | None) -> None:
            if nested and at == stage:
                with pytest.raises(OutputError, match="another run is at work") as caught:
                    run(replace(job, **change), "redact", nested=False)
                refused.append(caught.value)

        scrub_corpus(job, lambda key: Deidentifier.default(mode=mode, key=key, models=()), key=None, settings={}, progress=progress)

    run(job, "tag", nested=True)
    assert refused
    assert {json.loads(line)["text"] for line in job.target.read_text().splitlines()} == {"Mr. [PATIENT-1] left."}
    assert not job.work.exists()


def test_a_run_that_began_while_the_model_was_loaded_is_left_alone(tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text('{"id": "n", "text": "Mr. Kowalczyk left."}\n')
    job = Job(source, tmp_path / "clean.jsonl", FORMATS["jsonl"])
    with ExitStack() as others:

        def make(key: bytes) -> Deidentifier:
            others.enter_context(Journal(job.work))
            return Deidentifier.default(mode="tag", key=key, models=())

        with pytest.raises(OutputError, match="another run is at work"):
            scrub_corpus(job, make, key=None, settings={}, progress=lambda *_: None)
        assert (job.work / "journal.sqlite").exists()


def test_what_another_run_wrote_while_the_model_was_loaded_stays(tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text('{"id": "n", "text": "Mr. Kowalczyk left."}\n')
    job = Job(source, tmp_path / "clean.jsonl", FORMATS["jsonl"])

    def make(key: bytes) -> Deidentifier:
        job.target.write_text("clean notes of another run")
        return Deidentifier.default(mode="tag", key=key, models=())

    with pytest.raises(OutputError, match="the output file exists"):
        scrub_corpus(job, make, key=None, settings={}, progress=lambda *_: None)
    assert job.target.read_text() == "clean notes of another run"
    scrub_corpus(replace(job, overwrite=True), make, key=None, settings={}, progress=lambda *_: None)
    assert "PATIENT-1" in job.target.read_text()


def test_starts_at_the_same_moment_leave_one_output_or_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"
    source.write_text("".join(json.dumps({"id": f"n{n}", "text": "Mr. Kowalczyk left."}) + "\n" for n in range(50)))
    program = "import sys; import incognote.batch; sys.stdin.readline(); from incognote.cli.main import main; main()"
    command = [sys.executable, "-c", program, "scrub", str(source), "-o", str(target), "--model", "none", "--workers", "1"]
    runs = [subprocess.Popen([*command], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for each in runs:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    said = [each.communicate(timeout=120)[1] for each in runs]
    assert sorted(each.returncode for each in runs) == [0, 2, 2], said
    assert {path.name for path in tmp_path.iterdir()} == {"notes.jsonl", "clean.jsonl"}


def test_a_run_that_is_refused_at_once_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text('{"id": "n", "text": "Mr. Kowalczyk left."}\n')
    job = Job(source, tmp_path / "clean.jsonl", FORMATS["jsonl"])
    job.work.mkdir()
    (job.work / "lock").touch()  # of a run that was killed before it had done anything
    make = lambda key: Deidentifier.default(mode="tag", key=key, models=())  # noqa: E731
    scrub_corpus(job, make, key=None, settings={}, progress=lambda *_: None)
    assert {path.name for path in tmp_path.iterdir()} == {"notes.jsonl", "clean.jsonl"}

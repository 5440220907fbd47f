"""The runtime is part of a run: a resumed one takes the runtime of the stopped one, or says why it cannot."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.batch import scrub
from incognote.batch.journal import read_runtime
from incognote.cli.main import app
from incognote.errors import OutputError
from incognote.find.model.choice_cache import Check, Choice
from incognote.find.model.runtimes.loading import AUTO
from tests.fakes import tiny_checkpoint


def write_run(folder: Path) -> list[str]:
    (folder / "notes.jsonl").write_text("".join(f'{{"id": {number}, "text": "Mr. Kowalczyk left."}}\n' for number in range(90)))
    arguments = ["scrub", str(folder / "notes.jsonl"), "-o", str(folder / "clean.jsonl"), "--mode", "placeholder", "--workers", "1"]
    return [*arguments, "--model", str(tiny_checkpoint(folder / "model"))]


def stop_a_run(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(scrub, "replace_pass", stop)
        CliRunner().invoke(app, arguments)


def let_auto_choose(name: str, monkeypatch: pytest.MonkeyPatch, *checks: Check) -> None:
    """As on a machine where ``auto`` takes this runtime."""

    def choose(_checkpoint: object, *, wanted: str = AUTO, device: str = "auto") -> Choice:
        return Choice(name, "this machine", checks) if wanted == AUTO else Choice(wanted, "asked for")

    monkeypatch.setattr("incognote.find.model.tagger.choose_runtime", choose)


@pytest.mark.parametrize(("before", "now"), [("onnx-fp32", "onnx"), ("onnx", "onnx-fp32"), ("onnx-exact", "torch")])
def test_a_resumed_run_takes_the_runtime_of_the_stopped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, now: str) -> None:
    arguments = write_run(tmp_path)
    let_auto_choose(before, monkeypatch)
    stop_a_run(arguments, monkeypatch)
    work = tmp_path / "clean.jsonl.incognote-work"
    assert read_runtime(work) == before
    let_auto_choose(now, monkeypatch)
    counts = tmp_path / "counts.json"
    done = CliRunner().invoke(app, [*arguments, "--resume", "--json", str(counts)])
    assert done.exit_code == 0, done.exception
    assert f'"runtime": "{before}"' in counts.read_text()


def test_a_runtime_that_does_not_work_here_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = write_run(tmp_path)
    let_auto_choose("onnx", monkeypatch)
    stop_a_run(arguments, monkeypatch)
    let_auto_choose("onnx-fp32", monkeypatch, Check("onnx", fault="died of SIGILL"))
    found = CliRunner().invoke(app, [*arguments, "--resume"]).exception
    assert isinstance(found, OutputError)
    assert "cannot resume: the run that was stopped used the runtime onnx, and here it died of SIGILL" in str(found)
    assert not (tmp_path / "clean.jsonl").exists()


def test_another_runtime_that_is_named_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = write_run(tmp_path)
    stop_a_run([*arguments, "--runtime", "onnx-fp32"], monkeypatch)
    found = CliRunner().invoke(app, [*arguments, "--resume", "--runtime", "onnx"]).exception
    assert isinstance(found, OutputError)
    assert "runtime not as in the run that was stopped; use its settings (runtime onnx-fp32)" in str(found)


def test_other_thresholds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = write_run(tmp_path)
    stop_a_run([*arguments, "--runtime", "onnx"], monkeypatch)
    found = CliRunner().invoke(app, [*arguments, "--resume", "--runtime", "onnx", "--recall", "high"]).exception
    assert isinstance(found, OutputError)
    assert "thresholds not as in the run that was stopped" in str(found)


def test_there_is_no_earlier_runtime_without_a_journal_that_can_be_read(tmp_path: Path) -> None:
    assert read_runtime(tmp_path / "none") == ""
    assert not (tmp_path / "none").exists()
    (tmp_path / "journal.sqlite").write_bytes(b"no database")
    assert read_runtime(tmp_path) == ""

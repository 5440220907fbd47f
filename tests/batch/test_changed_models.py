"""A model that was trained anew while a run was stopped: the run does not go on, or half of the notes would be judged by each."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.batch import scrub
from incognote.cli.main import app
from incognote.errors import OutputError
from tests.fakes import tiny_checkpoint


def test_a_run_is_not_gone_on_with_when_its_model_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.jsonl").write_text("".join(f'{{"id": {number}, "text": "Mr. Kowalczyk left."}}\n' for number in range(150)))
    model = tiny_checkpoint(tmp_path / "model")
    arguments = ["scrub", str(tmp_path / "notes.jsonl"), "-o", str(tmp_path / "clean.jsonl"), "--mode", "tag"]
    arguments += ["--model", str(model), "--runtime", "onnx", "--workers", "1"]

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(scrub, "replace_pass", stop)
        CliRunner().invoke(app, arguments)
    assert (tmp_path / "clean.jsonl.incognote-work").exists()
    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes() + b" ")
    found = CliRunner().invoke(app, [*arguments, "--resume"]).exception
    assert isinstance(found, OutputError)
    assert "cannot resume: pipeline not as in the run that was stopped" in str(found)

import json
import shutil
from pathlib import Path

import pytest

from incognote.errors import CheckpointError
from incognote.find.model.runtimes.loading import NAMES
from tests.fakes import call_command, tiny_checkpoint


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(tiny_checkpoint(tmp_path_factory.mktemp("doctor") / "model"))


def test_doctor_tells_what_is_here(monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    shown = call_command("doctor", "--model", "none")
    for word in ("processor", "cores", "onnxruntime", "rules alone"):
        assert word in shown
    lines = [line.split() for line in shown.splitlines()]
    assert all([name, "installed"] in lines for name in NAMES if name != "auto")


def test_doctor_looks_at_the_shipped_model_unless_another_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    shown = call_command("doctor", "--runtime", "onnx")
    assert "default: onnx, asked for" in shown


def test_doctor_says_what_a_model_gets_and_why(model, monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    found = json.loads(call_command("doctor", "--model", model, "--runtime", "onnx", "--json", "-"))
    assert found["models"][0]["runtime"] == "onnx"
    assert found["models"][0]["reason"] == "asked for"
    assert found["cores"] >= 1


def test_doctor_checks_the_runtimes(model, monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    found = json.loads(call_command("doctor", "--model", model, "--json", "-"))["models"][0]
    assert found["runtime"] in ("onnx", "onnx-fp32")
    assert {check["runtime"] for check in found["checks"]} == {"onnx-fp32", "onnx"}
    assert list((tmp_path / "runtimes").glob("*.json"))
    assert "% of tags the same" in call_command("doctor", "--model", model)


def test_doctor_finds_a_damaged_tokenizer_and_remembers_nothing_of_it(model, monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path / "cache"))
    damaged = Path(shutil.copytree(model, tmp_path / "model"))
    (damaged / "tokenizer.json").write_text("{}")
    with pytest.raises(CheckpointError, match="not a readable tokenizer"):
        call_command("doctor", "--model", str(damaged))
    assert not (tmp_path / "cache").exists()

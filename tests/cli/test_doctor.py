import json

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from tests.fakes import tiny_checkpoint


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(tiny_checkpoint(tmp_path_factory.mktemp("doctor") / "model"))


def test_doctor_tells_what_is_here(monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    shown = CliRunner().invoke(app, ["doctor", "--model", "none"])
    assert shown.exit_code == 0
    for word in ("processor", "cores", "onnxruntime", "rules alone"):
        assert word in shown.output


def test_doctor_looks_at_the_shipped_model_unless_another_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    shown = CliRunner().invoke(app, ["doctor", "--runtime", "onnx"])
    assert "default: onnx, asked for" in shown.output


def test_doctor_says_what_a_model_gets_and_why(model, monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    found = json.loads(CliRunner().invoke(app, ["doctor", "--model", model, "--runtime", "onnx", "--json", "-"]).output)
    assert found["models"][0]["runtime"] == "onnx"
    assert found["models"][0]["reason"] == "asked for"
    assert found["cores"] >= 1


def test_doctor_tries_the_runtimes(model, monkeypatch, tmp_path):
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path))
    found = json.loads(CliRunner().invoke(app, ["doctor", "--model", model, "--json", "-"]).output)["models"][0]
    assert found["runtime"] in ("onnx", "onnx-fp32", "openvino")
    assert {trial["runtime"].partition("/")[0] for trial in found["trials"]} == {"onnx-fp32", "onnx", "openvino"}
    assert list((tmp_path / "runtimes").glob("*.json"))

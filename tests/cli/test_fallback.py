"""A processor that names an instruction it cannot run: the check dies of it, the run goes on with what works, and says so."""

import json
from pathlib import Path

import pytest

from incognote.find.model import choice as choices
from tests.fakes import run_command, tiny_checkpoint

_DIES = """import os, signal, sys
if "incognote.find.model.probe" in sys.orig_argv and sys.orig_argv[-1] != "onnx-fp32":
    os.kill(os.getpid(), signal.SIGILL)
"""


@pytest.fixture
def sick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a note and a model, on a machine where all but full precision dies in its check."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sitecustomize.py").write_text(_DIES)
    monkeypatch.syspath_prepend(str(tmp_path / "path"))
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "note.txt").write_text("Ann Lee was seen on 3 May 2021.")
    tiny_checkpoint(tmp_path / "model")
    return tmp_path


def test_a_run_falls_back_and_says_so(sick: Path) -> None:
    def scrub(name: str) -> tuple[str, dict[str, str]]:
        choices._check_once.cache_clear()
        options = ("--model", sick / "model", "--mode", "tag", "--json", sick / f"{name}.json")
        done = run_command("scrub", sick / "note.txt", "-o", sick / name, *options)
        assert done.returncode == 0, done.stderr
        return done.stderr, json.loads((sick / f"{name}.json").read_text())["settings"]

    said, settings = scrub("first")
    assert "warning: onnx died of SIGILL: the processor names an instruction that it cannot run" in said
    assert "onnx-fp32 is used instead (incognote doctor shows what was checked)" in said
    assert settings["runtime"] == "onnx-fp32"
    again, remembered = scrub("second")
    assert again.splitlines()[0] == said.splitlines()[0]
    assert remembered["runtimes that do not work here"] == settings["runtimes that do not work here"]
    assert settings["runtimes that do not work here"].startswith("onnx died of SIGILL")


def test_what_is_asked_for_is_not_checked(sick: Path) -> None:
    done = run_command("scrub", sick / "note.txt", "-o", sick / "clean", "--model", sick / "model", "--runtime", "onnx", "--mode", "tag")
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr

"""The processes of a study keep to what they were given, and end with it, so that the same work is not done twice."""

import os
import subprocess
import sys
from pathlib import Path
from queue import Queue

import pytest

from incognote.find.model import machine
from incognote.lab.study.pool import _work, name_card

SCRIPT = """
import multiprocessing, sys
from types import SimpleNamespace
from incognote.lab.study.pool import _work

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    todo, lines = context.Queue(), context.Queue()
    context.Process(target=_work, args=("", 1, todo, lines, sys.argv[1], 0, float("inf"), False), daemon=True).start()
    todo.put(SimpleNamespace(name="none"))  # no unit at all: the process says so, and waits for the next
    print(lines.get(), flush=True)
    lines.get()
"""


def test_the_processes_of_a_study_that_is_killed_end(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(SCRIPT)
    arguments = [sys.executable, str(tmp_path / "run.py"), str(tmp_path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.kill()
        # The end of the output comes when the last process that could write to it is gone.
        process.communicate(timeout=30)


@pytest.mark.parametrize(("allowed", "card"), [(None, "1"), ("", "1"), ("2, 5", "5"), ("GPU-1a,MIG-2b", "MIG-2b")])
def test_only_gpus_that_the_user_allowed_are_used(allowed: str | None, card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if allowed is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", allowed)
    assert name_card(1) == card
    assert name_card(-1) == ""


def test_the_processes_of_a_study_share_the_cores_of_the_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES", ""))
    monkeypatch.setattr(machine, "_shares", 1)
    monkeypatch.setattr(machine, "count_cores", lambda: 6)
    todo: Queue[None] = Queue()
    todo.put(None)
    _work("", 3, todo, Queue(), str(tmp_path), 1, 0.0, False)
    assert machine.own_cores() == 2

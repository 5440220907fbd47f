"""The processes of a study end with it, so that the same work is not done twice when it is begun again."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import multiprocessing, sys
from types import SimpleNamespace
from incognote.study.pool import _work

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    todo, lines = context.Queue(), context.Queue()
    context.Process(target=_work, args=(-1, todo, lines, sys.argv[1], 0, float("inf"), False), daemon=True).start()
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

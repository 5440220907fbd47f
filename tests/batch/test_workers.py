"""Worker processes that are interrupted or killed, or whose main process is: nothing hangs, and what happened is said."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

SCRIPT = """
import os, sys, time
from incognote.batch.local import LocalPool
from incognote.deidentifier import Deidentifier
from incognote.errors import WorkerError

def work(deidentifier, number):
    time.sleep(2)

if __name__ == "__mp_main__":
    # A worker that is still loading its modules, which takes seconds with a model.
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(2)
if __name__ == "__main__":
    try:
        with LocalPool(Deidentifier((), None), 2) as pool:
            for _ in pool.map(work, range(100), lambda number: (number,)):
                pass
    except KeyboardInterrupt:
        sys.exit("stopped")
    except WorkerError as error:
        sys.exit(f"error: {error}")
"""


@pytest.fixture
def main_process(tmp_path: Path) -> "Iterator[subprocess.Popen[str]]":
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    arguments = [sys.executable, str(script)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def wait_for_workers(process: "subprocess.Popen[str]") -> set[int]:
    assert process.stdout is not None
    workers: set[int] = set()
    while len(workers) < 2:
        workers.add(int(process.stdout.readline()))
    return workers


def test_workers_end_when_the_main_process_is_killed(main_process: "subprocess.Popen[str]") -> None:
    wait_for_workers(main_process)
    main_process.kill()
    # The end of the output comes when the last process that could write to it is gone.
    main_process.communicate(timeout=120)


def test_a_killed_worker_is_an_error_that_says_how_to_go_on(main_process: "subprocess.Popen[str]") -> None:
    os.kill(wait_for_workers(main_process).pop(), signal.SIGKILL)
    said = main_process.communicate(timeout=120)[1]
    assert said.startswith("error: a worker process was ended from outside")
    assert "go on with resume" in said
    assert "Traceback" not in said


def test_an_interrupt_from_the_terminal_is_left_to_the_main_process(main_process: "subprocess.Popen[str]") -> None:
    wait_for_workers(main_process)
    os.killpg(main_process.pid, signal.SIGINT)
    assert main_process.communicate(timeout=120)[1] == "stopped\n"

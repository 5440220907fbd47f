import subprocess
import sys
from pathlib import Path

import pytest

from incognote.corpora.locks import writing_alone
from incognote.errors import OutputError


def test_a_second_run_is_refused_while_the_first_is_at_work(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("out")
    with writing_alone(tmp_path / "out"):
        for name in ("out", "link"):
            with pytest.raises(OutputError, match=f"{name}: another run is at work"), writing_alone(tmp_path / name):
                pass
        with writing_alone(tmp_path / "other"):
            pass
    with writing_alone(tmp_path / "out"):
        pass


def test_nothing_is_left_of_a_run_that_wrote_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError), writing_alone(tmp_path / "deep" / "er" / "out"):
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    with writing_alone(tmp_path / "deep" / "er" / "out"):
        (tmp_path / "deep" / "er" / "out").mkdir()
    assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["out"]


def test_a_lock_may_lie_inside_a_folder_whose_place_stays(tmp_path: Path) -> None:
    with writing_alone(tmp_path / "out", inside=True):
        assert not list(tmp_path.glob(".*"))
        with pytest.raises(OutputError, match="another run is at work"), writing_alone(tmp_path / "out", inside=True):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_kill_lets_go_of_the_lock(tmp_path: Path) -> None:
    code = (
        "from incognote.corpora.locks import writing_alone; from pathlib import Path; import time\n"
        f"with writing_alone(Path({str(tmp_path / 'out')!r})):\n    print('locked', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(OutputError, match="another run is at work"), writing_alone(tmp_path / "out"):
            pass
        process.kill()
    with writing_alone(tmp_path / "out"):
        pass


def test_a_lock_that_cannot_be_had_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / ".out.lock").write_text("no lock of ours, and long enough to be taken for a database\n" * 100)
    with pytest.raises(OutputError, match="cannot be locked \\(SQLITE_NOTADB\\)"), writing_alone(tmp_path / "out"):
        pass


def test_a_place_that_cannot_be_written_is_said_so() -> None:
    # Nobody makes a folder there, and root neither.
    with pytest.raises(OutputError, match=r"is not writable|cannot be written"), writing_alone(Path("/proc/nothing/out")):
        pass

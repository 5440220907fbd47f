"""ONNX Runtime leaves nothing in the home folder and makes no connection."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import socket
def refuse(*arguments, **options):
    print("called out")
    raise OSError
socket.getaddrinfo = refuse
from incognote.find.model import load_tagger
from incognote.lab.encoders.work import measure_peaks
print(len(load_tagger(["default"], runtime="onnx").tag(["Mr. Kowalczyk left."])))
measure_peaks(1)
"""


def test_a_runtime_makes_no_file_at_home_and_no_call(tmp_path: Path) -> None:
    # Those who build software have telemetry switched off by these; a hospital has not.
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_BUILD", "JENKINS_URL", "ORT_DISABLE_TELEMETRY")}
    homes = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={**plain, **homes}, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\n"
    assert {path.name for path in tmp_path.rglob("*") if path.is_file() and "incognote" not in path.parts} == set()

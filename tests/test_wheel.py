"""What the wheel holds: what users run, no more than 25 MB and 700 files."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from incognote.version import __version__

pytest.importorskip("setuptools", minversion="77")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "src", place / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, place)
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", build, place], cwd=place, capture_output=True, text=True, check=True)
    return place / done.stdout.split()[-1]


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size <= 25_000_000
    assert len(ZipFile(wheel).namelist()) <= 700


def test_the_wheel_holds_every_module_and_the_data_that_commands_read(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    ours = [path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "incognote").rglob("*") if path.is_file()]
    kept = {name for name in ours if "__pycache__" not in name and "/templates/" not in name}
    assert kept <= names
    assert not any("/templates/" in name for name in names)


def test_the_extra_for_synthetic_notes_pins_the_templates_of_this_version() -> None:
    ours, theirs = (
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (ROOT, ROOT / "src" / "incognote" / "lab" / "synthetic" / "templates")
    )
    assert ours["optional-dependencies"]["synthetic"] == [f"{theirs['name']}=={theirs['version']}"]
    assert theirs["version"] == __version__

"""The scripts in bench/ run: all tell how they are used, and those that can be small and quick do their work."""

import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from incognote.errors import CorpusError
from tests.fakes import tiny_checkpoint

BENCH = Path(__file__).parents[2] / "bench"
PROGRAMS = sorted(file.stem for file in BENCH.glob("*.py") if "__main__" in file.read_text(encoding="utf-8"))
PARTS = sorted({file.stem for file in BENCH.glob("*.py")} - set(PROGRAMS))

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def bench_first(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scripts import one another by plain names, which nothing else here shall see."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(BENCH)
    yield
    for name in {*PROGRAMS, *PARTS} & (set(sys.modules) - known):
        del sys.modules[name]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """What a script prints, run as a program with these arguments and a cache of its own."""
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path / "cache"))

    def call(name: str, *arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        runpy.run_path(str(BENCH / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_says_how_it_is_used(name: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run(name, "--help")
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_programs_loads(name: str) -> None:
    runpy.run_path(str(BENCH / f"{name}.py"))


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("same_spans", ["--notes", 3, "--runtimes", "onnx", "--data", "{place}/none"], "| onnx-fp32 | 1.0000 | 1.0000 |"),
        ("quality", ["--synthetic", "--count", 3], "| both |"),
        ("rules_quality", [], "| ZIP |"),
        ("evaluate_speed", ["--tokens", 2000, "--repeats", 1], "every score"),
        ("memory", ["--sizes", "10", "--model", "none", "--out", "{place}"], "Memory grows by"),
        ("stages", ["--notes", 3, "--data", "{place}/none", "--runtime", "onnx", "--out", "{place}"], "| tokenize |"),
        ("cold_start", ["--runs", 1, "--out", "{place}"], "| --help |"),
    ],
)
def test_a_program_does_its_work_in_small(name: str, arguments: list[object], told: str, run: Run, tmp_path: Path) -> None:
    assert told in run(name, *(str(argument).format(place=tmp_path) for argument in arguments))


def test_speed_is_compared_with_the_pipeline(run: Run, tmp_path: Path) -> None:
    model = tiny_checkpoint(tmp_path / "model")
    told = run("cpu_speed", "--model", model, "--notes", 3, "--repeats", 1, "--runtimes", "onnx", "--out", tmp_path)
    assert "| hf-pipeline |" in told
    assert "| onnx |" in told


def test_notes_scrubbed_for_another_count_are_not_linked(run: Run, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="patient"):
        run("link_synthetic", "--count", 1, "--work", tmp_path)
    assert "The attacks" in run("link_synthetic", "--count", 30, "--work", tmp_path)

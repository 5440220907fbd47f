import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.corpora import read_corpus, write_corpus
from incognote.corpora.locks import writing_alone
from incognote.errors import ConfigError, IncognoteError, OutputError
from tests.fakes import run_command, template_notes, tiny_encoder

STUDY = """
name = "mini"
scheme = "i2b2-2014"
seeds = [0, 1]
keep = 2
[split]
[recipe]
window = 64
overlap = 16
batch = 4
[[models]]
name = "B"
model = "./bert"
grid = { epochs = [1, 3], learning_rate = [0.003] }
[[models]]
name = "R"
model = "./roberta"
grid = { epochs = [1, 3], learning_rate = [0.003] }
"""


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("study")
    for family in ("bert", "roberta"):
        tiny_encoder(folder / family, family)
    write_corpus(template_notes(60), folder / "notes.jsonl", format="jsonl")
    (folder / "mini.toml").write_text(STUDY)
    run("study", "run", folder / "mini.toml", "--data", folder / "notes.jsonl", "-o", folder / "out")
    return folder


def test_plan_lists_the_papers_runs_as_json() -> None:
    plan = json.loads(run("study", "plan", "meaney2022", "--json", "-"))
    assert len(plan["runs"]) == 255
    assert plan["epochs"] / plan["epochs_alone"] < 0.4
    last = plan["runs"][-1]
    assert {key: last[key] for key in ("model", "batch", "epochs", "learning_rate", "weight_decay")} == {
        "model": "Albert-XXLarge",
        "batch": 6,
        "epochs": 50,
        "learning_rate": 1e-5,
        "weight_decay": 0.025,
    }
    assert "255 runs in 255 trainings" in run("study", "plan", "meaney2022", "--exact")


def test_run_leaves_runs_and_a_report(place: Path) -> None:
    assert len(list((place / "out" / "runs").glob("*.json"))) == 8
    assert (place / "out" / "report.html").exists()
    assert (place / "out" / "report.md").exists()
    (place / "out" / "report.html").unlink()
    run("study", "report", place / "out")
    assert (place / "out" / "report.html").exists()


def test_best_shows_its_recipe_and_tags_any_texts(place: Path, tmp_path: Path) -> None:
    assert 'model = "' in run("study", "best", place / "out")
    texts = tmp_path / "texts"
    texts.mkdir()
    notes = template_notes(5, seed=9)
    for note in notes:
        (texts / f"{note.id}.txt").write_text(note.text, encoding="utf-8")
    run("study", "best", place / "out", "--predict", texts, "-o", tmp_path / "one")
    found = {document.id: document for document in read_corpus(tmp_path / "one")}
    assert {document.id: document.text for document in found.values()} == {note.id: note.text for note in notes}
    assert any(document.spans for document in found.values())


def test_best_trains_again_what_is_not_there(place: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text(template_notes(1, seed=3)[0].text, encoding="utf-8")
    run("study", "best", place / "out", "--single", "--predict", texts, "-o", tmp_path / "one")
    bare = tmp_path / "bare"
    shutil.copytree(place / "out", bare, ignore=shutil.ignore_patterns("checkpoints"))
    where = ("--data", place / "notes.jsonl", "--encoders", place)
    told = run("study", "best", bare, "--single", "--predict", texts, "-o", tmp_path / "two", *where)
    assert ("in the study" in told, "other data" in told) == (True, False)
    (name,) = (path.name for path in (bare / "checkpoints").iterdir())
    for file in ("model.safetensors", "recipe.toml"):
        assert (bare / "checkpoints" / name / file).read_bytes() == (place / "out" / "checkpoints" / name / file).read_bytes()
    assert (tmp_path / "one" / "a.ann").read_text() == (tmp_path / "two" / "a.ann").read_text()


def test_the_recipe_of_a_branch_keeps_to_its_last_epoch_as_the_branch_did(place: Path) -> None:
    from incognote.lab.training.run import read_run

    for file in (place / "out" / "runs").glob("*.json"):
        run = read_run(file)
        recipe = run.as_recipe()
        assert (run.shared, run.epoch, recipe.validate_every) == (True, recipe.epochs, recipe.epochs)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processes from /proc")
def test_processes_of_a_killed_study_end_with_it(place: Path, tmp_path: Path) -> None:
    (place / "long.toml").write_text(STUDY.replace("epochs = [1, 3]", "epochs = [1, 5000]"))
    arguments = ["study", "run", place / "long.toml", "--data", place / "notes.jsonl", "-o", tmp_path / "out", "--workers", 2]
    command = [sys.executable, "-m", "incognote", *map(str, arguments)]
    started = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until(lambda: len(list((tmp_path / "out" / "progress").glob("*"))) >= 2)
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        wait_until(lambda: not alive_in_session(started.pid))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def alive_in_session(session: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, own = stat.read_text().rpartition(")")[2].split()[:4]
            if int(own) == session and state != "Z":
                found.append(int(stat.parent.name))
    return found


@pytest.mark.parametrize(
    ("texts", "to", "words"),
    [("nowhere", "brat", "no such file"), ("texts", "docx", "format docx is not known"), ("texts", "jsonl", "one file")],
)
def test_best_finds_what_is_wrong_before_it_trains(texts: str, to: str, words: str, place: Path, tmp_path: Path) -> None:
    write_corpus(template_notes(1), tmp_path / "texts", format="text")
    (tmp_path / "full").mkdir()
    bare = tmp_path / "bare"
    shutil.copytree(place / "out", bare, ignore=shutil.ignore_patterns("checkpoints"))
    with pytest.raises(IncognoteError, match=words):
        run("study", "best", bare, "--predict", tmp_path / texts, "-o", tmp_path / "full", "--to", to)
    assert not (bare / "checkpoints").exists()


def test_predictions_keep_the_labels_of_the_study_in_any_format(place: Path, tmp_path: Path) -> None:
    write_corpus(template_notes(4), tmp_path / "texts", format="text")
    run("study", "best", place / "out", "--predict", tmp_path / "texts", "-o", tmp_path / "found.xml", "--to", "i2b2-2006")
    assert len(list(read_corpus(tmp_path / "found.xml", scheme="i2b2-2014"))) == 4


def test_predictions_need_a_place(place: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="-o PRED"):
        run("study", "best", place / "out", "--predict", tmp_path)


def test_data_that_is_not_there_is_named(place: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        run("study", "run", place / "mini.toml", "--data", place / "nowhere", "-o", place / "other")


def test_two_runs_of_a_study_never_write_one_folder(place: Path, tmp_path: Path) -> None:
    with writing_alone(tmp_path / "out", inside=True), pytest.raises(OutputError, match="another run is at work"):
        run("study", "run", place / "mini.toml", "--data", place / "notes.jsonl", "-o", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_study_whose_time_is_up_before_its_first_run_says_so_and_is_no_error(workers: int, place: Path, tmp_path: Path) -> None:
    limits = ("--minutes", "1e-9", "--workers", workers)
    done = run_command("study", "run", place / "mini.toml", "--data", place / "notes.jsonl", "-o", tmp_path / "out", *limits)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "out of time: 8 runs are left; run the same command again to continue")

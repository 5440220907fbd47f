import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.corpora import write_corpus
from incognote.lab.training.run import read_run
from incognote.models import find_model
from tests.fakes import run_command, template_notes, tiny_encoder

RECIPE = """
model = "./tiny"
data = "notes.jsonl"
batch = 4
epochs = {epochs}
learning_rate = 0.003
window = 64
overlap = 16
ema = 0.9
dropout = {dropout}
[split]
ratio = "6:2:2"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train")
    tiny_encoder(folder / "tiny", "bert")
    write_corpus(template_notes(60), folder / "notes.jsonl", format="jsonl")
    (folder / "long.toml").write_text(RECIPE.format(epochs=25, dropout=0.1))
    (folder / "short.toml").write_text(RECIPE.format(epochs=2, dropout=0.0))
    return folder


def command(*arguments: object, module: str = "incognote", before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, *before, "-m", module, *map(str, arguments)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(*arguments: object, **options: object) -> tuple[int, str, str]:
    process = command(*arguments, **options)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_a_killed_training_resumes_to_bit_equal_weights(place: Path, tmp_path: Path) -> None:
    calm = command("train", place / "long.toml", "-o", tmp_path / "calm")
    killed = command("train", place / "long.toml", "-o", tmp_path / "killed")
    state = tmp_path / ".killed.training" / "state.pt"
    deadline = time.monotonic() + 60
    while not state.exists():
        assert time.monotonic() < deadline
        assert killed.poll() is None
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    code, _, err = finish("train", place / "long.toml", "-o", tmp_path / "killed")
    assert (code, "an earlier training was stopped; continue it with --resume" in err) == (2, True)
    code, _, err = finish("train", place / "long.toml", "-o", tmp_path / "killed", "--resume")
    assert (code, "validation F1" in err) == (0, True)
    assert calm.wait(120) == 0
    calm.communicate()
    assert (tmp_path / "calm" / "model.safetensors").read_bytes() == (tmp_path / "killed" / "model.safetensors").read_bytes()
    assert not state.exists()
    code, _, err = finish("train", place / "long.toml", "-o", tmp_path / "killed", "--resume")
    assert code == 0


def test_an_interrupted_training_says_how_to_go_on(place: Path, tmp_path: Path) -> None:
    (place / "endless.toml").write_text(RECIPE.format(epochs=100_000, dropout=0.1))
    stopped = command("train", place / "endless.toml", "-o", tmp_path / "model")
    state, deadline = tmp_path / ".model.training" / "state.pt", time.monotonic() + 60
    while not state.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=180)
    assert stopped.returncode == 130
    assert err.splitlines()[-2:] == [
        f"{tmp_path / 'model'}: the finished epochs are kept; continue with --resume, or start over with --overwrite",
        "stopped",
    ]


@pytest.mark.parametrize(("task", "score"), [("tags", "F1"), ("answers", "answer F1"), ("words", "probability of a hidden token")])
def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], task: str, score: str) -> None:
    from incognote.cli import progress
    from incognote.lab.training.loop import Progress

    with progress.watching(task) as watch:
        watch(Progress(1, 10, 0.5, 0.0, 1.0))
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "SECONDS_BETWEEN", -1)
        watch(Progress(2, 10, 0.25, 0.5, 1.0))
    assert capsys.readouterr().err == f"step 2 of 10, loss 0.2500, {score} 0.5000, 1.0 samples/s\n"


def test_a_training_that_breaks_off_gives_the_cursor_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from incognote.cli.progress import watching
    from incognote.lab.training.loop import Progress

    monkeypatch.setenv("TERM", "xterm")
    leader, follower = os.openpty()
    with os.fdopen(leader, "rb", buffering=0) as screen, os.fdopen(follower, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with suppress(KeyboardInterrupt), watching() as watch:
            watch(Progress(1, 10, 0.5, 0.0, 1.0))
            raise KeyboardInterrupt
        shown = b""
        while select.select([screen], [], [], 0.5)[0]:  # a terminal gives what it has, not all there will be
            shown += screen.read(65536)
    hidden, given_back = b"\x1b[?25l", b"\x1b[?25h"
    assert (shown.count(hidden), shown.count(given_back)) == (1, 1)


def test_two_processes_train_as_one(place: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    one = command("train", place / "short.toml", "-o", tmp_path / "one")
    arguments = (
        "--nproc-per-node=2",
        "--standalone",
        "-m",
        "incognote",
        "train",
        place / "short.toml",
        "-o",
        tmp_path / "two",
    )
    code, _, err = finish(*arguments, module="torch.distributed.run")
    assert code == 0, err
    assert one.wait(120) == 0
    one.communicate()
    single, double = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    assert single.keys() == double.keys()
    assert max(float(abs(single[key] - double[key]).max()) for key in single) < 5e-3


def test_the_checkpoint_loads_in_hugging_face_and_carries_its_run(place: Path, tmp_path: Path) -> None:
    code, out, err = finish("train", place / "short.toml", "-o", tmp_path / "model", "--json", "-")
    assert code == 0, err
    run = json.loads(out)
    assert run["digest"]
    assert {"validation", "test"} <= run["scores"].keys()
    assert run["cost"]["samples"] > 0
    assert "## Scores" in (tmp_path / "model" / "README.md").read_text()
    from transformers import pipeline

    found = pipeline("token-classification", model=str(tmp_path / "model"), aggregation_strategy="simple")("Ann Lee was seen in Boston")
    assert all({"entity_group", "start", "end"} <= entity.keys() for entity in found)
    code, _, err = finish("train", place / "short.toml", "-o", tmp_path / "model")
    assert (code, "exists already" in err) == (2, True)


def test_the_recipe_beside_the_weights_can_be_trained_again_from_anywhere(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from incognote.lab.training.recipe import read_recipe

    recipe = read_recipe(place / "short.toml")
    monkeypatch.chdir(Path(recipe.model).parent)
    data = Path(os.path.relpath(recipe.data[0].path))
    code, _, err = finish("train", place / "short.toml", "--model", Path(recipe.model).name, "--data", data, "-o", tmp_path / "one")
    assert code == 0, err
    monkeypatch.chdir(tmp_path)
    code, _, err = finish("train", tmp_path / "one" / "recipe.toml", "-o", tmp_path / "two")
    assert code == 0, err
    assert (tmp_path / "one" / "model.safetensors").read_bytes() == (tmp_path / "two" / "model.safetensors").read_bytes()


def test_resuming_never_replaces_the_result_of_another_training(place: Path, tmp_path: Path) -> None:
    from incognote.errors import OutputError
    from incognote.lab.training.checkpointing import train_checkpoint
    from incognote.lab.training.recipe import read_recipe

    recipe = read_recipe(place / "short.toml")
    first = train_checkpoint(recipe, tmp_path / "model")
    assert train_checkpoint(recipe, tmp_path / "model", resume=True).cost == first.cost
    with pytest.raises(OutputError, match="another recipe"):
        train_checkpoint(replace(recipe, weight_decay=0.5), tmp_path / "model", resume=True)
    (tmp_path / "foreign").mkdir()
    with pytest.raises(OutputError, match="exists already"):
        train_checkpoint(recipe, tmp_path / "foreign", resume=True)


def test_a_training_that_was_to_overwrite_another_and_was_stopped_is_gone_on_with(place: Path, tmp_path: Path) -> None:
    from incognote.lab.training.checkpointing import train_checkpoint
    from incognote.lab.training.loop import Progress
    from incognote.lab.training.recipe import read_recipe

    recipe = read_recipe(place / "short.toml")
    other, model = replace(recipe, epochs=3), tmp_path / "model"

    def stop(progress: Progress) -> None:
        if progress.step == progress.total:
            raise KeyboardInterrupt

    train_checkpoint(recipe, model)
    with pytest.raises(KeyboardInterrupt):
        train_checkpoint(other, model, overwrite=True, watch=stop)
    run = train_checkpoint(other, model, resume=True)
    assert len(run.history) == 3
    assert run == read_run(model / "run.json")
    train_checkpoint(other, tmp_path / "calm")
    assert (model / "model.safetensors").read_bytes() == (tmp_path / "calm" / "model.safetensors").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calm", "model"]


def test_a_path_left_empty_is_not_the_folder_one_stands_in() -> None:
    from incognote.cli.data import parse_data
    from incognote.errors import ConfigError

    with pytest.raises(ConfigError) as caught:
        parse_data(["train=", ""])
    assert len(caught.value.faults) == 2


def test_two_trainings_never_write_one_folder(place: Path, tmp_path: Path) -> None:
    from incognote.corpora.locks import writing_alone
    from incognote.errors import OutputError
    from incognote.lab.training.checkpointing import train_checkpoint
    from incognote.lab.training.recipe import read_recipe

    recipe = read_recipe(place / "short.toml")
    with writing_alone(tmp_path / "model"), pytest.raises(OutputError, match="another run is at work"):
        train_checkpoint(recipe, tmp_path / "model", overwrite=True)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_one_stands_in_can_be_named_with_a_dot(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_command("train", place / "short.toml", "-o", ".")
    assert (done.returncode, done.stderr) == (2, "error: .: exists already; give another folder, or set --resume or --overwrite\n")


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ('modle = "x"\nbatch = -1\n', ("3 faults", "nearest: model", "batch = -1")),
        ('model = "./tiny"\n', ("data: missing",)),
        ('model = "./tiny"\ndata = "notes.jsonl"\nwindow = 64\noverlap = 8\n', ("has no split", "[split]")),
        ('model = "nobody/nothing"\ndata = "notes.jsonl"\n[split]\n', ("pass the folder",)),
        ('model = "./tiny"\ndata = "nowhere"\n[split]\n', ("no such file",)),
    ],
)
def test_bad_recipes_are_explained(
    place: Path, tmp_path: Path, recipe: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from incognote.cli.main import app
    from incognote.errors import IncognoteError

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    file = place / f"bad-{abs(hash(recipe))}.toml"
    file.write_text(recipe)
    result = CliRunner().invoke(app, ["train", str(file), "-o", str(tmp_path / "model")])
    assert isinstance(result.exception, IncognoteError)
    told = str(result.exception)
    assert all(word in told for word in words), told


TASK = """
model = "./tiny"
task = "classes"
data = "{data}"
batch = 4
epochs = 2
learning_rate = 0.003
window = 64
overlap = 16
[split]
ratio = "6:2:2"
"""


def test_a_recipe_for_another_task_trains_from_a_table(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incognote.cli.progress.SECONDS_BETWEEN", -1)
    rows = [f"{'chest pain' if n % 2 else 'fever and nausea'} {n} {'seen by Dr. Lee ' * (40 if n == 7 else 1)},{n % 2}" for n in range(40)]
    (place / "kinds.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    (place / "kinds.toml").write_text(TASK.format(data="kinds.csv"))
    code, out, err = run_command("train", place / "kinds.toml", "-o", tmp_path / "kinds", "--json", "-")
    assert code == 0, err
    assert "validation macro F1" in err
    steps = [line for line in err.splitlines() if line.startswith("step ")]
    assert steps
    assert all(", macro F1 " in line for line in steps)
    assert "examples are longer than the window of 64 tokens and are read in pieces" in err
    run = json.loads(out)
    assert {"accuracy", "auc", "class 0", "class 1"} == run["scores"]["test"].keys()
    assert any("longer than the window" in note for note in run["notes"])


def test_bad_examples_are_one_error_and_nothing_is_written(place: Path, tmp_path: Path) -> None:
    (place / "bad.csv").write_text("text,label\n" + "".join(f"secret {n},same\n" for n in range(20)) + " ,same\n")
    (place / "bad.toml").write_text(TASK.format(data="bad.csv"))
    code, out, err = finish("train", place / "bad.toml", "-o", tmp_path / "bad")
    assert (code, out) == (2, "")
    assert "empty text: bad.csv line 22" in err
    assert "a classifier needs two or more" in err
    assert "secret" not in err
    assert not list(tmp_path.iterdir())


def test_a_folder_of_notes_is_never_replaced_by_a_model(place: Path, tmp_path: Path) -> None:
    from incognote.errors import OutputError
    from incognote.lab.training.checkpointing import train_checkpoint
    from incognote.lab.training.recipe import read_recipe

    write_corpus(template_notes(6), tmp_path / "notes", format="brat")
    before = sorted(tmp_path.rglob("*"))
    for target in (tmp_path, tmp_path / "notes"):
        with pytest.raises(OutputError, match="something else than a model"):
            train_checkpoint(read_recipe(place / "short.toml"), target, overwrite=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_recipe_may_begin_with_a_mark_and_is_no_folder(tmp_path: Path) -> None:
    from incognote.errors import ConfigError
    from incognote.lab.training.recipe import read_recipe

    (tmp_path / "marked.toml").write_bytes(b'\xef\xbb\xbfmodel = "x"\r\n')
    assert read_recipe(tmp_path / "marked.toml").model == "x"
    with pytest.raises(ConfigError, match="is a folder"):
        read_recipe(tmp_path)


def test_the_shipped_model_learns_on_by_its_name_with_its_labels_and_without_what_its_makers_measured(place: Path, tmp_path: Path) -> None:
    before = json.loads((find_model() / "config.json").read_text())
    assert before["incognote"]["validated_runtimes"]
    done = run_command("train", place / "short.toml", "-o", tmp_path / "out", "--model", "default")
    assert done.returncode == 0, done.stderr
    after = json.loads((tmp_path / "out" / "config.json").read_text())
    assert after["incognote"] == {"window": 64, "overlap": 16}
    assert after["id2label"] == before["id2label"]

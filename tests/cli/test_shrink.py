"""The commands that make models smaller, from the command line to the folder and the table."""

import json
from pathlib import Path

import pytest
import torch

from incognote.corpora import write_corpus
from incognote.corpora.locks import writing_alone
from incognote.errors import IncognoteError
from incognote.find.model.checkpoint import load_checkpoint
from tests.fakes import call_command as run
from tests.fakes import template_notes, tiny_checkpoint, tiny_encoder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("shrink")
    tiny_checkpoint(folder / "model", "roberta")
    tiny_checkpoint(folder / "second", "bert", seed=5)
    tiny_encoder(folder / "encoder", "distilbert")
    notes = template_notes(24)
    (folder / "gold").mkdir()
    for part, members in (("train", notes[:16]), ("dev", notes[16:20]), ("test", notes[20:])):
        write_corpus(members, folder / "gold" / f"{part}.jsonl", format="jsonl")
    return folder


def test_prune_drops_layers_and_tokens_without_any_training(place: Path, tmp_path: Path) -> None:
    options = ["--layers", 1, "--vocabulary", place / "gold", "--tokens", 320, "--json", "-"]
    lines = json.loads(run("shrink", "prune", place / "model", *options, "-o", tmp_path / "small"))
    assert [line["name"] for line in lines] == ["model", "small"]
    assert lines[1]["weights"] < lines[0]["weights"]
    assert lines[0]["f1"] is None
    config = load_checkpoint(tmp_path / "small").config
    assert (config["num_hidden_layers"], config["vocab_size"]) == (1, 320)


def test_prune_trains_and_shows_the_table(place: Path, tmp_path: Path) -> None:
    options = ["--layers", 1, "--strategy", "contribution", "--data", place / "gold", "--epochs", 1, "--learning-rate", "0.001"]
    table = run("shrink", "prune", place / "model", *options, "-o", tmp_path / "small")
    assert table.splitlines()[0].startswith("| model | weights MB")
    assert len(table.splitlines()) == 4
    assert (tmp_path / "small" / "run.json").exists()


def test_distill_takes_several_teachers_another_student_and_unlabelled_notes(place: Path, tmp_path: Path) -> None:
    options = ["--student", place / "encoder", "--data", place / "gold", "--unlabelled", place / "gold" / "test.jsonl", "--epochs", 1]
    lines = json.loads(run("shrink", "distill", place / "model", place / "second", *options, "--json", "-", "-o", tmp_path / "small"))
    assert lines[1]["f1"] is not None
    small = load_checkpoint(tmp_path / "small")
    assert small.config["model_type"] == "distilbert"
    assert small.tags == load_checkpoint(place / "model").tags


def test_search_writes_a_page_and_says_what_it_chose(place: Path, tmp_path: Path) -> None:
    options = ["--data", place / "gold", "--max-loss", "1", "--target-size", "1MB", "--json", "-"]
    told = json.loads(run("shrink", "search", place / "model", *options, "-o", tmp_path / "found"))
    assert told["chosen"]
    assert "<svg" in (tmp_path / "found" / "frontier.html").read_text()
    assert (tmp_path / "found" / "frontier.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prune", "{model}"], "--layers or --tokens"),
        (["prune", "{model}", "--layers", "2"], "has 2"),
        (["prune", "{model}", "--layers", "1", "--strategy", "sideways"], "sideways"),
        (["prune", "{model}", "--layers", "1", "--strategy", "contribution"], "with data"),
        (["prune", "{model}", "--layers", "1", "--epochs", "1"], "with data"),
        (["prune", "{model}", "--tokens", "300"], "vocabulary"),
        (["prune", "{model}", "--tokens", "30000", "--vocabulary", "{gold}"], "already"),
        (["prune", "{model}", "--tokens", "5", "--vocabulary", "{gold}"], "alone are"),
        (["prune", "{encoder}", "--layers", "1"], "bare encoder"),
        (["distill", "{model}"], "with data"),
        (["distill", "{model}", "--data", "{gold}", "--layers", "3"], "must not be larger"),
        (["distill", "{model}", "--data", "{gold}", "--layers", "1", "--student", "{encoder}"], "one of them"),
        (["search", "{model}"], "with data"),
        (["search", "{model}", "--data", "{gold}", "--target-size", "small"], "20MB"),
    ],
)
def test_bad_input_is_one_clear_error_and_nothing_is_written(arguments: list[str], message: str, place: Path, tmp_path: Path) -> None:
    names = {name: place / name for name in ("model", "gold", "encoder")}
    target = tmp_path / "small"
    with pytest.raises(IncognoteError, match=message):
        run("shrink", *(argument.format(**names) for argument in arguments), "-o", target)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["prune", "distill", "search"])
def test_a_folder_that_is_there_is_left_alone(command: str, place: Path, tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    more = ["--layers", "1"] if command == "prune" else ["--data", place / "gold"]
    with pytest.raises(IncognoteError, match="exists already"):
        run("shrink", command, place / "model", *more, "-o", tmp_path / "small")
    assert not list((tmp_path / "small").iterdir())


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("prune", ["--layers", "1"]),
        ("distill", ["--data", "gold"]),
        ("search", ["--data", "gold"]),
        ("quantize", []),
        ("factorize", ["--rank", "4"]),
        ("expand", []),
    ],
)
def test_two_runs_never_write_one_folder(
    command: str, more: list[str], place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    with writing_alone(tmp_path / "small"), pytest.raises(IncognoteError, match="another run is at work"):
        run("shrink", command, "model", *more, "-o", tmp_path / "small")
    assert list(tmp_path.iterdir()) == []

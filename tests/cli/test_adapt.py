import json
import shutil
from pathlib import Path

import pytest

from incognote.corpora import write_corpus
from incognote.errors import CheckpointError, ConfigError, CorpusError, OutputError
from tests.fakes import call_command as run
from tests.fakes import run_command, spoil, template_notes, tiny_encoder

RECIPE = 'model = "x"\nbatch = 4\nepochs = 2\nlearning_rate = 0.003\nwindow = 64\noverlap = 16\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("adapt")
    tiny_encoder(folder / "tiny", "bert")
    notes = template_notes(50)
    write_corpus(notes[:40], folder / "notes.jsonl", format="jsonl")
    write_corpus(notes[40:], folder / "dev.jsonl", format="jsonl")
    (folder / "tagging.toml").write_text(RECIPE)
    run("adapt", folder / "notes.jsonl", "--model", folder / "tiny", "-o", folder / "ours", "--epochs", 2, "--rate", 0.003, "--batch", 4)
    return folder


def test_adapt_prints_perplexity_and_f1_with_intervals(place: Path, tmp_path: Path) -> None:
    notes, dev = place / "notes.jsonl", place / "dev.jsonl"
    gold = ["--gold", f"train={notes}", "--gold", f"validation={dev}", "--recipe", place / "tagging.toml", "--seeds", 2]
    short = ["--epochs", 2, "--rate", 0.003, "--batch", 4]
    told = run("adapt", f"train={notes}", f"validation={dev}", "--model", place / "tiny", "-o", tmp_path / "a", *short, *gold)
    assert "hidden tokens in 10 held-out notes" in told
    assert "new head, untrained" in told
    assert "strict F1 on 10 validation notes, 2 seeds" in told
    assert "gain, paired by seed" in told
    report = json.loads(run("adapt", notes, "--model", tmp_path / "a", "-o", tmp_path / "b", "--epochs", 1, "--json", "-"))
    assert list(report["perplexity"]) == ["before", "after"]
    assert report["gold"] is None


def test_adapt_refuses_to_overwrite_and_needs_notes(place: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="exists already"):
        run("adapt", place / "notes.jsonl", "--model", place / "tiny", "-o", place / "ours")
    with pytest.raises(ConfigError, match="no such file"):
        run("adapt", place / "nothing", "--model", place / "tiny", "-o", tmp_path / "out")
    with pytest.raises(ConfigError, match="--gold"):
        run("adapt", place / "notes.jsonl", "--model", place / "tiny", "-o", tmp_path / "out", "--recipe", place / "tagging.toml")
    with pytest.raises(ConfigError, match=r"--gold: .*no such file"):
        run("adapt", place / "notes.jsonl", "--model", place / "tiny", "-o", tmp_path / "out", "--gold", place / "nothing")
    with pytest.raises(ConfigError, match="window = 2"):
        run("adapt", place / "notes.jsonl", "--model", place / "tiny", "-o", tmp_path / "out", "--window", 2)
    for option in ("--rate", "--head-rate"):
        assert run_command("adapt", place / "notes.jsonl", "--model", place / "tiny", "-o", tmp_path / "out", option, -1)[0] == 2
    (tmp_path / "blank").mkdir()
    for name in "ab":
        (tmp_path / "blank" / f"{name}.txt").write_text(" \n")
    with pytest.raises(CorpusError, match="no word at all"):
        run("adapt", tmp_path / "blank", "--model", place / "tiny", "-o", tmp_path / "out")
    assert [entry.name for entry in tmp_path.iterdir()] == ["blank"]


def test_fill_shows_words_for_each_mask(place: Path) -> None:
    told = run("fill", "Seen by [MASK] on <mask>", "--model", place / "ours", "--top", 3)
    assert told.splitlines()[0] == "mask 1"
    assert len(told.splitlines()) == 8
    table = json.loads(run("fill", "Seen by [MASK]", "--model", place / "ours", "--top", 2, "--json", "-"))
    assert [sorted(guess) for guess in table["masks"][0]] == [["probability", "token", "word"]] * 2


def test_fill_says_what_it_needs(place: Path) -> None:
    unnamed = run_command("fill", "a [MASK]")
    assert unnamed.returncode == 2
    assert "--model" in unnamed.stderr
    for tagger in (place / "tiny", "default"):
        with pytest.raises(CheckpointError, match="no head for words"):
            run("fill", "a [MASK]", "--model", tagger)
    with pytest.raises(ConfigError, match=r"no \[MASK\]"):
        run("fill", "a word", "--model", place / "ours")


def test_embed_writes_vectors_of_the_texts(place: Path, tmp_path: Path) -> None:
    import numpy as np

    table = json.loads(
        run(
            *("embed", place / "dev.jsonl", "-o", tmp_path / "v.npz", "--model", place / "ours"),
            *("--layers", "-1,-2", "--pool", "first", "--json", "-"),
        )
    )
    assert table == {"texts": 10, "layers": [2, 1], "width": 32, "pool": "first", "left_out": 0}
    assert np.load(tmp_path / "v.npz")["layer_1"].shape == (10, 32)


def test_embed_leaves_out_empty_texts_only_when_told_to(place: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Ann was seen")
    (tmp_path / "in" / "b.txt").write_text("")
    with pytest.raises(CorpusError, match="document b: has no token"):
        run("embed", tmp_path / "in", "-o", tmp_path / "v.npy", "--model", place / "tiny")
    assert not (tmp_path / "v.npy").exists()
    done = run_command("embed", tmp_path / "in", "-o", tmp_path / "v.npy", "--model", place / "tiny", "--keep-going")
    assert done.returncode == 3
    assert "1 note in quarantine" in done.stderr
    assert (tmp_path / "v.npy").exists()


def test_embed_checks_its_options_before_it_works(place: Path, tmp_path: Path) -> None:
    source, model = place / "dev.jsonl", ("--model", place / "tiny")
    with pytest.raises(ConfigError, match="the encoder has 2"):
        run("embed", source, "-o", tmp_path / "v.npy", *model, "--layers", "9")
    with pytest.raises(ConfigError, match="whole numbers"):
        run("embed", source, "-o", tmp_path / "v.npy", *model, "--layers", "top")
    with pytest.raises(ConfigError, match="is one of"):
        run("embed", source, "-o", tmp_path / "v.npy", *model, "--pool", "median")
    with pytest.raises(OutputError, match="the same"):
        run("embed", tmp_path / "x.npy", "-o", tmp_path / "x.npy", *model)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value", "fault"), [("nan", float("nan"), "the weight .*layer.0.output.dense.weight"), ("huge", 3e38, "no numbers")]
)
def test_a_model_that_gives_no_numbers_is_refused(place: Path, tmp_path: Path, name: str, value: float, fault: str) -> None:
    notes, damaged = place / "notes.jsonl", spoil(place / "ours", tmp_path / name, "bert.encoder.layer.0.output.dense.weight", value)
    for command in (
        ("fill", "a [MASK]"),
        ("embed", notes, "-o", tmp_path / "v.npz"),
        ("adapt", notes, "-o", tmp_path / "out"),
    ):
        with pytest.raises(CheckpointError, match=fault):
            run(*command, "--model", damaged)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_adapt_takes_the_shipped_model_by_its_name_and_keeps_nothing_of_the_tagger(place: Path, tmp_path: Path) -> None:
    run("adapt", place / "notes.jsonl", "--model", "default", "-o", tmp_path / "a", "--epochs", 1, "--window", 32)
    config = json.loads((tmp_path / "a" / "config.json").read_text())
    assert "incognote" not in config
    assert "id2label" not in config


def test_the_recipe_beside_an_adapted_encoder_names_it_in_full(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    run("adapt", "notes.jsonl", "--model", "tiny", "-o", tmp_path / "a", "--epochs", 1)
    assert f'model = "{place / "tiny"}"' in (tmp_path / "a" / "recipe.toml").read_text()


def test_pickled_weights_fill_and_embed_only_when_trusted(place: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = Path(shutil.copytree(place / "ours", tmp_path / "pickled"))
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    for command in (("fill", "a [MASK]"), ("embed", place / "dev.jsonl", "-o", tmp_path / "v.npz")):
        with pytest.raises(CheckpointError, match="set unsafe"):
            run(*command, "--model", folder)
        run(*command, "--model", folder, "--unsafe")

"""incognote shrink quantize and factorize: a smaller model and a table, or one clear error and nothing written."""

import json
from pathlib import Path

import pytest
import torch

from incognote.corpora import write_corpus
from incognote.errors import CheckpointError, ConfigError, CorpusError, IncognoteError, LabelError, OutputError
from incognote.find.model.tensors import has_factors, is_quantized, weight_bits
from tests.fakes import call_command, template_notes, tiny_checkpoint


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("shrink")
    notes = template_notes(36)
    write_corpus(notes[:24], folder / "train.jsonl", format="jsonl")
    write_corpus(notes[24:], folder / "dev.jsonl", format="jsonl")
    write_corpus([], folder / "none.jsonl", format="jsonl")
    (folder / "recipe.toml").write_text('model = "any"\nbatch = 8\nepochs = 1\nlearning_rate = 0.001\nwindow = 64\noverlap = 16\n')
    tiny_checkpoint(folder / "whole", "bert")
    return folder


def data(place: Path) -> list[str]:
    return ["--data", f"train={place / 'train.jsonl'}", "--data", f"validation={place / 'dev.jsonl'}"]


def shrink(*arguments: object) -> str:
    return call_command("shrink", *arguments)


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("how", ["dynamic", "static", "aware"])
def test_quantize_writes_a_small_model_and_a_line_for_each(place: Path, tmp_path: Path, how: str, bits: int) -> None:
    options = ["--recipe", place / "recipe.toml"] if how == "aware" else []
    out = shrink(
        "quantize",
        place / "whole",
        "--how",
        how,
        "--bits",
        bits,
        *data(place),
        *options,
        "-o",
        tmp_path / "small",
        "--json",
        tmp_path / "t.json",
    )
    assert weight_bits(tmp_path / "small") == bits
    assert (tmp_path / "small-fp32").exists() == (how == "aware")
    table = json.loads((tmp_path / "t.json").read_text())
    assert len(table) == (3 if how == "aware" else 2)
    assert table[-1]["name"] == f"{how}, int{bits}"
    assert table[-1]["share"] < 0.5
    assert table[-1]["ratio"] > 0
    assert out.count("\n") == len(table) + 2


def test_quantize_without_notes_tells_sizes_alone(place: Path, tmp_path: Path) -> None:
    table = json.loads(shrink("quantize", place / "whole", "-o", tmp_path / "small", "--json", "-"))
    assert [row["f1"] for row in table] == [None, None]


@pytest.mark.parametrize("epochs", [0, 1])
def test_factorize_writes_a_thin_model(place: Path, tmp_path: Path, epochs: int) -> None:
    out = shrink("factorize", place / "whole", "--rank", 8, *data(place), "--epochs", epochs, "-o", tmp_path / "thin")
    assert has_factors(tmp_path / "thin")
    assert "| rank 8 |" in out
    assert (tmp_path / "thin" / "run.json").exists() == bool(epochs)


def test_expand_writes_the_shipped_model_out(tmp_path: Path) -> None:
    shrink("expand", "default", "-o", tmp_path / "whole")
    assert not is_quantized(tmp_path / "whole")


def test_bad_input_is_one_error_and_writes_nothing(place: Path, tmp_path: Path) -> None:
    whole, there = place / "whole", tmp_path / "there"
    there.mkdir()
    small = tmp_path / "small"
    shrink("quantize", whole, "-o", small)
    narrow = tiny_checkpoint(tmp_path / "narrow", labels=("PATIENT",))
    before = sorted(tmp_path.iterdir())
    empty = ["--data", f"train={place / 'none.jsonl'}", "--data", f"validation={place / 'dev.jsonl'}"]
    slow = ["--recipe", place / "recipe.toml", "--learning-rate", -1]
    cases: list[tuple[type[IncognoteError], str, list[object]]] = [
        (LabelError, "DOCTOR", ["quantize", narrow, "--how", "static", *data(place)]),
        (LabelError, "DOCTOR", ["quantize", narrow, *data(place)]),
        (CorpusError, "no train document", ["quantize", whole, "--how", "static", *empty]),
        (ConfigError, "annotated notes", ["quantize", whole, "--how", "static"]),
        (ConfigError, "annotated notes", ["quantize", whole, "--how", "aware"]),
        (CheckpointError, "quantized already", ["quantize", small]),
        (CheckpointError, "quantized already", ["factorize", small, "--rank", 8]),
        (CheckpointError, "quantized already", ["quantize", "default"]),
        (ConfigError, "rank = 32", ["factorize", whole, "--rank", 32]),
        (ConfigError, "--epochs", ["factorize", whole, "--rank", 8, "--epochs", 2]),
        (ConfigError, "learning_rate = -1", ["quantize", whole, "--how", "aware", *data(place), *slow]),
        (OutputError, "is a folder", ["quantize", whole, "--json", there]),
        (OutputError, "is a folder", ["factorize", whole, "--rank", 8, "--json", there]),
        (CorpusError, "no validation note", ["quantize", whole, "--data", f"train={place / 'train.jsonl'}"]),
    ]
    for kind, message, arguments in cases:
        with pytest.raises(kind, match=message):
            shrink(*arguments, "-o", tmp_path / "new")
    for arguments in (["quantize", whole], ["factorize", whole, "--rank", 8]):
        with pytest.raises(OutputError, match="exists already"):
            shrink(*arguments, "-o", there)
    assert sorted(tmp_path.iterdir()) == before
    assert not list(there.iterdir())

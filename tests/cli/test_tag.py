"""The command tag: found spans beside the text as it was, bad notes refused or set aside."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.fakes import run_by_rules, run_command, tiny_checkpoint

tag = partial(run_by_rules, "tag")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"Mr. Kowalczyk left.\r\n")
    return folder


def test_the_text_stays_and_the_spans_are_beside_it(notes: Path, tmp_path: Path) -> None:
    assert tag(notes, "-o", tmp_path / "found.jsonl")[0] == 0
    (row,) = map(json.loads, (tmp_path / "found.jsonl").read_text().splitlines())
    assert row["text"] == "Mr. Kowalczyk left.\r\n"
    assert [(span["start"], span["end"], span["label"]) for span in row["spans"]] == [(4, 13, "PATIENT")]


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006", "meddocan", "brat", "conll", "csv", "parquet", "markup"])
def test_spans_go_into_every_format_that_holds_them(notes: Path, tmp_path: Path, format: str) -> None:
    code, said = tag(notes, "-o", tmp_path / "found", "--to", format)
    assert code == 0, said


def test_plain_text_which_holds_no_spans_is_refused(notes: Path, tmp_path: Path) -> None:
    code, said = tag(notes, "-o", tmp_path / "out", "--to", "text")
    assert (code, "plain text cannot hold spans" in said, (tmp_path / "out").exists()) == (2, True, False)


def test_output_inside_the_input_is_refused(notes: Path) -> None:
    code, said = tag(notes, "-o", notes / "found.jsonl")
    assert code == 2
    assert "inside the input" in said
    assert [path.name for path in notes.iterdir()] == ["a.txt"]


def test_keep_going_leaves_bad_notes_out_and_exits_with_3(notes: Path, tmp_path: Path) -> None:
    (notes / "latin.txt").write_bytes(b"Se\xf1or Kowalczyk")
    code, said = tag(notes, "-o", tmp_path / "found.jsonl")
    assert code == 2
    assert not (tmp_path / "found.jsonl").exists()
    code, said = tag(notes, "-o", tmp_path / "found.jsonl", "--keep-going")
    assert code == 3
    assert "latin.txt" in said
    assert "byte 2" in said
    assert len((tmp_path / "found.jsonl").read_text().splitlines()) == 1


def test_a_pickled_model_is_opened_only_when_asked_for(notes: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    model = tiny_checkpoint(tmp_path / "model")
    torch.save(load_file(model / "model.safetensors"), model / "pytorch_model.bin")
    (model / "model.safetensors").unlink()
    command = ("tag", notes, "-o", tmp_path / "found.jsonl", "--model", model)
    assert "--unsafe" in run_command(*command).stderr
    assert run_command(*command, "--unsafe").returncode == 0

"""incognote split: a record to use again, sizes for people and machines."""

import json
from pathlib import Path

import pytest

from incognote.corpora import read_split, write_corpus
from incognote.document import Document
from tests.fakes import Ended, run_command


def run(*arguments: object) -> Ended:
    return run_command("split", *arguments)


def make_corpus(path: Path, count: int = 20) -> Path:
    write_corpus([Document(f"n{at}", "x", patient=f"p{at // 2}") for at in range(count)], path, format="jsonl", overwrite=True)
    return path


def test_patients_are_kept_together_in_the_papers_ratio(tmp_path: Path) -> None:
    done = run(make_corpus(tmp_path / "a.jsonl"), "-o", tmp_path / "split.json", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["splits"] == {
        "train": {"notes": 10, "patients": 5, "share": 0.5},
        "validation": {"notes": 2, "patients": 1, "share": 0.1},
        "test": {"notes": 8, "patients": 4, "share": 0.4},
    }
    assert "train: 10 notes (50.0%), 5 patients" in done.stderr
    split = read_split(tmp_path / "split.json")
    assert (split.seed, split.ratio, split.by) == (0, (50, 10, 40), "patient")


def test_ratio_seed_and_unit_are_options(tmp_path: Path) -> None:
    done = run(make_corpus(tmp_path / "a.jsonl"), "-o", "-", "--ratio", "80:20", "--by", "note", "--seed", "7")
    record = json.loads(done.stdout)
    assert (record["seed"], record["ratio"], record["by"]) == (7, "80:20", "note")
    assert {name: len(ids) for name, ids in record["splits"].items()} == {"train": 16, "test": 4}


def test_a_record_is_used_again(tmp_path: Path) -> None:
    run(make_corpus(tmp_path / "a.jsonl"), "-o", tmp_path / "split.json", "--ratio", "80:20", "--seed", "5")
    done = run(make_corpus(tmp_path / "a.jsonl", 26), "-o", tmp_path / "new.json", "--like", tmp_path / "split.json")
    assert done.returncode == 0
    assert "6 notes added to the record" in done.stderr
    assert read_split(tmp_path / "new.json").home().items() >= read_split(tmp_path / "split.json").home().items()
    done = run(make_corpus(tmp_path / "a.jsonl", 18), "-o", "-", "--like", tmp_path / "split.json")
    assert "2 notes of the record left out" in done.stderr


def test_a_corpus_without_notes_is_not_split_even_by_a_record(tmp_path: Path) -> None:
    run(make_corpus(tmp_path / "a.jsonl"), "-o", tmp_path / "split.json")
    for like in ([], ["--like", tmp_path / "split.json"]):
        done = run(make_corpus(tmp_path / "a.jsonl", 0), "-o", tmp_path / "new.json", *like)
        assert (done.returncode, done.stderr) == (2, "error: there are no notes to split\n")
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by", "moon"], "--by moon: must be patient or note"),
        (["--ratio", "80"], "ratio 80 is not two or three"),
        (["--like", "a.jsonl", "--seed", "0"], "--like has its own ratio"),
        (["--like", "a.jsonl"], "not a split record"),
        (["--from", "csv"], "no note column"),
    ],
)
def test_wrong_arguments_are_told_and_nothing_is_written(arguments: list[str], words: str, tmp_path: Path) -> None:
    make_corpus(tmp_path / "a.jsonl")
    done = run(tmp_path / "a.jsonl", "-o", tmp_path / "split.json", *[tmp_path / word if word == "a.jsonl" else word for word in arguments])
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "split.json").exists()


def test_a_record_is_not_written_over_unasked(tmp_path: Path) -> None:
    make_corpus(tmp_path / "a.jsonl")
    assert run(tmp_path / "a.jsonl", "-o", tmp_path / "s.json").returncode == 0
    assert "--overwrite" in run(tmp_path / "a.jsonl", "-o", tmp_path / "s.json").stderr
    assert run(tmp_path / "a.jsonl", "-o", tmp_path / "s.json", "--overwrite").returncode == 0

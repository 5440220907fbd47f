"""incognote stats, from files to the table of the paper."""

import json
from pathlib import Path

import pytest

from incognote.corpora import write_corpus
from incognote.corpora.split import split_corpus, write_split
from incognote.document import Document, Span, parse_markup
from tests.fakes import Ended, run_command

NOTES = [parse_markup(f"<PATIENT>Ann Lee</PATIENT> is <AGE>{age}</AGE>.", id=f"n{age}", patient=f"p{age}") for age in range(40, 50)]


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    write_corpus(NOTES, tmp_path / "notes.jsonl", format="jsonl")
    return str(tmp_path / "notes.jsonl")


def run(*arguments: object) -> Ended:
    return run_command("stats", *arguments)


def rows(shown: str) -> list[list[str]]:
    return [line.split() for line in shown.splitlines() if line.strip()]


def test_the_table_has_non_phi_first_and_percent_in_four_places(corpus: str) -> None:
    done = run(corpus)
    assert done.returncode == 0
    shown = done.stdout
    found = rows(shown)
    assert ["notes", "10"] in found
    assert ["tokens", "50"] in found
    at = found.index(["Non-PHI", "20", "(40.0000)"])
    assert found[at + 1 : at + 3] == [["PATIENT", "20", "(40.0000)", "10"], ["AGE", "10", "(20.0000)", "10"]]
    assert ["Total", "50", "(100.0000)", "20"] in found
    assert "Ann" not in shown


def test_splits_stand_side_by_side_with_their_total(corpus: str, tmp_path: Path) -> None:
    write_split(split_corpus(NOTES), tmp_path / "split.json")
    done = run(corpus, "--split", str(tmp_path / "split.json"))
    assert done.returncode == 0
    found = rows(done.stdout)
    assert ["train", "validation", "test", "total"] in found
    assert ["notes", "5", "1", "4", "10"] in found


def test_json_on_standard_output_is_only_json(corpus: str) -> None:
    done = run(corpus, "--json", "-")
    assert done.returncode == 0
    value = json.loads(done.stdout)
    assert value["all"]["types"]["AGE"] == {"tokens": 10, "percent": 20.0, "entities": 10}


def test_several_corpora_are_named_by_what_differs(tmp_path: Path) -> None:
    for name in ("train", "dev"):
        write_corpus(NOTES[:3], tmp_path / name / "notes.jsonl", format="jsonl")
    done = run(str(tmp_path / "train" / "notes.jsonl"), str(tmp_path / "dev" / "notes.jsonl"))
    assert done.returncode == 0
    assert ["train", "dev", "total"] in rows(done.stdout)


def test_nothing_is_counted_twice(corpus: str, tmp_path: Path) -> None:
    done = run(corpus, corpus)
    assert (done.returncode, "this corpus is given twice" in done.stderr) == (2, True)
    write_split(split_corpus(NOTES), tmp_path / "split.json")
    write_corpus(NOTES[:3], tmp_path / "again.jsonl", format="jsonl")
    done = run(corpus, str(tmp_path / "again.jsonl"), "--split", str(tmp_path / "split.json"))
    assert (done.returncode, "a second document has this id" in done.stderr) == (2, True)


def test_a_label_outside_the_named_scheme_is_refused(corpus: str) -> None:
    done = run(corpus, "--scheme", "meddocan")
    assert done.returncode == 2
    assert "label PATIENT is not in scheme meddocan" in done.stderr


def test_brackets_in_names_and_labels_are_shown_as_they_are(tmp_path: Path) -> None:
    for name in ("one[red].jsonl", "two.jsonl"):
        write_corpus([Document("n", "Ann Lee", spans=(Span(0, 3, "NAME[/x]"),))], tmp_path / name, format="jsonl")
    done = run(str(tmp_path / "one[red].jsonl"), str(tmp_path / "two.jsonl"))
    assert done.returncode == 0
    shown = done.stdout
    assert "one[red].jsonl" in shown
    assert "NAME[/x]" in shown


def test_a_corpus_called_total_is_not_the_sum(tmp_path: Path) -> None:
    paths = [tmp_path / name / "notes.jsonl" for name in ("total", "dev")]
    for path, notes in zip(paths, (NOTES[:3], NOTES[3:5]), strict=True):
        write_corpus(notes, path, format="jsonl")
    done = run(*paths)
    assert done.returncode == 0
    assert ["notes", "3", "2", "5"] in rows(done.stdout)
    found = json.loads(run(*paths, "--json", "-").stdout)
    assert {name: part["notes"] for name, part in found.items()} == {str(paths[0]): 3, "dev": 2, "total": 5}

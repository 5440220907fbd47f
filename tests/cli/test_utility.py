"""incognote utility: what scrubbing costs, as a table and as JSON; bad input in one message."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from incognote.corpora import write_corpus
from incognote.document import Document
from tests.fakes import Ended, run_command

FILLER = [f"word{at}" for at in range(40)]


def run(*arguments: object) -> Ended:
    return run_command("utility", *arguments)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, random = tmp_path_factory.mktemp("corpora"), Random(0)
    forms: dict[str, list[Document]] = {"notes": [], "redact": [], "blank": []}
    for at in range(40):
        field, words = ("heart", "bone")[at % 2], " ".join(random.choices(FILLER, k=10))
        for form, text in {"notes": f"Ann {field} {words}", "redact": f"*** {field} {words}", "blank": words}.items():
            forms[form].append(Document(f"n{at}", text, patient=f"p{at}", meta={"field": field, "same": "x"}))
    for form, notes in forms.items():
        write_corpus(notes, folder / f"{form}.jsonl", format="jsonl")
    return folder


def test_the_cost_is_told_with_intervals(corpora: Path) -> None:
    code, out, _ = run(
        corpora / "notes.jsonl", corpora / "redact.jsonl", corpora / "blank.jsonl", "--labels", "field", "--seeds", 1, "--folds", 2
    )
    assert code == 0
    assert "40 notes of 40 patients in 2 classes" in out
    rows = [line.split() for line in out.splitlines() if line.split()[:1] in (["original"], ["redact"], ["blank"])]
    assert [row[:2] for row in rows][:4] == [["original", "original"], ["redact", "redact"], ["original", "redact"], ["redact", "original"]]
    assert "Tasks that need ages, dates or places may lose more" in " ".join(out.split())
    assert "word1" not in out


def test_json_to_standard_output_is_all_that_stands_there(corpora: Path) -> None:
    code, out, _ = run(
        corpora / "notes.jsonl", corpora / "blank.jsonl", "--labels", "field", "--seeds", 2, "--folds", 2, "--resamples", 50, "--json", "-"
    )
    found = json.loads(out)
    assert (code, found["model"], found["notes"], found["seeds"]) == (0, "words", 40, [0, 1])
    assert found["trials"][0]["scores"]["accuracy"]["value"] > 0.7
    assert found["trials"][1]["changes"]["accuracy"]["value"] < -0.1


def test_questions_tell_which_answers_survive(corpora: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text("id,question,answer\nn0,which organ,heart\nn1,which organ,bone\n")
    code, out, _ = run(corpora / "notes.jsonl", corpora / "redact.jsonl", corpora / "blank.jsonl", "--task", "qa", "--questions", questions)
    assert code == 0
    assert "1.0000 [1.000, 1.000]" in out
    assert "0.0000 [0.000, 0.000]" in out
    assert "No reader was trained" in out


def test_a_form_that_changes_nothing_is_told_of(corpora: Path) -> None:
    _, _, err = run(corpora / "notes.jsonl", corpora / "notes.jsonl", "--labels", "field", "--seeds", 1, "--folds", 2, "--resamples", 10)
    assert "warning: every note of notes equals the original" in err


def test_ids_that_do_not_match_are_an_error(corpora: Path, tmp_path: Path) -> None:
    write_corpus([Document("n0", "x"), Document("zz", "x")], tmp_path / "few.jsonl", format="jsonl")
    code, _, err = run(corpora / "notes.jsonl", tmp_path / "few.jsonl", "--labels", "field", "--json", tmp_path / "out.json")
    assert code == 2
    assert err.startswith("error: few: 39 of the 40 original notes are not in it (n1, n2, n3, n4, n5, …)")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--labels", "nothing"], "nothing is neither a file nor a column; the extra columns are: field, same"),
        (["--labels", "same"], "every labelled note has the class x"),
        ([], "--task classify needs --labels"),
        (["--task", "qa", "--labels", "field"], "--task qa needs --questions"),
        (["--task", "sort"], "--task sort: must be classify or qa"),
        (["--labels", "field", "--regime", "half"], "half: is frozen, all, or top-N"),
        (["--labels", "field", "--folds", "41"], "41 folds of 40 patients"),
        (["--labels", "field", "--model", "no/such/folder"], "no/such/folder"),
        (["--labels", "field", "--regime", "top-2"], "top-2 is for an encoder: add --model"),
        (
            ["--task", "qa", "--questions", "q.csv", "--model", "default", "--device", "cpu"],
            "cpu is for a frozen encoder",
        ),
    ],
)
def test_bad_options_are_one_error(corpora: Path, options: list[str], fault: str) -> None:
    code, out, err = run(corpora / "notes.jsonl", corpora / "redact.jsonl", *options)
    assert (code, out) == (2, "")
    assert fault in err
    assert err.count("error:") == 1


def test_a_label_with_one_example_is_an_error(corpora: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\nn0,a\nn1,a\nn2,b\nn3,b\nn4,rare\n")
    code, _, err = run(corpora / "notes.jsonl", corpora / "redact.jsonl", "--labels", labels)
    assert (code, "one patient only (rare)" in err) == (2, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_scores_are_in_their_file_before_any_table_is_printed(corpora: Path, tmp_path: Path) -> None:
    options = ["--labels", "field", "--seeds", "1", "--folds", "2", "--resamples", "5", "--json", str(tmp_path / "scores.json")]
    command = [sys.executable, "-m", "incognote", "utility", str(corpora / "notes.jsonl"), str(corpora / "redact.jsonl"), *options]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False).returncode == 2
    assert json.loads((tmp_path / "scores.json").read_text())["notes"] == 40


def test_a_terminal_that_lacks_a_sign_gets_another(corpora: Path) -> None:
    options = ["--labels", "field", "--seeds", "1", "--folds", "2", "--resamples", "5"]
    command = [sys.executable, "-m", "incognote", "utility", str(corpora / "notes.jsonl"), str(corpora / "redact.jsonl"), *options]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=False)
    assert (done.returncode, b"1 seed \\xd7 2 folds" in done.stdout) == (0, True)

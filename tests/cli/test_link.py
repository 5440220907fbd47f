"""incognote link: attacks on scrubbed notes, as a table and as JSON; bad input in one message."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from incognote.corpora import write_corpus
from incognote.document import Document
from tests.fakes import Ended, run_command

FILLER = [f"word{at}" for at in range(60)]


def run(*arguments: object) -> Ended:
    return run_command("link", *arguments)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, random = tmp_path_factory.mktemp("corpora"), Random(0)
    forms: dict[str, list[Document]] = {"notes": [], "redact": []}
    for at in range(60):
        words = " ".join(random.choices(FILLER, k=20))
        for form, name in {"notes": f"Name{at // 3}", "redact": "*****"}.items():
            forms[form].append(Document(f"n{at}", f"{name} {words}", patient=f"p{at // 3}", meta={"sort": "letter"}))
    for form, notes in forms.items():
        write_corpus(notes, folder / f"{form}.jsonl", format="jsonl")
    return folder


def test_the_risk_is_told_beside_what_the_attack_can_do(corpora: Path) -> None:
    code, out, _ = run(corpora / "notes.jsonl", corpora / "redact.jsonl", "--seeds", 1, "--resamples", 50)
    assert code == 0
    assert "60 notes of 20 patients, 20 with two notes or more" in out
    assert "original (nothing hidden)" in out
    assert "It does not mean that a stranger can name a patient" in " ".join(out.split())
    assert "Name1" not in out


def test_json_has_every_attack(corpora: Path) -> None:
    arguments = ("--seeds", 1, "--resamples", 50, "--kind", "sort", "--json", "-")
    code, out, _ = run(corpora / "notes.jsonl", corpora / "redact.jsonl", *arguments)
    found = json.loads(out)
    assert (code, found["kind"], found["false_pairs_of_the_same_kind"]) == (0, "sort", 1.0)
    areas = {(one["form"], one["attack"]): one["auc"] for one in found["attacks"]}
    assert areas["original", "rare words"] > 0.95
    assert areas["redact", "rare words"] < 0.7


def test_no_patient_with_two_notes_is_an_error(tmp_path: Path) -> None:
    for form in ("a", "b"):
        write_corpus([Document(f"n{at}", "x", patient=f"p{at}") for at in range(9)], tmp_path / f"{form}.jsonl", format="jsonl")
    code, _, err = run(tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--json", tmp_path / "out.json")
    assert (code, "too few patients with two notes or more (0)" in err) == (2, True)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--kind", "nothing"], "no column nothing beside the notes; the columns are: sort"),
        (["--regime", "half"], "half: is frozen, all, or top-N"),
        (["--model", "no/such/folder"], "no/such/folder"),
        (["--regime", "all"], "all is for an encoder: add --model"),
        (["--regime", "all", "--model", "default", "--device", "cpu"], "cpu is for a frozen encoder"),
    ],
)
def test_bad_options_are_one_error(corpora: Path, options: list[str], fault: str) -> None:
    code, out, err = run(corpora / "notes.jsonl", corpora / "redact.jsonl", *options)
    assert (code, out) == (2, "")
    assert fault in err


@pytest.fixture
def few(tmp_path: Path) -> list[Path]:
    """Four patients of two notes each, the fewest that can be linked."""
    paths = [tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"]
    for path, name in zip(paths, ("Name", "*****"), strict=True):
        notes = [Document(f"n{at}", f"{name} {FILLER[at]}", patient=f"p{at // 2}") for at in range(8)]
        write_corpus(notes, path, format="jsonl")
    return paths


def test_the_fewest_patients_are_linked_and_what_they_leave_open_is_null(few: list[Path]) -> None:
    code, out, _ = run(*few, "--seeds", 1, "--resamples", 1, "--json", "-")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (code, found["true_pairs"], found["pairs"]) == (0, 4, 12)
    assert {str(one["interval"]) for one in found["attacks"]} == {"None"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_figures_are_in_their_file_before_any_table_is_printed(few: list[Path]) -> None:
    target = few[0].with_name("figures.json")
    command = [sys.executable, "-m", "incognote", "link", *map(str, few), "--seeds", "1", "--resamples", "5", "--json", str(target)]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False).returncode == 2
    assert json.loads(target.read_text())["notes"] == 8

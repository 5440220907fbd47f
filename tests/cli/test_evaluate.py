"""incognote evaluate, from files to tables, JSON and page."""

import json
import os
from pathlib import Path
from threading import Thread

import pytest

from incognote.cli.output import write_text
from incognote.corpora import read_corpus, write_corpus
from incognote.document import Document, Span, parse_markup
from incognote.errors import OutputError
from tests.fakes import Ended, run_command

GOLD = [
    parse_markup("Mr. <PATIENT>Kaczmarek</PATIENT>, <AGE>41</AGE>, seen <DATE>3/5/2067</DATE>.", id="1-01", patient="1"),
    parse_markup("<IDNUM>X-77</IDNUM> by <DOCTOR>Ann Lee</DOCTOR>", id="2-01", patient="2"),
]
FOUND = [
    parse_markup("Mr. <DOCTOR>Kaczmarek</DOCTOR>, <AGE>41</AGE>, seen <DATE>3/5/2067.</DATE>", id="1-01", patient="1"),
    parse_markup("<IDNUM>X-77</IDNUM> by <DOCTOR>Ann Lee</DOCTOR>", id="2-01", patient="2"),
]
MEDDOCAN = Path(__file__).resolve().parents[3] / "shared" / "data" / "meddocan"


def write(folder: Path, name: str, documents: list[Document]) -> str:
    write_corpus(documents, folder / name, format="jsonl")
    return str(folder / name)


def run(*arguments: object) -> Ended:
    return run_command("evaluate", *arguments)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [write(tmp_path, "gold.jsonl", GOLD), write(tmp_path, "found.jsonl", FOUND)]


def test_the_tables_show_every_group_of_scores(files: list[str]) -> None:
    done = run(*files, "--resamples", "50")
    assert done.returncode == 0
    for part in (
        "2 notes, 2 patients, 19 tokens",
        "character recall",
        "strict, HIPAA with IDNUM",
        "spans, merged",
        "PATIENT",
        "Confused types",
    ):
        assert part in done.stdout
    assert "…" not in done.stdout
    assert "Kaczmarek" not in done.stdout + done.stderr


def test_json_on_standard_output_is_only_json(files: list[str]) -> None:
    done = run(*files, "--json", "-", "--resamples", "50")
    assert done.returncode == 0
    value = json.loads(done.stdout)
    assert value["scores"]["i2b2.strict.all"]["tp"] == 3
    assert value["scores"]["i2b2.strict.hipaa"]["tp"] == 1
    assert value["scores"]["i2b2.strict.hipaa-idnum"]["tp"] == 2
    assert value["bootstrap"] == {"resamples": 50, "seed": 0, "level": 0.95, "unit": "patient"}


def test_a_comparison_gives_the_paired_difference(files: list[str], tmp_path: Path) -> None:
    page, scores = tmp_path / "scores.html", tmp_path / "scores.json"
    done = run(files[0], files[0], "--against", files[1], "--html", str(page), "--json", str(scores))
    assert done.returncode == 0
    assert "Compared with found.jsonl" in done.stdout
    assert "Compared with found.jsonl" in page.read_text(encoding="utf-8")
    first = json.loads(scores.read_text(encoding="utf-8"))["contrasts"][0]
    assert (first["one"], first["difference"]) == (1.0, pytest.approx(1.0 - first["two"]))


def test_one_patient_gives_a_difference_without_interval_or_p(tmp_path: Path) -> None:
    gold, found = write(tmp_path, "gold.jsonl", GOLD[:1]), write(tmp_path, "found.jsonl", FOUND[:1])
    page, scores = tmp_path / "scores.html", tmp_path / "scores.json"
    done = run(gold, gold, "--against", found, "--resamples", "5", "--html", page, "--json", scores)
    assert done.returncode == 0
    line = next(line for line in done.stdout.splitlines() if line.split()[:2] == ["entity", "F1"])
    assert line.rstrip().endswith("+0.6667 (one patient: no interval)")
    assert "<small>one patient: no interval</small>" in page.read_text(encoding="utf-8")
    contrasts = json.loads(scores.read_text(encoding="utf-8"))["contrasts"]
    assert {(each["interval"], each["p"]) for each in contrasts} == {(None, None)}


def test_two_systems_in_files_of_one_name_are_told_apart(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other", "found.jsonl", GOLD)
    done = run(*files, "--against", other, "--resamples", "5")
    assert f"Compared with {other} (difference above 0: {files[1]} is better)" in done.stdout


def test_no_title_is_broken_however_narrow_its_table(files: list[str]) -> None:
    lines = run(*files, "--resamples", "5").stdout.splitlines()
    assert "Missed and spurious (O: not PHI)" in lines
    assert "Tokens (word tokens as in Meaney et al. 2022: B and I made one, micro over PHI types, O left out)" in lines


def test_gold_without_a_span_is_told_of(files: list[str], tmp_path: Path) -> None:
    bare, page = write(tmp_path, "bare.jsonl", [document.with_spans(()) for document in GOLD]), tmp_path / "scores.html"
    done = run(bare, files[1], "--resamples", "5", "--html", page)
    assert done.returncode == 0
    assert f"warning: {bare}: the gold has no span: nothing could be missed, so recall and leaks say nothing" in done.stderr
    assert "The gold has no span" in page.read_text(encoding="utf-8")
    assert "has no span" not in run(*files, "--resamples", "5").stderr


def test_the_name_of_a_file_need_not_be_utf8(files: list[str], tmp_path: Path) -> None:
    odd, page, scores = os.fsdecode(os.fsencode(tmp_path) + b"/f\xff.jsonl"), tmp_path / "scores.html", tmp_path / "scores.json"
    os.rename(files[1], odd)
    assert run(files[0], odd, "--resamples", "5", "--html", page, "--json", scores).returncode == 0
    assert json.loads(scores.read_text(encoding="utf-8"))["predicted"] == odd
    assert "<title>f\\udcff.jsonl: scores</title>" in page.read_text(encoding="utf-8")


def test_closed_standard_output_is_one_clear_error(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(OutputError, match="standard output is closed"):
        write_text("{}", "-")


def test_missing_notes_are_named(files: list[str], tmp_path: Path) -> None:
    done = run(files[0], write(tmp_path, "part.jsonl", FOUND[:1]), "--resamples", "5")
    assert done.returncode == 0
    assert "; counted as without spans: 2-01" in done.stderr


def test_extra_notes_are_refused_unless_ignored(files: list[str], tmp_path: Path) -> None:
    gold = write(tmp_path, "part.jsonl", GOLD[:1])
    done = run(gold, files[1])
    assert done.returncode == 2
    assert f"error: {files[1]}: 1 predicted but not in the gold: 2-01" in done.stderr
    done = run(gold, files[1], "--ignore-extra", "--resamples", "5")
    assert done.returncode == 0


def test_other_text_is_refused_without_showing_it(files: list[str], tmp_path: Path) -> None:
    other = write(tmp_path, "other.jsonl", [parse_markup("Mr. Kaczmarek!", id="1-01")])
    done = run(files[0], other)
    assert done.returncode == 2
    shown = done.stderr
    assert f"error: {other}, document 1-01: gold and predicted text differ from character 13 on" in shown
    assert "Kaczmarek" not in shown


def test_labels_of_two_schemes_meet_in_a_third(tmp_path: Path) -> None:
    gold = write(tmp_path, "gold.jsonl", [parse_markup("<FECHAS>3 mayo</FECHAS> ok", id="a")])
    found = write(tmp_path, "found.jsonl", [parse_markup("<DATE>3 mayo</DATE> ok", id="a")])
    done = run(gold, found, "--map-to", "i2b2-2014", "--json", "-", "--resamples", "5")
    assert done.returncode == 0
    assert json.loads(done.stdout)["scores"]["entity"]["f1"] == 1.0
    done = run(gold, found, "--resamples", "5")
    assert done.returncode == 0
    assert "there are no HIPAA scores" in done.stderr


def test_an_unknown_scheme_is_one_clear_error(files: list[str]) -> None:
    done = run(*files, "--map-to", "nothing")
    assert done.returncode == 2
    assert "label scheme nothing is not known" in done.stderr


def test_a_pipe_or_device_is_written_to_and_never_replaced(files: list[str], tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    done = run(*files, "--resamples", "5", "--json", str(pipe))
    assert done.returncode == 0
    reader.join(timeout=10)
    assert pipe.is_fifo()
    assert json.loads(read[0])["documents"] == 2


def test_a_place_that_cannot_be_written_is_one_clear_error(files: list[str]) -> None:
    done = run(*files, "--resamples", "5", "--json", f"{files[0]}/scores.json")
    assert done.returncode == 2
    assert "is a file, not a folder" in done.stderr


def test_standard_output_takes_one_thing(files: list[str]) -> None:
    done = run(*files, "--json", "-", "--html", "-")
    assert done.returncode == 2
    assert "--html -: is where --json goes too" in done.stderr


@pytest.mark.skipif(not MEDDOCAN.exists(), reason="the MEDDOCAN corpus is not beside the repository")
def test_meddocan_against_itself_is_perfect() -> None:
    dev = str(MEDDOCAN / "dev" / "brat")
    done = run(dev, str(MEDDOCAN / "dev" / "xml"), "--json", "-", "--resamples", "100")
    assert done.returncode == 0
    value = json.loads(done.stdout)
    assert value["documents"] == len(list(read_corpus(dev))) == 250
    assert {each["f1"] for each in value["scores"].values()} == {1.0}
    assert value["leaks"] == []


def test_brackets_in_names_and_labels_are_shown_as_they_are(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("gold.jsonl", "found[red].jsonl", "other[red].jsonl")]
    for path, label in zip(paths, ("NAME[/x]", "AGE[/x]", "NAME[/x]"), strict=True):
        write_corpus([Document("n", "Ann Lee", spans=(Span(0, 3, label),))], path, format="jsonl")
    done = run(paths[0], paths[1], "--against", paths[2], "--resamples", "5")
    assert done.returncode == 0
    shown = done.stdout
    assert all(word in shown for word in ("found[red]", "other[red]", "NAME[/x]", "AGE[/x]"))

"""incognote convert: exit codes, one clear message, nothing half-written."""

import json
from pathlib import Path

import pytest

from incognote.corpora import FORMATS, read_corpus, write_corpus
from incognote.document import Document, Span
from tests.fakes import Ended, run_command

NOTES = [
    Document("220-01", "Ann Lee, 2067-05-03\r\n", patient="220", spans=(Span(0, 7, "PATIENT"), Span(9, 19, "DATE"))),
    Document("220-02", "😀 seen by Kowalczyk", patient="220", spans=(Span(10, 19, "DOCTOR"),)),
    Document("221-01", "", patient="221"),
]


def run(*arguments: object) -> Ended:
    return run_command(*arguments)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_corpus(NOTES, tmp_path / "gold", format="i2b2")
    return tmp_path / "gold"


def test_a_corpus_goes_through_other_formats_and_comes_back(corpus: Path, tmp_path: Path) -> None:
    for source, target, format in [("gold", "b.jsonl", "jsonl"), ("b.jsonl", "c.parquet", "parquet"), ("c.parquet", "d", "i2b2")]:
        done = run("convert", tmp_path / source, tmp_path / target, "--to", format)
        assert (done.returncode, done.stdout) == (0, "")
        assert "3 notes" in done.stderr
    assert {path.name: path.read_bytes() for path in corpus.iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()
    }


def test_labels_are_mapped_to_another_scheme(corpus: Path, tmp_path: Path) -> None:
    assert run("convert", corpus, tmp_path / "b.jsonl", "--to", "jsonl", "--map-to", "coarse").returncode == 0
    assert [span.label for note in read_corpus(tmp_path / "b.jsonl") for span in note.spans] == ["NAME", "DATE", "NAME"]
    again = run("convert", tmp_path / "b.jsonl", tmp_path / "c.jsonl", "--to", "jsonl", "--map-to", "coarse")
    assert again.returncode == 2
    assert "name it with --scheme" in again.stderr


def test_columns_are_named_by_options(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"nr,mrn,note,ward\r\n1,p,Ann,B\r\n")
    names = ["--note-column", "note", "--id-column", "nr", "--patient-column", "mrn"]
    assert run("convert", tmp_path / "a.csv", tmp_path / "b.csv", "--to", "csv", *names).returncode == 0
    assert (tmp_path / "b.csv").read_bytes() == b"nr,mrn,note,ward,spans\r\n1,p,Ann,B,[]\r\n"


def break_one(corpus: Path) -> None:
    (corpus / "220-02.xml").write_text("<deIdi2b2><TEXT>Kowalczyk</deIdi2b2>", encoding="utf-8")


@pytest.mark.parametrize("format", FORMATS)
def test_a_bad_document_stops_the_run_and_leaves_nothing(format: str, corpus: Path, tmp_path: Path) -> None:
    break_one(corpus)
    arguments = ["--scheme", "i2b2-2014"] if format in ("meddocan", "i2b2-2006") else []
    done = run("convert", corpus, tmp_path / "out", "--to", format, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {corpus}/220-02.xml, document 220-02, line 1, column")
    assert done.stderr.count("\n") == 1
    assert "Kowalczyk" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["gold"]


def test_keep_going_names_the_bad_and_converts_the_rest(corpus: Path, tmp_path: Path) -> None:
    break_one(corpus)
    done = run("convert", corpus, tmp_path / "b.jsonl", "--to", "jsonl", "--keep-going", "--quarantine", "-")
    assert done.returncode == 3
    assert [note.id for note in read_corpus(tmp_path / "b.jsonl")] == ["220-01", "221-01"]
    (entry,) = json.loads(done.stdout)
    assert (entry["document"], entry["path"]) == ("220-02", str(corpus / "220-02.xml"))
    assert "1 note in quarantine" in done.stderr
    assert "mismatched tag" in done.stderr
    assert "Kowalczyk" not in done.stderr + done.stdout


def test_keep_going_without_bad_documents_is_plain_success(corpus: Path, tmp_path: Path) -> None:
    done = run("convert", corpus, tmp_path / "b.jsonl", "--to", "jsonl", "--keep-going", "--quarantine", tmp_path / "bad.json")
    assert done.returncode == 0
    assert json.loads((tmp_path / "bad.json").read_text(encoding="utf-8")) == []


def test_output_that_is_there_or_in_the_input_is_refused(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x.txt").write_bytes(b"old")
    for target, words in [(corpus / "out", "inside the input"), (corpus, "same"), (tmp_path / "full", "--overwrite")]:
        done = run("convert", corpus, target, "--to", "text")
        assert done.returncode == 2
        assert words in done.stderr
    assert run("convert", corpus, tmp_path / "full", "--to", "text", "--overwrite").returncode == 0
    assert sorted(path.name for path in (tmp_path / "full").iterdir()) == ["220-01.txt", "220-02.txt", "221-01.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "out", "--to", "text"], "no such file or folder"),
        (["empty", "out", "--to", "text"], "empty"),
        (["gold", "out", "--to", "docx"], "format docx is not known; there are: i2b2"),
        (["gold", "out", "--to", "text", "--from", "docx"], "format docx is not known"),
        (["gold", "out", "--to", "text", "--scheme", "icd"], "label scheme icd is not known"),
        (["gold", "out", "--to", "text", "--map-to", "icd"], "label scheme icd is not known"),
        (["gold", "out", "--to", "meddocan"], "label PATIENT is not in scheme meddocan"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(arguments: list[str], words: str, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    source, target, *rest = arguments
    done = run("convert", tmp_path / source, tmp_path / target, *rest)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("format", "target"), [("meddocan", "out"), ("i2b2-2006", "out.xml")])
def test_a_label_that_does_not_fit_is_told_what_can_be_done(format: str, target: str, tmp_path: Path) -> None:
    write_corpus([Document("n1", "Boston", spans=(Span(0, 6, "CITY"),))], tmp_path / "gold", format="i2b2")
    done = run("convert", tmp_path / "gold", tmp_path / target, "--to", format)
    assert done.returncode == 2
    assert "name their scheme with --scheme" in done.stderr
    mapped = run("convert", tmp_path / "gold", tmp_path / target, "--to", format, "--map-to", format)
    assert (mapped.returncode == 0) == (f"--map-to {format}" in done.stderr)


def test_a_quarantine_without_keep_going_is_refused(corpus: Path, tmp_path: Path) -> None:
    done = run("convert", corpus, tmp_path / "b.jsonl", "--to", "jsonl", "--quarantine", tmp_path / "bad.json")
    assert done.returncode == 2
    assert "add --keep-going" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["gold"]

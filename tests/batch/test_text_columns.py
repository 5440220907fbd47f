"""Further text columns are scrubbed with the surrogates of the note, and nothing else of the table changes."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from incognote.batch.text_columns import join_columns
from incognote.cli.main import app
from incognote.corpora import read_corpus
from incognote.document import Document
from incognote.errors import CorpusError, IncognoteError

TEXT = "Patient: William Harrington\nMr. Harrington fell on 03/04/2061."
REASON = "Fall; son of William Harrington called\nfrom 617-555-0142"


def scrub(source: Path, *options: str) -> Result:
    (source.parent / "key").write_text("qT7vXr2LmZ9bKd4WnPs6HyJf3GaCe8Ru")
    (source.parent / "key").chmod(0o600)
    target = source.with_name(f"out{source.suffix}")
    key = ["--key-file", str(source.parent / "key")]
    return CliRunner().invoke(app, ["scrub", str(source), "-o", str(target), "--model", "none", "--workers", "1", *key, *options])


def write(path: Path) -> Path:
    row = {"id": "n1", "patient": "p1", "ward": "B3", "reason": REASON, "text": TEXT, "plan": ""}
    if path.suffix == ".jsonl":
        path.write_text(json.dumps(row) + "\n" + json.dumps({"id": "n2", "text": "Seen.", "plan": None}) + "\n")
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([row.keys(), row.values()])
    else:
        pq.write_table(pa.table({name: [value] for name, value in row.items()}), path)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet"])
def test_a_text_column_gets_the_surrogates_of_the_note(name: str, tmp_path: Path) -> None:
    done = scrub(write(tmp_path / name), "--scrub-columns", "reason,plan", "--json", str(tmp_path / "counts.json"))
    assert done.exception is None, done.output
    note = next(read_corpus(tmp_path / f"out{Path(name).suffix}"))
    reason = note.meta["reason"]
    assert isinstance(reason, str)
    surname = note.text.partition("\n")[0].split()[-1]
    assert surname in reason
    assert reason.startswith("Fall; son of ")
    assert reason.count("\n") == 1
    assert not any(word in note.text + reason for word in ("Harrington", "William", "617-555-0142", "\u241e"))
    assert (note.meta["ward"], note.meta["plan"] or "") == ("B3", "")
    assert "extra columns copied unchanged and not searched for PHI: ward (" in done.output


def test_a_name_of_the_column_is_hidden_in_the_note_too(tmp_path: Path) -> None:
    row = {"id": "n1", "reason": "Patient: Ada Okonkwo", "text": "okonkwo slept well."}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    assert scrub(tmp_path / "a.jsonl", "--scrub-columns", "reason").exception is None
    assert "okonkwo" not in (tmp_path / "out.jsonl").read_text().lower()


def test_spans_of_a_column_are_not_annotated_in_the_note(tmp_path: Path) -> None:
    done = scrub(write(tmp_path / "a.jsonl"), "--scrub-columns", "reason", "--keep-spans")
    assert done.exception is None, done.output
    note = next(read_corpus(tmp_path / "out.jsonl", scheme="i2b2-2014"))
    assert note.spans
    assert all(note.value(span).strip() for span in note.spans)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scrub-columns", "raeson"], "scrub_columns: no note has a column raeson"),
        (["--scrub-columns", "text"], "scrub_columns: text holds the notes"),
        (["--scrub-columns", "reason", "--drop-columns", "reason"], "reason is named in drop_columns and scrub_columns"),
        (["--scrub-columns", "reason", "--vault", "v"], "a vault holds no columns"),
    ],
)
def test_settings_that_cannot_be_met_are_refused(options: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = scrub(write(tmp_path / "a.jsonl"), *options)
    assert isinstance(done.exception, IncognoteError)
    assert words in str(done.exception)


def test_columns_left_out_are_all_but_those_to_scrub(tmp_path: Path) -> None:
    done = scrub(write(tmp_path / "a.jsonl"), "--scrub-columns", "reason", "--drop-columns", "all")
    assert done.exception is None, done.output
    assert set(next(read_corpus(tmp_path / "out.jsonl")).meta) == {"reason"}


@pytest.mark.parametrize("value", [7, ["Harrington"], "a \u241e b"])
def test_what_is_no_text_is_refused_without_its_value(value: object) -> None:
    with pytest.raises(CorpusError, match="column reason does not hold text") as caught:
        join_columns(Document("n1", TEXT, meta={"reason": value}), ["reason"])
    assert "Harrington" not in str(caught.value)

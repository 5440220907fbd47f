"""Spans that a policy keeps are counted apart, and spans that notes had before stand in nobody's way."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.corpora import write_corpus
from incognote.document import Document, Span
from tests.fakes import run_by_rules


def test_spans_that_the_policy_keeps_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Mr. Kowalczyk was seen on 03/04/2065.")
    options = ["--policy", "limited-data-set", "--mode", "tag", "--model", "none"]
    pages = ["--json", str(tmp_path / "run.json"), "--report", str(tmp_path / "run.html")]
    result = CliRunner().invoke(app, ["scrub", str(tmp_path / "notes"), "-o", str(tmp_path / "clean"), *options, *pages])
    assert result.exception is None
    assert "1 note, 1 span replaced, 1 kept by the policy" in result.output
    counts = json.loads((tmp_path / "run.json").read_text())
    assert (counts["spans"], counts["replaced"], counts["kept"]) == (2, 1, {"DATE": 1})
    assert "1 spans of PHI replaced, 1 kept as the policy says" in (tmp_path / "run.html").read_text()
    assert "no original PHI" not in (tmp_path / "run.html").read_text(), "the date that is kept is shown"


@pytest.mark.parametrize("command", ["scrub", "tag"])
@pytest.mark.parametrize(("format", "name"), [("meddocan", "notes"), ("i2b2-2006", "notes.xml")])
def test_labels_of_other_schemes_that_notes_had_before_are_no_fault(tmp_path: Path, format: str, name: str, command: str) -> None:
    note = Document("n1", "Mr. Kowalczyk left.", spans=(Span(4, 13, "USERNAME"),))
    write_corpus([note], tmp_path / name, format=format, scheme="i2b2-2014")
    target = tmp_path / {"scrub": f"clean-{name}", "tag": "found.jsonl"}[command]
    code, said = run_by_rules(command, tmp_path / name, "-o", target)
    assert code == 0, said
    assert "USERNAME" not in "".join(file.read_text() for file in (target.iterdir() if target.is_dir() else [target]))


OVERLAPPING = '[{"start": 0, "end": 13, "label": "A"}, {"start": 4, "end": 13, "label": "B"}]'


@pytest.mark.parametrize("command", ["scrub", "tag"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes/a.ann", "T1\tA 0 13\tMr. Kowalczyk\nT2\tB 4 13\tKowalczyk\n"),
        ("notes.jsonl", f'{{"id": "a", "text": "Mr. Kowalczyk left.", "spans": {OVERLAPPING}}}\n'),
        ("notes.csv", "id,text,spans\na,Mr. Kowalczyk left.,feet\n"),
    ],
)
def test_spans_that_notes_had_before_may_overlap_or_be_no_spans_at_all(tmp_path: Path, name: str, content: str, command: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Mr. Kowalczyk left.")
    (tmp_path / name).write_text(content)
    source = (tmp_path / name).parent if name.endswith(".ann") else tmp_path / name
    target = tmp_path / {"scrub": f"clean-{source.name}", "tag": "found.jsonl"}[command]
    code, said = run_by_rules(command, source, "-o", target)
    assert code == 0, said
    assert "feet" not in "".join(file.read_text() for file in (target.iterdir() if target.is_dir() else [target]))

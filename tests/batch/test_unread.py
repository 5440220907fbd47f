"""Notes with letters that the model cannot read are set aside, unless the run accepts them."""

import json
from pathlib import Path

import pytest

from incognote import Deidentifier, Document
from incognote.errors import UnreadError
from tests.fakes import run_by_rules

TEXTS = {"plain": "Mr. Kowalczyk, 5 µg.", "mixed": "Mr. Kowalczyk. 李秀英 came.", "foreign": "Осмотр проведён."}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_unread_notes_are_set_aside_and_the_others_written(notes: Path, tmp_path: Path) -> None:
    code, said = run_by_rules("scrub", notes, "-o", tmp_path / "clean", "--json", tmp_path / "run.json", "--report", tmp_path / "r.html")
    assert code == 3, said
    assert [path.name for path in (tmp_path / "clean").iterdir()] == ["plain.txt"]
    run = json.loads((tmp_path / "run.json").read_text())
    reasons = {row["document"]: row["reason"] for row in run["quarantine"]}
    assert set(reasons) == {"mixed", "foreign"}
    assert "3 letters of Han" in reasons["mixed"]
    assert "14 letters of Cyrillic" in reasons["foreign"]
    assert "3 letters of Han" in (tmp_path / "r.html").read_text()
    assert "李秀英" not in said + (tmp_path / "run.json").read_text() + (tmp_path / "r.html").read_text()


def test_unread_notes_are_written_and_counted_when_accepted(notes: Path, tmp_path: Path) -> None:
    code, said = run_by_rules("scrub", notes, "-o", tmp_path / "clean", "--json", tmp_path / "run.json", "--accept-unread")
    assert code == 0, said
    assert len(list((tmp_path / "clean").iterdir())) == 3
    assert json.loads((tmp_path / "run.json").read_text())["unread"] == {"Han": 3, "Cyrillic": 14}
    assert "14 Cyrillic, 3 Han" in said


def test_listed_names_leave_nothing_unread(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("patient,name\np1,李秀英\n", encoding="utf-8")
    note = Document("n", "Mr. Kowalczyk. 李秀英 came.", patient="p1")
    scrubber = Deidentifier.default(models=(), mode="redact", patients=tmp_path / "p.csv")
    assert scrubber.scrub(note).text == "Mr. ***. *** came."


def test_python_raises_for_text_that_cannot_be_read_unless_accepted() -> None:
    with pytest.raises(UnreadError, match="3 letters of Han") as caught:
        Deidentifier.default(models=(), mode="redact").scrub("Saw 李秀英.")
    assert "李" not in str(caught.value)
    assert Deidentifier.default(models=(), mode="redact", accept_unread=True).scrub("Saw 李秀英.").text == "Saw 李秀英."

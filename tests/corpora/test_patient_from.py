"""Patients of a folder of notes, found in the ids."""

from pathlib import Path

import pytest

from incognote.corpora import Columns, read_corpus
from incognote.errors import ConfigError, CorpusError
from tests.fakes import run_command


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "p8").mkdir(parents=True)
    (folder / "p7_1.txt").write_text("Mr. Jon Kowalczyk was seen on 03/04/2065.", encoding="utf-8")
    (folder / "p7_2.txt").write_text("kowalczyk called back.", encoding="utf-8")
    (folder / "p8" / "1.txt").write_text("Mr. Kowalczyk left.", encoding="utf-8")
    return folder


@pytest.mark.parametrize("expression", [r"^(p\d)[_/]", r"^p\d"])
def test_the_first_group_or_the_match_is_the_patient(notes: Path, expression: str) -> None:
    found = read_corpus(notes, format="text", columns=Columns(patient_from=expression))
    assert [(document.id, document.patient) for document in found] == [("p7_1", "p7"), ("p7_2", "p7"), ("p8/1", "p8")]


def test_a_note_without_a_patient_in_its_id_stops_the_run_or_is_set_aside(notes: Path) -> None:
    columns = Columns(patient_from="^p7")
    with pytest.raises(CorpusError, match="no patient in this id"):
        list(read_corpus(notes, format="text", columns=columns))
    aside: list[CorpusError] = []
    assert len(list(read_corpus(notes, format="text", columns=columns, quarantine=aside.append))) == 2
    assert [error.document for error in aside] == ["p8/1"]


def test_tables_and_broken_expressions_are_refused(notes: Path, tmp_path: Path) -> None:
    table = tmp_path / "notes.jsonl"
    table.write_text('{"id": "1", "text": "x"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="patient column"):
        list(read_corpus(table, columns=Columns(patient_from="x")))
    with pytest.raises(ConfigError, match="not a regular expression"):
        Columns(patient_from="^(p7")


def test_notes_of_one_patient_share_their_surrogates(notes: Path, tmp_path: Path) -> None:
    code, _, said = run_command("scrub", str(notes), "-o", str(tmp_path / "clean"), "--patient-from", r"^p\d", "--runtime", "onnx")
    assert code == 0, said
    first, second = ((tmp_path / "clean" / name).read_text(encoding="utf-8") for name in ("p7_1.txt", "p7_2.txt"))
    assert second.split()[0] == first.split()[2].lower()

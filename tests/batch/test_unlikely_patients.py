"""An id that stands for many people is told of before the notes are replaced: hospitals write UNKNOWN, 0 or -1."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.batch import scrub
from incognote.cli.main import app


@pytest.mark.parametrize(("patient", "warned"), [("UNKNOWN", True), ("", False)])
def test_an_id_that_many_people_share_is_doubted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patient: str, warned: bool) -> None:
    monkeypatch.setattr(scrub, "MOST_VALUES", 3)
    names = ("Kowalczyk", "Adeyemi", "Kaczmarek", "Siddiqui")
    rows = "".join(f"n{at},{patient},Mr. {name} left.\n" for at, name in enumerate(names))
    (tmp_path / "notes.csv").write_text(f"id,patient,text\n{rows}")
    arguments = ["scrub", str(tmp_path / "notes.csv"), "-o", str(tmp_path / "clean.csv"), "--mode", "tag", "--model", "none"]
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None
    assert ("4 different values were found in the notes of patient UNKNOWN; is that one person?" in result.output) is warned

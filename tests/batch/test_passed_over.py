"""Files in a folder of notes that are none: a run says how many it passed over, and of what kind."""

from pathlib import Path

from typer.testing import CliRunner

from incognote.cli.main import app


def test_files_that_no_note_is_read_from_are_counted_by_their_endings(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "ward").mkdir(parents=True)
    for name in ("a.txt", "b.TXT", "ward/Kowalczyk.rtf", "ward/c.RTF", "LICENSE", "_SUCCESS", ".hidden"):
        (notes / name).write_text("Well.")
    result = CliRunner().invoke(app, ["scrub", str(notes), "-o", str(tmp_path / "clean"), "--mode", "tag", "--model", "none"])
    assert result.exception is None
    assert f"warning: 3 files in {notes} are no text notes and were passed over (2 .rtf, 1 no ending)" in result.output
    assert "Kowalczyk" not in result.output
    (notes / "LICENSE").unlink()
    for file in (notes / "ward").iterdir():
        file.unlink()
    again = CliRunner().invoke(app, ["scrub", str(notes), "-o", str(tmp_path / "again"), "--mode", "tag", "--model", "none"])
    assert "passed over" not in again.output

import json
import stat
from pathlib import Path

from tests.fakes import run_command

NOTE = "Patient: Mirela Kaczmarek, seen 3/4/2061 for Wegener.\n"


def test_explain_says_that_it_shows_phi_and_tells_each_candidate(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text(NOTE, encoding="utf-8")
    code, shown, said = run_command("explain", str(note), "--runtime", "onnx")
    assert code == 0
    assert "contains PHI" in said
    assert "'Mirela Kaczmarek'" in shown
    assert "dropped by clinical terms" in shown


def test_explain_writes_json_that_only_its_owner_can_read(tmp_path: Path) -> None:
    note, page = tmp_path / "note.txt", tmp_path / "stories.json"
    note.write_text(NOTE, encoding="utf-8")
    page.write_text("", encoding="utf-8")
    page.chmod(0o644)
    code, shown, _ = run_command("explain", str(note), "--runtime", "onnx", "--json", str(page))
    assert (code, shown) == (0, "")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert {"Mirela Kaczmarek", "3/4/2061"} <= {row["text"] for row in json.loads(page.read_text(encoding="utf-8"))}


def test_explain_of_a_file_that_is_not_there_names_it(tmp_path: Path) -> None:
    code, _, said = run_command("explain", str(tmp_path / "none.txt"))
    assert code == 2
    assert "none.txt" in said

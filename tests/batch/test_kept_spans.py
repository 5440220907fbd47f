"""What a policy keeps is not counted as replaced, in no place where a run tells of itself."""

import json
from pathlib import Path

from typer.testing import CliRunner

from incognote.cli.main import app


def test_spans_that_the_policy_keeps_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Mr. Kowalczyk was seen on 03/04/2065.")
    options = ["--policy", "limited-data-set", "--mode", "tag", "--model", "none"]
    pages = ["--json", str(tmp_path / "run.json"), "--report", str(tmp_path / "run.html")]
    result = CliRunner().invoke(app, ["scrub", str(tmp_path / "notes"), "-o", str(tmp_path / "clean"), *options, *pages])
    assert result.exception is None
    assert "1 notes, 1 spans replaced, 1 kept as the policy says" in result.output
    counts = json.loads((tmp_path / "run.json").read_text())
    assert (counts["spans"], counts["replaced"], counts["kept"]) == (2, 1, {"DATE": 1})
    assert "1 spans of PHI replaced, 1 kept as the policy says" in (tmp_path / "run.html").read_text()
    assert "no original PHI" not in (tmp_path / "run.html").read_text(), "the date that is kept is shown"

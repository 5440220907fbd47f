"""Notes whose dates may be day first or month first are counted, in the report and in the counts of a run."""

import json
from pathlib import Path

import pytest

from tests.fakes import run_by_rules

TEXTS = {
    "open": "Seen 03/04/2024 and 03/05/2024.",
    "idiom": "Burnt on the 4th of July. Seen 03/04/2024 and 03/05/2024.",
    "weekday": "Seen Mon 03/04/2024 and 03/05/2024.",
    "clear": "Seen 03/04/2024 and 03/15/2024.",
    "single": "Seen 03/04/2024.",
}


@pytest.mark.parametrize(("options", "notes"), [((), 2), (("--mode", "redact"), 0), (("--policy", "safe-harbor"), 0)])
def test_notes_whose_dates_leave_the_order_open_are_counted(options: tuple[str, ...], notes: int, tmp_path: Path) -> None:
    source, target, report, counts = (tmp_path / name for name in ("notes", "clean", "run.html", "run.json"))
    source.mkdir()
    for name, text in TEXTS.items():
        (source / f"{name}.txt").write_text(text)
    (tmp_path / "key").write_text("5f1c9a07e3b84d62a1c7f09d3e6b8245")
    (tmp_path / "key").chmod(0o600)
    key = () if "redact" in options else ("--key-file", tmp_path / "key")
    code, said = run_by_rules("scrub", source, "-o", target, "--report", report, "--json", counts, *key, *options)
    assert code == 0, said
    assert json.loads(counts.read_text())["order_open"] == notes
    assert ("may be day first" in report.read_text()) == (notes > 0)

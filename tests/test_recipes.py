"""The recipes of CONTRIBUTING work as they are written."""

import re
import sys
from pathlib import Path

import pytest

from incognote.corpora import Columns, ReadOptions, WriteOptions
from incognote.document import Document, Span

CONTRIBUTING = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def recipe(title: str) -> str:
    """The first block of Python under a heading."""
    block = re.search(r"^ *```python\n(.*?)^ *```", CONTRIBUTING.partition(f"### {title}\n")[2], re.MULTILINE | re.DOTALL)
    assert block
    lines = block[1].splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def test_a_rule_of_a_site_finds_its_numbers_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Chart QX-204417 opened.\nLot AQX-2044170 given.\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["ours.py", str(tmp_path / "notes"), str(tmp_path / "clean")])
    names = {"__name__": "__main__"}
    exec(recipe("A rule of your site"), names)
    clean = (tmp_path / "clean" / "a.txt").read_text(encoding="utf-8")
    assert "QX-204417 " not in clean
    assert clean.endswith("Lot AQX-2044170 given.\n")
    assert "record numbers EXACT" in str(names["pipeline"])


def test_a_format_comes_back_as_it_was(tmp_path: Path) -> None:
    names: dict[str, object] = {}
    exec(recipe("A corpus format"), names)
    format = names["DICTATION"]
    notes = [Document("a/1", "Seen\r\nby Reyes. <5", patient="p1", spans=(Span(9, 14, "DOCTOR"),)), Document("2", "")]
    assert format.write(notes, tmp_path / "notes", WriteOptions()) == 2
    assert sorted(format.read(tmp_path / "notes", ReadOptions(Columns())), key=lambda note: note.id) == [notes[1], notes[0]]

"""The ways that ARCHITECTURE.md describes are the ways that commands take: each step is called, in that order."""

import re
from pathlib import Path

from incognote.corpora import write_corpus
from tests.fakes import template_notes, tiny_encoder
from tests.spine import Step, trace_command

ROOT = Path(__file__).parents[1]
MOST_STEPS = 25
# Threads run the finders at once: their order is free.
UNORDERED = ("find/model/tagger.py", "find/rules/finder.py")
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`", re.MULTILINE)
RECIPE = """
model = "./tiny"
data = "notes.jsonl"
window = 64
overlap = 8
epochs = 2
[split]
ratio = "6:2:2"
"""


def read_way(command: str) -> list[Step]:
    """The numbered steps below the heading of a command."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition(f"through `{command}`\n")[2].partition("\n## ")[0]
    return [(file, name) for file, name in STEP.findall(section)]


def test_a_note_goes_through_scrub_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Mr. Kowalczyk was seen on 03/04/2065 by Dr. Ana Reyes in Boston.", encoding="utf-8")
    check(read_way("scrub"), trace_command("scrub", str(tmp_path / "note.txt"), "-o", str(tmp_path / "out"), "--runtime", "onnx"))
    assert (tmp_path / "out").exists()


def test_a_training_goes_through_train_as_the_page_says(tmp_path: Path) -> None:
    tiny_encoder(tmp_path / "tiny", "bert")
    write_corpus(template_notes(40), tmp_path / "notes.jsonl", format="jsonl")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'model = "./tiny"\ndata = "notes.jsonl"\nwindow = 64\noverlap = 8\nepochs = 2\n[split]\nratio = "6:2:2"\n', encoding="utf-8"
    )
    check(read_way("train"), trace_command("train", str(recipe), "-o", str(tmp_path / "model")))
    assert (tmp_path / "model" / "run.json").exists()


def check(way: list[Step], passed: list[Step]) -> None:
    assert 0 < len(way) <= MOST_STEPS
    missing = [step for step in way if step not in passed]
    assert not missing
    ordered = [step for step in way if step[0] not in UNORDERED]
    assert sorted(ordered, key=passed.index) == ordered

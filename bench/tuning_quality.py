"""Where rules, model and both stand on the hand-written tuning notes, in one short table: for use while rules and weights change.

The notes of tests/golden/tuning were looked at; those of data/notes are scored only, so that the gap between the rows says
how much was learned by heart. Published figures are those of bench/quality.py, on other notes.

    python bench/tuning_quality.py
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from quality import PRECISION, RECALL, System, tag_with_model

from incognote.corpora import read_corpus
from incognote.deidentifier import Deidentifier
from incognote.document import Document
from incognote.evaluate import evaluate

ROOT = Path(__file__).parents[1]
FIRST_NEW, FIRST_STRANGE = "p401", "q"


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    systems: dict[str, System] = {
        "rules": Deidentifier.default(mode="redact", models=()).tag,
        "model": tag_with_model,
        "both": Deidentifier.default(mode="redact", runtime="onnx").tag,
    }
    print(f"| notes | {' | '.join(f'{name}: recall | precision' for name in systems)} |")
    print("|---|" + "---:|---:|" * len(systems))
    for title, notes in gather_sets().items():
        cells = []
        for tag in systems.values():
            evaluation = evaluate(notes, tag([note.with_spans(()) for note in notes]))
            cells += [f"{evaluation.value(score):.4f}" for score in (RECALL, PRECISION)]
        print(f"| {title} ({len(notes)}) | {' | '.join(cells)} |", flush=True)


def gather_sets() -> dict[str, Sequence[Document]]:
    """The notes by how well they are known."""
    tuning = list(read_corpus(ROOT / "tests" / "golden" / "tuning"))
    unseen, other, strange, later, newest, last = (list(read_corpus(ROOT / "data" / "notes" / f"tuning-{name}")) for name in "bcdefg")
    return {
        "tuned on, first": [note for note in tuning if str(note.patient) < FIRST_NEW],
        "tuned on, new-a": [note for note in tuning if FIRST_NEW <= str(note.patient) < FIRST_STRANGE],
        "tuned on, strangers'": [note for note in tuning if str(note.patient) >= FIRST_STRANGE],
        "scored only, new-b": unseen,
        "new-b without its notes of traps": [note for note in unseen if "traps" not in note.id],
        "scored only, new-c": other,
        "scored only, strangers' queries": [note for note in strange if note.id.startswith("q")],
        "scored only, strangers' charts": [note for note in strange if note.id.startswith("r")],
        "scored only, later strangers' queries": [note for note in later if is_short(note)],
        "scored only, later strangers' usual notes": [note for note in later if note.id.startswith("t") and not is_short(note)],
        "scored only, later strangers' unusual notes": [note for note in later if note.id.startswith("u") and not is_short(note)],
        "scored only, newest strangers' queries": [note for note in newest if note.id.startswith("x")],
        "scored only, newest strangers' notes": [note for note in newest if note.id.startswith("y")],
        "scored only, last strangers' queries": [note for note in last if note.id.startswith("z0")],
        "scored only, last strangers' notes": [note for note in last if note.id.startswith("zz")],
        "scored only, all": [*unseen, *other, *strange, *later, *newest, *last],
    }


def is_short(note: Document) -> bool:
    """Whether it is a query or a message: of each writer the first thirty or twenty-five."""
    return int(note.id[1:4]) <= (30 if note.id.startswith("t") else 25)


if __name__ == "__main__":
    main()

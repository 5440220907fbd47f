"""How well the rules alone find PHI in the example notes, those tuned on and those not, as Markdown.

Binary token scores (is a PHI token hidden, whatever the label) with 95 % intervals over patients, and recall for each type.

    python bench/rules_quality.py [NOTES] [--held-out p109 p110 p111 p112]
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from incognote.corpora import read_corpus
from incognote.deidentifier import Deidentifier
from incognote.document import Document
from incognote.evaluate import Score, evaluate, find_intervals
from incognote.evaluate.token import OUTSIDE

ROOT = Path(__file__).parents[1]
HELD_OUT = ("p109", "p110", "p111", "p112")
SHOWN = (
    (Score("token.binary", "recall"), "token recall, PHI or not"),
    (Score("token.binary", "precision"), "token precision, PHI or not"),
    (Score("token", "f1"), "token F1, typed"),
    (Score("characters", "recall"), "character recall"),
    (Score("clean", "value"), "notes with nothing leaked"),
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="?", type=Path, default=ROOT / "examples" / "gold")
    parser.add_argument("--held-out", nargs="*", default=HELD_OUT, help="patients whose notes were not tuned on")
    options = parser.parse_args()
    documents = list(read_corpus(options.notes))
    print_table("Notes the rules were tuned on", [document for document in documents if document.patient not in options.held_out])
    print_table("Notes written last and scored once", [document for document in documents if document.patient in options.held_out])


def print_table(title: str, gold: Sequence[Document]) -> None:
    """One Markdown table of scores and one of recall per type."""
    if not gold:
        return
    found = Deidentifier.default(mode="redact", models=()).tag([document.with_spans(()) for document in gold])
    evaluation = evaluate(gold, found)
    scores = [score for score, _ in SHOWN]
    intervals = find_intervals(evaluation, scores)
    print(f"\n## {title}\n\n{len(gold)} notes, {sum(len(document.spans) for document in gold)} spans.\n")
    print("| score | value | 95 % interval |\n|---|---:|---|")
    for score, name in SHOWN:
        interval = intervals[score]
        print(f"| {name} | {evaluation.value(score):.3f} | {interval.low:.3f} to {interval.high:.3f} |")
    print("\n| type | tokens | hidden | found with this type |\n|---|---:|---:|---:|")
    for label in evaluation.labels:
        rows = {predicted: tokens for (true, predicted), tokens in evaluation.pairs.items() if true == label}
        if total := sum(rows.values()):
            print(f"| {label} | {total} | {1 - rows.get(OUTSIDE, 0) / total:.3f} | {rows.get(label, 0) / total:.3f} |")


if __name__ == "__main__":
    main()

"""How often a rule is right where the shipped model sees nothing: why the support filter drops guesses that the model does not share.

Counts spans of rules that no span of the model touches, on synthetic notes of the part for tuning. Exact forms
(`pattern_rules` of `find/rules/finder.py`) stay: the net for text that the model cannot read. Run it again when model or rules change.

    python bench/lone_rules.py [--notes 2500]
"""

import argparse
from collections import Counter

from incognote.filters.decision import touching
from incognote.find.model import load_tagger
from incognote.lab.synthetic import synthesize
from incognote.models import DEFAULT
from incognote.pipeline import build_pipeline

SEED = 99  # training, packaging, quality and the second reader use others


def main() -> None:
    """Print a row for each rule that was wrong somewhere, the worst first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=2500)
    right, wrong = count_lone(parser.parse_args().notes)
    print("| rule | right | wrong |\n|---|---:|---:|")
    for rule, count in wrong.most_common():
        print(f"| {rule.removeprefix('rules.')} | {right[rule]} | {count} |")
    print(f"| all | {right.total()} | {wrong.total()} |")


def count_lone(notes: int) -> tuple[Counter[str], Counter[str]]:
    """The spans of each rule that meet PHI and those that do not, where the model sees nothing."""
    documents = list(synthesize(notes, seed=SEED, part="tune"))
    texts = [document.text for document in documents]
    right, wrong = Counter[str](), Counter[str]()
    for document, found, seen in zip(
        documents, build_pipeline(()).tag(texts), load_tagger([DEFAULT], runtime="onnx").tag(texts), strict=True
    ):
        length = len(document.text)
        alone = [span for span, shared in zip(found, touching(found, seen, length), strict=True) if not shared]
        for span, real in zip(alone, touching(alone, document.spans, length), strict=True):
            (right if real else wrong)[span.source] += 1
    return right, wrong


if __name__ == "__main__":
    main()

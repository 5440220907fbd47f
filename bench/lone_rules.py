"""How often a rule is right where the shipped model sees nothing: why the second reader drops what rules alone find.

Counts spans of rules that no span of the model touches, on synthetic notes of the part for tuning. Only forms that are exact (`_EXACT` in
rules/second_reader.py) stay all the same, as a net for text that the model cannot read. Run it again when the model or the rules change.

    python bench/lone_rules.py [--notes 2500]
"""

import argparse
from collections import Counter

from incognote.filters.rescorer import find_touched
from incognote.find.model import load_tagger
from incognote.find.rules.finder import RuleTagger
from incognote.lab.synthetic import synthesize
from incognote.models import DEFAULT

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
        documents, RuleTagger.default().tag(texts), load_tagger([DEFAULT], runtime="onnx").tag(texts), strict=True
    ):
        length = len(document.text)
        alone = [span for span, shared in zip(found, find_touched(found, seen, length), strict=True) if not shared]
        for span, real in zip(alone, find_touched(alone, document.spans, length), strict=True):
            (right if real else wrong)[span.source] += 1
    return right, wrong


if __name__ == "__main__":
    main()

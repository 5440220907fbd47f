"""Rules beside the encoders on MEDDOCAN: what the study's systems found on dev, merged with the rules, priorities learned on other notes.

    python bench/meddocan_hybrid.py FOLDER [--dev MEDDOCAN/dev/brat]

FOLDER is a study's folder with its predictions. Trust in each rule is learned on one half of dev and used on the other, and the other
way round, so that no note is scored with a trust that it helped to choose; the last column learns and scores on all of dev, as the
ensembles' selection does.
"""

import argparse
import gzip
import json
from pathlib import Path

from incognote.corpora import read_corpus
from incognote.document import Span, scheme
from incognote.lab.study.hybrid import find_by_rules
from incognote.lab.study.priority import learn_priorities, merge_by_priority
from incognote.lab.training.tasks.tagging import score_quickly

SYSTEMS = ("system-single", "system-best-of-each", "system-selected")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def read_predictions(path: Path) -> dict[str, tuple[Span, ...]]:
    rows = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
    return {row["id"]: tuple(Span(start, end, label, score, "model.study") for start, end, label, score in row["spans"]) for row in rows}


def merge_all(rules, model, documents, policy):
    return [merge_by_priority(one, two, document.text, policy) for one, two, document in zip(rules, model, documents, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dev", type=Path, default=SHARED / "meddocan" / "dev" / "brat")
    options = parser.parse_args()
    documents = sorted(read_corpus(options.dev), key=lambda document: document.id)
    rules = find_by_rules([document.text for document in documents], frozenset(scheme("meddocan").labels))
    print("| system | alone | with all rules below | priorities from the other half | priorities from the same notes | rules kept |")
    print("|---|---|---|---|---|---|")
    for name in SYSTEMS:
        found = read_predictions(options.folder / "predictions" / f"{name}.validation.jsonl.gz")
        model = [found[document.id] for document in documents]
        below = merge_all(rules, model, documents, {})
        crossed: list = [None] * len(documents)
        for half in (0, 1):
            learn, use = ([at for at in range(len(documents)) if at % 2 == part] for part in (1 - half, half))
            policy = learn_priorities([rules[at] for at in learn], [model[at] for at in learn], [documents[at] for at in learn])
            for at in use:
                crossed[at] = merge_by_priority(rules[at], model[at], documents[at].text, policy)
        policy = learn_priorities(rules, model, documents)
        layers = (model, below, crossed, merge_all(rules, model, documents, policy))
        scores = [score_quickly(documents, layer, "strict")["f1"] for layer in layers]
        kept = sum(role is not None for role in policy.values())
        print(f"| {name} | " + " | ".join(f"{score:.4f}" for score in scores) + f" | {kept} of {len(policy)} |")


if __name__ == "__main__":
    main()

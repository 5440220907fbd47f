"""A search for a smaller shipped model, as `incognote shrink search` does it, without training: its table and its plot.

    python bench/shrink_frontier.py [--notes 150] [--minutes 6] [--out docs/results/shrink]

The shipped model in full precision is cut (layers, tokens, a thin embedding) and rounded (int8, int4), and scored on held-out synthetic
notes. A loss that rounding alone keeps is allowed, so that no training is tried: that takes a GPU (bench/shrink_default.py).
"""

import argparse
import tempfile
import time
from pathlib import Path

from incognote.corpora import write_corpus
from incognote.find.model.checkpoint import load_checkpoint
from incognote.lab.shrink.expand import expand
from incognote.lab.shrink.frontier import write_found
from incognote.lab.shrink.search import Wish, search
from incognote.lab.study.tradeoff import write_tradeoff
from incognote.lab.synthetic import synthesize
from incognote.lab.training.data import load_splits
from incognote.lab.training.recipe import Recipe, Source
from incognote.models import find_model

ROOT = Path(__file__).parents[1]
TARGET, LOSS = 12e6, 0.02


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=150)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "shrink")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        for part, seed in (("train", 90_004), ("test", 90_005)):
            write_corpus(list(synthesize(options.notes, seed=seed, part=part)), work / f"{part}.jsonl", format="jsonl")
        sources = (Source(str(work / "train.jsonl"), part="train"), Source(str(work / "test.jsonl"), part="validation"))
        splits = load_splits(Recipe(model="-", data=sources))
        whole = load_checkpoint(expand(load_checkpoint(find_model()), work / "whole"))
        found = search(whole, splits, work / "search", Wish(target=TARGET, max_loss=LOSS, minutes=options.minutes), say=say)
    options.out.mkdir(parents=True, exist_ok=True)
    write_found(found, options.out / "frontier.json")
    for page in write_tradeoff(options.out, found, target=TARGET, max_loss=LOSS):
        print(page)


if __name__ == "__main__":
    main()

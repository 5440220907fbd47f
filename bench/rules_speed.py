"""Words a second of the rules beside Presidio's pattern recognizers, on the same notes, in one run; and who finds more.

Presidio runs with a blank spaCy model, so that only its patterns work, in its own interpreter (it needs other versions of
packages): python -m venv peers && peers/bin/pip install presidio-analyzer. One process each, turns taken, medians shown.

    python bench/rules_speed.py NOTES.jsonl[.gz] --presidio peers/bin/python [--notes 300] [--repeats 3] [--gold FOLDER]
"""

import argparse
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

from presidio_speed import Presidio

from incognote.corpora import read_corpus
from incognote.pipeline import Pipeline
from incognote.shipped import build_pipeline

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--presidio", required=True, help="an interpreter that has presidio-analyzer")
    parser.add_argument("--notes", dest="count", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--gold", type=Path, default=ROOT / "examples" / "gold", help="notes with gold spans, for who finds more")
    options = parser.parse_args()
    texts = [document.text for document, _ in zip(read_corpus(options.notes, format="jsonl"), range(options.count), strict=False)]
    words = sum(len(text.split()) for text in texts)
    rules, theirs = build_pipeline(()), Presidio(options.presidio, "blank")
    peers = {"incognote rules": partial(find, rules), "Presidio patterns": theirs.find}
    seconds: dict[str, list[float]] = {name: [] for name in peers}
    for tag in peers.values():
        tag(texts[:3])  # start-up is not counted
    for _ in range(options.repeats):
        for name, tag in peers.items():
            begun = time.perf_counter()
            tag(texts)
            seconds[name].append(time.perf_counter() - begun)
    base = median(seconds["Presidio patterns"])
    gold = list(read_corpus(options.gold))
    print(f"{len(texts)} notes, {words:,} words, medians of {options.repeats}; recall on {len(gold)} notes with gold\n")
    print("| system | words a second | speed, Presidio = 1 | PHI characters found | of what it marks, PHI |\n|---|---:|---:|---:|---:|")
    for name, tag in peers.items():
        recall, precision = cover(
            [{at for s in note.spans for at in range(s.start, s.end)} for note in gold], tag([note.text for note in gold])
        )
        print(f"| {name} | {words / median(seconds[name]):,.0f} | {base / median(seconds[name]):.1f} | {recall:.3f} | {precision:.3f} |")


def find(tagger: Pipeline, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Where the rules find PHI, as Presidio tells it."""
    return [[(span.start, span.end) for span in spans] for spans in tagger.tag(texts)]


def cover(gold: Sequence[set[int]], found: Sequence[Sequence[tuple[int, int]]]) -> tuple[float, float]:
    """Shares of gold characters found, and of found characters that are gold."""
    marked = [{at for start, end in spans for at in range(start, end)} for spans in found]
    hits = sum(len(one & two) for one, two in zip(gold, marked, strict=True))
    return hits / sum(map(len, gold)), hits / max(1, sum(map(len, marked)))


if __name__ == "__main__":
    main()

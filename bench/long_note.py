"""Processor seconds to scrub one note of 1, 2, 5 and 10 MB, memory and surrogates included, and the start of the command.

    python bench/long_note.py NOTES.jsonl[.gz] [--megabytes 1 2 5 10]

The first note is made of the corpus's notes, one after another on a single line, between the example notes, which hold PHI, and over
again. The second is made of synthetic notes, dense with PHI, of which no two are the same: its persons, places and numbers are new to
the end. Each size runs in its own process; the command line is timed on one short note, best of five.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

from incognote.corpora import read_corpus
from incognote.lab.synthetic import synthesize

ROOT = Path(__file__).parents[1]

SCRUB = """
import json, resource, sys, time
from incognote import Deidentifier
text = open(sys.argv[1], encoding="utf-8").read()
scrubber = Deidentifier.default(key=b"k" * 32, models=())
scrubber.scrub("Mr. Kowalczyk left on 7/22.")
begun = time.process_time()
clean = scrubber.scrub(text)
seconds = time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
values = {(edit.before.label, edit.original) for edit in clean.edits}
print(json.dumps({"seconds": seconds, "spans": len(clean.spans), "values": len(values), "peak": peak}))
"""


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1, 2, 5, 10])
    options = parser.parse_args()
    print_table("The same notes over again", cycle([one_line(options.notes)]), options.megabytes)
    print_table("Different notes", (document.text for document in synthesize(100_000)), options.megabytes)
    print(f"\nFrom the command line, `incognote scrub -` on a note of three words: {start():.2f} s")


def print_table(title: str, parts: Iterator[str], megabytes: Sequence[int]) -> None:
    """A row for each size of note, which is made of the parts in their order."""
    print(f"\n{title}\n\n| characters | words | spans | different values | seconds | 1 MB = 1 | peak memory, MB |")
    print("|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    text, first = "", 0.0
    for size in sorted(megabytes):
        while len(text) < size * 1_000_000:
            text += next(parts)
        note = text[: size * 1_000_000]
        result = scrub(note)
        first = first or result["seconds"] / size
        print(
            f"| {len(note):,} | {len(note.split()):,} | {result['spans']:,} | {result['values']:,} | {result['seconds']:.2f} | "
            f"{result['seconds'] / first:.1f} | {result['peak']:.0f} |",
            flush=True,
        )


def one_line(path: Path) -> str:
    """A part of the corpus without line breaks; between every twenty of its notes stands one of the example notes."""
    examples = [document.text for document in read_corpus(ROOT / "examples" / "gold")]
    parts = []
    for at, document in enumerate(read_corpus(path, format="jsonl")):
        parts.append(document.text)
        if at % 20 == 0:
            parts.append(examples[at // 20 % len(examples)])
    return " ".join(" ".join(parts).splitlines())


def scrub(text: str) -> dict[str, float]:
    """One process over the text; its own clock, without start-up."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([sys.executable, "-c", SCRUB, file.name], check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def start() -> float:
    """Seconds of the whole command on one short note, best of five."""
    seconds = []
    for _ in range(5):
        begun = time.perf_counter()
        command = [str(Path(sys.executable).with_name("incognote")), "scrub", "-", "--mode", "tag"]
        subprocess.run(command, input="Mr. Kowalczyk left.", check=True, capture_output=True, text=True)
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


if __name__ == "__main__":
    main()

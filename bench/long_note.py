"""Seconds to scrub one note of 1, 2, 5 and 10 MB on a single line, memory and surrogates included, and the start of the command.

    python bench/long_note.py NOTES.jsonl[.gz] [--megabytes 1 2 5 10]

The note is made of the corpus's notes, one after another, line breaks made blanks, between the example notes, which hold PHI.
Each size runs in its own process; the command line is timed on one short note, best of five.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]

SCRUB = """
import json, resource, sys, time
from incognote import Deidentifier
text = open(sys.argv[1], encoding="utf-8").read()
scrubber = Deidentifier.default(key=b"k" * 32, models=())
scrubber.scrub("Mr. Kowalczyk left on 7/22.")
begun = time.perf_counter()
clean = scrubber.scrub(text)
seconds = time.perf_counter() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": seconds, "spans": len(clean.spans), "peak": peak}))
"""


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1, 2, 5, 10])
    options = parser.parse_args()
    line = one_line(options.notes)
    print("| characters | words | spans | seconds | seconds per MB | peak memory, MB |\n|---:|---:|---:|---:|---:|---:|")
    for size in options.megabytes:
        text = (line * (size * 1_000_000 // len(line) + 1))[: size * 1_000_000]
        result = scrub(text)
        print(
            f"| {len(text):,} | {len(text.split()):,} | {result['spans']:,} | {result['seconds']:.2f} | {result['seconds'] / size:.2f} | "
            f"{result['peak']:.0f} |"
        )
    print(f"\nFrom the command line, `incognote scrub -` on a note of three words: {start():.2f} s")


def one_line(path: Path) -> str:
    """A part of the corpus without line breaks; between every twenty of its notes stands one of the example notes."""
    from incognote.corpora import read_corpus

    examples = [document.text for document in read_corpus(ROOT / "examples" / "notes")]
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

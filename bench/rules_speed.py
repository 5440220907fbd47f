"""Words a second of the rules beside Presidio's pattern recognizers, on the same notes, in one run; and who finds more.

Presidio runs with a blank spaCy model, so that only its patterns work, in its own interpreter (it needs other versions of
packages): python -m venv peers && peers/bin/pip install presidio-analyzer. One process each, turns taken, medians shown.

    python bench/rules_speed.py NOTES.jsonl[.gz] --presidio peers/bin/python [--notes 300] [--repeats 3] [--gold FOLDER]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]

OURS = """
import json, sys, time
from incognote.rules import RuleTagger
tagger = RuleTagger.default()
texts = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
tagger.tag(texts[:3])
begun = time.perf_counter()
found = tagger.tag(texts)
seconds = time.perf_counter() - begun
print(json.dumps({"seconds": seconds, "spans": [[[s.start, s.end] for s in spans] for spans in found]}))
"""

PRESIDIO = """
import json, sys, time, spacy
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
class Blank(SpacyNlpEngine):
    def __init__(self):
        super().__init__(ner_model_configuration=NerModelConfiguration())
        self.nlp = {"en": spacy.blank("en")}
registry = RecognizerRegistry()
registry.load_predefined_recognizers(languages=["en"])
registry.remove_recognizer("SpacyRecognizer")
analyzer = AnalyzerEngine(nlp_engine=Blank(), registry=registry, supported_languages=["en"])
texts = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
[analyzer.analyze(text, language="en") for text in texts[:3]]
begun = time.perf_counter()
found = [analyzer.analyze(text, language="en") for text in texts]
seconds = time.perf_counter() - begun
print(json.dumps({"seconds": seconds, "spans": [[[r.start, r.end] for r in results] for results in found]}))
"""


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--presidio", required=True, help="an interpreter that has presidio-analyzer")
    parser.add_argument("--notes", dest="count", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--gold", type=Path, default=ROOT / "examples" / "notes", help="notes with gold spans, for who finds more")
    options = parser.parse_args()
    from incognote.corpora import read_corpus

    texts = [document.text for document, _ in zip(read_corpus(options.notes, format="jsonl"), range(options.count), strict=False)]
    words = sum(len(text.split()) for text in texts)
    peers = {"incognote rules": (sys.executable, OURS), "Presidio patterns": (options.presidio, PRESIDIO)}
    seconds: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(options.repeats):
        for name, (python, program) in peers.items():
            seconds[name].append(run(python, program, texts)["seconds"])
    base = median(seconds["Presidio patterns"])
    gold = list(read_corpus(options.gold))
    print(f"{len(texts)} notes, {words:,} words, medians of {options.repeats}; recall on {len(gold)} notes with gold\n")
    print("| system | words a second | speed, Presidio = 1 | PHI characters found | of what it marks, PHI |\n|---|---:|---:|---:|---:|")
    for name, (python, program) in peers.items():
        spans = run(python, program, [document.text for document in gold])["spans"]
        recall, precision = cover([{at for s in document.spans for at in range(s.start, s.end)} for document in gold], spans)
        print(f"| {name} | {words / median(seconds[name]):,.0f} | {base / median(seconds[name]):.1f} | {recall:.3f} | {precision:.3f} |")


def run(python: str, program: str, texts: Sequence[str]) -> dict:
    """One process over the texts; its own clock, without start-up."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(text) + "\n" for text in texts)
        file.flush()
        result = subprocess.run([python, "-c", program, file.name], check=True, capture_output=True, text=True)
    return json.loads(result.stdout.splitlines()[-1])


def cover(gold: Sequence[set[int]], found: Sequence[Sequence[Sequence[int]]]) -> tuple[float, float]:
    """Shares of gold characters found, and of found characters that are gold."""
    marked = [{at for start, end in spans for at in range(start, end)} for spans in found]
    hits = sum(len(one & two) for one, two in zip(gold, marked, strict=True))
    return hits / sum(map(len, gold)), hits / max(1, sum(map(len, marked)))


if __name__ == "__main__":
    main()

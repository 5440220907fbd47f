"""How often the whole of `scrub` (rules, model, second reader, memory) finds the same spans whichever runtime carries the model.

    python bench/same_spans.py [--notes 600] [--runtimes onnx,onnx-exact] [--skip 0] [--data ../shared/data]

Full precision on ONNX Runtime is the measure. The model alone differs more often: what it leans towards with little evidence is judged
again before it counts. Recall and precision are binary, over the tokens of gold, and F1 is strict; MTSamples as it is has no gold.
"""

import argparse
from pathlib import Path

from cpu_speed import alike, f1, spans_alike
from quality import PRECISION, RECALL

from incognote.deidentifier import Deidentifier
from incognote.document import Document
from incognote.evaluate import evaluate
from incognote.lab.default_model.sources import read_injected_notes, read_real_notes
from incognote.lab.synthetic import synthesize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=600)
    parser.add_argument("--runtimes", default="onnx,onnx-exact")
    parser.add_argument("--skip", type=int, default=0, help="so many of the first transcriptions, which something was chosen on")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    sets = {"synthetic": list(synthesize(options.notes, seed=12345, part="test"))}
    if options.data.is_dir():
        sets["MTSamples"] = read_real_notes(options.data, options.skip + options.notes // 2)[options.skip :]
        sets["with made-up PHI"] = read_injected_notes(options.data, options.notes // 2)
    print("| notes | runtime | notes alike | spans alike | recall | precision | F1 |\n|---|---|---:|---:|---:|---:|---:|")
    for title, notes in sets.items():
        exact = find(notes, "onnx-fp32")
        for runtime in ("onnx-fp32", *options.runtimes.split(",")):
            print(f"| {title} ({len(notes)}) | {runtime} | {' | '.join(compare(notes, exact, find(notes, runtime)))} |", flush=True)


def find(notes: list[Document], runtime: str) -> list[Document]:
    return Deidentifier.default(mode="redact", runtime=runtime).tag([note.with_spans(()) for note in notes])


def compare(notes: list[Document], exact: list[Document], found: list[Document]) -> list[str]:
    """The cells of one row."""
    one, two = ([document.spans for document in documents] for documents in (exact, found))
    scores = [""] * 3
    if any(note.spans for note in notes):
        evaluation = evaluate(notes, found)
        scores = [f"{score:.4f}" for score in (evaluation.value(RECALL), evaluation.value(PRECISION), f1(notes, two))]
    return [f"{alike(two, one):.4f}", f"{spans_alike(two, one):.4f}", *scores]


if __name__ == "__main__":
    main()

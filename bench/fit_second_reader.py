"""Fits the weights of the second reader, which judges what only the model finds, and writes them where the package reads them.

Each span that the model finds and no rule touches is an example; it is right when at least half of its tokens are PHI in gold. The examples
come from the hand-written tuning notes, from synthetic notes of the part for tuning (ordinary ones in greater number) and, where
../shared/data holds them, from held-out source notes with made-up PHI; a hand-written one counts more. Logistic regression, one for named
and one for numbered spans; the penalty is chosen by cross-validation over notes. Run it again whenever the shipped model changes:

    python bench/fit_second_reader.py [--data ../shared/data] [--dry]
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from default_notes import NATURAL_KINDS
from numpy.typing import NDArray

from incognote.corpora import read_corpus
from incognote.document import Document, Span
from incognote.filters import drop_citations, drop_clinical_terms, drop_lookalikes, trim_boundaries
from incognote.filters.decision import Layer, Note, touching
from incognote.filters.features import NUMBERED, gather_features, read_surroundings
from incognote.filters.rescorer import WEIGHTS
from incognote.find.model import load_tagger
from incognote.lab.synthetic import inject, synthesize
from incognote.merge import Role
from incognote.models import DEFAULT
from incognote.pipeline import MODEL, build_pipeline
from incognote.thresholds import Thresholds

ROOT = Path(__file__).parents[1]
SEED = 4242  # training, packaging and quality use others
TOKEN = re.compile(r"[A-Za-z0-9]+")
WEIGHT = {"hand": 3.0, "natural": 1.0, "synthetic": 0.5, "injected": 1.0}
PENALTIES = (1.0, 3.0, 10.0)
FOLDS = 8

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One span: its evidence, whether it is PHI, how much it counts, and its note."""

    evidence: dict[str, float]
    right: bool
    weight: float
    note: str
    numbered: bool


def main() -> None:
    """Gather, choose the penalty, fit, print what was learned, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--count", type=int, default=2500, help="synthetic notes")
    parser.add_argument("--natural", type=int, default=150, help="notes of each kind like those that strangers wrote")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    options = parser.parse_args()
    examples = [example for kind, notes in gather_notes(options) for example in make_examples(notes, WEIGHT[kind])]
    weights = {}
    for name, numbered in (("named", False), ("numbered", True)):
        chosen = [example for example in examples if example.numbered == numbered]
        penalty = choose_penalty(chosen)
        weights[name] = fit(chosen, penalty)
        print(f"{name}: {len(chosen)} spans, {sum(example.right for example in chosen)} right, penalty {penalty}")
        for evidence, weight in sorted(weights[name].items(), key=lambda item: item[1]):
            print(f"  {weight:+.2f}  {evidence}")
    if not options.dry:
        WEIGHTS.write_text(json.dumps(weights, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def gather_notes(options: argparse.Namespace) -> Iterator[tuple[str, list[Document]]]:
    yield "hand", list(read_corpus(ROOT / "tests" / "golden" / "tuning"))
    yield "synthetic", list(synthesize(options.count, seed=SEED, part="tune"))
    yield "natural", [note for kind in NATURAL_KINDS for note in synthesize(options.natural, seed=SEED, part="tune", only=kind)]
    if options.data.is_dir():
        from real_notes import find_phi, is_held_out, read_sources

        sources = [document for document in read_sources(options.data) if is_held_out(document.id)]
        yield "injected", list(inject(sources, find_phi, seed=0, part="test"))


def make_examples(notes: Sequence[Document], weight: float) -> Iterator[Example]:
    """The spans that only the model finds, with gold's word on each."""
    texts = [document.text for document in notes]
    found, known = load_tagger([DEFAULT], runtime="onnx").tag(texts), build_pipeline(()).tag(texts)
    for document, spans, others in zip(notes, found, known, strict=True):
        gold = {at for span in document.spans for at in range(span.start, span.end)}
        trimmed, note = filter_spans(spans, document.text), read_surroundings(document.text, others)
        touched = touching(trimmed, others, len(document.text))
        for span in (span for span, seen in zip(trimmed, touched, strict=True) if not seen):
            tokens = [token.start() in gold for token in TOKEN.finditer(document.text, span.start, span.end)]
            if tokens:
                yield Example(gather_features(span, note), 2 * sum(tokens) >= len(tokens), weight, document.id, span.label in NUMBERED)


def filter_spans(spans: Sequence[Span], text: str) -> list[Span]:
    """What the filters before the rescorer leave of the model's spans."""
    layer = Layer(MODEL, Role.LEARNED, spans)
    for judge in (drop_lookalikes, drop_citations, drop_clinical_terms, trim_boundaries):
        note = Note(text, {MODEL: layer}, {MODEL: layer}, Thresholds.default())
        layer = Layer(MODEL, Role.LEARNED, [span for decision in judge(layer, note) for span in decision.became])
    return list(layer.spans)


def fit(examples: Sequence[Example], penalty: float) -> dict[str, float]:
    """The weight of each piece of evidence, rounded; evidence seen fewer than three times has none."""
    seen: dict[str, int] = {}
    for example in examples:
        for name in example.evidence:
            seen[name] = seen.get(name, 0) + 1
    names = sorted(name for name, count in seen.items() if count >= 3)
    table = np.array([[example.evidence.get(name, 0.0) for name in names] for example in examples])
    right = np.array([example.right for example in examples], dtype=float)
    counts = np.array([example.weight for example in examples])
    found = solve(table, right, counts, penalty, free=names.index("always"))
    return {name: round(float(weight), 2) for name, weight in zip(names, found, strict=True) if abs(weight) >= 0.005}


def solve(table: Table, right: Table, counts: Table, penalty: float, *, free: int) -> Table:
    """Newton's method for logistic regression with a quadratic penalty on all weights but the free one."""
    weights, ridge = np.zeros(table.shape[1]), np.full(table.shape[1], penalty)
    ridge[free] = 1e-3
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (counts * (right - chance)) - ridge * weights
        curve = (table * (counts * chance * (1 - chance))[:, None]).T @ table + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def choose_penalty(examples: Sequence[Example]) -> float:
    """The penalty under which notes left out are judged best."""
    notes = sorted({example.note for example in examples})
    fold = {note: at % FOLDS for at, note in enumerate(notes)}
    losses = dict.fromkeys(PENALTIES, 0.0)
    for penalty in PENALTIES:
        for number in range(FOLDS):
            weights = fit([example for example in examples if fold[example.note] != number], penalty)
            for example in examples:
                if fold[example.note] == number:
                    logit = sum(weights.get(name, 0.0) * value for name, value in example.evidence.items())
                    losses[penalty] += example.weight * float(np.logaddexp(0, -logit if example.right else logit))
    print("  ".join(f"penalty {penalty}: loss {loss:.1f}" for penalty, loss in losses.items()))
    return min(losses, key=losses.__getitem__)


if __name__ == "__main__":
    main()

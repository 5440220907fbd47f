"""Fits the rescorer, which judges what only the model finds: one logistic regression for named and one for numbered spans.

Each span that the model finds and no rule touches is an example; it is right when at least half of its tokens are PHI in gold. Examples
come from the hand-written tuning notes, from synthetic notes of the part for tuning (natural kinds in greater number), and from held-out
sources with synthetic PHI; a hand-written one counts more. The penalty is chosen by cross-validation over notes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incognote.document import Document, Span
from incognote.filters import drop_citations, drop_clinical_terms, drop_lookalikes, trim_boundaries
from incognote.filters.decision import Layer, Note, touching
from incognote.filters.features import NUMBERED, gather_features, read_surroundings
from incognote.find.model import load_tagger
from incognote.lab.default_model.build import Build, log
from incognote.lab.default_model.evaluation import read_tuning_notes
from incognote.lab.default_model.notes import NATURAL_KINDS
from incognote.lab.default_model.package import WEIGHTS
from incognote.lab.default_model.sources import find_phi, is_held_out, read_sources
from incognote.lab.synthetic import inject, synthesize
from incognote.merge import Role
from incognote.pipeline import MODEL
from incognote.shipped import build_pipeline
from incognote.thresholds import Thresholds

SEED = 4242  # training, packaging and quality use others
WEIGHT = {"hand": 3.0, "natural": 1.0, "synthetic": 0.5, "injected": 1.0}
PENALTIES = (1.0, 3.0, 10.0)
FOLDS = 8
_TOKEN = re.compile(r"[A-Za-z0-9]+")
_FEWEST = 3  # examples with a feature: of fewer its weight is not learned


@dataclass(frozen=True, slots=True)
class Example:
    """One span: its features, whether it is PHI, how much it counts, and its note."""

    features: Mapping[str, float]
    right: bool
    weight: float
    note: str
    numbered: bool


def make_rescorer(build: Build, out: Path) -> None:
    """Fit the rescorer to the model of the build."""
    out.mkdir()
    write_rescorer(build, str(build.stage("confidence-margin")), out / WEIGHTS)


def write_rescorer(build: Build, model: str, file: Path) -> None:
    """Gather examples, choose the penalties, fit, and write the weights."""
    examples = [example for kind, notes in gather_notes(build) for example in make_examples(notes, model, WEIGHT[kind])]
    weights = {}
    for name, numbered in (("named", False), ("numbered", True)):
        chosen = [example for example in examples if example.numbered == numbered]
        penalty = choose_penalty(chosen)
        weights[name] = fit(chosen, penalty)
        log(f"{name}: {len(chosen)} spans, {sum(example.right for example in chosen)} right, penalty {penalty}")
    file.write_text(json.dumps(weights, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def gather_notes(build: Build) -> Iterator[tuple[str, list[Document]]]:
    """The notes of each kind."""
    synthetic, natural = build.settings.rescored_on
    yield "hand", read_tuning_notes(build)
    yield "synthetic", list(synthesize(synthetic, seed=SEED, part="tune"))
    yield "natural", [note for kind in NATURAL_KINDS for note in synthesize(natural, seed=SEED, part="tune", only=kind)]
    held = [document for document in read_sources(build.data) if is_held_out(document.id)]
    yield "injected", list(inject(held, find_phi, seed=0, part="test"))


def make_examples(notes: Sequence[Document], model: str, weight: float) -> Iterator[Example]:
    """The spans that only the model finds, and whether gold agrees."""
    texts = [document.text for document in notes]
    found, known = load_tagger([model], runtime="onnx").tag(texts), build_pipeline(()).tag(texts)
    for document, spans, others in zip(notes, found, known, strict=True):
        gold = {at for span in document.spans for at in range(span.start, span.end)}
        trimmed, note = filter_spans(spans, document.text), read_surroundings(document.text, others)
        touched = touching(trimmed, others, len(document.text))
        for span in (span for span, seen in zip(trimmed, touched, strict=True) if not seen):
            tokens = [token.start() in gold for token in _TOKEN.finditer(document.text, span.start, span.end)]
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
    """The weight of each feature, rounded, with a quadratic penalty on all but ``always``; features of fewer than three examples have
    none."""
    from sklearn.linear_model import LogisticRegression

    seen = Counter(name for example in examples for name in example.features)
    names = sorted(name for name, count in seen.items() if count >= _FEWEST and name != "always")
    right = [example.right for example in examples]
    if len(set(right)) < 2:
        return {}
    table = np.array([[example.features.get(name, 0.0) for name in names] for example in examples])
    model = LogisticRegression(C=1 / penalty, solver="newton-cholesky", tol=1e-8, max_iter=100)
    model.fit(table, right, sample_weight=[example.weight for example in examples])
    found = {"always": float(model.intercept_[0]), **dict(zip(names, model.coef_[0].tolist(), strict=True))}
    return {name: round(weight, 2) for name, weight in found.items() if abs(weight) >= 0.005}


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
                    logit = sum(weights.get(name, 0.0) * value for name, value in example.features.items())
                    losses[penalty] += example.weight * float(np.logaddexp(0, -logit if example.right else logit))
    log("  ".join(f"penalty {penalty}: loss {loss:.1f}" for penalty, loss in losses.items()))
    return min(losses, key=losses.__getitem__)

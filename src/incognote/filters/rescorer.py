"""The rescorer: judges spans that only the shipped model found, by its score and by features of the words and the context.

The model is confident in some false positives ("pain 8/10" as a date, "KUB" as a doctor), so its score is not enough. The weights
(``rescorer.json``) are those of a logistic regression, fitted on notes that the model was not trained on; refit them when the model
changes (``lab/default_model``).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from incognote.document import Span
from incognote.filters.decision import Decision, Layer, Note, drop, keep, touching
from incognote.filters.features import NUMBERED, gather_features, read_surroundings
from incognote.merge import Role

WEIGHTS = Path(__file__).with_suffix(".json")


@dataclass(frozen=True, slots=True)
class Rescorer:
    """A filter for the layer of one model; spans that overlap a span of a rule are kept."""

    model: str

    def __call__(self, layer: Layer, note: Note) -> list[Decision]:
        if layer.name != self.model or not layer.spans:
            return [keep(span) for span in layer.spans]
        others = [span for other in note.layers.values() if other.role in (Role.EXACT, Role.GUESS) for span in other.spans]
        touched = touching(layer.spans, others, len(note.text))
        if all(touched):
            return [keep(span) for span in layer.spans]
        least = note.thresholds.rescoring_least(len(note.text))
        surroundings = read_surroundings(note.text, others)
        decisions = []
        for span, seen in zip(layer.spans, touched, strict=True):
            odds = least if seen else judge(span, gather_features(span, surroundings))
            decisions.append(keep(span) if odds >= least else drop(span, "rescorer", f"log-odds {odds:.2f}, needs {least:.2f}"))
        return decisions

    def __str__(self) -> str:
        return f"rescore({self.model})"


def judge(span: Span, features: Mapping[str, float]) -> float:
    """The log-odds that a span is PHI: above 0 it is more likely PHI than not."""
    weights = _weights()["numbered" if span.label in NUMBERED else "named"]
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    weights: Mapping[str, Mapping[str, float]] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return weights

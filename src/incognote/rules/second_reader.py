"""The second reader judges what only the shipped model finds: it weighs the model's score with what words and context say.

The model is sure of much that is wrong ("pain 8/10" a date, "KUB" a doctor): its score alone cannot tell. What rules see too is not
judged. The weights are those of a logistic regression over pieces of evidence (``second_reader.json``), fitted on notes that the model
was not trained on by ``bench/fit_second_reader.py``; fit them again when the model changes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from incognote.document import Span
from incognote.rules.evidence import NUMBERED, gather_evidence

WEIGHTS = Path(__file__).with_suffix(".json")
_SOURCE = "model.default"
# Missed PHI costs more than a word too many: a span stays while it is PHI in one case of four.
_LEAST = -1.1


def drop_doubtful(spans: Iterable[Span], known: Sequence[Span], text: str) -> list[Span]:
    """The spans less those of the shipped model that no ``known`` span touches and whose evidence is weak.

    >>> pain = Span(5, 9, "DATE", score=0.9, source="model.default")
    >>> drop_doubtful([pain], [], "Pain 8/10"), len(drop_doubtful([pain], [Span(5, 9, "DATE")], "Seen 8/10"))
    ([], 1)
    """
    return [span for span in spans if span.source != _SOURCE or _is_touched(span, known) or judge(span, text, known) >= _LEAST]


def judge(span: Span, text: str, known: Sequence[Span]) -> float:
    """How much speaks for a span: over 0 it is more likely PHI than not."""
    weights = _weights()["numbered" if span.label in NUMBERED else "named"]
    return sum(weights.get(name, 0.0) * value for name, value in gather_evidence(span, text, known).items())


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    weights: Mapping[str, Mapping[str, float]] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return weights


def _is_touched(span: Span, known: Sequence[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in known)

"""The second reader judges what only one finds: the shipped model's finds by its score and by what words and context say.

The model is sure of much that is wrong ("pain 8/10" a date, "KUB" a doctor): its score alone cannot tell. What rules see too is not
judged. What rules alone see stays only where its form is exact: the model leans so far towards finding that what it does not see at all
is hardly ever PHI. The weights are those of a logistic regression over pieces of evidence
(``second_reader.json``), fitted on notes that the model was not trained on by ``bench/fit_second_reader.py``; fit them again when the
model changes.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from incognote.document import Span
from incognote.filters.features import NUMBERED, Surroundings, gather_evidence, read_surroundings

WEIGHTS = Path(__file__).with_suffix(".json")
_SOURCE = "model.default"
# Missed PHI costs more than a word too many: a span stays while its evidence gives it one chance in ten. The longer a note, the more words
# there are to be wrong about, and the more often a name is said again where the model is sure of it: one in three is asked at last.
_LEAST, _MOST = -2.25, -0.75
_SHORT = 1200  # characters; of a note twice as long one more is asked
# A net for text that the model cannot read: keys to somebody, a name after a title, a date with its month.
_EXACT = tuple(
    f"rules.{source}"
    for source in ("contacts.", "identifiers.", "name.title", "dates.day-month", "dates.month", "dates.iso", "dates.spelled", "dates.birth")
)


def drop_doubtful(spans: Iterable[Span], known: Sequence[Span], text: str) -> list[Span]:
    """The spans less those of the shipped model that no ``known`` span touches and whose evidence is weak.

    >>> scan, text = Span(0, 3, "DOCTOR", score=0.5, source="model.default"), "KUB shows stool."
    >>> drop_doubtful([scan], [], text), len(drop_doubtful([scan], [Span(0, 3, "DOCTOR")], text))
    ([], 1)
    """
    touched = find_touched(spans := list(spans), known, len(text))
    judged = {at for at, (span, seen) in enumerate(zip(spans, touched, strict=True)) if span.source == _SOURCE and not seen}
    if not judged:
        return spans
    note = read_surroundings(text, known)
    return [span for at, span in enumerate(spans) if at not in judged or _is_likely(span, note)]


def drop_guesses(spans: Iterable[Span], seen: Iterable[Span], text: str) -> list[Span]:
    """The spans of rules less those of no exact form where the shipped model sees nothing.

    >>> drop_guesses([Span(0, 12, "PATIENT", source="rules.name.list"), Span(20, 25, "DATE", source="rules.dates.iso")], [], " " * 30)
    [Span(start=20, end=25, label='DATE', score=1.0, source='rules.dates.iso')]
    """
    touched = find_touched(spans := list(spans), seen, len(text))
    return [span for span, shared in zip(spans, touched, strict=True) if shared or span.source.startswith(_EXACT)]


def _is_likely(span: Span, note: Surroundings) -> bool:
    return judge(span, gather_evidence(span, note)) >= least_of(len(note.text))


def least_of(length: int) -> float:
    """How much must speak for a span of a note of so many characters.

    >>> [least_of(length) for length in (200, 1200, 2400, 9000)]
    [-2.25, -2.25, -1.25, -0.75]
    """
    return min(_MOST, _LEAST + math.log2(max(length, _SHORT) / _SHORT))


def judge(span: Span, evidence: Mapping[str, float]) -> float:
    """How much speaks for a span: over 0 it is more likely PHI than not."""
    weights = _weights()["numbered" if span.label in NUMBERED else "named"]
    return sum(weights.get(name, 0.0) * value for name, value in evidence.items())


def find_touched(spans: Iterable[Span], known: Iterable[Span], length: int) -> list[bool]:
    """Of each span, whether it shares a character with a known one, in a text of this length.

    >>> find_touched([Span(0, 3, "DATE"), Span(4, 6, "DATE")], [Span(5, 9, "AGE")], 10)
    [False, True]
    """
    taken = bytearray(length)
    for span in known:
        taken[span.start : span.end] = b"\x01" * len(span)
    return [1 in taken[span.start : span.end] for span in spans]


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    weights: Mapping[str, Mapping[str, float]] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return weights

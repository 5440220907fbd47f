"""The scores of i2b2/UTHealth 2014 track 1: token, strict and relaxed, on all PHI and on the HIPAA subset, typed and binary.

They follow the official script: sets per document; relaxed lets the end be off by two characters; tokens are the
runs of ``[A-Za-z0-9]`` in a span. Its pattern for IDNUM ends in a blank and so never matches, although its text lists
IDNUM; both readings of the subset are here. Binary relaxed is ours: the script stops at binary token and strict.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from incognote.document import Document, LabelScheme, Span
from incognote.evaluate.counts import Counts, count_sets

LEVELS = ("token", "strict", "relaxed")
SUBSETS = ("all", "hipaa", "hipaa-idnum")
END_SLACK = 2

_TOKEN = re.compile(r"[A-Za-z0-9]+")

Item = tuple[str, int, int]


def count_i2b2(gold: Document, predicted: Document, scheme: LabelScheme | None = None) -> dict[str, Counts]:
    """Counts of one document under ``level.subset`` and ``level.subset.binary``; no HIPAA subset without a scheme that has one.

    >>> from incognote.document import parse_markup, scheme
    >>> counts = count_i2b2(parse_markup("<DATE>May 3</DATE>."), parse_markup("<DATE>May 3.</DATE>"), scheme("i2b2-2014"))
    >>> counts["strict.all"], counts["relaxed.hipaa"], counts["token.all"]
    (Counts(tp=0, fp=1, fn=1), Counts(tp=1, fp=0, fn=0), Counts(tp=2, fp=0, fn=0))
    """
    counts: dict[str, Counts] = {}
    for subset, labels in subsets(scheme).items():
        ours = _choose(gold.spans, labels), _choose(predicted.spans, labels)
        for level, (one, two) in _levels(ours, gold.text):
            counts[f"{level}.{subset}"] = count_sets(set(one), set(two))
            counts[f"{level}.{subset}.binary"] = count_sets({item[1:] for item in one}, {item[1:] for item in two})
        counts[f"relaxed.{subset}"] = count_relaxed(*ours, typed=True)
        counts[f"relaxed.{subset}.binary"] = count_relaxed(*ours, typed=False)
    return counts


def subsets(scheme: LabelScheme | None) -> dict[str, frozenset[str] | None]:
    """The labels of each subset; None stands for all."""
    if scheme is None or not scheme.hipaa:
        return {"all": None}
    return {"all": None, "hipaa": scheme.hipaa, "hipaa-idnum": scheme.hipaa | ({"IDNUM"} & scheme.categories.keys())}


def _choose(spans: Sequence[Span], labels: frozenset[str] | None) -> Sequence[Span]:
    return spans if labels is None else [span for span in spans if span.label in labels]


def _levels(pair: tuple[Sequence[Span], Sequence[Span]], text: str) -> Iterator[tuple[str, tuple[list[Item], list[Item]]]]:
    one, two = pair
    yield "token", (_split(one, text), _split(two, text))
    yield "strict", ([(span.label, span.start, span.end) for span in one], [(span.label, span.start, span.end) for span in two])


def _split(spans: Iterable[Span], text: str) -> list[Item]:
    return [(span.label, *match.span()) for span in spans for match in _TOKEN.finditer(text, span.start, span.end)]


def count_relaxed(gold: Iterable[Span], predicted: Sequence[Span], *, typed: bool) -> Counts:
    """Start equal, end within two characters. Spans of a document do not overlap, so a start belongs to one span at most."""
    by_start = {span.start: span for span in predicted}
    tp = missed = 0
    for span in gold:
        twin = by_start.get(span.start)
        if twin and abs(twin.end - span.end) <= END_SLACK and (twin.label == span.label or not typed):
            tp += 1
        else:
            missed += 1
    return Counts(tp, len(predicted) - tp, missed)

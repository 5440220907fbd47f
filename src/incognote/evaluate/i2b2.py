"""The scores of i2b2/UTHealth 2014 track 1: token, strict and relaxed, on all PHI and on the HIPAA subset, typed and binary.

They follow the official script: sets per document; relaxed lets the end be off by two characters; tokens are the
runs of ``[A-Za-z0-9]`` in a span. Its pattern for IDNUM ends in a blank and so never matches, although its text lists
IDNUM; both readings of the subset are here. Binary relaxed is ours: the script stops at binary token and strict.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from incognote.document import Document, LabelScheme, Span
from incognote.evaluate.counts import Counts

LEVELS = ("token", "strict", "relaxed")
SUBSETS = ("all", "hipaa", "hipaa-idnum")
END_SLACK = 2

_TOKEN = re.compile(r"[A-Za-z0-9]+")

Labels = Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class Match:
    """What one level finds in a document: labels of the gold, of the prediction, and of the pairs that lie alike.

    Spans of a document do not overlap, so nothing lies twice in the same place: the sets of the official script come for free,
    and every subset, typed or binary, is a sum over these.
    """

    gold: Mapping[str, int]
    predicted: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]

    def keep(self, labels: frozenset[str]) -> "Match":
        """The same with some labels only."""
        return Match(
            {label: number for label, number in self.gold.items() if label in labels},
            {label: number for label, number in self.predicted.items() if label in labels},
            {pair: number for pair, number in self.pairs.items() if labels.issuperset(pair)},
        )

    def count(self, *, typed: bool) -> Counts:
        """The counts; binary ones do not ask for the same label."""
        tp = sum([number for (one, two), number in self.pairs.items() if one == two]) if typed else sum(self.pairs.values())
        return Counts(tp, sum(self.predicted.values()) - tp, sum(self.gold.values()) - tp)


def count_i2b2(gold: Document, predicted: Document, scheme: LabelScheme | None = None) -> dict[str, Counts]:
    """Counts of one document under ``level.subset`` and ``level.subset.binary``; no HIPAA subset without a scheme that has one.

    >>> from incognote.document import parse_markup, scheme
    >>> counts = count_i2b2(parse_markup("<DATE>May 3</DATE>."), parse_markup("<DATE>May 3.</DATE>"), scheme("i2b2-2014"))
    >>> counts["strict.all"], counts["relaxed.hipaa"], counts["token.all"]
    (Counts(tp=0, fp=1, fn=1), Counts(tp=1, fp=0, fn=0), Counts(tp=2, fp=0, fn=0))
    """
    strict = _match(_place(gold.spans), _place(predicted.spans))
    matches = {
        "token": _match(_split(gold.spans, gold.text), _split(predicted.spans, gold.text)),
        "strict": strict,
        "relaxed": Match(strict.gold, strict.predicted, _pair_relaxed(gold.spans, predicted.spans)),
    }
    counts: dict[str, Counts] = {}
    for subset, labels in subsets(scheme).items():
        for level, match in matches.items():
            kept = match if labels is None else match.keep(labels)
            counts[f"{level}.{subset}"] = kept.count(typed=True)
            counts[f"{level}.{subset}.binary"] = kept.count(typed=False)
    return counts


def subsets(scheme: LabelScheme | None) -> dict[str, frozenset[str] | None]:
    """The labels of each subset; None stands for all."""
    if scheme is None or not scheme.hipaa:
        return {"all": None}
    return {"all": None, "hipaa": scheme.hipaa, "hipaa-idnum": scheme.hipaa | ({"IDNUM"} & scheme.categories.keys())}


def _pair_relaxed(gold: Iterable[Span], predicted: Iterable[Span]) -> Counter[tuple[str, str]]:
    """Start equal, end within two characters."""
    twins = {span.start: span for span in predicted}
    near = ((span, twins[span.start]) for span in gold if span.start in twins)
    return Counter((one.label, two.label) for one, two in near if abs(one.end - two.end) <= END_SLACK)


def _match(gold: Labels, predicted: Labels) -> Match:
    pairs = Counter((label, predicted[place]) for place, label in gold.items() if place in predicted)
    return Match(Counter(gold.values()), Counter(predicted.values()), pairs)


def _place(spans: Iterable[Span]) -> Labels:
    return {(span.start, span.end): span.label for span in spans}


def _split(spans: Iterable[Span], text: str) -> Labels:
    return {match.span(): span.label for span in spans for match in _TOKEN.finditer(text, span.start, span.end)}

"""Token scores as Meaney et al. 2022 have them: each word token is right when its PHI type is right, B and I made one.

Word tokens are cut at gold boundaries, so every note aligns and the support does not depend on the system scored.
A token of the gold counts as found only when predicted spans cover all of it (a half-hidden name is still a name), and
takes the label of the span it begins in; a token outside the gold counts as spurious as soon as a predicted span touches it.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from incognote.document import Document, Span, word_tokens
from incognote.evaluate.counts import Counts, Ratio

OUTSIDE = "O"
Offsets = tuple[int, int]
Pairs = Counter[tuple[str, str]]


def pair_labels(gold: Document, predicted: Document) -> Pairs:
    """How many tokens carry each pair of gold and predicted label; all token scores are read off this.

    >>> from incognote.document import parse_markup
    >>> gold = parse_markup("<PATIENT>Ann Lee</PATIENT> came <DATE>May 3</DATE>")
    >>> sorted(pair_labels(gold, parse_markup("<PATIENT>Ann</PATIENT> Lee came <AGE>May 3</AGE>")).items())
    [(('DATE', 'AGE'), 2), (('O', 'O'), 1), (('PATIENT', 'O'), 1), (('PATIENT', 'PATIENT'), 1)]
    """
    tokens = word_tokens(gold.text)
    starts = [start for start, _ in tokens]
    pairs: Pairs = Counter()
    begins = [span.start for span in predicted.spans]
    for span in gold.spans:
        for piece in _clip(tokens, starts, span):
            pairs[span.label, _covering_label(piece, predicted.spans, begins)] += 1
    for label in _spurious(tokens, starts, gold.spans, predicted.spans).values():
        pairs[OUTSIDE, label] += 1
    pairs[OUTSIDE, OUTSIDE] = len(tokens) + _count_cuts(tokens, starts, gold.spans) - pairs.total()
    return +pairs


def count_labels(pairs: Mapping[tuple[str, str], int]) -> dict[str, Counts]:
    """Counts of each PHI type."""
    tp: Counter[str] = Counter()
    fp: Counter[str] = Counter()
    fn: Counter[str] = Counter()
    for (gold, predicted), number in pairs.items():
        if gold == predicted:
            tp[gold] += number
        else:
            fn[gold] += number
            fp[predicted] += number
    return {label: Counts(tp[label], fp[label], fn[label]) for label in sorted((tp | fp | fn).keys() - {OUTSIDE})}


def count_all(pairs: Mapping[tuple[str, str], int]) -> Counts:
    """The micro counts: over all PHI types, O left out."""
    return sum(count_labels(pairs).values(), Counts())


def count_binary(pairs: Mapping[tuple[str, str], int]) -> Counts:
    """PHI or not, whatever the type."""
    return count_all(_add((_blind(gold), _blind(predicted), number) for (gold, predicted), number in pairs.items()))


def count_right(pairs: Mapping[tuple[str, str], int]) -> Ratio:
    """The accuracy: tokens with the right label, O included, of all tokens."""
    return Ratio(sum(number for (gold, predicted), number in pairs.items() if gold == predicted), sum(pairs.values()))


def count_tokens(document: Document) -> Counter[str]:
    """How many tokens of a document carry each label, ``O`` among them; as many in all as :func:`pair_labels` sees."""
    counts: Counter[str] = Counter()
    for (gold, _), number in pair_labels(document, document).items():
        counts[gold] += number
    return counts


def _blind(label: str) -> str:
    return label if label == OUTSIDE else "PHI"


def _add(triples: Iterable[tuple[str, str, int]]) -> Pairs:
    pairs: Pairs = Counter()
    for gold, predicted, number in triples:
        pairs[gold, predicted] += number
    return pairs


def _touching(tokens: Sequence[Offsets], starts: Sequence[int], start: int, end: int) -> Iterator[Offsets]:
    """The tokens that share a character with the range."""
    at = max(bisect_right(starts, start) - 1, 0)
    while at < len(tokens) and tokens[at][0] < end:
        if tokens[at][1] > start:
            yield tokens[at]
        at += 1


def _clip(tokens: Sequence[Offsets], starts: Sequence[int], span: Span) -> Iterator[Offsets]:
    for start, end in _touching(tokens, starts, span.start, span.end):
        yield max(start, span.start), min(end, span.end)


def _count_cuts(tokens: Sequence[Offsets], starts: Sequence[int], spans: Sequence[Span]) -> int:
    """How many tokens the edges of the spans add by cutting one in two."""
    edges = {edge for span in spans for edge in (span.start, span.end)}
    places = ((edge, bisect_right(starts, edge) - 1) for edge in edges)
    return sum(at >= 0 and tokens[at][0] < edge < tokens[at][1] for edge, at in places)


def _covering_label(piece: Offsets, spans: Sequence[Span], begins: Sequence[int]) -> str:
    at = bisect_right(begins, piece[0]) - 1
    if at < 0 or spans[at].end <= piece[0]:
        return OUTSIDE
    label, end = spans[at].label, spans[at].end
    while end < piece[1]:
        at += 1
        if at == len(spans) or spans[at].start > end:
            return OUTSIDE
        end = spans[at].end
    return label


def _spurious(tokens: Sequence[Offsets], starts: Sequence[int], gold: Sequence[Span], predicted: Sequence[Span]) -> dict[int, str]:
    """The pieces outside the gold that a predicted span touches, by their start, with the label of the first to touch them."""
    exact = {(span.start, span.end) for span in gold}
    begins = [span.start for span in gold]
    labels: dict[int, str] = {}
    for span in predicted:
        if (span.start, span.end) in exact:
            continue
        for token in _touching(tokens, starts, span.start, span.end):
            for start, end in _outside(token, gold, begins):
                if start < span.end and span.start < end:
                    labels.setdefault(start, span.label)
    return labels


def _outside(token: Offsets, gold: Sequence[Span], begins: Sequence[int]) -> Iterator[Offsets]:
    """The parts of the token that lie in no gold span."""
    start, end = token
    at = max(bisect_right(begins, start) - 1, 0)
    while at < len(gold) and gold[at].start < end:
        if gold[at].start > start:
            yield start, gold[at].start
        start = max(start, gold[at].end)
        at += 1
    if start < end:
        yield start, end

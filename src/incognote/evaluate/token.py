"""Token scores as Meaney et al. 2022 have them: each word token is right when its PHI type is right, B and I made one.

Word tokens are cut at gold boundaries, so every note aligns and the support does not depend on the system scored.
A token of the gold counts as found only when predicted spans cover all of it (a half-hidden name is still a name), and
takes the label of the span it begins in; a token outside the gold counts as spurious as soon as a predicted span touches it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from incognote.document import Document, Piece, Span, cut_pieces, word_tokens
from incognote.document.bio import OUTSIDE
from incognote.evaluate.counts import Counts, Ratio

Pairs = Counter[tuple[str, str]]


def pair_labels(gold: Document, predicted: Document) -> Pairs:
    """How many tokens carry each pair of gold and predicted label; all token scores are read off this.

    >>> from incognote.document import parse_markup
    >>> gold = parse_markup("<PATIENT>Ann Lee</PATIENT> came <DATE>May 3</DATE>")
    >>> sorted(pair_labels(gold, parse_markup("<PATIENT>Ann</PATIENT> Lee came <AGE>May 3</AGE>")).items())
    [(('DATE', 'AGE'), 2), (('O', 'O'), 1), (('PATIENT', 'O'), 1), (('PATIENT', 'PATIENT'), 1)]
    """
    pairs: Pairs = Counter()
    ours = theirs = 0
    for piece in cut_pieces(gold.text, word_tokens(gold.text), gold.spans):
        ours = _skip_past(gold.spans, ours, piece)
        theirs = _skip_past(predicted.spans, theirs, piece)
        inside = ours < len(gold.spans) and gold.spans[ours].start <= piece.start
        label = _label_of(piece, predicted.spans, theirs, whole=inside)
        pairs[gold.spans[ours].label if inside else OUTSIDE, label] += 1
    return pairs


def _skip_past(spans: Sequence[Span], at: int, piece: Piece) -> int:
    """The first span from ``at`` on that does not end before the piece."""
    while at < len(spans) and spans[at].end <= piece.start:
        at += 1
    return at


def _label_of(piece: Piece, spans: Sequence[Span], at: int, *, whole: bool) -> str:
    """The label of the first span that touches a piece; with ``whole``, none unless spans cover all of it."""
    if at == len(spans) or spans[at].start >= piece.end:
        return OUTSIDE
    end = piece.start
    for span in spans[at:]:
        if span.start > end or end >= piece.end:
            break
        end = span.end
    return OUTSIDE if whole and end < piece.end else spans[at].label


def count_labels(pairs: Mapping[tuple[str, str], int]) -> dict[str, Counts]:
    """Counts of each PHI type."""
    counts: dict[str, list[int]] = {}
    for (gold, predicted), number in pairs.items():
        if gold == predicted:
            counts.setdefault(gold, [0, 0, 0])[0] += number
        else:
            counts.setdefault(predicted, [0, 0, 0])[1] += number
            counts.setdefault(gold, [0, 0, 0])[2] += number
    counts.pop(OUTSIDE, None)
    return {label: Counts(*counts[label]) for label in sorted(counts)}


def count_all(pairs: Mapping[tuple[str, str], int]) -> Counts:
    """The micro counts: over all PHI types, O left out."""
    return sum(count_labels(pairs).values(), Counts())


def count_binary(pairs: Mapping[tuple[str, str], int]) -> Counts:
    """PHI or not, whatever the type."""
    counts = Counter[tuple[bool, bool]]()
    for (gold, predicted), number in pairs.items():
        counts[gold != OUTSIDE, predicted != OUTSIDE] += number
    return Counts(counts[True, True], counts[False, True], counts[True, False])


def count_right(pairs: Mapping[tuple[str, str], int]) -> Ratio:
    """The accuracy: tokens with the right label, O included, of all tokens."""
    return Ratio(sum(number for (gold, predicted), number in pairs.items() if gold == predicted), sum(pairs.values()))


def count_tokens(document: Document) -> Counter[str]:
    """How many tokens of a document carry each label, ``O`` among them; as many in all as :func:`pair_labels` sees."""
    counts: Counter[str] = Counter()
    for (gold, _), number in pair_labels(document, document).items():
        counts[gold] += number
    return counts

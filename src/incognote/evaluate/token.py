"""Token scores as Meaney et al. 2022 have them: each word token is right when its PHI type is right, B and I made one.

Word tokens are cut at gold boundaries, so every note aligns and the support does not depend on the system scored.
A token of the gold counts as found only when predicted spans cover all of it (a half-hidden name is still a name), and
takes the label of the span it begins in; a token outside the gold counts as spurious as soon as a predicted span touches it.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import filterfalse

from incognote.document import Document, Span, word_tokens
from incognote.document.bio import OUTSIDE
from incognote.evaluate.counts import Counts, Ratio

Offsets = tuple[int, int]
Pairs = Counter[tuple[str, str]]


def pair_labels(gold: Document, predicted: Document) -> Pairs:
    """How many tokens carry each pair of gold and predicted label; all token scores are read off this.

    >>> from incognote.document import parse_markup
    >>> gold = parse_markup("<PATIENT>Ann Lee</PATIENT> came <DATE>May 3</DATE>")
    >>> sorted(pair_labels(gold, parse_markup("<PATIENT>Ann</PATIENT> Lee came <AGE>May 3</AGE>")).items())
    [(('DATE', 'AGE'), 2), (('O', 'O'), 1), (('PATIENT', 'O'), 1), (('PATIENT', 'PATIENT'), 1)]
    """
    text, pairs = gold.text, Counter[tuple[str, str]]()
    begins = [span.start for span in predicted.spans]
    labels = {(span.start, span.end): span.label for span in predicted.spans}
    for span in gold.spans:
        if label := labels.get((span.start, span.end)):
            pairs[span.label, label] += _count_words(text[span.start : span.end])
            continue
        for piece in _cut_words(text, span.start, span.end):
            pairs[span.label, _covering_label(piece, predicted.spans, begins)] += 1
    for label in _spurious(text, gold.spans, predicted.spans).values():
        pairs[OUTSIDE, label] += 1
    if outside := _count_words(text) + _count_cuts(text, gold.spans) - pairs.total():
        pairs[OUTSIDE, OUTSIDE] = outside
    return pairs


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


def _count_words(text: str) -> int:
    """``len(word_tokens(text))``, without a look at each plain word."""
    words = text.split()
    mixed = list(filterfalse(str.isalnum, words))
    return len(words) - len(mixed) + len(word_tokens(" ".join(mixed)))


def _cut_words(text: str, start: int, end: int) -> list[Offsets]:
    """The word tokens of a stretch, as if it stood alone: as cutting the tokens of the text at its ends would give."""
    return [(start + left, start + right) for left, right in word_tokens(text[start:end])]


def _count_cuts(text: str, spans: Sequence[Span]) -> int:
    """How many tokens the ends of the spans add by cutting one in two."""
    edges = {edge for span in spans for edge in (span.start, span.end)}
    return sum(_is_inside_word(text, edge) for edge in edges)


def _is_inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and _is_word(text[place - 1]) and _is_word(text[place])


def _is_word(character: str) -> bool:
    """As ``\\w`` has it."""
    return character.isalnum() or character == "_"


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


def _spurious(text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> dict[int, str]:
    """The pieces outside the gold that a predicted span touches, by their start, with the label of the first to touch them."""
    exact = {(span.start, span.end) for span in gold}
    begins = [span.start for span in gold]
    labels: dict[int, str] = {}
    for span in predicted:
        if (span.start, span.end) in exact:
            continue
        start, end = span.start, span.end
        while _is_inside_word(text, start):
            start -= 1
        while _is_inside_word(text, end):
            end += 1
        for token in _cut_words(text, start, end):
            for left, right in _outside(token, gold, begins):
                if left < span.end and span.start < right:
                    labels.setdefault(left, span.label)
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

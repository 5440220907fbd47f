"""Leaks: what stays readable when only the predicted spans are hidden, whatever their labels.

Letters and digits count: a comma or blank left between two hidden words identifies no one. A gold span without letters and
digits counts by its visible characters.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from incognote.document import Document, Span
from incognote.evaluate.counts import Counts

Offsets = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Leak:
    """A gold span, or a part of one, left readable; holds no text. ``whole`` says that nothing of the span was hidden."""

    document: str
    start: int
    end: int
    label: str
    whole: bool


def find_leaks(gold: Document, predicted: Document) -> tuple[Leak, ...]:
    """The readable stretches of the gold spans, in order.

    >>> from incognote.document import parse_markup
    >>> gold = parse_markup("<PATIENT>Ann Lee</PATIENT> <AGE>41</AGE>", id="n1")
    >>> [(leak.start, leak.end, leak.label, leak.whole) for leak in find_leaks(gold, parse_markup("<DOCTOR>Ann</DOCTOR> Lee 41"))]
    [(4, 7, 'PATIENT', False), (8, 10, 'AGE', True)]
    """
    leaks = []
    for span, gaps in _uncovered(gold.spans, predicted.spans):
        for start, end in gaps:
            readable = [at for at in range(start, end) if _count_readable(gold.text, at, at + 1, span)]
            if readable:
                whole = (start, end) == (span.start, span.end)
                leaks.append(Leak(gold.id, readable[0], readable[-1] + 1, span.label, whole))
    return tuple(leaks)


def find_policy_leaks(gold: Document, replaced: Iterable[Span], *, keeps: Callable[[str], bool]) -> tuple[Leak, ...]:
    """The leaks under a policy: what stays readable of the gold spans whose labels it does not keep; ``replaced`` went.

    >>> from incognote.document import parse_markup
    >>> gold = parse_markup("<PATIENT>Ann Lee</PATIENT> of <CITY>Ely</CITY>", id="n1")
    >>> [leak.label for leak in find_policy_leaks(gold, [Span(11, 14, "CITY")], keeps=lambda label: label == "CITY")]
    ['PATIENT']
    """
    return find_leaks(gold.with_spans(span for span in gold.spans if not keeps(span.label)), gold.with_spans(replaced))


def count_characters(gold: Document, predicted: Document) -> Counts:
    """Label-blind counts of readable characters: hidden PHI, other text hidden with it, PHI left.

    >>> from incognote.document import parse_markup
    >>> count_characters(parse_markup("<PATIENT>Ann Lee</PATIENT> came"), parse_markup("Ann <DATE>Lee came</DATE>"))
    Counts(tp=3, fp=4, fn=3)
    """
    text = gold.text
    total = sum(_count_readable(text, span.start, span.end, span) for span in gold.spans)
    left = sum(_count_readable(text, start, end, span) for span, gaps in _uncovered(gold.spans, predicted.spans) for start, end in gaps)
    extra = (sum(map(str.isalnum, text[start:end])) for _, gaps in _uncovered(predicted.spans, gold.spans) for start, end in gaps)
    return Counts(total - left, sum(extra), left)


def _uncovered(spans: Sequence[Span], cover: Sequence[Span]) -> Iterator[tuple[Span, list[Offsets]]]:
    """Each span that ``cover`` does not cover whole, with the stretches it leaves; both are sorted and do not overlap."""
    first = 0
    for span in spans:
        while first < len(cover) and cover[first].end <= span.start:
            first += 1
        at, start, gaps = first, span.start, []
        while at < len(cover) and cover[at].start < span.end:
            if cover[at].start > start:
                gaps.append((start, cover[at].start))
            start = cover[at].end
            at += 1
        if start < span.end:
            gaps.append((start, span.end))
        if gaps:
            yield span, gaps


def _count_readable(text: str, start: int, end: int, span: Span) -> int:
    if count := sum(map(str.isalnum, text[start:end])):
        return count
    if any(map(str.isalnum, text[span.start : span.end])):
        return 0
    return sum(not character.isspace() for character in text[start:end])

"""Spans as BIO tags and back, over any tokens that the alignment has cut into pieces."""

from collections.abc import Sequence

from incognote.document.alignment import Piece
from incognote.document.span import Span

OUTSIDE = "O"


def spans_to_tags(pieces: Sequence[Piece], spans: Sequence[Span]) -> list[str]:
    """One tag for each piece: ``B-`` where a span begins, ``I-`` inside it, ``O`` elsewhere.

    Spans are sorted and do not overlap; the pieces were cut at their edges.

    >>> from incognote.document.alignment import cut_pieces, word_tokens
    >>> spans = (Span(0, 7, "PATIENT"), Span(8, 11, "DATE"))
    >>> spans_to_tags(cut_pieces("Ann Lee May", word_tokens("Ann Lee May"), spans), spans)
    ['B-PATIENT', 'I-PATIENT', 'B-DATE']
    """
    tags, at, begun = [], 0, False
    for piece in pieces:
        while at < len(spans) and spans[at].end <= piece.start:
            at, begun = at + 1, False
        if at < len(spans) and spans[at].start <= piece.start:
            tags.append(f"{'I' if begun else 'B'}-{spans[at].label}")
            begun = True
        else:
            tags.append(OUTSIDE)
    return tags


def tags_to_spans(pieces: Sequence[Piece], tags: Sequence[str]) -> tuple[Span, ...]:
    """The spans that the tags spell; a stray ``I-`` begins a span, as seqeval's default mode has it.

    >>> tags_to_spans([Piece(0, 3, 0), Piece(4, 7, 1)], ["I-PATIENT", "I-PATIENT"])
    (Span(start=0, end=7, label='PATIENT', score=1.0, source=''),)
    """
    spans: list[Span] = []
    start, end, open_label = 0, 0, ""
    for piece, tag in zip(pieces, tags, strict=True):
        prefix, _, label = tag.partition("-")
        if open_label and (prefix != "I" or label != open_label):
            spans.append(Span(start, end, open_label))
            open_label = ""
        if label and not open_label:
            start, open_label = piece.start, label
        end = piece.end
    if open_label:
        spans.append(Span(start, end, open_label))
    return tuple(spans)


def fit_tag(tag: str, allowed: frozenset[str]) -> str:
    """The tag, or its twin with the other prefix where a tag set lacks it (Meaney et al. have no ``B-STREET``).

    >>> fit_tag("B-STREET", frozenset({"O", "I-STREET"}))
    'I-STREET'
    """
    if tag in allowed:
        return tag
    twin = {"B": "I", "I": "B"}.get(tag[0], tag[0]) + tag[1:]
    return twin if twin in allowed else OUTSIDE

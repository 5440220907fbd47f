"""Aligns tokens with spans: pieces cover every visible character, so that every note can be aligned.

A tokenizer may drop characters (control characters in WordPiece), give several tokens to one character
(byte BPE on an emoji) or put the space before a word inside its token (SentencePiece), and a gold span may
begin in the middle of a token. Pieces solve this: each visible character belongs to exactly one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from incognote.document.span import Span

Offsets = tuple[int, int]

_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters without white space at its edges; ``token`` is the token it came from, or -1 for none."""

    start: int
    end: int
    token: int


def word_tokens(text: str) -> list[Offsets]:
    """Words and single marks, the word tokens of every score.

    >>> word_tokens("Dr. Lee-Ann")
    [(0, 2), (2, 3), (4, 7), (7, 8), (8, 11)]
    """
    return [match.span() for match in _WORD.finditer(text)]


def cut_pieces(text: str, tokens: Sequence[Offsets], spans: Iterable[Span] = ()) -> list[Piece]:
    """Pieces of the tokens and of what they leave uncovered, cut wherever a span begins or ends.

    >>> cut_pieces("on 3May", [(0, 2), (3, 7)], [Span(3, 4, "AGE")])
    [Piece(start=0, end=2, token=0), Piece(start=3, end=4, token=1), Piece(start=4, end=7, token=1)]
    """
    cuts = sorted({edge for span in spans for edge in (span.start, span.end)})
    pieces: list[Piece] = []
    done = next_cut = 0
    for index, (start, end) in enumerate((*tokens, (len(text), len(text)))):
        for low, high, token in ((done, start, -1), (max(start, done), end, index)):
            if low >= high:
                continue
            while next_cut < len(cuts) and cuts[next_cut] <= low:
                next_cut += 1
            edges = [low]
            while next_cut < len(cuts) and cuts[next_cut] < high:
                edges.append(cuts[next_cut])
                next_cut += 1
            edges.append(high)
            for left, right in pairwise(edges):
                pieces.extend(_trim(text, left, right, token))
        done = max(done, end)
    return pieces


def _trim(text: str, start: int, end: int, token: int) -> Iterator[Piece]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Piece(start, end, token)

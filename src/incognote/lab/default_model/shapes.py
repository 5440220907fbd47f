"""The shapes of a training note: whole, cut, joined, recased, with lines put in, and with other words (see ``words``)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from incognote.document import Document, Span
from incognote.lab.default_model.words import Words, gather_names, mistype, renumber, respell, reterm, reword

_LINE = re.compile(r"[^\n]*\n?")
_SENTENCE = re.compile(r"(?<=[.?!;])\s+(?=[A-Z0-9\"])")
_BREAK = re.compile(r"\n|(?<=[.;]) ")
_GLUE = ("\n", "\n\n", " ", "\n---\n", "  ")
_LONG = 120  # letters


def shape(documents: Sequence[Document], rng: Random, *, plain: Sequence[str], words: Words) -> Iterator[Document]:
    """Each document whole, cut out of, or joined with others, in one casing or another.

    At times it has invented names, other ``words``, terms and numbers than its own, or some of the ``plain`` lines between its own.
    """
    names = gather_names(documents)
    for document in documents:
        draw = rng.random()
        if names and rng.random() < 0.15:
            document = respell(document, names, rng)
        if rng.random() < 0.35:
            document = reword(document, words, rng)
        if rng.random() < 0.4:
            document = reterm(document, rng)
        if rng.random() < 0.5:
            document = renumber(document, rng)
        if plain and rng.random() < 0.3:
            document = sprinkle(document, plain, rng)
        if rng.random() < 0.12:
            document = mistype(document, rng)
        if draw < 0.38:
            made = [document]
        elif draw < 0.54:
            made = [document, *cut_between(document, rng)]
        elif draw < 0.72:
            made = [cut_lines(document, rng) for _ in range(rng.randint(1, 4))]
        elif draw < 0.84:
            made = [cut_sentences(document, rng) for _ in range(rng.randint(1, 4))]
        elif draw < 0.93:
            made = [join([document, *rng.choices(documents, k=rng.randint(1, 3))], rng.choice(_GLUE))]
        else:
            made = [flatten(document)]
        for one in made:
            if one.text.strip():
                yield recase(one, rng)


def sprinkle(document: Document, plain: Sequence[str], rng: Random) -> Document:
    """Plain lines at ends of lines and sentences."""
    places = [match.end() for match in _BREAK.finditer(document.text) if not any(s.start < match.end() < s.end for s in document.spans)]
    chosen = sorted(rng.sample(places, min(len(places), rng.randint(1, 4)))) or [len(document.text)]
    pieces = [cut(document, start, end) for start, end in zip([0, *chosen], [*chosen, len(document.text)], strict=True)]
    made: list[Document] = []
    for piece in pieces:
        glue = "\n" if piece.text.endswith("\n") else " "
        made += [piece, Document(document.id, ("" if piece.text[-1:].isspace() else glue) + rng.choice(plain) + glue)]
    return join(made[:-1] if len(made) > 2 else made, "")


def cut(document: Document, start: int, end: int) -> Document:
    """The characters ``[start, end)`` as a document; a span that the cut meets is taken whole."""
    for span in document.spans:
        if span.start < start < span.end:
            start = span.start
        if span.start < end < span.end:
            end = span.end
    spans = tuple(span.shift(-start) for span in document.spans if start <= span.start and span.end <= end)
    return Document(document.id, document.text[start:end], spans=spans)


def cut_lines(document: Document, rng: Random) -> Document:
    """A few neighbouring lines."""
    lines = [match.span() for match in _LINE.finditer(document.text) if match[0].strip()]
    if not lines:
        return document
    first = rng.randrange(len(lines))
    last = min(len(lines) - 1, first + rng.choice((0, 0, 0, 1, 1, 2, 3, 5, 8)))
    return cut(document, lines[first][0], lines[last][1] - rng.randint(0, 1) if last > first else lines[last][1])


def cut_sentences(document: Document, rng: Random) -> Document:
    """One to three neighbouring sentences."""
    edges = [0, *(match.end() for match in _SENTENCE.finditer(document.text)), len(document.text)]
    first = rng.randrange(len(edges) - 1)
    return cut(document, edges[first], edges[min(len(edges) - 1, first + rng.choice((1, 1, 1, 2, 3)))])


def cut_between(document: Document, rng: Random) -> list[Document]:
    """The long stretches without PHI, from the start of a word to the end of one."""
    edges = [0, *(edge for span in document.spans for edge in (span.start, span.end)), len(document.text)]
    stretches = [document.text[start:end].partition(" ")[2].rpartition(" ")[0] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    long = [stretch for stretch in stretches if len(stretch) > _LONG]
    return [Document(document.id, stretch) for stretch in rng.sample(long, min(3, len(long)))]


def join(documents: Sequence[Document], glue: str) -> Document:
    """The documents one after the other."""
    text, spans = "", list[Span]()
    for document in documents:
        text += glue if text else ""
        spans += [span.shift(len(text)) for span in document.spans]
        text += document.text
    return Document(documents[0].id, text, spans=tuple(spans))


def flatten(document: Document) -> Document:
    """Line breaks lost, as where notes come out of a database field."""
    return replace(document, text=document.text.replace("\n", " "))


def recase(document: Document, rng: Random) -> Document:
    """Mostly as it is; at times all small or all capitals (where that keeps every character's place)."""
    draw = rng.random()
    text = document.text.lower() if draw < 0.07 else document.text.upper() if draw < 0.14 else document.text
    return document if len(text) != len(document.text) else replace(document, text=text)

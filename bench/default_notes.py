"""Training notes for the default model, without end: fresh synthetic notes, injected ones, and cuts, joins and casings of both.

Runs in worker processes; needs neither PyTorch nor the rules.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from incognote.corpora.synthetic import synthesize
from incognote.document import Document, Span
from incognote.encoders.encoding import encode_notes
from incognote.encoders.tokens import load_tokenizer
from incognote.encoders.windows import cut_windows

_AT_ONCE = 240  # synthetic notes in a chunk
_INJECTED = 30  # injected notes in a chunk: about as much text
_LINE = re.compile(r"[^\n]*\n?")
_SENTENCE = re.compile(r"(?<=[.?!;])\s+(?=[A-Z0-9\"])")
_NAME = re.compile(r"[^\W\d_]{4,}")
_RESPELLED = frozenset({"PATIENT", "DOCTOR", "CITY"})
_GLUE = ("\n", "\n\n", " ", "\n---\n", "  ")


@dataclass(frozen=True, slots=True)
class Sample:
    """One window: its ids, its tags, whether its gold is exact, and how often it has been shown again."""

    ids: Any
    tags: Any
    exact: bool
    shown: int = 0


def read_notes(file: Path) -> list[Document]:
    """Documents of a ``jsonl.gz``; the patient of an injected one is the source note, so that parts do not share any."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [Document(row["id"], row["text"], row["patient"], tuple(Span(*span) for span in row["spans"])) for row in rows]


def write_notes(documents: Sequence[Document], file: Path) -> None:
    with gzip.open(file, "wt", encoding="utf-8") as stream:
        for document in documents:
            spans = [[span.start, span.end, span.label] for span in document.spans]
            row = {"id": document.id, "patient": document.patient, "text": document.text, "spans": spans}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def make_samples(number: int, folder: Path, tags: tuple[str, ...], room: int, overlap: int, seed: int) -> Iterator[list[Sample]]:
    """Chunks of samples of worker ``number``, for ever, none like another worker's."""
    tokenizer = load_tokenizer(folder / "granite")
    injected = read_notes(folder / "injected.jsonl.gz")
    rng = Random(f"default/{seed}/{number}")
    chunk = 0
    while True:
        chunk += 1
        fresh = list(synthesize(_AT_ONCE, seed=1000 + seed * 10**7 + number * 10**5 + chunk, part="train"))
        for documents, exact in ((fresh, True), (rng.sample(injected, min(len(injected), _INJECTED)), False)):
            shaped = list(shape(documents, rng))
            notes = encode_notes(shaped, tokenizer, tags)
            windows = cut_windows([len(note) for note in notes], room=room, overlap=overlap)
            yield [
                Sample(notes[w.note].tokens.ids[w.start : w.end], notes[w.note].tags[w.start : w.end].astype(np.int16), exact)
                for w in windows
            ]


def shape(documents: Sequence[Document], rng: Random) -> Iterator[Document]:
    """Each document whole, cut out of, or joined with others, in one casing or another, at times with names that nobody has."""
    words = [
        w for document in documents for span in document.spans if span.label in _RESPELLED for w in _NAME.findall(document.value(span))
    ]
    for document in documents:
        draw = rng.random()
        if words and rng.random() < 0.15:
            document = respell(document, words, rng)
        if draw < 0.52:
            made = [document]
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


def respell(document: Document, words: Sequence[str], rng: Random) -> Document:
    """The names of people and towns made of parts of other names: nobody's, so that only their place and shape tell.

    The same name stays the same throughout the document.
    """
    made: dict[str, str] = {}

    def swap(match: re.Match[str]) -> str:
        key = match[0].lower()
        if key not in made:
            one, two = rng.choice(words), rng.choice(words)
            made[key] = (one[: rng.randint(2, 5)] + two[-rng.randint(2, 5) :]).lower()
        return made[key].upper() if match[0].isupper() else made[key].title() if match[0][0].isupper() else made[key]

    text, spans, at = "", list[Span](), 0
    for span in document.spans:
        text += document.text[at : span.start]
        value = document.value(span)
        value = _NAME.sub(swap, value) if span.label in _RESPELLED else value
        spans.append(Span(len(text), len(text) + len(value), span.label))
        text, at = text + value, span.end
    return Document(document.id, text + document.text[at:], spans=tuple(spans))


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
    text = document.text.lower() if draw < 0.06 else document.text.upper() if draw < 0.10 else document.text
    return document if len(text) != len(document.text) else replace(document, text=text)

"""Training notes for the default model, without end: fresh synthetic notes, injected ones, and the shapes of both (see default_shapes).

Runs in worker processes; needs neither PyTorch nor the rules.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from default_shapes import gather_words, shape

from incognote.corpora.synthetic import synthesize
from incognote.document import Document, Span
from incognote.encoders.encoding import encode_notes
from incognote.encoders.tokens import load_tokenizer
from incognote.encoders.windows import cut_windows

_AT_ONCE = 240  # synthetic notes in a chunk
_INJECTED = 36  # real texts in a chunk: somewhat less text
_CROPPED = 0.2  # of the windows begin and end anywhere


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


def stream_documents(folder: Path, rng: Random, *, first: int) -> Iterator[tuple[list[Document], bool]]:
    """Shaped documents for ever, and whether their gold is exact: by turns fresh synthetic notes and injected ones.

    Synthetic notes have the seeds after ``first``, so that no two workers and no two trainings read the same.
    """
    injected = read_notes(folder / "injected.jsonl.gz")
    words = gather_words(rng.sample(injected, min(len(injected), 1500)))
    for seed in count(first + 1):
        fresh = list(synthesize(_AT_ONCE, seed=seed, part="train"))
        plain = [line for document in fresh if not document.spans for line in document.text.splitlines() if line.strip()]
        for documents, exact in ((fresh, True), (rng.sample(injected, min(len(injected), _INJECTED)), False)):
            yield list(shape(documents, rng, plain=plain, words=words)), exact


def make_samples(number: int, folder: Path, tags: tuple[str, ...], room: int, overlap: int, seed: int) -> Iterator[list[Sample]]:
    """Chunks of samples of worker ``number``, for ever, none like another worker's."""
    tokenizer, rng = load_tokenizer(folder / "granite"), Random(f"default/{seed}/{number}")
    for documents, exact in stream_documents(folder, rng, first=1000 + seed * 10**7 + number * 10**5):
        notes = encode_notes(documents, tokenizer, tags)
        windows = cut_windows([len(note) for note in notes], room=room, overlap=overlap)
        yield [
            Sample(notes[w.note].tokens.ids[start:end], notes[w.note].tags[start:end].astype(np.int16), exact)
            for w in windows
            for start, end in [crop(w.start, w.end, rng)]
        ]


def crop(start: int, end: int, rng: Random) -> tuple[int, int]:
    """Mostly the window itself; at times a part of it, so that where a window begins does not matter."""
    if end - start < 24 or rng.random() >= _CROPPED:
        return start, end
    first = rng.randint(start, end - 16)
    return first, rng.randint(first + 8, end)

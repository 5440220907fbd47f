"""Training notes without end: fresh synthetic notes, injected ones, and the shapes of both (see ``shapes``).

Making a note costs far more than reading it. So writers leave notes in a folder, the spool, from which any number of models learn; a
reader that is ahead of the writers reads old notes again. Runs in worker processes; needs neither PyTorch nor the rules.
"""

import gzip
import json
import pickle
import time
import zlib
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random

from incognote.document import Document, Span
from incognote.lab.default_model.shapes import shape
from incognote.lab.default_model.words import gather_words
from incognote.lab.synthetic import synthesize

_AT_ONCE = 240  # synthetic notes in a chunk
_GUIDES = 24  # notes about guidelines, whose years and ages are no PHI: too few of them come by chance
_NATURAL = 80  # notes of natural kinds, so that the many templates full of traps do not outweigh them
NATURAL_KINDS = tuple(f"natural_{name}" for name in "questions messages hospital_notes outpatient_notes notes_abroad speech papers".split())
_INJECTED = 36  # real texts in a chunk: somewhat less text
_PAUSE = 0.5  # seconds before a reader looks for new chunks again
Chunk = tuple[list[Document], bool]


def read_notes(file: Path) -> list[Document]:
    """Documents of a ``jsonl.gz``; the patient of an injected one is the source note, so that parts do not share any."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [Document(row["id"], row["text"], row["patient"], tuple(Span(*span) for span in row["spans"])) for row in rows]


def write_notes(documents: Sequence[Document], file: Path) -> None:
    """The documents as a ``jsonl.gz``."""
    with gzip.open(file, "wt", encoding="utf-8") as stream:
        for document in documents:
            spans = [[span.start, span.end, span.label] for span in document.spans]
            row = {"id": document.id, "patient": document.patient, "text": document.text, "spans": spans}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def stream_notes(injected: Path, rng: Random, *, first: int, share: float = 1.0) -> Iterator[Chunk]:
    """Chunks of shaped notes for ever, and whether their gold is exact: by turns fresh synthetic notes and injected ones.

    Synthetic notes have the seeds after ``first``, so that no two writers and no two trainings read the same.
    """
    real = read_notes(injected)
    words = gather_words(rng.sample(real, min(len(real), 1500)))
    for seed in count(first + 1):
        fresh = list(synthesize(int(share * _AT_ONCE), seed=seed, part="train"))
        fresh += synthesize(int(share * _NATURAL), seed=seed, part="train", only=rng.choice(NATURAL_KINDS))
        guides = synthesize(int(share * _GUIDES), seed=seed, part="train", only="guidelines")
        plain = [line for document in (*fresh, *guides) if not document.spans for line in document.text.splitlines() if line.strip()]
        for documents, exact in ((fresh, True), (rng.sample(real, min(len(real), _INJECTED)), False)):
            yield list(shape(documents, rng, plain=plain, words=words)), exact


def fill_spool(spool: Path, injected: Path, number: int, seed: int) -> None:
    """What writer ``number`` does, for ever: one file for each chunk, there whole or not at all."""
    rng, draft = Random(f"default/{seed}/{number}"), spool / f".{seed}-{number}"
    for at, chunk in enumerate(stream_notes(injected, rng, first=1000 + seed * 10**7 + number * 10**5)):
        draft.write_bytes(pickle.dumps(chunk))
        draft.rename(spool / f"{seed}-{number:02}-{at:05}.pickle")


def read_spool(spool: Path, rng: Random, *, number: int, readers: int) -> Iterator[Chunk]:
    """The share of reader ``number`` in the chunks, for ever: each new one once, and while there is none, an old one."""
    known: set[str] = set()
    waiting: list[str] = []
    looked = 0.0
    while True:
        if not waiting and time.time() > looked + _PAUSE:
            looked = time.time()
            here = {file.name for file in spool.glob("*.pickle") if zlib.crc32(file.name.encode()) % readers == number}
            waiting = sorted(here - known, key=lambda name: name.partition("-")[2][-12:], reverse=True)
        if waiting:
            name = waiting.pop()
            known.add(name)
        elif known:
            name = rng.choice(sorted(known))
        else:
            time.sleep(_PAUSE)
            continue
        yield pickle.loads((spool / name).read_bytes())

"""Real clinical text for measures of speed and to train on: MTSamples and ACI-Bench, as they are or with made-up PHI in them."""

import gzip
import json
import zlib
from functools import cache
from itertools import chain, islice
from pathlib import Path

from incognote.document import Document, Span
from incognote.lab.synthetic import inject
from incognote.pipeline import Pipeline, build_pipeline

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MTSAMPLES = "mtsamples/mtsamples.jsonl.gz"
SOURCES = (MTSAMPLES, "aci-bench/notes.jsonl.gz")


def is_held_out(source: str) -> bool:
    """One source note in ten, the same ones always."""
    return zlib.crc32(source.encode()) % 10 == 0


def read_real_notes(data: Path, count: int) -> list[Document]:
    """So many transcriptions, first those that nothing was trained or fitted on; the held-out ones are over 200."""
    with gzip.open(data / MTSAMPLES, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    ordered = sorted(rows, key=lambda row: (not is_held_out(row["id"]), zlib.crc32(row["id"].encode())))
    return [Document(row["id"], row["text"]) for row in ordered[:count]]


def read_injected_notes(data: Path, count: int) -> list[Document]:
    """So many held-out notes with made-up PHI and gold; the model was trained on others, and on none of the names in these.

    There are some 200 such notes; further ones are the same with other PHI.
    """
    held = [document for document in read_sources(data) if is_held_out(document.id)]
    made = chain.from_iterable(inject(held, find_phi, seed=seed, part="test") for seed in (0, 4))
    return list(islice(made, count))


def read_sources(data: Path) -> list[Document]:
    """All real notes, those of MTSamples first."""
    rows = []
    for name in SOURCES:
        with gzip.open(data / name, "rt", encoding="utf-8") as stream:
            rows += [json.loads(line) for line in stream]
    return [Document(row["id"], row["text"]) for row in rows]


@cache
def find_phi(text: str) -> tuple[Span, ...]:
    """What looks like PHI to the rules, so that something made up can take its place."""
    return _load_rules().tag([text])[0]


@cache
def _load_rules() -> Pipeline:
    return build_pipeline(())

"""Real clinical text for measures of speed: transcriptions of MTSamples, first those that nothing was trained or fitted on."""

import gzip
import json
import zlib
from pathlib import Path

from incognote.document import Document

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MTSAMPLES = "mtsamples/mtsamples.jsonl.gz"


def is_held_out(source: str) -> bool:
    """One source note in ten, the same ones always."""
    return zlib.crc32(source.encode()) % 10 == 0


def read_real_notes(data: Path, count: int) -> list[Document]:
    """So many transcriptions; the held-out ones are over 200."""
    with gzip.open(data / MTSAMPLES, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    ordered = sorted(rows, key=lambda row: (not is_held_out(row["id"]), zlib.crc32(row["id"].encode())))
    return [Document(row["id"], row["text"]) for row in ordered[:count]]

"""The output of a run: clean notes written chunk by chunk, and joined where the format is one file."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from incognote.batch.job import Job
from incognote.batch.journal import Journal
from incognote.corpora import WriteOptions
from incognote.corpora.files import file_of, is_draft
from incognote.document import Document, scheme
from incognote.errors import CorpusError

LABELS = "i2b2-2014"


def write_chunk(job: Job, journal: Journal, number: int, clean: Sequence[Document]) -> set[str]:
    """Write a chunk; returns the ids of the notes that the format cannot represent, which go to quarantine with ``keep_going``."""
    refused: dict[str, CorpusError] = {}

    def set_aside(error: CorpusError) -> None:
        refused[error.document] = error

    documents = clean if job.keep_spans else [document.with_spans(()) for document in clean]
    place = job.target if job.format.layout == "folder" else _part(job, journal, number)
    job.format.write(documents, place, replace(_options(job), quarantine=set_aside if job.keep_going else None))
    for id, error in refused.items():
        journal.put_in_quarantine(id=id, path=str(job.source), reason=f"{job.source}, {error}")
    return set(refused)


def _part(job: Job, journal: Journal, number: int) -> Path:
    return journal.parts / f"{number:08d}{job.format.suffixes[0]}"


def measure_chunk(job: Job, journal: Journal, number: int, documents: Sequence[Document]) -> int:
    """The size in bytes of the files of a chunk."""
    if job.format.layout == "file":
        files = [_part(job, journal, number)]
    else:
        files = [file_of(document.id, job.target, suffix) for document in documents for suffix in job.format.suffixes]
    return sum(file.stat().st_size for file in files if file.exists())


def _options(job: Job) -> WriteOptions:
    return WriteOptions(columns=job.columns, scheme=scheme(LABELS), spans=job.keep_spans, header=job.header)


def join_parts(job: Job, journal: Journal) -> None:
    """Join the parts into the output, without half-written ones; a table without notes still gets its header."""
    assert job.format.join is not None
    job.target.parent.mkdir(parents=True, exist_ok=True)
    parts = sorted(part for part in journal.parts.iterdir() if not is_draft(part.name))
    if parts:
        job.format.join(parts, job.target)
    else:
        job.format.write((), job.target, _options(job))
    with job.target.open("rb") as file:
        os.fsync(file.fileno())  # the parts are removed next, so the output must be on the disk

"""The output of a run: clean notes are written chunk by chunk, compared with the journal at the end, and joined for one-file formats."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from incognote.batch.job import Job
from incognote.batch.journal import Journal
from incognote.corpora import WriteOptions
from incognote.corpora.files import file_of, walk_names
from incognote.corpora.output import place_of
from incognote.document import Document, scheme
from incognote.errors import CorpusError, OutputError

LABELS = "i2b2-2014"
_READERS = 8  # files compared at once


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


def digest_chunk(job: Job, journal: Journal, number: int, documents: Sequence[Document]) -> dict[str, str]:
    """Name and digest of each file that was written for a chunk."""
    place = _place(job, journal)
    if job.format.layout == "file":
        files = [_part(job, journal, number)]
    else:
        files = [file_of(document.id, place, suffix) for document in documents for suffix in job.format.suffixes]
    return {file.relative_to(place).as_posix(): _digest(file) or "gone" for file in files}


def is_written(job: Job, journal: Journal, files: Mapping[str, str]) -> bool:
    """Whether the files of a chunk are still what the journal says: a machine that went down may have lost them."""
    place = _place(job, journal)
    return all(_digest(place / name) == digest for name, digest in files.items())


def finish_output(job: Job, journal: Journal) -> None:
    """See that what is on the disk is what was written, join the parts, and hand it all to the disk: the journal is removed next."""
    folder = job.format.layout == "folder"
    names = _check_written(job, journal, sync=folder)
    if not folder:
        _join_parts(job, [journal.parts / name for name in names])
    folders = {job.target / parent for name in names for parent in Path(name).parents} if folder else set()
    for path in [*folders, *(() if folder else (job.target,)), place_of(job.target).absolute().parent]:
        _sync(path)


def _check_written(job: Job, journal: Journal, *, sync: bool) -> list[str]:
    """The names of all files written, in order; raise where one is missing, changed or not from this run."""
    place = _place(job, journal)
    digests = {name: digest for summary in journal.summaries("replace") for name, digest in summary["files"].items()}
    with ThreadPoolExecutor(_READERS) as readers:
        found = readers.map(lambda name: _digest(place / name, sync=sync), digests)
        lost = [name for (name, digest), now in zip(digests.items(), found, strict=True) if digest != now]
    if lost:
        what = f"{len(lost):,} of {len(digests):,} files that this run wrote are missing or were changed ({lost[0]})"
        raise OutputError(what, where=place, fix="see that nothing else writes there; {resume} writes them again")
    there = {name for name in walk_names(place) if name.lower().endswith(job.format.suffixes)} if digests else set()
    if len(there) > len(digests):
        first = min(there - digests.keys())
        what = f"{len(there) - len(digests):,} files in it are not from this run ({first})"
        raise OutputError(what, where=place, fix="move them away and go on with {resume}")
    return list(digests)


def _place(job: Job, journal: Journal) -> Path:
    return job.target if job.format.layout == "folder" else journal.parts


def _digest(path: Path, *, sync: bool = False) -> str:
    """A digest of a file's bytes, empty where there is no such file; ``sync`` hands them to the disk."""
    try:
        with path.open("rb") as file:
            if sync:
                os.fsync(file.fileno())
            return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=16)).hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""


def _sync(path: Path) -> None:
    target = os.open(path, os.O_RDONLY)
    try:
        os.fsync(target)
    finally:
        os.close(target)


def _options(job: Job) -> WriteOptions:
    return WriteOptions(columns=job.columns, scheme=scheme(LABELS), spans=job.keep_spans, header=job.header)


def _join_parts(job: Job, parts: Sequence[Path]) -> None:
    """Join the parts into the output; a table without notes still gets its header."""
    assert job.format.join is not None
    job.target.parent.mkdir(parents=True, exist_ok=True)
    if parts:
        job.format.join(parts, job.target)
    else:
        job.format.write((), job.target, _options(job))

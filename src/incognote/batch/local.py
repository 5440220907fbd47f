"""Scrubbing a whole corpus on this machine: find everywhere, then replace everywhere, in chunks that survive a kill.

Two passes, because a name found in a patient's last note must be hidden in the first. The first pass writes what
it finds to the journal; the second reads each chunk again with the facts of its patients and writes clean notes.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import TypeVar

from incognote.batch.job import Job, check_target, clear_target, doubt_files, list_settings, remove_drafts
from incognote.batch.journal import CHANGED, Journal, read_one_time_key
from incognote.batch.notes import NoteFault, find_chunk, replace_chunk
from incognote.batch.pool import Pool
from incognote.batch.summary import Summary, summarize
from incognote.batch.tables import ALL_COLUMNS, check_table
from incognote.corpora import TOKENS, WriteOptions, drop_beside, file_of, is_draft, list_beside, read_corpus
from incognote.document import Document, scheme
from incognote.errors import CorpusError, OutputError, VaultError
from incognote.facts import Facts, patient_key
from incognote.pipeline import Deidentifier
from incognote.replace import random_key

CHUNK = 40  # notes: enough to fill the model, few enough that no worker waits long for another at the end
LABELS = "i2b2-2014"
# Names, dates, numbers and the like of one person; thousands of notes have fewer.
MOST_VALUES = 10_000

Chunk = tuple[int, int, list[Document]]
Progress = Callable[[str, int, int | None], None]
Result = TypeVar("Result")


def scrub_corpus(
    job: Job,
    make: Callable[[bytes], Deidentifier],
    *,
    key: bytes | None,
    settings: Mapping[str, str],
    progress: Progress,
    warn: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Scrub the job's corpus; the output appears whole, or the run says what is missing.

    ``make`` gives the Deidentifier for a key. Without a ``key`` one is made for this run and kept in the work folder until
    the run ends. ``settings`` are compared with those of the run being resumed. ``warn`` is told what looks wrong but stops nothing.
    """
    try:
        resumed = check_target(job)
        header, unread = check_table(job.source, job.format, job.columns, drop=job.drop_columns)
        job = replace(job, header=header, unread=unread)
        secret = key or (read_one_time_key(job.work) if resumed else b"") or random_key()
        deidentifier = make(secret)
        if not resumed:
            clear_target(job)
        with Journal(job.work) as journal:
            journal.remember_settings({**settings, **list_settings(job, key)})
            _check_vault(job, journal)
            remove_drafts(job)
            doubt_files(job, warn)
            if key is None:
                journal.keep_one_time_key(secret)
            with Pool(deidentifier, job.workers) as pool:
                total = _find_all(job, journal, pool, progress)
                _doubt_patient(*journal.richest_patient(), warn)
                _replace_all(job, journal, pool, progress, total)
            known = journal.count_notes(deidentifier.patients)
            summary = Summary.merge(journal.summaries("replace"), quarantine=journal.quarantine(), known=known)
            if job.format.layout == "file" and (summary.notes or not summary.quarantine):
                _join_parts(job, journal)
            journal.finish()
    except (OSError, sqlite3.Error) as error:
        fault = getattr(error, "strerror", None) or f"the journal {job.work} cannot be written: {error}"
        raise OutputError(
            f"{getattr(error, 'filename', None) or job.target}: {fault}; nothing half-clean was written, go on with --resume"
        ) from None
    return summary


def _check_vault(job: Job, journal: Journal) -> None:
    """Notes that were replaced before are not read again: what a vault has lost of them is lost."""
    if job.vault is not None and any(journal.summaries("replace")) and job.vault.is_empty():
        raise VaultError(f"vault {job.vault.path}: lacks the notes that are done; put it back, or start anew with --overwrite")


def _chunks(job: Job, journal: Journal) -> Iterator[Chunk]:
    """The notes in chunks, less the columns to drop."""
    faults = count(1)

    def set_aside(error: CorpusError) -> None:
        journal.put_in_quarantine(id=error.document, path=error.path, reason=str(error), number=next(faults))

    def drop(document: Document) -> Document:
        return drop_beside(document, list_beside(document) if ALL_COLUMNS in job.drop_columns else job.drop_columns | {TOKENS})

    aside = set_aside if job.keep_going else None
    read = read_corpus(job.source, format=job.format.name, columns=job.columns, spans=False, quarantine=aside, unread=job.unread)
    documents = map(drop, read)
    number = first = 0
    while chunk := list(islice(documents, CHUNK)):
        yield number, first, chunk
        number, first = number + 1, first + len(chunk)


def _todo(job: Job, journal: Journal, stage: str, skip: Callable[[int], None]) -> Iterator[Chunk]:
    """The chunks that this stage has not finished; ``skip`` is told the size of the others.

    What was written must still be there as it was: a machine that went down may have lost it, though the journal knows of it.
    """
    for chunk in _chunks(job, journal):
        number, _, documents = chunk
        done = journal.summary(stage, number)
        if done is None or ("bytes" in done and done["bytes"] != _measure(job, journal, number, documents)):
            yield chunk
        else:
            skip(len(documents))


def _find_all(job: Job, journal: Journal, pool: Pool, progress: Progress) -> int:
    total = 0

    def advance(notes: int) -> None:
        nonlocal total
        total += notes
        progress("find", notes, None)

    todo = _todo(job, journal, "find", advance)
    for (number, first, documents), results in pool.map(find_chunk, todo, lambda chunk: (chunk[2],)):
        journal.save_found(number, first, documents, _sort_out(job, journal, results))
        advance(len(documents))
    return total


def _doubt_patient(patient: str, values: int, warn: Callable[[str], None]) -> None:
    """Warn of an id that seems to stand for many people: they would share surrogates, and each note would wait for all the others."""
    if values > MOST_VALUES:
        fix = "where a patient is not known, leave the id empty, so that each note is its own patient"
        warn(f"warning: {values:,} different values were found in the notes of patient {patient}; is that one person? {fix}")


def _replace_all(job: Job, journal: Journal, pool: Pool, progress: Progress, total: int) -> None:
    done = 0

    def advance(notes: int) -> None:
        nonlocal done
        done += notes
        progress("replace", notes, total)

    def arguments(chunk: Chunk) -> tuple[list[Document], dict[str, Facts]]:
        found = [document for document in journal.load_found(chunk[1], chunk[2]) if document is not None]
        return found, journal.facts(patient_key(document) for document in found)

    for (number, _, documents), results in pool.map(replace_chunk, _todo(job, journal, "replace", advance), arguments):
        scrubbed = [result for result in _sort_out(job, journal, results) if result is not None]
        if job.vault is not None:
            for result in scrubbed:
                job.vault.append(result.document, result.edits)
        refused = _write(job, journal, number, [result.document for result in scrubbed])
        written = [result for result in scrubbed if result.document.id not in refused]
        size = _measure(job, journal, number, [result.document for result in written])
        journal.save_replaced(number, {**summarize(written), "bytes": size})
        advance(len(documents))
    if done != total:
        raise CorpusError(CHANGED, path=str(job.source))


def _sort_out(job: Job, journal: Journal, results: Sequence[Result | NoteFault]) -> list[Result | None]:
    """The results with None for each fault; a fault stops the run unless it is to keep going."""
    kept: list[Result | None] = []
    for result in results:
        if not isinstance(result, NoteFault):
            kept.append(result)
            continue
        if not job.keep_going:
            raise CorpusError(f"{result.reason}; --keep-going sets such notes aside", path=str(job.source), document=result.id)
        reason = str(CorpusError(result.reason, path=str(job.source), document=result.id))
        journal.put_in_quarantine(id=result.id, path=str(job.source), reason=reason)
        kept.append(None)
    return kept


def _write(job: Job, journal: Journal, number: int, clean: Sequence[Document]) -> set[str]:
    """Write a chunk; give the ids of the notes that the format cannot hold, which are set aside where the run is to keep going."""
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


def _measure(job: Job, journal: Journal, number: int, documents: Sequence[Document]) -> int:
    """How many bytes there are of what was written for a chunk."""
    if job.format.layout == "file":
        files = [_part(job, journal, number)]
    else:
        files = [file_of(document.id, job.target, suffix) for document in documents for suffix in job.format.suffixes]
    return sum(file.stat().st_size for file in files if file.exists())


def _options(job: Job) -> WriteOptions:
    return WriteOptions(columns=job.columns, scheme=scheme(LABELS), spans=job.keep_spans, header=job.header)


def _join_parts(job: Job, journal: Journal) -> None:
    """The output from its parts, less those that a kill left half written; a table without notes has its header all the same."""
    assert job.format.join is not None
    job.target.parent.mkdir(parents=True, exist_ok=True)
    parts = sorted(part for part in journal.parts.iterdir() if not is_draft(part.name))
    if parts:
        job.format.join(parts, job.target)
    else:
        job.format.write((), job.target, _options(job))
    with job.target.open("rb") as file:
        os.fsync(file.fileno())  # the parts go now: what they became must be on the disk

"""The two passes of a run: find everywhere, then replace everywhere, in chunks that survive a kill.

A name found in a patient's last note must be hidden in the first. The first pass writes what it finds to the journal. The second reads
each chunk again with the facts of its patients and writes clean notes.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import TypeVar

from incognote.batch.executor import Executor
from incognote.batch.ids import forget
from incognote.batch.job import Job
from incognote.batch.journal import Journal, input_changed
from incognote.batch.notes import NoteFault, find_chunk, replace_chunk
from incognote.batch.output import digest_chunk, is_written, write_chunk
from incognote.batch.summary import summarize
from incognote.batch.tables import ALL_COLUMNS
from incognote.batch.text_columns import join_columns
from incognote.corpora import read_corpus
from incognote.corpora.extra_columns import TOKENS, drop_extra_columns, list_extra_columns
from incognote.corpora.format import make_each
from incognote.deidentifier import Scrubbed
from incognote.document import Document
from incognote.errors import CorpusError
from incognote.facts import Facts, patient_key

CHUNK = 40  # notes: enough to fill the model's batches, few enough that all workers finish at about the same time

Chunk = tuple[int, int, list[Document]]
Progress = Callable[[str, int, int | None], None]
Result = TypeVar("Result")


def find_pass(job: Job, journal: Journal, executor: Executor, progress: Progress) -> int:
    """Find PHI in every note that is not done yet; returns the number of notes."""
    total = 0

    def advance(notes: int) -> None:
        nonlocal total
        total += notes
        progress("find", notes, None)

    todo = _todo(job, journal, "find", advance)
    for (number, first, documents), results in executor.map(find_chunk, todo, lambda chunk: (chunk[2], job.note_seconds)):
        journal.save_found(number, first, documents, _split_faults(job, journal, results, first, documents))
        advance(len(documents))
        forget(job.pseudonyms, documents)
    return total


def replace_pass(job: Job, journal: Journal, executor: Executor, progress: Progress, total: int) -> None:
    """Replace PHI in every note that is not done yet, each with the facts of its patient, and write the clean notes."""
    done = 0

    def advance(notes: int) -> None:
        nonlocal done
        done += notes
        progress("replace", notes, total)

    def arguments(chunk: Chunk) -> tuple[list[Document], dict[str, Facts], tuple[str, ...], float]:
        found = [document for document in journal.load_found(chunk[1], chunk[2]) if document is not None]
        facts = journal.facts.facts(patient_key(document) for document in found)
        return found, facts, job.scrub_columns, job.note_seconds

    for (number, first, documents), results in executor.map(replace_chunk, _todo(job, journal, "replace", advance), arguments):
        scrubbed = [result for result in _split_faults(job, journal, results, first, documents) if result is not None]
        records = _store(job, scrubbed) if job.vault is not None else []
        refused = write_chunk(job, journal, number, [result.document for result in scrubbed])
        written = [result for result in scrubbed if result.document.id not in refused]
        files = digest_chunk(job, journal, number, [result.document for result in written])
        journal.save_replaced(number, {**summarize(written, scrubbed_columns=job.scrub_columns), "files": files, "vault": records})
        advance(len(documents))
        forget(job.pseudonyms, documents)
    if done != total:
        raise input_changed(path=job.source)


def _store(job: Job, scrubbed: Sequence[Scrubbed]) -> list[str]:
    """Add the notes to the vault, with the ids that pseudonyms stand for; returns the checksums of the records."""
    assert job.vault is not None
    originals = job.pseudonyms.originals if job.pseudonyms else {}
    return [job.vault.append(result.document, result.edits, names=originals.get(result.document.id)) for result in scrubbed]


def _chunks(job: Job, journal: Journal) -> Iterator[Chunk]:
    """The notes in chunks, without the columns to drop."""
    faults = count(1)

    def set_aside(error: CorpusError) -> None:
        journal.put_in_quarantine(id=error.document, path=error.path, reason=str(error), number=next(faults))

    def drop(document: Document) -> Document:
        every = ALL_COLUMNS in job.drop_columns
        names = {*list_extra_columns(document)}.difference(job.scrub_columns) if every else job.drop_columns | {TOKENS}
        return drop_extra_columns(document, names)

    aside = set_aside if job.keep_going else None
    read = read_corpus(job.source, format=job.format.name, columns=job.columns, spans=False, quarantine=aside, unread=job.unread)
    documents = make_each(map(drop, read), lambda document: join_columns(document, job.scrub_columns), aside)
    documents = map(job.pseudonyms.rename, documents) if job.pseudonyms else documents
    number = first = 0
    while chunk := list(islice(documents, CHUNK)):
        yield number, first, chunk
        number, first = number + 1, first + len(chunk)


def _todo(job: Job, journal: Journal, stage: str, skip: Callable[[int], None]) -> Iterator[Chunk]:
    """The chunks that are not finished, or whose files or vault records were lost; ``skip`` is called with the size of each other one."""
    held = job.vault.checksums() if job.vault is not None and stage == "replace" else set()
    for chunk in _chunks(job, journal):
        number, _, documents = chunk
        done = journal.summary(stage, number)
        if done is None or not is_written(job, journal, done.get("files", {})) or not held.issuperset(done.get("vault", ())):
            yield chunk
        else:
            skip(len(documents))


def _split_faults(
    job: Job, journal: Journal, results: Sequence[Result | NoteFault], first: int, documents: Sequence[Document]
) -> list[Result | None]:
    """The results, with None for each fault. A fault stops the run; with ``keep_going`` it goes to quarantine."""
    kept: list[Result | None] = []
    for result in results:
        if not isinstance(result, NoteFault):
            kept.append(result)
            continue
        number = next(at for at, document in enumerate(documents, first + 1) if document.id == result.id)
        name, place = ("", f"note {number:d} in reading order") if result.exposed else (result.id, "")
        stops = not (job.keep_going or result.aside)
        fix = result.fix or ("{keep_going} sets such notes aside" if stops else "")
        error = CorpusError(result.reason, path=job.source, document=name, place=place, fix=fix)
        if stops:
            raise error
        journal.put_in_quarantine(id=name or f"#{number:d}", path=str(job.source), reason=str(error))
        kept.append(None)
    return kept

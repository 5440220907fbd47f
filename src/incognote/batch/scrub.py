"""Scrubbing a corpus: checks the output, runs the two passes on an executor, joins the parts."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace

from incognote.batch.executor import StartExecutor
from incognote.batch.ids import Pseudonyms
from incognote.batch.job import Job, check_target, clear_target, list_settings, remove_drafts, warn_of_other_files
from incognote.batch.journal import Journal, read_one_time_key
from incognote.batch.local import LocalPool
from incognote.batch.output import finish_output
from incognote.batch.passes import Progress, find_pass, replace_pass
from incognote.batch.summary import Summary
from incognote.batch.tables import check_table
from incognote.deidentifier import Deidentifier
from incognote.errors import ConfigError, OutputError, VaultError
from incognote.memory.checksums import was_interrupted
from incognote.replace import random_key
from incognote.replace.keys import stretch_key
from incognote.shown import show_id

# Distinct values (names, dates, numbers) of one patient; even patients with thousands of notes have fewer.
MOST_VALUES = 10_000


def scrub_corpus(
    job: Job,
    make: Callable[[bytes], Deidentifier],
    *,
    key: bytes | None,
    settings: Mapping[str, str],
    progress: Progress,
    warn: Callable[[str], None] = lambda _: None,
    start: StartExecutor | None = None,
) -> Summary:
    """Scrub the job's corpus. Notes that were not written are in the summary's ``quarantine``; any other fault raises.

    ``make`` returns the Deidentifier for a key. Without a ``key`` a random one is made for this run and kept in the work folder until
    the run ends. ``settings`` are compared with those of the run being resumed. ``warn`` is called with what looks wrong but does not
    stop the run. ``start`` opens an executor other than worker processes on this machine.
    """
    try:
        if job.scrub_columns and job.vault:
            raise ConfigError("scrub", ["a vault holds no columns: {vault} and {scrub_columns} exclude each other"])
        resumed = check_target(job)
        header, unread = check_table(job.source, job.format, job.columns, drop=job.drop_columns, scrub=frozenset(job.scrub_columns))
        job = replace(job, header=header, unread=unread)
        secret = key or (read_one_time_key(job.work) if resumed else b"") or random_key()
        deidentifier = make(secret)
        if job.pseudonymize_ids:
            pseudonyms = Pseudonyms(stretch_key(secret))
            job, deidentifier = replace(job, pseudonyms=pseudonyms), pseudonyms.rename_known(deidentifier)
        if not resumed:
            clear_target(job)
        with Journal(job.work) as journal:
            if key is None:
                journal.keep_one_time_key(secret)
            journal.remember_settings({**settings, **list_settings(job, secret, deidentifier)})
            _check_vault(job, journal)
            remove_drafts(job)
            warn_of_other_files(job, warn)
            with start(deidentifier) if start else LocalPool(deidentifier, job.workers) as executor:
                total = find_pass(job, journal, executor, progress)
                _warn_of_patient(*journal.facts.richest_patient(), warn)
                replace_pass(job, journal, executor, progress, total)
            known = journal.count_notes(deidentifier.patients)
            summary = Summary.merge(journal.summaries("replace"), quarantine=journal.quarantine(), known=known)
            if summary.notes or not summary.quarantine:
                finish_output(job, journal)
            _check_records(job, journal)
            journal.finish()
    except (OSError, sqlite3.Error) as error:
        if was_interrupted(error):
            raise KeyboardInterrupt from None
        fault = getattr(error, "strerror", None) or f"its journal cannot be written ({getattr(error, 'sqlite_errorname', '')})"
        where = getattr(error, "filename", None) or job.target
        fix = "nothing half-clean was written, continue with {resume}" if job.work.exists() else "choose another place for the output"
        raise OutputError(fault, where=where, fix=fix) from None
    return summary


def _check_vault(job: Job, journal: Journal) -> None:
    """Raise when a resumed run has finished notes but an empty vault: as those notes are not replaced again, it would never hold them."""
    if job.vault is not None and any(journal.summaries("replace")) and job.vault.is_empty():
        fix = "put it back, or start again with {overwrite}"
        raise VaultError("lacks the notes that are done", where=job.vault, fix=fix)


def _check_records(job: Job, journal: Journal) -> None:
    """What was added to the vault must be in it before the journal, from which it could be added again, is removed."""
    if job.vault is None:
        return
    held = job.vault.checksums()
    if lost := sum(checksum not in held for done in journal.summaries("replace") for checksum in done["vault"]):
        raise VaultError(f"lacks {lost:,d} records that this run added", where=job.vault, fix="{resume} adds them again")


def _warn_of_patient(patient: str, values: int, warn: Callable[[str], None]) -> None:
    """Warn of an id that seems to stand for many people: they would share surrogates, and each note would wait for all the others."""
    if values > MOST_VALUES:
        fix = "where a patient is not known, leave the id empty, so that each note is its own patient"
        whose = f"patient {show_id(patient) or '(id not shown)'}"
        warn(f"{values:,} different values were found in the notes of {whose}; is that one person? {fix}")

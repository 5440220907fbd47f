"""A Job: what to scrub and where to; checks that the output may be written; the settings that a resumed run must share."""

import hashlib
import hmac
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from incognote.batch.ids import Pseudonyms
from incognote.batch.journal import is_unfinished, remove_work
from incognote.batch.limits import NOTE_SECONDS
from incognote.corpora import Columns, Format, Header
from incognote.corpora.files import is_draft, list_drafts, walk, walk_names
from incognote.corpora.formats import check_name
from incognote.corpora.output import check_output, place_of
from incognote.deidentifier import Deidentifier
from incognote.errors import OutputError
from incognote.find.model.choice import uses_gpu
from incognote.find.model.runtimes.loading import TORCH
from incognote.replace import Vault
from incognote.version import __version__


@dataclass(frozen=True, slots=True)
class Job:
    """What to scrub, where to, and how; :func:`check_table` fills in ``header`` and ``unread``, the run ``pseudonyms``."""

    source: Path
    target: Path
    format: Format
    columns: Columns = field(default_factory=Columns)
    workers: int = 1
    resume: bool = False
    overwrite: bool = False
    keep_going: bool = False
    note_seconds: float = NOTE_SECONDS
    keep_spans: bool = False
    vault: Vault | None = None
    drop_columns: frozenset[str] = frozenset()
    header: Header | None = None
    unread: frozenset[str] = frozenset()
    scrub_columns: tuple[str, ...] = ()
    pseudonymize_ids: bool = False
    pseudonyms: Pseudonyms | None = None

    @property
    def work(self) -> Path:
        """The private folder of an unfinished run, beside the output."""
        place = place_of(self.target)
        return place.with_name(f"{place.name}.incognote-work")


def check_target(job: Job) -> bool:
    """Whether this run resumes a stopped one; raise when the output may not be written."""
    unfinished = is_unfinished(job.work)
    if unfinished and not (job.resume or job.overwrite):
        raise OutputError("an earlier run was stopped", where=job.work, fix="go on with {resume}, or start again with {overwrite}")
    if not (unfinished and job.resume):
        check_name(job.target, job.format)
        check_output(job.source, job.target, folder=job.format.layout == "folder", overwrite=job.overwrite)
    return unfinished and job.resume


def warn_of_other_files(job: Job, warn: Callable[[str], None]) -> None:
    """Warn of files in the input that are not read, counted by suffix; names that start with ``_`` (as Spark writes) are ignored."""
    if job.source.is_file():
        return
    names = (name.rpartition("/")[2].lower() for name in walk_names(job.source))
    strange = (name for name in names if not name.startswith("_") and not name.endswith(job.format.suffixes))
    others = Counter(Path(name).suffix or "no ending" for name in strange)
    if others:
        endings = ", ".join(f"{count:,} {ending}" for ending, count in others.most_common(5))
        warn(f"{others.total():,} files in {job.source} are no {job.format.name} notes and were passed over ({endings})")


def list_settings(job: Job, key: bytes, deidentifier: Deidentifier) -> dict[str, str]:
    """The settings that a resumed run must share with the stopped one, otherwise the output would mix both."""
    runtimes = [choice.runtime for choice in deidentifier.choices]
    return {
        "pipeline": deidentifier.pipeline.fingerprint,
        "runtime": " ".join(dict.fromkeys(runtimes)) or "none",
        "device": "gpu" if TORCH in runtimes and uses_gpu() else "cpu",
        "accept-unread": str(deidentifier.accept_unread),
        "thresholds": str(deidentifier.pipeline.thresholds),
        "incognote": __version__,
        "input": fingerprint(job.source),
        "format": job.format.name,
        "key": hmac.digest(key, b"incognote resume", "sha256").hex()[:16],
        "columns": repr(job.columns),
        "keep-spans": str(job.keep_spans),
        "pseudonymize-ids": str(job.pseudonymize_ids),
        "scrub-columns": ",".join(job.scrub_columns),
        "drop-columns": ",".join(sorted(job.drop_columns)),
        "vault": str(job.vault and job.vault.path.resolve()),
    }


def clear_target(job: Job) -> None:
    """Remove the notes and work folder of an earlier run, so that no old file is taken for output of this one."""
    check_target(job)  # again: loading the model took time
    files = [path for path in job.target.rglob("*") if not path.is_dir()]
    strangers = [path for path in files if not path.name.endswith(job.format.suffixes) and not is_draft(path.name)]
    if strangers:
        what = f"holds files that are no {job.format.name} notes ({strangers[0].name})"
        raise OutputError(what, where=job.target, fix="remove the folder yourself")
    remove_work(job.work)
    if not job.target.is_dir():
        job.target.unlink(missing_ok=True)
        return
    # Keep the folder itself: it may be a link, a mount, or have its own permissions.
    for path in job.target.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def remove_drafts(job: Job) -> None:
    """Remove the half-written files of a killed run, in the output folder or beside the output file."""
    folder = job.format.layout == "folder"
    for path in [path for path in job.target.rglob(".*") if is_draft(path.name)] if folder else list_drafts(job.target):
        path.unlink()


def fingerprint(source: Path) -> str:
    """A digest of the names, sizes and times of the input's files."""
    digest = hashlib.sha256()
    for path in walk(source) if source.is_dir() else [source]:
        try:
            stat = path.stat()
        except OSError:  # a broken or circular link; reading the corpus reports it
            continue
        name = path.relative_to(source) if path != source else ""
        digest.update(f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()

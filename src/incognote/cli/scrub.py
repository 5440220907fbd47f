"""incognote scrub: finds and replaces the PHI of notes, and writes clean notes and a report."""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli import options
from incognote.cli.opening import open_as_before, read_note
from incognote.cli.output import check_pages, count, finish, say, say_written, warn_of_strangers, write_json, write_text
from incognote.cli.progress import Meter
from incognote.errors import ConfigError, CorpusError
from incognote.shown import show_extra_column

if TYPE_CHECKING:
    from incognote.batch import Job, Summary
    from incognote.deidentifier import Deidentifier
    from incognote.replace import Policy


def scrub(
    source: Annotated[str, typer.Argument(metavar="IN", help="A folder or file of notes, or - for one note from standard input.")],
    target: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="Where to write the clean notes, in the format of IN.")
    ] = None,
    mode: options.Mode = "surrogate",
    mask: options.Mask = "fixed",
    placeholder: options.Placeholder = "[{label}-{number}]",
    names: options.Names = "one",
    policy: options.PolicyName = "i2b2",
    clinicians: Annotated[
        str | None, typer.Option(metavar="keep|remove", help="Keep or remove the names of clinical staff, whatever the policy says.")
    ] = None,
    patients: options.Patients = None,
    key_file: options.KeyFile = None,
    model: options.Models = None,
    rules: options.Rules = None,
    always: options.Always = None,
    keep_words: options.KeepWords = None,
    priorities: options.PrioritiesFile = None,
    recall: options.Recall = "default",
    runtime: options.RuntimeName = "auto",
    unsafe: options.Unsafe = False,
    format: options.CorpusFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    patient_from: options.PatientFrom = "",
    drop_columns: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="csv, parquet and jsonl: extra columns to leave out; all leaves out every one.")
    ] = None,
    scrub_columns: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME", help="csv, parquet and jsonl: extra text columns to scrub, too, with the same surrogates."),
    ] = None,
    pseudonymize_ids: Annotated[
        bool, typer.Option("--pseudonymize-ids", help="Replace the ids of notes and patients, and file names; a vault holds the originals.")
    ] = False,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0 means one for each core.")] = 0,
    vault: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the originals, encrypted with the key, for incognote reidentify.")
    ] = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = None,
    show_phi: Annotated[bool, typer.Option("--show-phi", help="Show original PHI in the report; only you can then read it.")] = False,
    keep_spans: Annotated[bool, typer.Option("--keep-spans", help="Annotate the replacements, in formats that hold spans.")] = False,
    keep_going: options.KeepGoing = False,
    note_seconds: Annotated[
        float,
        typer.Option(min=0, help="What takes longer is a bad note: seconds for each note and 100,000 characters of it; 0 sets no limit."),
    ] = 120,
    accept_unread: Annotated[
        bool,
        typer.Option("--accept-unread", help="Also scrub notes with letters that the model cannot read; without it they are set aside."),
    ] = False,
    resume: options.Resume = False,
    overwrite: options.Overwrite = False,
    json_to: Annotated[str | None, options.json_option("the counts of the run")] = None,
) -> None:
    """Find the PHI in notes and replace it.

    Example: incognote scrub notes/ -o clean/ --policy safe-harbor --report report.html
    """
    if show_phi and not report:
        raise ConfigError("scrub", ["--show-phi is for the report: add --report FILE"])
    lone = _is_one_note(source, target)
    if lone:
        given = {"--vault": vault, "--report": report, "--json": json_to, "--keep-spans": keep_spans, "--keep-going": keep_going}
        given |= {
            "--resume": resume,
            "--format": format,
            "--patients": patients,
            "--drop-columns": drop_columns,
            "--scrub-columns": scrub_columns,
        }
        given |= {"--pseudonymize-ids": pseudonymize_ids}
        _check_lone(given, source, target)
    elif target is None:
        raise ConfigError("scrub", ["-o OUT is missing: where to write the clean notes"])
    elif not Path(source).exists():
        raise CorpusError("no such file or folder", path=source)
    files = [None if source == "-" else source, patients, priorities, key_file, policy, always, keep_words, *(rules or [])]
    check_pages({"--report": report, "--json": json_to, "--vault": vault}, files=files, notes=target)
    from incognote.replace import Marks, load_policy, open_vault

    actions = load_policy(policy, clinicians=clinicians)
    Marks(mask, placeholder)
    key = _read_key(key_file, vault)
    derived = _list_derived(mode, actions)
    made: list[Deidentifier] = []
    earlier = ""

    def make(key: bytes) -> "Deidentifier":
        about: dict[str, Any] = {"mode": mode, "policy": actions, "key": key, "patients": patients, "recall": recall, "unsafe": unsafe}
        about |= {"rules": rules, "always": always, "keep_words": keep_words, "accept_unread": accept_unread}
        about |= {"mask": mask, "placeholder": placeholder, "names": names}
        made.append(open_as_before(earlier, model=model, priorities=priorities, runtime=runtime, **about))
        return made[0]

    if lone:
        _scrub_one_note(source, target, make, key, overwrite=overwrite)
        _say_one_time_key(key, derived)
        return
    from incognote.batch import Job
    from incognote.batch.journal import read_runtime
    from incognote.corpora import Columns, detect_format, format_named
    from incognote.find.model.machine import count_cores

    assert target is not None
    job = Job(
        Path(source),
        target,
        format_named(format) if format else detect_format(Path(source)),
        columns=Columns(note_column, id_column, patient_column, patient_from),
        workers=workers or count_cores(),
        resume=resume,
        overwrite=overwrite,
        keep_going=keep_going,
        note_seconds=note_seconds,
        keep_spans=keep_spans,
        scrub_columns=tuple(sorted({name.strip() for name in (scrub_columns or "").split(",")} - {""})),
        pseudonymize_ids=pseudonymize_ids,
        vault=open_vault(vault, key, create=True) if vault and key else None,
        drop_columns=frozenset(name.strip() for name in (drop_columns or "").split(",")) - {""},
    )
    earlier = read_runtime(job.work) if resume else ""
    settings = {
        "mode": mode,
        "mask": mask,
        "placeholder": placeholder,
        "names": names,
        "policy": repr(actions),
        "patients": _digest(patients),
        "key": "given" if key else "one-time",
    }
    begun = time.monotonic()
    summary = _run(job, make, key, settings)
    seconds = time.monotonic() - begun
    shown = {**settings, "policy": policy, "clinicians": actions.clinicians, "recall": recall, "input": source, **_describe(made[0])}
    shown |= {
        "format": job.format.name,
        "workers": str(job.workers),
        "columns kept as they are": _list_extra(summary) or "none",
    }
    _say_done(summary, job.target, seconds)
    _say_one_time_key(key, derived)
    if patients:
        known = min(summary.known, summary.notes)  # a note in quarantine may have been counted before
        warn_of_strangers(patients, known=known, notes=summary.notes)
        shown["notes of known patients"] = f"{known:,}"
    if json_to:
        _write_counts(summary, seconds, shown, json_to)
    if report:
        _write_report(summary, job, seconds, shown, report, show_phi=show_phi)
    finish([row["reason"] for row in summary.quarantine])


def _is_one_note(source: str, target: Path | None) -> bool:
    """Whether one text is scrubbed by itself: standard input, or a text file that goes to a file or to standard output."""
    if source == "-":
        return True
    path = Path(source)
    if target is None or not path.is_file() or target.is_dir():
        return False
    from incognote.corpora import detect_format

    to_file = target.suffix == path.suffix and target != Path("-")
    return (to_file or target == Path("-")) and detect_format(path).name == "text"


def _check_lone(given: Mapping[str, object], source: str, target: Path | None) -> None:
    """Raise when an option for a corpus is given with one note, or a file is named for standard input."""
    lone = "one note has no id, patient or columns, and its run cannot be resumed"
    faults = [f"{option} is for a folder or a table: {lone}" for option, value in given.items() if value]
    if source == "-" and target not in (None, Path("-")):
        faults.append("-o is for files: a note from standard input goes to standard output")
    if faults:
        raise ConfigError("scrub", faults)


def _read_key(path: Path | None, vault: Path | None) -> bytes | None:
    """The user's secret key, from the file or the environment; None means a one-time key."""
    from incognote.replace import KEY_VARIABLE, key_from_environment, read_key

    key = read_key(path) if path else key_from_environment()
    if key is None and vault:
        raise ConfigError("scrub", [f"--vault needs a key that is kept: --key-file FILE, or the variable {KEY_VARIABLE}"])
    return key


def _list_derived(mode: str, rules: "Policy") -> str:
    """What a run derives from the key, in words: surrogates, shifted dates, or nothing."""
    shifts = "shifted dates" if "shift" in rules.actions.values() else ""
    return "surrogates and shifted dates" if mode == "surrogate" else shifts


def _say_one_time_key(key: bytes | None, derived: str) -> None:
    if key is None and derived:
        say(f"no key given: {derived} use a one-time key and cannot be reproduced; --key-file makes them repeatable")


def _digest(path: Path | None) -> str:
    """Name and digest of a file, for the settings that a resumed run must share."""
    if path is None:
        return "none"
    import hashlib

    if not path.is_file():
        raise CorpusError("no such file", path=path)
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _scrub_one_note(
    source: str, target: Path | None, make: "Callable[[bytes], Deidentifier]", key: bytes | None, *, overwrite: bool
) -> None:
    """Scrub a text of its own patient; a file appears whole or not at all."""
    from incognote.corpora.files import write_whole
    from incognote.corpora.output import check_output
    from incognote.replace import random_key

    # A service may be started without them.
    if (source == "-" and sys.stdin is None) or (target in (None, Path("-")) and sys.stdout is None):
        raise CorpusError("standard input or standard output is closed")
    if target is not None and target != Path("-"):
        check_output(Path(source), target, folder=False, overwrite=overwrite)
    clean = make(key or random_key()).scrub(read_note(source)).text.encode("utf-8")
    if target is None or target == Path("-"):
        sys.stdout.buffer.write(clean)
    else:
        write_whole(target, clean)


def _run(job: "Job", make: "Callable[[bytes], Deidentifier]", key: bytes | None, settings: dict[str, str]) -> "Summary":
    """Scrub the corpus with a progress meter; after an error, say what the work folder holds."""
    from incognote.batch import scrub_corpus

    try:
        with Meter() as meter:
            return scrub_corpus(job, make, key=key, settings=settings, progress=meter.advance, warn=lambda what: say(f"warning: {what}"))
    except BaseException as error:
        if job.work.exists() and f"{job.work}:" not in str(error):
            say(
                f"{job.work}: holds what was found so far, including PHI; continue with --resume, start over with --overwrite, or delete it"
            )
        raise


def _describe(deidentifier: "Deidentifier") -> dict[str, str]:
    """The models, their runtimes and the fingerprint, for the report."""
    about = {
        "model": " ".join(map(str, deidentifier.taggers)) or "none",
        "runtime": " ".join(choice.runtime for choice in deidentifier.choices) or "none",
        "pipeline": deidentifier.pipeline.fingerprint,
    }
    failed = "; ".join(each for choice in deidentifier.choices for each in choice.faults)
    return about | ({"runtimes that do not work here": failed} if failed else {})


def _say_done(summary: "Summary", target: Path, seconds: float) -> None:
    spans = f"{count(summary.replaced, 'span')} replaced" + (f", {summary.kept.total():,} kept by the policy" if summary.kept else "")
    done = f"{count(summary.notes, 'note')}, {spans}, {seconds:.1f} s ({summary.notes / max(seconds, 1e-9):,.0f} notes/s)"
    say_written(done, target, written=summary.notes, aside=len(summary.quarantine))
    if summary.unread:
        scripts = ", ".join(f"{letters:,} {name}" for name, letters in sorted(summary.unread.items()))
        say(f"warning: letters that the model cannot read are in the clean notes: {scripts}")
    if summary.extra_columns:
        columns = _list_extra(summary)
        say(f"warning: extra columns copied unchanged and not searched for PHI: {columns} (--drop-columns leaves them out)")


def _list_extra(summary: "Summary") -> str:
    """The extra columns for a message; a key of a JSON line may be anything."""
    return ", ".join(dict.fromkeys(map(show_extra_column, summary.extra_columns)))


def _write_counts(summary: "Summary", seconds: float, settings: dict[str, str], target: str) -> None:
    counts = {"notes": summary.notes, "words": summary.words, "spans": summary.found, "replaced": summary.replaced}
    counts["order_open"] = summary.order_open
    tables = {
        "labels": summary.labels,
        "kept": summary.kept,
        "verdicts": summary.verdicts,
        "unread": summary.unread,
        "sources": summary.sources,
    }
    write_json({**counts, **tables, "quarantine": summary.quarantine, "seconds": seconds, "settings": settings}, target)


def _write_report(summary: "Summary", job: "Job", seconds: float, settings: dict[str, str], target: str, *, show_phi: bool) -> None:
    from incognote.batch import render_report
    from incognote.version import __version__

    about = {**settings, "incognote": __version__, "python": sys.version.split()[0], "output": str(job.target)}
    page = render_report(summary, title=f"Scrub of {settings['input']}", settings=about, seconds=seconds, show_phi=show_phi)
    write_text(page, target, private=show_phi)
    say(f"report: {target}")

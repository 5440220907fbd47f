"""incognote scrub: the main job, from notes to clean notes and a report."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.opening import open_deidentifier
from incognote.cli.options import (
    CorpusFormat,
    IdColumn,
    Models,
    NoteColumn,
    PatientColumn,
    Patients,
    PrioritiesFile,
    Recall,
    RuntimeName,
    Unsafe,
    json_option,
)
from incognote.cli.output import Meter, check_pages, say, say_quarantine, say_written, warn_of_strangers, write_json, write_text
from incognote.errors import ConfigError, CorpusError
from incognote.models import choose_models
from incognote.priorities import load_priorities

if TYPE_CHECKING:
    from incognote.batch import Summary
    from incognote.pipeline import Deidentifier

MODES = ("surrogate", "placeholder", "redact")


def scrub(
    source: Annotated[str, typer.Argument(metavar="IN", help="A folder or file of notes, or - for one note from standard input.")],
    target: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="Where the clean notes go, in the same format.")
    ] = None,
    mode: Annotated[
        str, typer.Option(help="What stands in for PHI: surrogate, placeholder ([PATIENT-1]; also: tag) or redact (***).")
    ] = "surrogate",
    policy: Annotated[str, typer.Option(help="safe-harbor, limited-data-set, i2b2, or a TOML file; see: incognote policy list.")] = "i2b2",
    clinicians: Annotated[str | None, typer.Option(help="keep or remove: the names of clinical staff, whatever the policy says.")] = None,
    patients: Patients = None,
    key_file: Annotated[
        Path | None, typer.Option(help="The secret key: the same key gives the same surrogates. Or set INCOGNOTE_KEY.")
    ] = None,
    model: Models = None,
    priorities: PrioritiesFile = None,
    recall: Recall = "default",
    runtime: RuntimeName = "auto",
    unsafe: Unsafe = False,
    format: CorpusFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    drop_columns: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="csv, parquet and jsonl: other columns to leave out; all takes out every one.")
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 means one for each core.")] = 0,
    vault: Annotated[
        Path | None, typer.Option(help="Write an encrypted map back to the originals here; see: incognote reidentify.")
    ] = None,
    report: Annotated[str | None, typer.Option(help="Write an HTML report here.")] = None,
    show_phi: Annotated[bool, typer.Option("--show-phi", help="Let the report show original PHI; only you may then read it.")] = False,
    keep_spans: Annotated[bool, typer.Option("--keep-spans", help="Mark the replacements in formats that hold annotations.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Set bad notes aside in quarantine; exit with 3 if there are any.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the notes at OUT.")] = False,
    json_to: Annotated[str | None, json_option("the run's counts")] = None,
) -> None:
    """Take the PHI out of notes.

    Example: incognote scrub notes/ -o clean/ --policy safe-harbor --report report.html
    """
    asked = {"--vault": vault, "--report": report, "--json": json_to, "--keep-spans": keep_spans, "--keep-going": keep_going}
    asked |= {"--resume": resume, "--overwrite": overwrite, "--format": format, "-o": target if target != Path("-") else None}
    asked |= {"--patients": patients, "--drop-columns": drop_columns}
    mode = "placeholder" if mode == "tag" else mode
    _check_options(source, target, mode, asked=[option for option, value in asked.items() if value], hidden=show_phi and not report)
    files = [None if source == "-" else source, patients, priorities, key_file, policy]
    check_pages({"--report": report, "--json": json_to, "--vault": vault}, files=files, notes=target)
    from incognote.replace import load_policy, open_vault

    rules = load_policy(policy, clinicians=clinicians)
    shifts = "shift" in rules.actions.values()
    key = _read_key(key_file, surrogates=mode == "surrogate", shifts=shifts, needed_by="--vault" if vault else "")

    made: list[Deidentifier] = []

    def make(key: bytes) -> "Deidentifier":
        made.append(
            open_deidentifier(
                models=choose_models(model),
                runtime=runtime,
                mode=mode,
                policy=rules,
                key=key,
                patients=patients,
                priorities=load_priorities(priorities) if priorities else None,
                recall=recall,
                unsafe=unsafe,
            )
        )
        return made[0]

    if source == "-":
        _scrub_standard_input(make, key)
        return
    from incognote.batch import Job, scrub_corpus
    from incognote.corpora import Columns, detect_format, format_named
    from incognote.find.model.machine import count_cores

    assert target is not None
    path = _existing(source)
    job = Job(
        path,
        target,
        format_named(format) if format else detect_format(path),
        columns=Columns(note_column, id_column, patient_column),
        workers=workers or count_cores(),
        resume=resume,
        overwrite=overwrite,
        keep_going=keep_going,
        keep_spans=keep_spans,
        vault=open_vault(vault, key, create=True) if vault and key else None,
        drop_columns=frozenset(name.strip() for name in (drop_columns or "").split(",")) - {""},
    )
    settings = {
        "mode": mode,
        "policy": repr(rules),
        "patients": _digest(patients),
        "key": "given" if key else "one-time",
    }
    begun = time.monotonic()
    try:
        with Meter() as meter:
            summary = scrub_corpus(job, make, key=key, settings=settings, progress=meter.advance, warn=lambda what: say(f"warning: {what}"))
    except BaseException as error:
        if job.work.exists() and f"{job.work}:" not in str(error):
            say(f"{job.work}: holds what was found so far, PHI too; go on with --resume, start again with --overwrite, or remove it")
        raise
    seconds = time.monotonic() - begun
    shown = {
        **settings,
        "policy": policy,
        "clinicians": rules.clinicians,
        "model": " ".join(map(str, made[0].taggers)) or "none",
        "runtime": " ".join(choice.runtime for choice in made[0].choices) or "none",
        "recall": recall,
        "pipeline": made[0].pipeline.fingerprint,
        "input": source,
    }
    shown |= {
        "format": job.format.name,
        "workers": str(job.workers),
        "columns kept as they are": ", ".join(summary.extra_columns) or "none",
    }
    if faults := [each for choice in made[0].choices for each in choice.faults]:
        shown["runtimes that do not work here"] = "; ".join(faults)
    if patients:
        # A note in quarantine may have been found and counted before.
        known = min(summary.known, summary.notes)
        warn_of_strangers(patients, known=known, notes=summary.notes)
        shown["notes of known patients"] = f"{known:,}"
    _tell(summary, job.target, seconds, shown, report=report, show_phi=show_phi, json_to=json_to)
    if summary.quarantine:
        raise typer.Exit(3)


def _check_options(source: str, target: Path | None, mode: str, *, asked: Sequence[str], hidden: bool) -> None:
    lone = "a note from standard input has no id, patient or columns, and goes to standard output"
    faults = [f"{option} is for files: {lone}" for option in asked if source == "-"]
    if mode not in MODES:
        faults.append(f"--mode {mode}: is one of {', '.join(MODES)}")
    if source != "-" and target is None:
        faults.append("-o OUT is missing: where the clean notes go")
    if hidden:
        faults.append("--show-phi is for the report: say where it goes with --report FILE")
    if faults:
        raise ConfigError("scrub", faults)


def _existing(source: str) -> Path:
    path = Path(source)
    if not path.exists():
        raise CorpusError("no such file or folder", path=source)
    return path


def _read_key(path: Path | None, *, surrogates: bool, shifts: bool, needed_by: str) -> bytes | None:
    """The user's secret key, from the file or the environment; None means a one-time key."""
    from incognote.replace import KEY_VARIABLE, key_from_environment, read_key

    key = read_key(path) if path else key_from_environment()
    if key is None and needed_by:
        raise ConfigError("scrub", [f"{needed_by} needs a key that is kept: --key-file FILE, or the variable {KEY_VARIABLE}"])
    if key is None and (surrogates or shifts):
        made = "surrogates and shifted dates" if surrogates else "shifted dates"
        say(f"no key given: these {made} use a one-time key and cannot be made again (--key-file makes them repeatable)")
    return key


def _digest(path: Path | None) -> str:
    if path is None:
        return "none"
    import hashlib

    if not path.is_file():
        raise CorpusError("no such file", path=path)
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _scrub_standard_input(make: "Callable[[bytes], Deidentifier]", key: bytes | None) -> None:
    from incognote.replace import random_key

    if sys.stdin is None or sys.stdout is None:  # a service may be started without them
        raise CorpusError("standard input or standard output is closed")
    deidentifier = make(key or random_key())
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError("not UTF-8; convert it first", path="standard input", place=f"byte {error.start}") from None
    if "\0" in text:
        raise CorpusError("holds NUL characters, so it is not a text", path="standard input", place=f"character {text.index(chr(0))}")
    sys.stdout.buffer.write(deidentifier.scrub(text).text.encode("utf-8"))


def _tell(
    summary: "Summary", target: Path, seconds: float, settings: dict[str, str], *, report: str | None, show_phi: bool, json_to: str | None
) -> None:
    from incognote.version import __version__

    spans = f"{summary.replaced:,} spans replaced" + (f", {summary.kept.total():,} kept as the policy says" if summary.kept else "")
    done = f"{summary.notes:,} notes, {spans}, {seconds:.1f} s ({summary.notes / max(seconds, 1e-9):,.0f} notes/s)"
    say_written(done, target, written=summary.notes, aside=len(summary.quarantine))
    if summary.extra_columns:
        columns = ", ".join(summary.extra_columns)
        say(f"warning: not searched for PHI and kept as they are: columns {columns} (--drop-columns leaves them out)")
    say_quarantine([row["reason"] for row in summary.quarantine])
    if json_to:
        counts = {"notes": summary.notes, "words": summary.words, "spans": summary.found, "replaced": summary.replaced}
        tables = {"labels": summary.labels, "kept": summary.kept, "sources": summary.sources}
        write_json({**counts, **tables, "quarantine": summary.quarantine, "seconds": seconds, "settings": settings}, json_to)
    if report:
        from incognote.batch import render_report

        about = {**settings, "incognote": __version__, "python": sys.version.split()[0], "output": str(target)}
        title = f"Scrub of {settings['input']}"
        page = render_report(summary, title=title, settings=about, seconds=seconds, show_phi=show_phi)
        write_text(page, report, private=show_phi)
        say(f"report: {report}")

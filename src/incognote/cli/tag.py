"""incognote tag: find PHI and stop there."""

from collections.abc import Iterator
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
)
from incognote.cli.output import say_quarantine, say_written, track, warn_of_strangers
from incognote.errors import ConfigError, CorpusError
from incognote.models import choose_models
from incognote.priorities import load_priorities

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.pipeline import Deidentifier

LABELS = "i2b2-2014"
_CHUNK = 100  # notes judged together


def tag(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A folder or file of notes.")],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="Where the notes with their found spans go.")],
    to: Annotated[str, typer.Option(help="The format to write.")] = "jsonl",
    format: CorpusFormat = None,
    patients: Patients = None,
    model: Models = None,
    priorities: PrioritiesFile = None,
    recall: Recall = "default",
    runtime: RuntimeName = "auto",
    unsafe: Unsafe = False,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is at OUT.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Leave out bad documents and name them; exit with 3 if there are any.")
    ] = False,
) -> None:
    """Find the PHI in notes and write the notes with their spans; the text stays as it is.

    Each patient's notes are searched together, so the notes of IN are held in memory.

    Example: incognote tag notes/ -o spans.jsonl
    """
    from incognote.corpora import Columns, detect_format, format_named, read_corpus, write_corpus
    from incognote.corpora.formats import keep_columns
    from incognote.corpora.headers import read_header
    from incognote.corpora.output import check_output

    columns = Columns(note_column, id_column, patient_column)
    kind, goal = format_named(format) if format else detect_format(source), format_named(to)
    if to == "text":
        raise ConfigError("tag", ["--to text: plain text has no place for the spans; choose another format"])
    check_output(source, target, folder=goal.layout == "folder", overwrite=overwrite)
    models = choose_models(model)
    deidentifier = open_deidentifier(
        models=models,
        runtime=runtime,
        mode="redact",
        patients=patients,
        priorities=load_priorities(priorities) if priorities else None,
        recall=recall,
        unsafe=unsafe,
    )
    faults: list[CorpusError] = []
    documents = list(read_corpus(source, format=kind.name, columns=columns, spans=False, quarantine=faults.append if keep_going else None))
    tagged = _tag_all(deidentifier, documents)
    names = keep_columns(columns, kind, goal)
    header = read_header(source, kind, columns)
    count = write_corpus(
        tagged, target, format=to, columns=names, scheme=LABELS, aside=faults if keep_going else None, overwrite=overwrite, header=header
    )
    say_written(f"{count:,} notes", target, written=count, aside=len(faults))
    if patients:
        known = sum(document.patient in deidentifier.patients for document in documents)
        warn_of_strangers(patients, known=known, notes=len(documents))
    say_quarantine([str(fault) for fault in faults])
    if faults:
        raise typer.Exit(3)


def _tag_all(deidentifier: "Deidentifier", documents: "list[Document]") -> "Iterator[Document]":
    from incognote.facts import gather_facts, patient_key

    chunks = [documents[at : at + _CHUNK] for at in range(0, len(documents), _CHUNK)]
    found = [document for chunk in track(chunks, "find", total=len(chunks)) for document in deidentifier.find(chunk)]
    facts = gather_facts(found)
    for document in found:
        yield deidentifier.remember(document, facts[patient_key(document)])

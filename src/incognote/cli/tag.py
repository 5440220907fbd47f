"""incognote tag: find PHI without replacing it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.opening import open_deidentifier
from incognote.cli.output import count, finish, say_written, warn_of_strangers
from incognote.cli.progress import Meter
from incognote.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from incognote.deidentifier import Deidentifier
    from incognote.document import Document

LABELS = "i2b2-2014"
_CHUNK = 100


def tag(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A folder or file of notes.")],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="Where to write the notes with their spans.")],
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"The format to write: {options.FORMATS}.")] = "jsonl",
    format: options.CorpusFormat = None,
    patients: options.Patients = None,
    model: options.Models = None,
    rules: options.Rules = None,
    always: options.Always = None,
    keep_words: options.KeepWords = None,
    priorities: options.PrioritiesFile = None,
    recall: options.Recall = "default",
    runtime: options.RuntimeName = "auto",
    unsafe: options.Unsafe = False,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    patient_from: options.PatientFrom = "",
    overwrite: options.Overwrite = False,
    keep_going: options.KeepGoing = False,
) -> None:
    """Find PHI and write the notes with their spans. The text stays unchanged.

    All notes are held in memory, because the notes of each patient are searched together.

    Example: incognote tag notes/ -o spans.jsonl
    """
    from incognote.corpora import Columns, detect_format, format_named, read_corpus, write_corpus
    from incognote.corpora.formats import keep_columns
    from incognote.corpora.headers import read_header
    from incognote.corpora.output import check_output

    columns = Columns(note_column, id_column, patient_column, patient_from)
    kind, goal = format_named(format) if format else detect_format(source), format_named(to)
    if to == "text":
        raise ConfigError("tag", ["--to text: plain text cannot hold spans; choose another format"])
    check_output(source, target, folder=goal.layout == "folder", overwrite=overwrite)
    deidentifier = open_deidentifier(
        mode="redact",
        patients=patients,
        model=model,
        rules=rules,
        always=always,
        keep_words=keep_words,
        priorities=priorities,
        recall=recall,
        runtime=runtime,
        unsafe=unsafe,
    )
    faults: list[CorpusError] = []
    documents = list(read_corpus(source, format=kind.name, columns=columns, spans=False, quarantine=faults.append if keep_going else None))
    written = write_corpus(
        _tag_all(deidentifier, documents),
        target,
        format=to,
        columns=keep_columns(columns, kind, goal),
        scheme=LABELS,
        aside=faults if keep_going else None,
        overwrite=overwrite,
        header=read_header(source, kind, columns),
    )
    say_written(count(written, "note"), target, written=written, aside=len(faults))
    if patients:
        known = sum(document.patient in deidentifier.patients for document in documents)
        warn_of_strangers(patients, known=known, notes=len(documents))
    finish([str(fault) for fault in faults])


def _tag_all(deidentifier: "Deidentifier", documents: "list[Document]") -> "Iterator[Document]":
    from incognote.facts import gather_facts, patient_key

    found: list[Document] = []
    with Meter() as meter:
        for at in range(0, len(documents), _CHUNK):
            chunk = deidentifier.find(documents[at : at + _CHUNK])
            found += chunk
            meter.advance("find", len(chunk), len(documents))
    facts = gather_facts(found)
    for document in found:
        yield deidentifier.remember(document, facts[patient_key(document)])

"""incognote convert: a corpus from one format to another, and from one label scheme to another."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import IdColumn, NoteColumn, PatientColumn, SourceFormat
from incognote.cli.output import check_pages, say_quarantine, say_written, track, write_json
from incognote.errors import ConfigError, CorpusError, LabelError

if TYPE_CHECKING:
    from incognote.corpora import Format
    from incognote.document import Document, LabelScheme


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The corpus: a folder or a file.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Where it goes: a folder or a file, as the format is.")],
    to: Annotated[
        str, typer.Option("--to", help="i2b2, i2b2-2006, meddocan, brat, jsonl, conll, csv, parquet, text or markup.", metavar="FORMAT")
    ],
    from_: SourceFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    scheme: Annotated[str | None, typer.Option(help="The label scheme of IN; every label is checked against it.")] = None,
    map_to: Annotated[str | None, typer.Option("--map-to", help="The label scheme to write.", metavar="SCHEME")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the notes at OUT.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Leave out bad documents and name them; exit with 3 if there are any.")
    ] = False,
    quarantine: Annotated[
        str | None, typer.Option(help="With --keep-going: write the list of bad documents as JSON; - is standard output.", metavar="FILE")
    ] = None,
) -> None:
    """Convert a corpus to another format. Text and spans stay as they are, to the character.

    Plain text holds no spans; brat and text hold no patient, markup only the one in the file name; CoNLL keeps white space in length only.

    Example: incognote convert gold/ gold.jsonl --to jsonl
    """
    from incognote.corpora import Columns, detect_format, format_named, read_corpus, write_corpus
    from incognote.corpora.formats import keep_columns
    from incognote.corpora.headers import read_header
    from incognote.corpora.output import check_output

    if quarantine and not keep_going:
        raise ConfigError("convert", ["--quarantine lists what --keep-going leaves out: add --keep-going, or take it away"])
    kind = format_named(from_) if from_ else detect_format(source)
    goal = format_named(to)
    check_output(source, target, overwrite=overwrite)
    check_pages({"--quarantine": quarantine}, files=[source], notes=target)
    faults: list[CorpusError] = []
    columns = Columns(note_column, id_column, patient_column)
    labels = _scheme_of(kind, scheme)
    documents = read_corpus(source, format=kind.name, columns=columns, scheme=labels, quarantine=faults.append if keep_going else None)
    if map_to:
        documents = _map_labels(documents, labels, map_to)
    count = write_corpus(
        track(documents, "convert"),
        target,
        format=to,
        columns=keep_columns(columns, kind, goal),
        scheme=map_to or scheme,
        aside=faults if keep_going else None,
        overwrite=overwrite,
        header=read_header(source, kind, columns),
    )
    say_written(f"{count:,} documents, {kind.name} to {to}", target, written=count, aside=len(faults))
    if quarantine:
        write_json([{"document": fault.document, "path": fault.path, "reason": str(fault)} for fault in faults], quarantine)
    say_quarantine([str(fault) for fault in faults])
    if faults:
        raise typer.Exit(3)


def _scheme_of(kind: "Format", name: str | None) -> "LabelScheme | None":
    from incognote.corpora.corpus import find_scheme

    return find_scheme(name, kind)


def _map_labels(documents: "Iterator[Document]", labels: "LabelScheme | None", target: str) -> "Iterator[Document]":
    from incognote.document import scheme, translate

    if labels is None:
        raise LabelError(f"--map-to {target} needs the scheme of the input: name it with --scheme")
    scheme(target)
    labels.mapping(target)
    return (translate(document, labels, target) for document in documents)

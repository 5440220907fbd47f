"""incognote convert: a corpus from one format to another, and from one label scheme to another."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.output import check_pages, count, finish, say_written, write_json
from incognote.cli.progress import track
from incognote.errors import ConfigError, CorpusError, LabelError
from incognote.shown import show_id

if TYPE_CHECKING:
    from incognote.document import Document, LabelScheme


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The corpus: a folder or a file.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Where to write it: a folder or a file, depending on the format.")],
    to: Annotated[str, typer.Option("--to", help=f"The format to write: {options.FORMATS}.", metavar="FORMAT")],
    from_: options.SourceFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    scheme: Annotated[str | None, typer.Option(metavar="NAME", help="The label scheme of IN; every label is checked against it.")] = None,
    map_to: Annotated[str | None, typer.Option("--map-to", help="The label scheme to write.", metavar="SCHEME")] = None,
    overwrite: options.Overwrite = False,
    keep_going: options.KeepGoing = False,
    quarantine: Annotated[
        str | None, typer.Option(help="With --keep-going: write the list of bad notes as JSON; - is standard output.", metavar="FILE")
    ] = None,
) -> None:
    """Convert a corpus to another format or label scheme.

    Text and spans keep every character. Plain text holds no spans; brat and text hold no patient ids, markup holds those in file names;
    CoNLL keeps the length of white space, not its kind.

    Example: incognote convert gold/ gold.jsonl --to jsonl
    """
    from incognote.corpora import Columns, detect_format, format_named, read_corpus, write_corpus
    from incognote.corpora.corpus import find_scheme
    from incognote.corpora.formats import keep_columns
    from incognote.corpora.headers import read_header
    from incognote.corpora.output import check_output

    if quarantine and not keep_going:
        raise ConfigError("convert", ["--quarantine lists what --keep-going leaves out: add --keep-going, or remove --quarantine"])
    kind = format_named(from_) if from_ else detect_format(source)
    goal = format_named(to)
    check_output(source, target, overwrite=overwrite)
    check_pages({"--quarantine": quarantine}, files=[source], notes=target)
    faults: list[CorpusError] = []
    columns = Columns(note_column, id_column, patient_column)
    labels = find_scheme(scheme, kind)
    documents = read_corpus(source, format=kind.name, columns=columns, scheme=labels, quarantine=faults.append if keep_going else None)
    if map_to:
        documents = _map_labels(documents, labels, map_to)
    written = write_corpus(
        track(documents, "convert"),
        target,
        format=to,
        columns=keep_columns(columns, kind, goal),
        scheme=map_to or scheme,
        aside=faults if keep_going else None,
        overwrite=overwrite,
        header=read_header(source, kind, columns),
    )
    say_written(f"{count(written, 'note')}, {kind.name} to {to}", target, written=written, aside=len(faults))
    if quarantine:
        write_json([{"document": show_id(fault.document), "path": fault.path, "reason": str(fault)} for fault in faults], quarantine)
    finish([str(fault) for fault in faults])


def _map_labels(documents: "Iterator[Document]", labels: "LabelScheme | None", target: str) -> "Iterator[Document]":
    from incognote.document import scheme, translate

    if labels is None:
        raise LabelError(f"--map-to {target} needs the scheme of the input: name it with --scheme")
    scheme(target)
    labels.mapping(target)
    return (translate(document, labels, target) for document in documents)

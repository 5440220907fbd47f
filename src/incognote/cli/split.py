"""incognote split: which notes are for training, for validation and for test, written down to be used again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import IdColumn, NoteColumn, PatientColumn, SourceFormat, json_option
from incognote.cli.output import check_pages, say, track, write_json
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.corpora import Split
    from incognote.document import Document


def split(
    source: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus: a folder or a file.")],
    target: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Where the split record goes; - is standard output.")],
    ratio: Annotated[str | None, typer.Option(help="Shares of train:validation:test or train:test. [default: 50:10:40]")] = None,
    by: Annotated[str | None, typer.Option(help="patient keeps each patient in one split; note does not. [default: patient]")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed, another split. [default: 0]")] = None,
    like: Annotated[
        Path | None, typer.Option(help="Start from this record: its notes stay where they are, only new ones are added.", metavar="FILE")
    ] = None,
    from_: SourceFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the record at FILE.")] = False,
    json_to: Annotated[str | None, json_option("the sizes of the splits")] = None,
) -> None:
    """Split a corpus by patient or by note. The order of the files does not matter; the seed does.

    Example: incognote split gold/ -o split.json --ratio 80:20
    """
    from incognote.corpora import Columns, extend_split, parse_ratio, read_corpus, read_split, split_corpus
    from incognote.corpora.output import check_free
    from incognote.corpora.split import split_record

    check_pages({"-o": target, "--json": json_to}, files=[source, like])
    if target != "-":
        check_free(Path(target), folder=False, overwrite=overwrite)
    faults = [f"--by {by}: is patient or note"] if by not in (None, "patient", "note") else []
    if like and (ratio or by or seed is not None):
        faults.append("--like brings its own ratio, by and seed: leave those options out")
    if faults:
        raise ConfigError("split", faults)
    parts = parse_ratio(ratio or "50:10:40")
    record = read_split(like) if like else None
    documents = [
        _without_text(document)
        for document in track(read_corpus(source, format=from_, columns=Columns(note_column, id_column, patient_column)), "read")
    ]
    if record:
        found = extend_split(record, documents)
        _tell_difference(record, found)
    else:
        found = split_corpus(documents, ratio=parts, by="note" if by == "note" else "patient", seed=seed or 0)
    write_json(split_record(found), target)
    sizes = _sizes(found, documents)
    if json_to:
        write_json({"seed": found.seed, "by": found.by, "splits": sizes}, json_to)
    for name, size in sizes.items():
        say(f"{name}: {size['notes']:,} notes ({size['share']:.1%}), {size['patients']:,} patients")


def _without_text(document: "Document") -> "Document":
    """Only the ids are needed, so that a large corpus need not be held."""
    from incognote.document import Document

    return Document(document.id, "", patient=document.patient)


def _sizes(found: "Split", documents: "list[Document]") -> "dict[str, dict[str, float]]":
    patients = {document.id: document.patient or f"note {document.id}" for document in documents}
    return {
        name: {"notes": len(ids), "patients": len({patients[id] for id in ids}), "share": round(len(ids) / len(documents), 6)}
        for name, ids in found.ids.items()
    }


def _tell_difference(record: "Split", found: "Split") -> None:
    before, after = record.home().keys(), found.home().keys()
    if new := len(after - before):
        say(f"{new:,} notes that the record does not know were dealt anew")
    if gone := len(before - after):
        say(f"{gone:,} notes of the record are not in this corpus and were left out")

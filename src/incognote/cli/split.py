"""incognote split: training, validation and test notes, in a record that other commands read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli import options
from incognote.cli.output import check_pages, count, say, write_json
from incognote.cli.progress import track
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.corpora import Split
    from incognote.document import Document


def split(
    source: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus: a folder or a file.")],
    target: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Where to write the split record; - is standard output.")],
    ratio: Annotated[str | None, typer.Option(metavar="RATIO", help="train:validation:test or train:test. [default: 50:10:40]")] = None,
    by: Annotated[
        str | None, typer.Option(metavar="patient|note", help="patient keeps each patient in one split. [default: patient]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the split. [default: 0]")] = None,
    like: Annotated[
        Path | None, typer.Option(help="Extend this record: its notes keep their split, new notes are added.", metavar="FILE")
    ] = None,
    from_: options.SourceFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    overwrite: options.Overwrite = False,
    json_to: Annotated[str | None, options.json_option("the sizes of the splits")] = None,
) -> None:
    """Split a corpus into train, validation and test.

    The split depends on the ids and the seed, not on the order of the files.

    Example: incognote split gold/ -o split.json --ratio 80:20
    """
    from incognote.corpora import Columns, extend_split, parse_ratio, read_corpus, read_split, split_corpus
    from incognote.corpora.output import check_free
    from incognote.corpora.split import split_record

    check_pages({"-o": target, "--json": json_to}, files=[source, like])
    if target != "-":
        check_free(Path(target), folder=False, overwrite=overwrite)
    faults = [f"--by {by}: must be patient or note"] if by not in (None, "patient", "note") else []
    if like and (ratio or by or seed is not None):
        faults.append("--like has its own ratio, by and seed: remove those options")
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
        _say_difference(record, found)
    else:
        found = split_corpus(documents, ratio=parts, by="note" if by == "note" else "patient", seed=seed or 0)
    write_json(split_record(found), target)
    sizes = _sizes(found, documents)
    if json_to:
        write_json({"seed": found.seed, "by": found.by, "splits": sizes}, json_to)
    for name, size in sizes.items():
        say(f"{name}: {count(size['notes'], 'note')} ({size['share']:.1%}), {count(size['patients'], 'patient')}")


def _without_text(document: "Document") -> "Document":
    """The document without its text, so that a large corpus fits in memory."""
    from incognote.document import Document

    return Document(document.id, "", patient=document.patient)


def _sizes(found: "Split", documents: "list[Document]") -> "dict[str, dict[str, Any]]":
    patients = {document.id: document.patient or f"note {document.id}" for document in documents}
    return {
        name: {"notes": len(ids), "patients": len({patients[id] for id in ids}), "share": round(len(ids) / len(documents), 6)}
        for name, ids in found.ids.items()
    }


def _say_difference(record: "Split", found: "Split") -> None:
    before, after = record.home().keys(), found.home().keys()
    if new := len(after - before):
        say(f"{count(new, 'note')} added to the record")
    if gone := len(before - after):
        say(f"{count(gone, 'note')} of the record left out: not in this corpus")

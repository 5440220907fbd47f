"""incognote reidentify: the originals of scrubbed notes, from the vault that was kept when they were scrubbed."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import IdColumn, NoteColumn, PatientColumn, SourceFormat
from incognote.cli.output import say, track
from incognote.errors import KeyFileError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.replace import Vault

# The spans that scrub finds have these labels, also in formats with labels of their own.
LABELS = "i2b2-2014"


def reidentify(
    source: Annotated[Path, typer.Argument(metavar="CLEAN", help="The scrubbed notes: a folder or a file.")],
    target: Annotated[Path, typer.Option("--output", "-o", metavar="ORIGINAL", help="Where the originals go.")],
    vault: Annotated[Path, typer.Option("--vault", metavar="FILE", help="The vault that scrub wrote.")],
    key_file: Annotated[
        Path | None, typer.Option("--key-file", metavar="FILE", help="The secret key; without it INCOGNOTE_KEY is read.")
    ] = None,
    from_: SourceFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the notes at ORIGINAL.")] = False,
) -> None:
    """Restore the originals of scrubbed notes. All notes must be in the vault and unchanged; else nothing is written.

    Example: incognote reidentify clean/ -o original/ --vault notes.vault --key-file secret.key
    """
    from incognote.corpora import Columns, detect_format, format_named, read_corpus, write_corpus
    from incognote.corpora.headers import holds_spans, read_header
    from incognote.corpora.output import check_output
    from incognote.replace import key_from_environment, open_vault, read_key

    key = read_key(key_file) if key_file else key_from_environment()
    if key is None:
        raise KeyFileError("there is no key: give --key-file FILE, or set INCOGNOTE_KEY")
    opened = open_vault(vault, key)
    check_output(source, target, overwrite=overwrite)
    kind = format_named(from_) if from_ else detect_format(source)
    columns = Columns(note_column, id_column, patient_column)
    documents = read_corpus(source, format=kind.name, columns=columns, scheme=LABELS)
    restored = track(_restore(documents, opened), "reidentify")
    spans = holds_spans(source, kind, columns)
    header = read_header(source, kind, columns)
    count = write_corpus(
        restored, target, format=kind.name, columns=columns, scheme=LABELS, overwrite=overwrite, spans=spans, header=header
    )
    say(f"{count:,} documents restored → {target}")


def _restore(documents: "Iterator[Document]", vault: "Vault") -> "Iterator[Document]":
    """The originals; the first document that cannot be restored ends the run, and write_corpus leaves nothing half done."""
    tokens = vault.tokens()
    for document in documents:
        yield vault.restore(document, tokens)

"""incognote reidentify: the originals of scrubbed notes, from the vault that scrub wrote."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.output import count, say
from incognote.cli.progress import track
from incognote.errors import KeyFileError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.replace import Vault

# The labels of the spans that scrub finds, in every format.
LABELS = "i2b2-2014"


def reidentify(
    source: Annotated[Path, typer.Argument(metavar="CLEAN", help="The scrubbed notes: a folder or a file.")],
    target: Annotated[Path, typer.Option("--output", "-o", metavar="ORIGINAL", help="Where to write the originals.")],
    vault: Annotated[Path, typer.Option("--vault", metavar="FILE", help="The vault that scrub wrote.")],
    key_file: options.KeyFile = None,
    from_: options.SourceFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    overwrite: options.Overwrite = False,
) -> None:
    """Restore the originals of scrubbed notes from a vault.

    Every note must be in the vault and unchanged since it was scrubbed; otherwise nothing is written.

    Example: incognote reidentify clean/ -o original/ --vault notes.vault --key-file secret.key
    """
    from incognote.corpora import Columns, detect_format, format_named, read_corpus, write_corpus
    from incognote.corpora.headers import holds_spans, read_header
    from incognote.corpora.output import check_output
    from incognote.replace import key_from_environment, open_vault, read_key

    key = read_key(key_file) if key_file else key_from_environment()
    if key is None:
        raise KeyFileError("no key given; add --key-file FILE, or set INCOGNOTE_KEY")
    opened = open_vault(vault, key)
    check_output(source, target, overwrite=overwrite)
    kind = format_named(from_) if from_ else detect_format(source)
    columns = Columns(note_column, id_column, patient_column)
    documents = read_corpus(source, format=kind.name, columns=columns, scheme=LABELS)
    restored = track(_restore(documents, opened), "reidentify")
    spans = holds_spans(source, kind, columns)
    header = read_header(source, kind, columns)
    written = write_corpus(
        restored, target, format=kind.name, columns=columns, scheme=LABELS, overwrite=overwrite, spans=spans, header=header
    )
    say(f"{count(written, 'note')} restored → {target}")


def _restore(documents: "Iterator[Document]", vault: "Vault") -> "Iterator[Document]":
    """The originals. The first note that cannot be restored stops the run, and write_corpus leaves nothing behind."""
    tokens = vault.tokens()
    for document in documents:
        yield vault.restore(document, tokens)

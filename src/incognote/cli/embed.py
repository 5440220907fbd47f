"""incognote embed: texts as vectors, the hidden states of an encoder."""

from pathlib import Path
from typing import Annotated

import typer

from incognote.cli.options import CorpusFormat, Device, IdColumn, NoteColumn, PatientColumn, Unsafe, json_option
from incognote.cli.output import check_pages, say, say_quarantine, track, write_json
from incognote.cli.train import require_torch
from incognote.errors import ConfigError, CorpusError
from incognote.models import DEFAULT


def embed(
    source: Annotated[Path, typer.Argument(metavar="TEXTS", help="A folder or file of texts, in any format that is read.")],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the vectors go: .parquet, .npz or .npy.")],
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="default (the shipped model), an encoder's or tagger's folder, or a hub name.")
    ] = DEFAULT,
    layers: Annotated[
        str, typer.Option(metavar="N[,N...]", help="Which layers: 1 is the first, 0 the embeddings, -1 the last, -2 the one below.")
    ] = "-1",
    pool: Annotated[
        str,
        typer.Option(
            help="mean or max over the text's own tokens, first for the opening token ([CLS]); tokens (or none) keeps every token."
        ),
    ] = "mean",
    format: CorpusFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    window: Annotated[int, typer.Option(min=0, help="Tokens in a window; 0 is what the encoder takes, at most 512.")] = 0,
    device: Device = "auto",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace FILE.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Leave out bad and empty texts and name them; exit with 3 if there are any.")
    ] = False,
    unsafe: Unsafe = False,
    json_to: Annotated[str | None, json_option("what was done")] = None,
) -> None:
    """Write the hidden states of chosen layers, one row for each text or for each token, in the order of the texts.

    Nothing is cut off: a long text goes through windows, and each token has its state from the window with the most context.

    Vectors can give away words of a note: keep them as safe as the notes.

    Example: incognote embed notes/ -o vectors.parquet --model roberta-base --layers -1,-2
    """
    from incognote.corpora import Columns, read_corpus
    from incognote.corpora.output import check_output

    require_torch()
    from incognote.lab.encoders.states import load_states
    from incognote.lab.encoders.vectors import check_target, write_vectors

    numbers = _parse_layers(layers)
    check_target(target, pool)
    check_output(source, target, folder=False, overwrite=overwrite)
    check_pages({"--json": json_to}, files=[source, target])
    reader = load_states(model, layers=numbers, window=window, device=device, unsafe=unsafe)
    faults: list[CorpusError] = []
    aside = faults.append if keep_going else None
    documents = read_corpus(source, format=format, columns=Columns(note_column, id_column, patient_column), quarantine=aside)
    count = write_vectors(reader, track(documents, "embed"), target, pool=pool, refuse=aside)
    say(f"{count:,} texts → {target}: {len(reader.layers)} × {reader.width} numbers for each {'text' if pool in _POOLED else 'token'}")
    say_quarantine([str(fault) for fault in faults])
    if json_to:
        table = {"texts": count, "layers": reader.layers, "width": reader.width, "pool": pool, "left_out": len(faults)}
        write_json(table, json_to)
    if faults:
        raise typer.Exit(3)


_POOLED = ("mean", "first", "max")


def _parse_layers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError("layers", [f"{text}: give whole numbers with commas between them, such as -1 or -1,-2"]) from None

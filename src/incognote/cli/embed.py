"""incognote embed: the hidden states of an encoder for each text."""

from pathlib import Path
from typing import Annotated

import typer

from incognote.cli import options
from incognote.cli.data import require_torch
from incognote.cli.output import check_pages, count, finish, say, write_json
from incognote.cli.progress import track
from incognote.errors import ConfigError, CorpusError
from incognote.models import DEFAULT


def embed(
    source: Annotated[Path, typer.Argument(metavar="TEXTS", help="A folder or file of texts, in any format.")],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where to write the vectors: .parquet, .npz or .npy.")],
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="default (the shipped model), an encoder's or tagger's folder, or a hub name.")
    ] = DEFAULT,
    layers: Annotated[
        str, typer.Option(metavar="N[,N...]", help="The layers: 1 is the first, 0 the embeddings, -1 the last, -2 the one below.")
    ] = "-1",
    pool: Annotated[
        str,
        typer.Option(metavar="mean|max|first|tokens", help="mean or max over the tokens, the first token ([CLS]), or all tokens."),
    ] = "mean",
    format: options.CorpusFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    window: options.Window = 0,
    device: options.Device = "auto",
    overwrite: options.Overwrite = False,
    keep_going: options.KeepGoing = False,
    unsafe: options.Unsafe = False,
    json_to: Annotated[str | None, options.json_option("the shape of the output")] = None,
) -> None:
    """Write the hidden states of an encoder for each text.

    One row for each text or each token, in the order of the texts. Long texts are not truncated: each token has its state from the
    window with the most context. Vectors can reveal words of a note: keep them as safe as the notes.

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
    written = write_vectors(reader, track(documents, "embed"), target, pool=pool, refuse=aside)
    unit = "text" if pool in _POOLED else "token"
    say(f"{count(written, 'text')} → {target}: {count(len(reader.layers), 'layer')} of {reader.width} numbers for each {unit}")
    if json_to:
        table = {"texts": written, "layers": reader.layers, "width": reader.width, "pool": pool, "left_out": len(faults)}
        write_json(table, json_to)
    finish([str(fault) for fault in faults])


_POOLED = ("mean", "first", "max")


def _parse_layers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError("layers", [f"{text}: must be whole numbers separated by commas, such as -1 or -1,-2"]) from None

"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated, Any

import typer


def _check_runtime(name: str) -> str:
    """A name that nothing has would go unnoticed where there is no model."""
    from incognote.find.model.runtimes.loading import check_name

    return check_name(name)


Models = Annotated[
    list[str] | None,
    typer.Option("--model", help="default (the shipped model), none, a checkpoint folder or a hub name; several make an ensemble."),
]
PrioritiesFile = Annotated[
    Path | None, typer.Option("--priorities", metavar="FILE", help="Roles of single rules beside the model, as learned by a study (JSON).")
]
Recall = Annotated[
    str,
    typer.Option(
        metavar="LEVEL", help="Trade precision for recall: low, default, high, or a number (log-odds; above 0 finds more, below 0 less)."
    ),
]
_RUNTIMES = (
    "What runs the model: auto (torch on a GPU, else onnx where it agrees with full precision), onnx (int8), onnx-exact (int8, the spans "
    "of full precision), onnx-fp32 (full precision) or torch (full precision; a GPU)."
)
RuntimeName = Annotated[
    str,
    typer.Option("--runtime", help=_RUNTIMES, callback=_check_runtime),
]
Unsafe = Annotated[
    bool, typer.Option("--unsafe", help="Open a model's pickled weights (.bin), which can run any code; only if you trust its maker.")
]
Patients = Annotated[Path | None, typer.Option(help="A CSV of known patients: their values are found in their notes.")]
NoteColumn = Annotated[str, typer.Option(help="csv, parquet and jsonl: the column of the notes.")]
IdColumn = Annotated[str, typer.Option(help="csv, parquet and jsonl: the column of note ids.")]
PatientColumn = Annotated[str, typer.Option(help="csv, parquet and jsonl: the column of patient ids.")]
Device = Annotated[str, typer.Option(help="Where the encoder reads: auto, cpu, cuda or cuda:1.")]
FrozenDevice = Annotated[str, typer.Option("--device", help="Where a frozen encoder reads: auto, cpu, cuda or cuda:1.")]
Regime = Annotated[str, typer.Option(help="How much of an encoder learns: frozen, top-2 (or another number) or all.")]
Resamples = Annotated[int, typer.Option(min=1, help="Bootstrap resamples for the intervals.")]
_FORMAT = "The format of the input, when its files do not tell."
CorpusFormat = Annotated[str | None, typer.Option("--format", metavar="FORMAT", help=_FORMAT)]
SourceFormat = Annotated[str | None, typer.Option("--from", metavar="FORMAT", help=_FORMAT)]


def json_option(what: str) -> Any:
    """``--json``, which says what it writes in the same words everywhere."""
    return typer.Option("--json", metavar="FILE", help=f"Write {what} as JSON; - is standard output.")

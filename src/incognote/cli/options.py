"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated, Any

import typer


def _check_runtime(name: str) -> str:
    """Refuse an unknown name, which would go unnoticed where there is no model."""
    from incognote.find.model.runtimes.loading import check_name

    return check_name(name)


def _check_mode(name: str) -> str:
    from incognote.replace.modes import find_mode

    return find_mode(name)


def json_option(what: str) -> Any:
    """``--json``, worded the same everywhere."""
    return typer.Option("--json", metavar="FILE", help=f"Write {what} as JSON; - is standard output.")


# The pipeline
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", metavar="NAME", help="default (the shipped model), none (rules alone), a folder or a hub name; several form an ensemble."
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option("--rules", metavar="FILE", help="Rules of your own (TOML) beside the shipped ones; none leaves those out. Repeatable."),
]
Always = Annotated[Path | None, typer.Option(metavar="FILE", help="Words and phrases that are always PHI, one on each line.")]
KeepWords = Annotated[Path | None, typer.Option(metavar="FILE", help="Words and phrases that are never PHI, one on each line.")]
PrioritiesFile = Annotated[
    Path | None, typer.Option("--priorities", metavar="FILE", help="Roles of single rules beside the model, learned by a study (JSON).")
]
Recall = Annotated[
    str, typer.Option(metavar="LEVEL", help="Trade precision for recall: low, default, high, or a number (log-odds; above 0 finds more).")
]
_RUNTIMES = (
    "What runs the model: auto (torch on a GPU, else onnx if it agrees with full precision), onnx (int8), onnx-exact (int8 with the "
    "spans of full precision), onnx-fp32 (full precision) or torch (full precision; a GPU)."
)
RuntimeName = Annotated[str, typer.Option("--runtime", help=_RUNTIMES, callback=_check_runtime)]
Unsafe = Annotated[
    bool, typer.Option("--unsafe", help="Open pickled weights (.bin), which can run any code; only if you trust the maker of the model.")
]
Patients = Annotated[Path | None, typer.Option(metavar="FILE", help="A CSV of known patients: their values are found in their notes.")]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="The secret key: the same key gives the same surrogates. Or set INCOGNOTE_KEY."),
]

# Replacement
_MODES = "What replaces PHI: surrogate, placeholder ([PATIENT-1]; also: tag) or redact (***)."
Mode = Annotated[str, typer.Option("--mode", metavar="MODE", help=_MODES, callback=_check_mode)]
Mask = Annotated[
    str, typer.Option("--mask", metavar="fixed|same-length", help="How masks are written: *** for any value, or a star for each character.")
]
Names = Annotated[
    str,
    typer.Option("--names", metavar="one|varied", help="One surrogate name for each person, or several: hides missed names, reads worse."),
]
Placeholder = Annotated[
    str, typer.Option("--placeholder", metavar="TEMPLATE", help="How placeholders are written, from the fields {label} and {number}.")
]
PolicyName = Annotated[
    str, typer.Option("--policy", metavar="NAME", help="i2b2, safe-harbor, limited-data-set, or a TOML file; see: incognote policy list.")
]

# Corpora
FORMATS = "i2b2, i2b2-2006, meddocan, brat, jsonl, conll, csv, parquet, text, markup"
NoteColumn = Annotated[str, typer.Option(metavar="NAME", help="csv, parquet and jsonl: the column of the notes.")]
IdColumn = Annotated[str, typer.Option(metavar="NAME", help="csv, parquet and jsonl: the column of note ids.")]
PatientColumn = Annotated[str, typer.Option(metavar="NAME", help="csv, parquet and jsonl: the column of patient ids.")]
PatientFrom = Annotated[
    str,
    typer.Option(metavar="REGEX", help="Folders of text or brat: finds the patient in a note's id, its path without the ending."),
]
_FORMAT = "The format of the input, if it cannot be detected."
CorpusFormat = Annotated[str | None, typer.Option("--format", metavar="FORMAT", help=_FORMAT)]
SourceFormat = Annotated[str | None, typer.Option("--from", "--format", metavar="FORMAT", help=_FORMAT)]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is already there.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Put bad notes in quarantine instead of stopping; exit with 3 if there are any.")
]

# Training and models
_DATA = "An annotated corpus; train=PATH, validation=PATH or test=PATH for one split. Repeatable."
Data = Annotated[list[str] | None, typer.Option("--data", metavar="[SPLIT=]PATH", help=_DATA)]
OutputFolder = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The folder to write.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a stopped run; the result is the same.")]
Device = Annotated[str, typer.Option("--device", help="Where a frozen encoder runs: auto, cpu, cuda or cuda:1.")]
Regime = Annotated[str, typer.Option(help="Which layers of an encoder are trained: frozen, top-2 (or another number) or all.")]
EpochRate = Annotated[float, typer.Option("--learning-rate", min=1e-9, max=1, help="Learning rate of an encoder that is trained.")]
Resamples = Annotated[int, typer.Option(min=1, help="Bootstrap resamples for the intervals.")]
Window = Annotated[int, typer.Option(min=0, help="Tokens in a window; 0 is the encoder's maximum, at most 512.")]

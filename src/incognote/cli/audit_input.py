"""The input of the audits: original notes and their scrubbed forms, from corpora of any format."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.cli.data import require_torch
from incognote.cli.output import count, say
from incognote.cli.progress import track
from incognote.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.lab.audit.alignment import Aligned
    from incognote.lab.audit.regimes import Regime


WORDS = "words"


def check_reader(model: str, regime: str, device: str, *, answers: bool = False) -> "Regime":
    """The regime; raises if an option would have no effect, or if a package that an encoder needs is not installed."""
    from incognote.lab.audit.regimes import parse_regime

    if find_spec("sklearn") is None:
        raise MissingExtraError("scikit-learn", "lab")
    depth = parse_regime(regime)
    if model == WORDS:
        if not depth.frozen:
            raise ConfigError("regime", [f"{regime} is for an encoder: add --model NAME"])
        return depth
    if device != "auto" and (answers or not depth.frozen):
        fault = f"{device} is for a frozen encoder; training uses the first GPU of CUDA_VISIBLE_DEVICES: remove --device"
        raise ConfigError("device", [fault])
    require_torch()
    return depth


def read_forms(original: Path, scrubbed: Sequence[Path], columns: tuple[str, str, str], format: str | None) -> "Aligned":
    """The corpora, aligned by id. Warns of a form that equals the original, which may be a mistake."""
    from incognote.corpora import Columns, read_corpus
    from incognote.lab.audit.alignment import align, name_forms

    names = name_forms(scrubbed)

    def read(path: Path) -> "Iterator[Document]":
        return track(read_corpus(path, format=format, columns=Columns(*columns)), f"read {path.name}")

    notes = align(read(original), {name: read(path) for name, path in zip(names, scrubbed, strict=True)})
    for form in notes.scrubbed:
        if notes.changed(form) == 0:
            say(f"warning: every note of {form} equals the original")
    return notes


def check_count(notes: "Aligned", folds: int) -> None:
    """Raise if there are fewer patients than folds."""
    patients = len(set(notes.clusters))
    if folds > patients:
        raise ConfigError("folds", [f"{folds} folds of {count(patients, 'patient')}: choose fewer folds"])

"""What the audits read: original notes and their scrubbed forms, from corpora of any format."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.cli.output import say, track
from incognote.cli.train import require_torch
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.lab.audit.alignment import Aligned
    from incognote.lab.audit.regimes import Regime


WORDS = "words"


def check_reader(model: str, regime: str, device: str, *, answers: bool = False) -> "Regime":
    """How deep the model learns; raises where an option would go unheeded, or what an encoder needs is not installed."""
    from incognote.lab.audit.regimes import parse_regime

    depth = parse_regime(regime)
    if model == WORDS:
        if not depth.frozen:
            raise ConfigError("regime", [f"{regime} is for an encoder: name one with --model"])
        return depth
    if device != "auto" and (answers or not depth.frozen):
        fault = (
            f"{device} is for classes or links with a frozen encoder: one that trains takes the first GPU that CUDA_VISIBLE_DEVICES shows"
        )
        raise ConfigError("device", [fault])
    require_torch()
    return depth


def read_forms(original: Path, scrubbed: Sequence[Path], columns: tuple[str, str, str], format: str | None) -> "Aligned":
    """The corpora, aligned by id; a form in which nothing changed is told of, because it may be a mistake."""
    from incognote.corpora import Columns, read_corpus
    from incognote.lab.audit.alignment import align, name_forms

    names = name_forms(scrubbed)

    def read(path: Path) -> "Iterator[Document]":
        return track(read_corpus(path, format=format, columns=Columns(*columns)), f"read {path.name}")

    notes = align(read(original), {name: read(path) for name, path in zip(names, scrubbed, strict=True)})
    for form in notes.scrubbed:
        if notes.changed(form) == 0:
            say(f"warning: {form} has the same text as the original in every note")
    return notes


def check_count(notes: "Aligned", folds: int) -> None:
    """Raise where there are fewer patients than folds."""
    patients = len(set(notes.clusters))
    if folds > patients:
        raise ConfigError("folds", [f"{folds} folds of {patients} patients: take fewer folds"])

"""The report of an adaptation: a JSON file and a model card beside the weights, without a word of the notes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from incognote.corpora.files import write_whole
from incognote.errors import OutputError
from incognote.evaluate.bootstrap import ONE_PATIENT
from incognote.lab.training.tasks.masked_language_model import MASKING, MaskedLanguageModeling

REPORT = "adaptation.json"
BEFORE, HEAD, AFTER = "before", "head", "after"


@dataclass(frozen=True, slots=True)
class Plan:
    """How words are hidden and a head trained. ``head_epochs`` and ``head_rate`` apply only if the head is new, ``held_out`` (notes
    in a hundred) only if the corpus has no validation split."""

    masking: float = MASKING
    pack: bool = True
    head_epochs: int = 1
    head_rate: float = 1e-3
    held_out: int = 10


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What an adaptation did, as its JSON file holds it. ``perplexity`` is by stage: ``before``, ``head`` (a new head is trained,
    the encoder as it came) and ``after``; ``change`` compares the last with the first that means anything. No note text is in it."""

    name: str
    model: str
    recipe: Mapping[str, Any]
    plan: Mapping[str, Any]
    digest: str
    fresh_head: bool
    counts: Mapping[str, int]
    perplexity: Mapping[str, Mapping[str, Any]]
    change: Mapping[str, Any]
    epoch: float
    history: Sequence[Mapping[str, Any]] = field(repr=False)
    cost: Mapping[str, Any] = field(repr=False)
    notes: Sequence[str] = ()
    mark: str = ""
    gold: Mapping[str, Any] | None = None


def count_windows(task: MaskedLanguageModeling) -> dict[str, int]:
    """How many notes there are, how many without a word, and the windows they were cut and packed into."""
    read = {note for sample in task.samples for note in sample.notes}
    measured = {note for note, _ in task.held_out}
    return {
        "notes": len(task.documents),
        "held_out": len(task.validation),
        "without_words": len(task.documents) - len(read) + len(task.validation) - len(measured),
        "windows": len(task.samples),
        "shared_windows": sum(len(sample.notes) > 1 for sample in task.samples),
        "tokens": sum(task.lengths),
        "hidden_held_out": sum(len(hidden.places) for _, hidden in task.held_out),
    }


def describe_counts(counts: Mapping[str, int]) -> str:
    """The counts in a line for a person."""
    line = (
        f"{counts['notes']:,} notes in {counts['windows']:,} windows ({counts['tokens']:,} tokens), {counts['held_out']:,} notes held out"
    )
    if counts["shared_windows"]:
        line += f"; {counts['shared_windows']:,} windows hold several notes, parted by special tokens"
    if counts["without_words"]:
        line += f"; {counts['without_words']:,} notes without a word are left out"
    return line


def write_report(report: Adaptation, folder: Path) -> None:
    """The report and the card beside the weights."""
    for name, text in ((REPORT, json.dumps(asdict(report), indent=1)), ("README.md", write_card(report))):
        write_whole(folder / name, text.encode())


def read_report(folder: Path, mark: str, *, stopped: bool) -> Adaptation | None:
    """The report in a folder, if there is one; that of another adaptation is an error, unless one that was ``stopped`` is to replace it."""
    file = folder / REPORT
    if not file.exists():
        return None
    try:
        report = Adaptation(**json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise OutputError(
            "is not a report of this version of incognote", where=file, fix="give another folder, or set {overwrite}"
        ) from None
    if report.mark != mark and stopped:
        return None
    if report.mark != mark:
        raise OutputError("holds the result of other settings or notes", where=folder, fix="give another folder, or set {overwrite}")
    return report


_CARD = """---
pipeline_tag: fill-mask
library_name: transformers
tags:
- incognote
---

# {name}

{model}, adapted to clinical notes with incognote: it was trained further on hidden words of {notes:,} notes without labels.

Use it as `model` of a recipe for `incognote train`, or `incognote fill "… [MASK] …" --model {name}`.

| stage | perplexity of hidden words | 95 % interval | predicted right |
|---|---|---|---|
{rows}

Measured on {held_out:,} held-out notes, the same words hidden each time.{remark}

It has learned from notes and may know parts of them by heart: keep it as safe as the notes.
"""


def format_ends(table: Mapping[str, Any], form: str) -> str:
    """The interval of a table of the report, or why there is none.

    >>> format_ends({"low": 1.0, "high": 2.5}, ".1f"), format_ends({"low": None, "high": None}, ".1f")
    ('1.0 to 2.5', 'one patient: no interval')
    """
    return ONE_PATIENT if table["low"] is None else f"{table['low']:{form}} to {table['high']:{form}}"


def write_card(report: Adaptation) -> str:
    """The model card."""
    rows = [
        f"| {stage} | {one['value']:.2f} | {format_ends(one, '.2f')} | {one['accuracy']:.3f} |" for stage, one in report.perplexity.items()
    ]
    return _CARD.format(
        name=report.name,
        model=report.model,
        notes=report.counts["notes"],
        held_out=report.counts["held_out"],
        rows="\n".join(rows),
        remark=" At first the head was new and untrained; at `head` it was trained and the encoder was as it came."
        if report.fresh_head
        else "",
    )

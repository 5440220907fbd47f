"""incognote link: how well scrubbed notes can still be linked to their patients."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.audit_input import WORDS, check_reader, read_forms
from incognote.cli.options import json_option
from incognote.cli.output import check_pages, write_json
from incognote.cli.progress import Meter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from incognote.lab.audit.learners import Matrix
    from incognote.lab.audit.link import PairLearner


def link(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The original notes, several for each patient.")],
    scrubbed: Annotated[list[Path], typer.Argument(metavar="SCRUBBED...", help="The same notes, with the same ids, after scrubbing.")],
    kind: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The extra column with the kind of note; false pairs share it. [default: kind, if any]"),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Features of the trained attack: words alone, or also the states of default, a folder or a hub name."
        ),
    ] = WORDS,
    regime: options.Regime = "frozen",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of an encoder that is trained.")] = 3,
    learning_rate: options.EpochRate = 5e-5,
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions, each with another half of the patients held out.")] = 3,
    resamples: options.Resamples = 1000,
    format: options.CorpusFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    device: options.Device = "auto",
    json_to: Annotated[str | None, json_option("all figures")] = None,
) -> None:
    """Measure how well scrubbed notes can be linked to patients.

    Attacks decide whether a scrubbed and an original note are of the same patient. The AUC is the risk; 0.5 is chance. True pairs are two
    different notes of one patient. No patient is both trained and tested on. The original notes are attacked too, to show how strong the
    attacks are.

    Example: incognote link notes.jsonl redact.jsonl tag.jsonl surrogate.jsonl
    """
    check_pages({"--json": json_to}, files=[original, *scrubbed])
    depth = check_reader(model, regime, device)
    from incognote.cli.audit_tables import show_link
    from incognote.lab.audit.link import KIND, as_dict, list_kinds, measure_link
    from incognote.lab.audit.pairs import check_patients

    notes = read_forms(original, scrubbed, (note_column, id_column, patient_column), format)
    check_patients(notes)
    column = (KIND if any(KIND in meta for meta in notes.meta) else "") if kind is None else kind
    list_kinds(notes, column)
    states: Mapping[str, Matrix] | None = None
    learner: PairLearner | None = None
    with Meter() as meter:
        if model != WORDS and depth.frozen:
            from incognote.lab.audit.hidden import read_states

            states = read_states(notes, model, device=device, tick=lambda count: meter.advance("read", count))
        elif model != WORDS:
            from incognote.lab.audit.tuning import TunedPairs, make_recipe

            learner = TunedPairs(notes.texts, make_recipe(model, "pairs", depth, epochs=epochs, rate=learning_rate))
        total = seeds * len(notes.forms)
        audit = measure_link(
            notes,
            kind=column,
            states=states,
            learner=learner,
            learner_name=f"encoder, {regime}",
            seeds=range(seeds),
            resamples=resamples,
            tick=lambda: meter.advance("attack", 1, total),
        )
    if json_to:
        write_json({"original": str(original), "model": model, "regime": regime, **as_dict(audit)}, json_to)
    if json_to != "-":
        show_link(audit)

"""incognote link: whether scrubbed notes can still be linked to their patients."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.audit_input import WORDS, check_reader, read_forms
from incognote.cli.options import CorpusFormat, FrozenDevice, IdColumn, NoteColumn, PatientColumn, Regime, Resamples, json_option
from incognote.cli.output import Meter, check_pages, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from incognote.lab.audit.link import PairLearner
    from incognote.lab.audit.logistic import Matrix


def link(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The notes as they were, several to a patient.")],
    scrubbed: Annotated[list[Path], typer.Argument(metavar="SCRUBBED...", help="The same notes, with the same ids, after scrubbing.")],
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column beside the notes with the kind of note; false pairs are of like kind. [default: kind, if any]",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            help="What the trained attack sees: words (needs no torch), and with default, an encoder's folder or a hub name its states too."
        ),
    ] = WORDS,
    regime: Regime = "frozen",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of training an encoder that is not frozen.")] = 3,
    learning_rate: Annotated[float, typer.Option(min=1e-9, max=1, help="The learning rate of training an encoder.")] = 5e-5,
    seeds: Annotated[int, typer.Option(min=1, help="How many times everything is repeated, with other halves of the patients.")] = 3,
    resamples: Resamples = 1000,
    format: CorpusFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    device: FrozenDevice = "auto",
    json_to: Annotated[str | None, json_option("all figures")] = None,
) -> None:
    """Attack scrubbed notes: is this scrubbed note of the same patient as that original one? The AUC is the risk; 0.5 is chance.

    True pairs are two different notes of one patient. No patient is both trained and tested on. Attacks that need no training stand
    beside the trained one, and the original notes are attacked too, to show how strong the attacks are.

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

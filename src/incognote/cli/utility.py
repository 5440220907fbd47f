"""incognote utility: what scrubbing costs a classifier or a reader."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.audit_input import WORDS, check_count, check_reader, read_forms
from incognote.cli.options import json_option
from incognote.cli.output import check_pages, count, say, write_json
from incognote.cli.progress import Meter
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.lab.audit.alignment import Aligned
    from incognote.lab.audit.answers import Survival
    from incognote.lab.audit.regimes import Regime as Depth
    from incognote.lab.audit.utility import Utility

# An audit for JSON, and the function that prints it.
Result = tuple[dict[str, object], Callable[[], None]]


def utility(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The original notes.")],
    scrubbed: Annotated[list[Path], typer.Argument(metavar="SCRUBBED...", help="The same notes, with the same ids, after scrubbing.")],
    task: Annotated[str, typer.Option(metavar="classify|qa", help="Classify notes, or find answers in notes.")] = "classify",
    labels: Annotated[
        str | None,
        typer.Option(metavar="FILE|COLUMN", help="classify: a table with id and label, or an extra column of the original notes."),
    ] = None,
    questions: Annotated[Path | None, typer.Option(metavar="FILE", help="qa: a table with id, question and answer.")] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="words (TF-IDF; no PyTorch), default (the shipped encoder), a folder or a hub name.")
    ] = WORDS,
    regime: options.Regime = "frozen",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of an encoder that is trained.")] = 5,
    learning_rate: options.EpochRate = 5e-5,
    least: Annotated[int, typer.Option(min=1, help="classify: leave out classes with fewer notes.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions, each with other folds.")] = 3,
    folds: Annotated[int, typer.Option(min=2, help="Folds; each is held out once.")] = 5,
    resamples: options.Resamples = 1000,
    format: options.CorpusFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    device: options.Device = "auto",
    json_to: Annotated[str | None, json_option("all scores")] = None,
) -> None:
    """Measure what scrubbing costs a classifier or a reader.

    Trains the same model on original and on scrubbed notes and compares them on held-out notes. No patient is both trained and tested on.
    Every difference is between the same notes, folds and seeds.

    Example: incognote utility notes.jsonl redact.jsonl surrogate.jsonl --labels specialty
    """
    _check_options(task, labels, questions)
    check_pages({"--json": json_to}, files=[original, *scrubbed, labels, questions])
    depth = check_reader(model, regime, device, answers=task == "qa")
    notes = read_forms(original, scrubbed, (note_column, id_column, patient_column), format)
    counts, training = (seeds, folds, resamples), (epochs, learning_rate)
    if labels is not None:
        result, show = _classify(notes, labels, model, depth, training=training, least=least, counts=counts, device=device)
    else:
        result, show = _ask(notes, questions or Path(), model, depth, training=training, counts=counts)
    if json_to:
        write_json({"original": str(original), "model": model, "regime": regime, **result}, json_to)
    if json_to != "-":
        show()


def _check_options(task: str, labels: str | None, questions: Path | None) -> None:
    faults = [] if task in ("classify", "qa") else [f"--task {task}: must be classify or qa"]
    if task == "classify":
        faults += [] if labels else ["--task classify needs --labels: a table with id and label, or an extra column of the notes"]
        faults += ["--questions is for --task qa"] if questions else []
    if task == "qa":
        faults += [] if questions else ["--task qa needs --questions: a table with id, question and answer"]
        faults += ["--labels is for --task classify"] if labels else []
    if faults:
        raise ConfigError("utility", faults)


def _classify(
    notes: "Aligned",
    labels: str,
    model: str,
    depth: "Depth",
    *,
    training: tuple[int, float],
    least: int,
    counts: tuple[int, int, int],
    device: str,
) -> Result:
    from incognote.cli.audit_tables import show_utility
    from incognote.lab.audit.labels import find_labels
    from incognote.lab.audit.learners import Learner, make_state_learner, make_word_learner
    from incognote.lab.audit.utility import as_dict, measure_utility

    found = find_labels(notes, labels, least=least)
    if found.unlabelled:
        say(f"{count(found.unlabelled, 'note')} without a label left out")
    if found.left_out:
        say(f"{count(len(found.left_out), 'class', 'classes')} with too few notes left out")
    notes = notes.keep(found.places)
    seeds, folds, resamples = counts
    check_count(notes, folds)
    learner: Learner
    with Meter() as meter:
        if model == WORDS:
            learner = make_word_learner(notes.texts)
        elif depth.frozen:
            from incognote.lab.audit.hidden import read_states

            states = read_states(notes, model, device=device, tick=lambda count: meter.advance("read", count))
            learner = make_state_learner(states)
        else:
            from incognote.lab.audit.tuning import TunedClasses, make_recipe

            learner = TunedClasses(notes.texts, make_recipe(model, "classes", depth, epochs=training[0], rate=training[1]))
        total = seeds * folds * len(notes.forms)
        audit: Utility = measure_utility(
            notes,
            found,
            learner,
            seeds=range(seeds),
            folds=folds,
            resamples=resamples,
            tick=lambda: meter.advance("train", 1, total),
        )
    return as_dict(audit), partial(show_utility, audit)


def _ask(notes: "Aligned", path: Path, model: str, depth: "Depth", *, training: tuple[int, float], counts: tuple[int, int, int]) -> Result:
    from incognote.cli.audit_tables import show_answers
    from incognote.lab.audit.answers import AnswerLearner, as_dict, measure_answers, read_questions

    asked = read_questions(notes, path)
    seeds, folds, resamples = counts
    learner: AnswerLearner | None = None
    if model != WORDS:
        from incognote.lab.audit.tuning import TunedAnswers, make_recipe

        learner = TunedAnswers(notes, make_recipe(model, "answers", depth, epochs=training[0], rate=training[1]))
    total = seeds * folds * len(notes.forms)
    with Meter() as meter:
        audit: Survival = measure_answers(
            notes,
            asked,
            learner,
            seeds=range(seeds),
            folds=folds,
            resamples=resamples,
            tick=lambda: meter.advance("train", 1, total),
        )
    return as_dict(audit), partial(show_answers, audit)

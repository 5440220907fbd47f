"""incognote utility: what de-identification cost the research."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.audit_input import WORDS, check_count, check_reader, read_forms
from incognote.cli.options import CorpusFormat, FrozenDevice, IdColumn, NoteColumn, PatientColumn, Regime, Resamples, json_option
from incognote.cli.output import Meter, check_pages, say, write_json
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.lab.audit.alignment import Aligned
    from incognote.lab.audit.answers import Survival
    from incognote.lab.audit.regimes import Regime as Depth
    from incognote.lab.audit.utility import Utility

# An audit for JSON, and what prints it.
Told = tuple[dict[str, object], Callable[[], None]]


def utility(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The notes as they were.")],
    scrubbed: Annotated[list[Path], typer.Argument(metavar="SCRUBBED...", help="The same notes, with the same ids, after scrubbing.")],
    task: Annotated[str, typer.Option(help="classify: put notes into classes; qa: find answers in notes.")] = "classify",
    labels: Annotated[
        str | None, typer.Option(metavar="FILE|COLUMN", help="classify: a table with id and label, or a column beside the original notes.")
    ] = None,
    questions: Annotated[Path | None, typer.Option(metavar="FILE", help="qa: a table with id, question and answer.")] = None,
    model: Annotated[
        str, typer.Option(help="words (TF-IDF, needs no torch), default (the shipped model's encoder), an encoder's folder or a hub name.")
    ] = WORDS,
    regime: Regime = "frozen",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of training an encoder; --task classify with a frozen one needs none.")] = 5,
    learning_rate: Annotated[float, typer.Option(min=1e-9, max=1, help="The learning rate of training an encoder.")] = 5e-5,
    least: Annotated[int, typer.Option(min=1, help="classify: leave out classes with fewer notes than this.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="How many times everything is repeated, with other folds.")] = 3,
    folds: Annotated[int, typer.Option(min=2, help="How many parts the notes are divided into; each is held out once.")] = 5,
    resamples: Resamples = 1000,
    format: CorpusFormat = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
    device: FrozenDevice = "auto",
    json_to: Annotated[str | None, json_option("all scores")] = None,
) -> None:
    """Measure what scrubbing cost: train the same model on original and on scrubbed notes and compare it on held-out ones.

    Patients are kept whole: none is both learned from and tested on. Every difference is between the same notes, folds and seeds.

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
    faults = [] if task in ("classify", "qa") else [f"--task {task}: is classify or qa"]
    if task == "classify":
        faults += [] if labels else ["--task classify needs --labels: a table with id and label, or a column beside the notes"]
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
) -> Told:
    from incognote.cli.audit_tables import show_utility
    from incognote.lab.audit.labels import find_labels
    from incognote.lab.audit.learners import Learner, StateLearner, make_word_learner
    from incognote.lab.audit.utility import as_dict, measure_utility

    found = find_labels(notes, labels, least=least)
    if found.unlabelled or found.left_out:
        say(f"{found.unlabelled:,} notes have no label, {len(found.left_out):,} classes are too small: both are left out")
    notes = notes.keep(found.places)
    seeds, folds, resamples = counts
    check_count(notes, folds)
    learner: Learner
    with Meter() as meter:
        if model == WORDS:
            learner = make_word_learner(notes.texts, len(found.classes))
        elif depth.frozen:
            from incognote.lab.audit.hidden import read_states

            states = read_states(notes, model, device=device, tick=lambda count: meter.advance("read", count))
            learner = StateLearner(states, len(found.classes))
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


def _ask(notes: "Aligned", path: Path, model: str, depth: "Depth", *, training: tuple[int, float], counts: tuple[int, int, int]) -> Told:
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

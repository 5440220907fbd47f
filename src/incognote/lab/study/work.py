"""The work of a study: one unit trained, its runs scored and written, and the best kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from incognote.errors import TrainingError
from incognote.lab.study.folder import StudyFolder, ranks_among
from incognote.lab.study.study import PlannedRun, Unit
from incognote.lab.training.checkpointing import card_of, fingerprint, judge, make_run
from incognote.lab.training.data import SPLITS, Splits, load_splits
from incognote.lab.training.loop import Outcome, train
from incognote.lab.training.run import Run, plain_recipe
from incognote.lab.training.shared_prefix import shared_recipe, train_branches
from incognote.lab.training.store import Store
from incognote.lab.training.tasks.tagging import Tagging, prepare_tagging


def do_unit(unit: Unit, folder: StudyFolder, *, keep: int, unsafe: bool, say: Callable[[str], None]) -> None:
    """Train a unit and write its runs. Runs already written are not done again; a killed unit resumes where it was."""
    todo = [run for run in unit.runs if not folder.has_run(run.name)]
    if not todo:
        return
    splits = load_splits(todo[0].recipe)
    for planned, task, outcome in _train(unit, todo, splits, folder, unsafe):
        run = record(planned, task, splits, outcome, folder, keep=keep, shared=unit.shared)
        say(f"{run.name}: validation F1 {run.f1:.4f} ({run.cost['seconds']:.0f} s)" if run.cost else f"{run.name}: {run.notes[0]}")


def _train(
    unit: Unit, todo: Sequence[PlannedRun], splits: Splits, folder: StudyFolder, unsafe: bool
) -> Iterator[tuple[PlannedRun, Tagging | None, Outcome | str]]:
    recipe = shared_recipe(todo[-1].recipe) if unit.shared else todo[0].recipe
    place = folder.progress / unit.name
    task = prepare_tagging(recipe, splits, unsafe=unsafe)
    mark = fingerprint(replace(recipe, epochs=1) if unit.shared else recipe, splits)
    try:
        if unit.shared:
            lengths = {run.recipe.epochs: run for run in todo}
            state = place / "prefix.pt" if recipe.save_every else None
            for length, outcome in train_branches(task, recipe, list(lengths), state=state, mark=mark):
                task.recipe = replace(recipe, epochs=length)
                yield lengths[length], task, outcome
        else:
            outcome = train(task, recipe, folder=place, resume=True, mark=mark)
            yield todo[0], task, outcome
    except TrainingError as error:
        # A grid may hold rates at which a model does not learn; the study says so and continues.
        for run in todo:
            if not folder.has_run(run.name):
                yield run, None, str(error)
    Store(place, mark).clear()


def record(
    planned: PlannedRun, task: Tagging | None, splits: Splits, outcome: Outcome | str, folder: StudyFolder, *, keep: int, shared: bool
) -> Run:
    """Write a Run; where it is among the best of its model so far, also its weights and the counts of every document."""
    if task is None or isinstance(outcome, str):
        run = Run(
            planned.name,
            planned.model,
            plain_recipe(planned.recipe),
            planned.recipe.seed,
            splits.digest,
            0.0,
            0.0,
            {},
            [],
            {},
            held_out=planned.held_out,
            notes=(str(outcome),),
        )
        folder.write_run(run)
        return run
    rivals = [run for run in folder.read_runs() if (run.model, run.held_out) == (planned.model, planned.held_out)]
    best = ranks_among(outcome.scores["f1"], planned.recipe.epochs, planned.name, rivals, keep)
    judged = judge(task, splits, SPLITS if best else ("validation",))
    run = make_run(task, splits, outcome, judged, name=planned.name, model=planned.model, shared=shared)
    run = replace(run, held_out=planned.held_out)
    if best:
        task.recipe = run.as_recipe()
        task.save(task.model, folder.checkpoints / run.name, card={"text": card_of(task, run)})
        for part in ("validation", "test"):
            if part in judged:
                folder.write_predictions(run.name, part, splits.of(part), judged[part].found)
                folder.write_evaluation(run.name, part, judged[part].evaluation)
    folder.write_run(run)
    folder.prune(keep)
    return run

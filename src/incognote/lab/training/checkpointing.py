"""From a recipe to a finished Checkpoint folder: load the data, train, score, save, with a Run beside the weights."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incognote.document import Span
from incognote.errors import OutputError
from incognote.evaluate.report import Evaluation
from incognote.find.model.card import write_card
from incognote.lab.training.cards import describe_run
from incognote.lab.training.data import SPLITS, Splits, describe_shared
from incognote.lab.training.features import body_of
from incognote.lab.training.loop import Outcome, Progress, Watch, cost_table, train
from incognote.lab.training.ranks import leads
from incognote.lab.training.recipe import Recipe, recipe_table
from incognote.lab.training.run import (
    Run,
    Summary,
    evaluate_part,
    fail_if_stopped,
    list_confusions,
    name_of,
    plain_recipe,
    read_run,
    total,
    write_run,
)
from incognote.lab.training.store import Store, claim_folder
from incognote.lab.training.task_registry import TASK_REGISTRY, Dataset, TextTask
from incognote.lab.training.tasks.tagging import Tagging

RUN = "run.json"


def train_checkpoint(
    recipe: Recipe, folder: Path, *, resume: bool = False, overwrite: bool = False, unsafe: bool = False, watch: Watch | None = None
) -> Run:
    """Train a recipe into a Checkpoint folder that loads here and in Hugging Face; returns its Run.

    A folder that is there already, or a training of it that was stopped, is an error unless that is to be resumed or may be
    overwritten; one that was stopped while it was to overwrite a result is gone on with. An encoder whose weights are a pickle is an
    error unless ``unsafe``; a recipe cannot ask for it, because recipes come from strangers too.
    """
    with claim_folder(folder, RUN, resume=resume, overwrite=overwrite) as progress:
        entry = TASK_REGISTRY[recipe.task]
        splits = entry.read(recipe)
        mark = fingerprint(recipe, splits)
        if resume and (folder / RUN).exists() and not overwrite and not progress.exists():
            return _finished(folder, mark)
        task = entry.start(recipe, splits, unsafe=unsafe)
        if watch and leads():
            for remark in (*describe_shared({part: splits.of(part) for part in SPLITS}), *remarks_of(task)):
                watch(Progress(0, 1, 0.0, 0.0, 0.0, remark))
        outcome = train(task, recipe, folder=progress, resume=resume, mark=mark, watch=watch)
        summaries = summarize(task, splits, ("validation", "test")) if leads() else {}
        run = replace(make_run(task, splits, outcome, summaries, name=folder.name), mark=mark)
        if not leads():
            return run
        text = card_of(task, run) if isinstance(task, Tagging) else describe_run(run, task.model.config)
        task.save(task.model, folder, card={"text": text})
        write_run(run, folder / RUN)
        Store(progress, mark).clear()
        fail_if_stopped(outcome.stopped)
        return run


def summarize(task: Tagging | TextTask, splits: Any, names: Sequence[str]) -> "Mapping[str, Judged | Summary]":
    """How good the task's model is on these splits of the data, those without examples left out."""
    if isinstance(task, Tagging):
        return judge(task, splits, names)
    task.model.eval()
    return {name: task.summarize(task.model, examples) for name in names if (examples := splits.of(name))}


def fingerprint(recipe: Recipe, splits: Dataset) -> str:
    """What recipe and data this is; equal for equal trainings, wherever their files lie."""
    table = recipe_table(recipe, with_data=False)
    return hashlib.sha256(json.dumps([table, splits.digest], sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a model found in a part of the data, and how good that is."""

    found: list[tuple[Span, ...]]
    evaluation: Evaluation

    @property
    def scores(self) -> dict[str, list[int]]:
        """The summed counts of every score."""
        return total(self.evaluation)

    @property
    def confusions(self) -> list[list[Any]]:
        """Which labels were taken for which."""
        return list_confusions(self.evaluation)


def judge(task: Tagging, splits: Splits, names: Sequence[str]) -> dict[str, Judged]:
    """The task's model on these splits of the data, those without documents left out."""
    task.model.eval()
    judged = {}
    for name in names:
        if documents := splits.of(name):
            found = task.predict(task.model, documents)
            judged[name] = Judged(found, evaluate_part(documents, found, task.recipe))
    return judged


def make_run(
    task: Tagging | TextTask,
    splits: Dataset,
    outcome: Outcome,
    judged: "Mapping[str, Judged | Summary]",
    *,
    name: str,
    model: str = "",
    shared: bool = False,
) -> Run:
    """Everything about a finished training as a Run."""
    recipe = task.recipe
    return Run(
        name=name,
        model=model or name_of(recipe),
        recipe=plain_recipe(recipe),
        seed=recipe.seed,
        digest=splits.digest,
        epoch=outcome.epoch,
        f1=max(row["f1"] for row in outcome.history),
        scores={part: each.scores for part, each in judged.items()},
        history=outcome.history,
        cost=cost_table(outcome.cost),
        confusions={part: each.confusions for part, each in judged.items()},
        parameters=sum(parameter.numel() for parameter in task.model.parameters()),
        shape=shape_of(body_of(task.model).config),
        shared=shared,
        notes=(*remarks_of(task), *outcome.notes, *([outcome.stopped] if outcome.stopped else [])),
    )


def remarks_of(task: Tagging | TextTask) -> Sequence[str]:
    """Remarks of the task about its data, for the run and the progress display."""
    return () if isinstance(task, Tagging) else task.remarks


def shape_of(config: Any) -> dict[str, Any]:
    """The sizes of an encoder under one name each, whatever its family calls them."""

    def first(*names: str) -> Any:
        return next((value for name in names if (value := getattr(config, name, None)) is not None), None)

    hidden = first("hidden_size", "dim", "d_model")
    return {
        "family": config.model_type,
        "layers": first("num_hidden_layers", "n_layers", "n_layer"),
        "vocabulary": config.vocab_size,
        "embedding": first("embedding_size") or hidden,
        "hidden": hidden,
        "feed_forward": first("intermediate_size", "hidden_dim", "d_inner"),
        "dropout": first("hidden_dropout_prob", "dropout", "hidden_dropout"),
        "activation": first("hidden_act", "activation", "hidden_activation", "ff_activation"),
        "shares_layers": config.model_type == "albert",
    }


def card_of(task: Tagging, run: Run) -> str:
    """The model card, with the run's scores."""
    rows = []
    for part in run.scores:
        strict, token = run.counts(part, "entity"), run.counts(part, "token")
        rows.append(f"| {part} | {strict.precision:.4f} | {strict.recall:.4f} | {strict.f1:.4f} | {token.f1:.4f} |")
    plain = write_card(run.name, task.tags, str(task.model.config.model_type))  # type: ignore[union-attr]
    table = ["", "## Scores", "", "| part | precision | recall | F1, whole spans | F1, tokens |", "|---|---|---|---|---|", *rows]
    return plain + "\n".join([*table, "", f"Trained from {run.model}; data digest {run.digest}; the epoch kept is {run.epoch:g}.", ""])


def _finished(folder: Path, mark: str) -> Run:
    """The Run of a training that is done; one of another recipe is never trained over."""
    run = read_run(folder / RUN)
    if run.mark != mark:
        raise OutputError("holds the result of another recipe or other data", where=folder, fix="give another folder, or set {overwrite}")
    return run

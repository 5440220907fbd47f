"""Training that makes a shrunk model good again: the settings it was trained with, fewer epochs, and the loop that trains all models."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from incognote.errors import ConfigError
from incognote.find.model.checkpoint import RECIPE, Checkpoint, load_checkpoint
from incognote.lab.encoders.encoding import check_labels
from incognote.lab.shrink.shapes import Shape, shape_model
from incognote.lab.training.checkpointing import RUN, card_of, judge, make_run
from incognote.lab.training.data import SPLITS, Splits, load_splits
from incognote.lab.training.loop import Watch, train
from incognote.lab.training.recipe import Recipe, Source, parse_recipe, read_toml
from incognote.lab.training.run import Run, fail_if_stopped, write_run
from incognote.lab.training.task import Task
from incognote.lab.training.tasks.tagging import Tagging, prepare_tagging

# What a model was trained with that its smaller kin should keep.
_INHERITED = ("window", "overlap", "newline_token", "select", "learning_rate", "weight_decay", "layer_decay", "token_masking")


def inherit_recipe(checkpoint: Checkpoint, **changes: Any) -> Recipe:
    """The settings that a model was trained with, as far as its folder holds them, with these changes; None changes nothing."""
    known: dict[str, Any] = {}
    if (checkpoint.folder / RECIPE).is_file():
        table = read_toml(checkpoint.folder / RECIPE)
        known = {key: value for key, value in table.items() if key in _INHERITED}
    settings = {key: int(checkpoint.settings[key]) for key in ("window", "overlap") if key in checkpoint.settings}
    given = {key: value for key, value in changes.items() if value is not None}
    table = {"model": str(checkpoint.folder), "warmup": 0.3, "save_every": 0, **known, **settings, **given}
    window = min(table.get("window", 512), checkpoint.limit)
    return parse_recipe({**table, "window": window, "overlap": min(table.get("overlap", 128), window // 4)}, subject="training")


def load_data(data: tuple[Source, ...], checkpoint: Checkpoint, *, split: str = "") -> Splits:
    """The corpus in its splits, every label known to the model; ``split`` is a ratio for a corpus that comes without splits."""
    if not data:
        raise ConfigError("shrink", ["this needs annotated notes; name them with {data}"])
    table = {"model": str(checkpoint.folder), "data": data, **({"split": {"ratio": split}} if split else {})}
    splits = load_splits(parse_recipe(table, subject="split"))
    for part in SPLITS:
        check_labels(splits.of(part), checkpoint.tags)
    return splits


def retrain(
    student: Path,
    target: Path,
    recipe: Recipe,
    splits: Splits,
    *,
    origin: str,
    wrap: Callable[[Tagging], Task] = lambda task: task,
    scored: Sequence[str] = ("validation", "test"),
    watch: Watch | None = None,
) -> Run:
    """Train the tagging model in ``student`` and save it as ``target`` with its Run; ``origin`` names what it was made from.

    ``wrap`` puts another task around tagging, such as learning from a teacher; ``scored`` are the splits whose scores are on its card.
    """
    tagging = prepare_tagging(replace(recipe, model=str(student)), splits)
    task = wrap(tagging)
    outcome = train(task, tagging.recipe, watch=watch)
    tagging.recipe = replace(recipe, model=origin)
    run = make_run(tagging, splits, outcome, judge(tagging, splits, scored), name=target.name, model=origin)
    task.save(tagging.model, target, card={"text": card_of(tagging, run)})
    write_run(run, target / RUN)
    fail_if_stopped(outcome.stopped)
    return run


def prune_model(
    source: Checkpoint,
    target: Path,
    shape: Shape,
    recipe: Recipe | None = None,
    splits: Splits | None = None,
    *,
    counts: Mapping[int, int] | None = None,
    likeness: Sequence[float] = (),
    watch: Watch | None = None,
) -> Path:
    """The model cut to the shape; with a recipe it is trained afterwards on the splits, and nothing is written before it is."""
    if recipe is None or splits is None:
        return shape_model(source, target, shape, counts=counts, likeness=likeness)
    with tempfile.TemporaryDirectory(prefix="incognote-prune-") as scratch:
        cut = shape_model(source, Path(scratch) / source.name, shape, counts=counts, likeness=likeness)
        retrain(cut, target, recipe, splits, origin=source.name, watch=watch)
    return target


def open_model(source: str | Path) -> Checkpoint:
    """The tagging model to shrink, by folder, hub name, or ``default`` for the one that ships."""
    return load_checkpoint(source)

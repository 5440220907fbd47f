"""incognote train: fine-tune an encoder for the task of a recipe."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.data import parse_data, require_torch, settle_model
from incognote.cli.output import check_pages, say, write_json
from incognote.cli.progress import SCORES, watching

if TYPE_CHECKING:
    from collections.abc import Iterator


def train(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A TOML file, or the name of a shipped recipe.")],
    output: options.OutputFolder,
    data: options.Data = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Replaces the encoder of the recipe: a folder, a hub name, or default.")
    ] = None,
    resume: options.Resume = False,
    overwrite: options.Overwrite = False,
    unsafe: options.Unsafe = False,
    json_to: Annotated[str | None, options.json_option("the Run")] = None,
) -> None:
    """Fine-tune an encoder as a recipe says.

    The task of the recipe is tags, classes, pairs, answers or words. --data replaces the data of the recipe. Every epoch is saved and the
    best one is kept.

    Several GPUs: torchrun --nproc-per-node 4 -m incognote train RECIPE -o FOLDER

    Example: incognote train roberta-base --data gold/ -o models/roberta
    """
    from dataclasses import asdict, replace

    from incognote.lab.training.recipe import read_recipe

    check_pages({"--json": json_to}, files=[recipe])
    wanted = read_recipe(recipe)
    if data:
        wanted = replace(wanted, data=parse_data(data))
    if model:
        wanted = replace(wanted, model=settle_model(model))
    require_torch()
    from incognote.lab.training.checkpointing import train_checkpoint
    from incognote.lab.training.ranks import leads

    with stoppable(output), watching(wanted.task) as watch:
        run = train_checkpoint(wanted, output, resume=resume, overwrite=overwrite, unsafe=unsafe, watch=watch)
    if not leads():
        return
    say(f"{output}: validation {SCORES[wanted.task]} {run.f1:.4f} at epoch {run.epoch:g}, {run.cost['samples_per_second']:.1f} samples/s")
    if json_to:
        write_json(asdict(run), json_to)


@contextmanager
def stoppable(output: Path) -> "Iterator[None]":
    """Say how to continue a training into this folder when it is interrupted."""
    from incognote.lab.training.ranks import leads
    from incognote.lab.training.store import place_of_progress

    try:
        yield
    except KeyboardInterrupt:
        if leads() and place_of_progress(output).exists():
            say(f"{output}: the finished epochs are kept; continue with --resume, or start over with --overwrite")
        raise

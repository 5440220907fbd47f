"""incognote train: fine-tune an encoder as a recipe says, for tags, classes, pairs, answers or words, into a folder to use it from."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import Unsafe, json_option
from incognote.cli.output import check_pages, say, write_json
from incognote.errors import ConfigError, MissingExtraError
from incognote.models import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from incognote.lab.training.loop import Progress, Watch
    from incognote.lab.training.recipe import Source

# What the score that selects is called, task by task.
SCORES = {"tags": "F1", "classes": "macro F1", "pairs": "macro F1", "answers": "answer F1", "words": "probability of a hidden token"}
SECONDS_BETWEEN = 60
DATA_HELP = "The corpus, in place of the recipe's; train=PATH, validation=PATH or test=PATH for one part. May be given several times."


def train(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="The recipe, a TOML file.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the checkpoint goes.")],
    data: Annotated[list[str] | None, typer.Option("--data", metavar="[PART=]PATH", help=DATA_HELP)] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Another encoder than the recipe's: a folder, a hub name, or default."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a training that was stopped; the result is the same.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the checkpoint in FOLDER.")] = False,
    unsafe: Unsafe = False,
    json_to: Annotated[str | None, json_option("the Run")] = None,
) -> None:
    """Fine-tune an encoder for the recipe's task: tags, classes, pairs, answers or words. Every epoch is saved; the best is kept.

    Several GPUs: torchrun --nproc-per-node 4 -m incognote train RECIPE -o FOLDER

    Example: incognote train recipes/roberta-base.toml --data gold/ -o models/roberta
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


def parse_data(values: list[str], option: str = "--data") -> "tuple[Source, ...]":
    """Corpora from the command line, given with that option: paths, or paths after the part they serve for.

    They are made absolute, as those of a recipe are, so that the recipe beside the weights can be trained again from anywhere.
    """
    from incognote.lab.training.recipe import Source

    sources, faults = [], []
    for value in values:
        part, equals, path = value.partition("=")
        if not (equals and part in ("train", "validation", "test")):
            part, path = "all", value
        sources.append(Source(path=str(Path(path).resolve()), part=part))
        if not path or not Path(path).exists():
            faults.append(f"{value}: there is no such file or folder")
    if faults:
        raise ConfigError(option, faults)
    return tuple(sources)


def settle_model(name: str) -> str:
    """The name of a model as it holds wherever the recipe is read again: a folder's is made absolute."""
    return str(Path(name).resolve()) if name != DEFAULT and Path(name).is_dir() else name


def require_torch() -> None:
    """Raise unless what training needs is installed."""
    from importlib.util import find_spec

    for package in ("torch", "transformers", "safetensors", "tokenizers", "numpy"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "train")


@contextmanager
def stoppable(output: Path) -> "Iterator[None]":
    """Say how to go on with a training into this folder when it is interrupted."""
    from incognote.lab.training.ranks import leads
    from incognote.lab.training.store import place_of_progress

    try:
        yield
    except KeyboardInterrupt:
        if leads() and place_of_progress(output).exists():
            say(f"{output}: the epochs so far are kept; go on with --resume, or start anew with --overwrite")
        raise


@contextmanager
def watching(task: str = "tags") -> "Iterator[Watch]":
    """A progress bar with loss, score and samples per second on a terminal; elsewhere, as in the log of a cluster, a line now and then."""
    import sys

    from incognote.lab.training.ranks import leads

    if not (sys.stderr.isatty() and leads()):
        yield _tell_now_and_then(SCORES[task])
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("training"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"), TimeRemainingColumn())
    # However the block is left, the bar goes: a training may stop early or break off, and a bar left standing hides the cursor for good.
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("training", told="")

        def show(progress: "Progress") -> None:
            bars.update(bar, completed=progress.step, total=progress.total, told=_describe(progress, SCORES[task]))
            if progress.note:
                say(progress.note)

        yield show


def _tell_now_and_then(score: str) -> "Watch":
    import time

    last = time.monotonic()

    def tell(progress: "Progress") -> None:
        nonlocal last
        if progress.note:
            say(progress.note)
        if time.monotonic() - last > SECONDS_BETWEEN:
            last = time.monotonic()
            say(f"step {progress.step:,} of {progress.total:,}, {_describe(progress, score)}")

    return tell


def _describe(progress: "Progress", score: str) -> str:
    return f"loss {progress.loss:.4f}, {score} {progress.f1:.4f}, {progress.samples_per_second:.1f} samples/s"

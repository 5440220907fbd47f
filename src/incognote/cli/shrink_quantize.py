"""incognote shrink quantize, factorize and expand: smaller numbers, a thinner embedding, and the way back for other programs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli.output import check_pages, say, write_json, write_text
from incognote.cli.shrink_options import Data, Json, Model, Output, Overwrite, Split
from incognote.cli.train import parse_data, require_torch, watching
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.find.model.checkpoint import Checkpoint
    from incognote.lab.training.recipe import Recipe


class How(StrEnum):
    """When the scales of activations are found."""

    dynamic = "dynamic"
    static = "static"
    aware = "aware"


RecipeFile = Annotated[Path | None, typer.Option("--recipe", metavar="FILE", help="How to train, in place of how the model was trained.")]
Rate = Annotated[
    float | None, typer.Option("--learning-rate", help="The peak learning rate. [default: a fifth of what the model was trained with]")
]
Batch = Annotated[int | None, typer.Option("--batch", min=1, help="Windows in each step; 16 unless the recipe says.")]
Seed = Annotated[int | None, typer.Option(min=0, help="The seed of the training; 0 unless the recipe says.")]


def quantize(
    model: Model,
    output: Output,
    how: Annotated[How, typer.Option(help="dynamic, static (calibrated on notes), or aware (trained to be quantized).")] = How.dynamic,
    bits: Annotated[int, typer.Option(help="Bits of each weight: 8, or 4 for half the size again, best trained with --how aware.")] = 8,
    data: Data = None,
    split: Split = "",
    recipe: RecipeFile = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="aware: how long to train; 6 unless the recipe says.")] = None,
    learning_rate: Rate = None,
    batch: Batch = None,
    seed: Seed = None,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Store a model's weights as int8, a quarter of the size, or as int4, an eighth, and compute with them.

    incognote alone reads the codes; incognote shrink expand writes them out for Hugging Face. aware writes FOLDER in
    codes and FOLDER-fp32 in full precision.

    Example: incognote shrink quantize models/notes --how static --data gold/ -o models/notes-int8
    """
    require_torch()
    from incognote.lab.shrink.quantize import name_bits, open_exact, quantize_dynamic, quantize_static
    from incognote.lab.shrink.table import load_exam
    from incognote.lab.shrink.tuning import load_data, open_model

    checkpoint, sources = open_exact(open_model(model).folder), parse_data(data or [])
    with claimed(output, json_to, overwrite=overwrite):
        folders = {f"{how}, {name_bits(bits)}": output}
        if how is How.dynamic:
            _, exam = load_exam(sources, checkpoint.tags, split=split)
            quantize_dynamic(checkpoint.folder, output, bits=bits, overwrite=overwrite)
        else:
            parts = load_data(sources, checkpoint, split=split)
            exam = parts.validation
            if how is How.static:
                quantize_static(checkpoint.folder, output, parts.train, bits=bits, overwrite=overwrite)
            else:
                from incognote.lab.shrink.aware import exact_folder, train_aware

                given = {"epochs": epochs or (None if recipe else 6), "learning_rate": learning_rate, "batch": batch, "seed": seed}
                wanted = _recipe(checkpoint, recipe, given)
                with watching() as watch:
                    train_aware(checkpoint.folder, output, wanted, parts, bits=bits, overwrite=overwrite, watch=watch)
                folders = {"aware, full precision": exact_folder(output), **folders}
        tell_cost(checkpoint, folders, exam, json_to)


def factorize(
    model: Model,
    output: Output,
    rank: Annotated[int, typer.Option(metavar="E", min=1, help="The width of the thin embedding, below the model's own.")],
    data: Data = None,
    split: Split = "",
    recipe: RecipeFile = None,
    epochs: Annotated[int, typer.Option(min=0, help="How long to train the thin model; 0 leaves it untrained.")] = 0,
    learning_rate: Rate = None,
    batch: Batch = None,
    seed: Seed = None,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Store a model's embedding of words, V×H, as two factors, V×E and E×H.

    Without training this costs much quality. incognote multiplies the factors when it loads the model; Hugging Face's classes know no
    thin embedding, so write the model out for them with incognote shrink expand.

    Example: incognote shrink factorize models/notes --rank 128 --data gold/ --epochs 6 -o models/notes-thin
    """
    require_torch()
    from incognote.lab.shrink.factorize import check_rank, factorize_tuned
    from incognote.lab.shrink.factorize import factorize as factorize_checkpoint
    from incognote.lab.shrink.table import load_exam
    from incognote.lab.shrink.tuning import load_data, open_model

    if epochs and not data:
        raise ConfigError("factorize", ["--epochs: training needs annotated notes; give them with --data"])
    checkpoint, sources = open_model(model), parse_data(data or [])
    with claimed(output, json_to, overwrite=overwrite):
        check_rank(checkpoint, rank)
        if epochs:
            parts = load_data(sources, checkpoint, split=split)
            wanted = _recipe(checkpoint, recipe, {"epochs": epochs, "learning_rate": learning_rate, "batch": batch, "seed": seed})
            with watching() as watch:
                factorize_tuned(checkpoint, output, rank=rank, recipe=wanted, parts=parts, overwrite=overwrite, watch=watch)
            exam = parts.validation
        else:
            notes, exam = load_exam(sources, checkpoint.tags, split=split)
            factorize_checkpoint(checkpoint, output, rank=rank, texts=[note.text for note in notes], overwrite=overwrite)
        tell_cost(checkpoint, {f"rank {rank}": output}, exam, json_to)


def expand(
    model: Model,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the whole model goes.")],
    overwrite: Overwrite = False,
) -> None:
    """Write an int8 or factorized model out as whole matrices in full precision, which Hugging Face loads.

    Example: incognote shrink expand models/notes-int8 -o models/notes-whole
    """
    require_torch()
    from incognote.lab.shrink.expand import expand as expand_checkpoint
    from incognote.lab.shrink.tuning import open_model

    with claimed(output, overwrite=overwrite):
        expand_checkpoint(open_model(model), output, overwrite=overwrite)


def _recipe(checkpoint: "Checkpoint", file: Path | None, given: dict[str, Any]) -> "Recipe":
    """How to train: the recipe in the file, or as the model was trained but slower, for its weights are nearly right."""
    from dataclasses import replace

    from incognote.lab.shrink.tuning import inherit_recipe
    from incognote.lab.training.recipe import parse_recipe, read_recipe, recipe_table

    given = {key: value for key, value in given.items() if value is not None}
    if file:
        table = recipe_table(replace(read_recipe(file), model=str(checkpoint.folder), scheme="", save_every=0))
        return parse_recipe(table | given, subject="training")
    wanted = inherit_recipe(checkpoint, **given)
    return wanted if "learning_rate" in given else replace(wanted, learning_rate=wanted.learning_rate / 5)


@contextmanager
def claimed(output: Path, json_to: str | None = None, *, overwrite: bool) -> Iterator[None]:
    """Keep the folder of the smaller model for this run alone; raise, before any work is done, where it or the table cannot be written."""
    from incognote.corpora.locks import writing_alone
    from incognote.lab.shrink.derived import check_new

    check_pages({"--json": json_to})
    with writing_alone(output):
        check_new(output, overwrite=overwrite)
        yield


def tell_cost(checkpoint: "Checkpoint", folders: dict[str, Path], exam: "Sequence[Document]", json_to: str | None) -> None:
    """Print a line for the model as it was, and one for each made of it, by name."""
    from incognote.lab.shrink.table import format_lines, line_dict, measure

    before = measure(checkpoint.folder, exam, name=checkpoint.name)
    lines = [before, *(measure(folder, exam, name=name, against=before) for name, folder in folders.items())]
    if json_to != "-":
        write_text(format_lines(lines), "-")
    if json_to:
        write_json([line_dict(line) for line in lines], json_to)
    if not exam:
        say("no notes were given (--data), so quality and speed were not measured")

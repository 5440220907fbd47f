"""incognote shrink quantize, factorize, token-pruning and expand: the same layers with smaller weights or fewer tokens."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli.data import parse_data, require_torch
from incognote.cli.options import Data, OutputFolder, Overwrite
from incognote.cli.output import count, say
from incognote.cli.progress import watching
from incognote.cli.shrink_model import Json, Model, Split, claimed, write_cost
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.find.model.checkpoint import Checkpoint
    from incognote.lab.training.recipe import Recipe


class How(StrEnum):
    """When the scales of activations are computed."""

    dynamic = "dynamic"
    static = "static"
    aware = "aware"


RecipeFile = Annotated[Path | None, typer.Option("--recipe", metavar="FILE", help="The training recipe, instead of the model's own.")]
Rate = Annotated[
    float | None, typer.Option("--learning-rate", help="The peak learning rate. [default: a fifth of that of the model's training]")
]
Batch = Annotated[int | None, typer.Option("--batch", min=1, help="Windows in each step. [default: that of the recipe, or 16]")]
Seed = Annotated[int | None, typer.Option(min=0, help="The seed of the training. [default: that of the recipe, or 0]")]
_LAYER = "A layer to prune after; 0 is the prefilter before the first layer. Repeatable. [default: 0 and the middle layer]"
_AROUND = "Tokens to keep on either side of a kept token."
_MOST_LOST = "The largest share of tagged tokens to prune at a layer; a tenth of it for confident tags, less at lower layers."


def quantize(
    model: Model,
    output: OutputFolder,
    how: Annotated[How, typer.Option(help="dynamic, static (calibrated on notes), or aware (quantization-aware training).")] = How.dynamic,
    bits: Annotated[int, typer.Option(help="Bits of each weight: 8, or 4 (use --how aware).")] = 8,
    data: Data = None,
    split: Split = "",
    recipe: RecipeFile = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="aware: epochs of training. [default: those of the recipe, or 6]")] = None,
    learning_rate: Rate = None,
    batch: Batch = None,
    seed: Seed = None,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Quantize the weights to int8 or int4.

    int8 is a quarter of the size, int4 an eighth. Only incognote reads the result; incognote shrink expand converts it for Hugging Face.
    aware also writes FOLDER-fp32, in full precision.

    Example: incognote shrink quantize models/notes --how static --data gold/ -o models/notes-int8
    """
    require_torch()
    from incognote.lab.shrink.quantize import name_bits, open_exact, quantize_dynamic, quantize_static
    from incognote.lab.shrink.table import load_evaluation_notes
    from incognote.lab.shrink.tuning import load_data, open_model

    checkpoint, sources = open_exact(open_model(model).folder), parse_data(data or [])
    with claimed(output, json_to, overwrite=overwrite):
        folders = {f"{how}, {name_bits(bits)}": output}
        if how is How.dynamic:
            _, validation = load_evaluation_notes(sources, checkpoint.tags, split=split)
            quantize_dynamic(checkpoint.folder, output, bits=bits, overwrite=overwrite)
        else:
            splits = load_data(sources, checkpoint, split=split)
            validation = splits.validation
            if how is How.static:
                quantize_static(checkpoint.folder, output, splits.train, bits=bits, overwrite=overwrite)
            else:
                from incognote.lab.shrink.aware import exact_folder, train_aware

                given = {"epochs": epochs or (None if recipe else 6), "learning_rate": learning_rate, "batch": batch, "seed": seed}
                wanted = _recipe(checkpoint, recipe, given)
                with watching() as watch:
                    train_aware(checkpoint.folder, output, wanted, splits, bits=bits, overwrite=overwrite, watch=watch)
                folders = {"aware, full precision": exact_folder(output), **folders}
        write_cost(checkpoint, folders, validation, json_to)


def factorize(
    model: Model,
    output: OutputFolder,
    rank: Annotated[int, typer.Option(metavar="E", min=1, help="The width of the factorized embedding, smaller than the model's own.")],
    data: Data = None,
    split: Split = "",
    recipe: RecipeFile = None,
    epochs: Annotated[int, typer.Option(min=0, help="Epochs of training afterwards; 0 for no training.")] = 0,
    learning_rate: Rate = None,
    batch: Batch = None,
    seed: Seed = None,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Factorize the token embedding, V×H, as V×E and E×H.

    Without training this costs much quality. Only incognote reads the result; incognote shrink expand converts it for Hugging Face.

    Example: incognote shrink factorize models/notes --rank 128 --data gold/ --epochs 6 -o models/notes-thin
    """
    require_torch()
    from incognote.lab.shrink.factorize import check_rank
    from incognote.lab.shrink.factorize import factorize as factorize_checkpoint
    from incognote.lab.shrink.factorize_tuned import factorize_tuned
    from incognote.lab.shrink.table import load_evaluation_notes
    from incognote.lab.shrink.tuning import load_data, open_model

    if epochs and not data:
        raise ConfigError("factorize", ["--epochs: training needs annotated notes; add --data"])
    checkpoint, sources = open_model(model), parse_data(data or [])
    with claimed(output, json_to, overwrite=overwrite):
        check_rank(checkpoint, rank)
        if epochs:
            splits = load_data(sources, checkpoint, split=split)
            wanted = _recipe(checkpoint, recipe, {"epochs": epochs, "learning_rate": learning_rate, "batch": batch, "seed": seed})
            with watching() as watch:
                factorize_tuned(checkpoint, output, rank=rank, recipe=wanted, splits=splits, overwrite=overwrite, watch=watch)
            validation = splits.validation
        else:
            notes, validation = load_evaluation_notes(sources, checkpoint.tags, split=split)
            factorize_checkpoint(checkpoint, output, rank=rank, texts=[note.text for note in notes], overwrite=overwrite)
        write_cost(checkpoint, {f"rank {rank}": output}, validation, json_to)


def token_pruning(
    model: Model,
    notes: Annotated[
        Path, typer.Argument(metavar="NOTES", help="Unlabelled notes like those to be tagged, a few hundred or more; gold is ignored.")
    ],
    output: OutputFolder,
    layer: Annotated[list[int] | None, typer.Option(metavar="N", help=_LAYER)] = None,
    around: Annotated[int, typer.Option(min=0, metavar="N", help=_AROUND)] = 12,
    most_lost: Annotated[float, typer.Option(min=0, max=1, metavar="SHARE", help=_MOST_LOST)] = 0.0005,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the initial weights and of the order of tokens.")] = 0,
    data: Data = None,
    split: Split = "",
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Add token pruning to an int8 model, for speed.

    Most tokens are plainly not PHI. A small head between layers prunes them, so that the upper layers compute fewer tokens; the
    prefilter does so before the first layer. Pruned tokens count as not PHI. Only the runtime onnx prunes. Use this last: every other
    way of shrinking removes the heads.

    Example: incognote shrink token-pruning models/notes-int8 notes/ --data gold/ -o models/notes-pruned
    """
    require_torch()
    from incognote.corpora import read_corpus
    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.find.model.config import MARGIN
    from incognote.lab.shrink.pruning import add_pruning
    from incognote.lab.shrink.table import load_evaluation_notes
    from incognote.lab.shrink.tuning import open_model

    checkpoint = open_model(model)
    with claimed(output, json_to, overwrite=overwrite):
        _, validation = load_evaluation_notes(parse_data(data or []), checkpoint.tags, split=split)
        texts = [document.text for document in read_corpus(notes)]
        settings = {"layers": layer or (), "around": around, "most_lost": most_lost, "seed": seed}
        for fit in add_pruning(checkpoint, output, texts, overwrite=overwrite, **settings):
            say(f"{fit.where}: keeps {fit.through:.1%} of all tokens, prunes {fit.lost:.2%} of {count(fit.tagged, 'tagged token')}")
        margin = load_checkpoint(output).settings.get(MARGIN)
        say(
            "too few notes to measure the confidence margin, so onnx-exact re-runs every window"
            if margin is None
            else f"onnx-exact re-runs windows in which the confidence margin is below {margin}"
        )
        write_cost(checkpoint, {"with token pruning": output}, validation, json_to)


def expand(
    model: Model,
    output: OutputFolder,
    overwrite: Overwrite = False,
) -> None:
    """Convert a model to full precision, for Hugging Face.

    For quantized and factorized models, which only incognote reads.

    Example: incognote shrink expand models/notes-int8 -o models/notes-whole
    """
    require_torch()
    from incognote.lab.shrink.expand import expand as expand_checkpoint
    from incognote.lab.shrink.tuning import open_model

    with claimed(output, overwrite=overwrite):
        expand_checkpoint(open_model(model), output, overwrite=overwrite)


def _recipe(checkpoint: "Checkpoint", file: Path | None, given: dict[str, Any]) -> "Recipe":
    """The recipe of the file, or that of the model's training with a fifth of the rate, because the weights are nearly right."""
    from dataclasses import replace

    from incognote.lab.shrink.tuning import inherit_recipe
    from incognote.lab.training.recipe import parse_recipe, read_recipe, recipe_table

    given = {key: value for key, value in given.items() if value is not None}
    if file:
        table = recipe_table(replace(read_recipe(file), model=str(checkpoint.folder), scheme="", save_every=0))
        return parse_recipe(table | given, subject="training")
    wanted = inherit_recipe(checkpoint, **given)
    return wanted if "learning_rate" in given else replace(wanted, learning_rate=wanted.learning_rate / 5)

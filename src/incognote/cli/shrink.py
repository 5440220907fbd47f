"""incognote shrink: make a model smaller or faster, and measure the cost."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli.data import parse_data, require_torch
from incognote.cli.options import Data, OutputFolder, Overwrite, Resume
from incognote.cli.output import check_pages, say, write_json, write_text
from incognote.cli.progress import watching
from incognote.cli.shrink_model import Json, Model, Rate, Split, claimed, write_cost
from incognote.cli.shrink_quantize import expand, factorize, quantize, token_pruning
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.lab.training.data import Splits

shrink = typer.Typer(
    name="shrink",
    help="Make a model smaller or faster, and measure the cost.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

shrink.command()(quantize)
shrink.command()(factorize)
shrink.command("token-pruning")(token_pruning)
shrink.command()(expand)

Batch = Annotated[int, typer.Option("--batch", min=1, help="Windows in each step.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of the order of notes and of dropout.")]


@shrink.command()
def prune(
    model: Model,
    output: OutputFolder,
    drop: Annotated[int, typer.Option("--layers", min=0, metavar="N", help="Layers to drop.")] = 0,
    strategy: Annotated[str, typer.Option(metavar="NAME", help="Layers to drop: top, bottom, even, odd, middle or contribution.")] = "top",
    vocabulary: Annotated[
        Path | None, typer.Option(metavar="CORPUS", help="Keep the tokens of the vocabulary that are most frequent in these notes.")
    ] = None,
    tokens: Annotated[int, typer.Option(min=0, metavar="N", help="Tokens of the vocabulary to keep.")] = 0,
    data: Data = None,
    split: Split = "",
    epochs: Annotated[int, typer.Option(min=0, help="Epochs of training afterwards; 0 for no training.")] = 0,
    learning_rate: Rate = None,
    batch: Batch = 16,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Drop layers, or tokens of the vocabulary.

    As in "Poor Man's BERT", with or without a short training afterwards.

    Example: incognote shrink prune models/roberta --layers 6 --strategy top --data gold/ --epochs 3 -o models/half
    """
    from incognote.corpora import read_corpus

    require_torch()
    from incognote.lab.shrink.shapes import Shape, count_usage, measure_layers
    from incognote.lab.shrink.tuning import inherit_recipe, load_data, open_model, prune_model

    faults = [] if drop or tokens else ["nothing to prune; add --layers or --tokens"]
    faults += ["--tokens and --vocabulary need each other"] if bool(tokens) != bool(vocabulary) else []
    if faults:
        raise ConfigError("prune", faults)
    with claimed(output, json_to, overwrite=overwrite):
        source = open_model(model)
        splits = load_data(parse_data(data or []), source, split=split) if data or epochs else None
        shape = Shape(drop=drop, strategy=strategy, tokens=tokens)
        likeness = measure_layers(source, shape, splits.train if splits else ())
        counts = count_usage(source, list(read_corpus(vocabulary))) if vocabulary else None
        recipe = inherit_recipe(source, epochs=epochs, learning_rate=learning_rate, batch=batch, seed=seed) if epochs else None
        with watching() as watch:
            prune_model(source, output, shape, recipe, splits, counts=counts, likeness=likeness, watch=watch)
        write_cost(source, {output.name: output}, _test_notes(splits), json_to)


@shrink.command("distill")
def distill_command(
    teachers: Annotated[
        list[str], typer.Argument(metavar="TEACHER...", help="Tagging models with the same tags; several form an ensemble.")
    ],
    output: OutputFolder,
    data: Data = None,
    split: Split = "",
    unlabelled: Annotated[Path | None, typer.Option(metavar="NOTES", help="Unlabelled notes to train on as well.")] = None,
    student: Annotated[str | None, typer.Option(metavar="FOLDER", help="The encoder of the student: a folder or a hub name.")] = None,
    layers: Annotated[
        int, typer.Option(min=0, metavar="N", help="Or start with this many layers of the first teacher. [default: every other one]")
    ] = 0,
    temperature: Annotated[float, typer.Option(min=0.1, help="The temperature of the teachers' distribution.")] = 2.0,
    soft: Annotated[float, typer.Option(min=0, help="The weight of the teachers' distribution.")] = 1.0,
    hard: Annotated[float, typer.Option(min=0, help="The weight of the gold tags.")] = 0.4,
    hidden: Annotated[float, typer.Option(min=0, help="The weight of similarity to the first teacher's hidden states.")] = 0.2,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of training.")] = 10,
    learning_rate: Rate = None,
    batch: Batch = 16,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Distil larger models into a smaller one, token by token.

    Example: incognote shrink distill models/roberta --data gold/ --unlabelled notes/ -o models/student
    """
    from incognote.corpora import read_corpus

    require_torch()
    from incognote.lab.shrink.distillation import DistillationSettings
    from incognote.lab.shrink.students import begin_from_folder, begin_from_layers, distill
    from incognote.lab.shrink.tuning import inherit_recipe, load_data, open_model

    if student and layers:
        raise ConfigError("distill", ["--student and --layers exclude each other; remove one of them"])
    with claimed(output, json_to, overwrite=overwrite):
        opened = [open_model(teacher) for teacher in teachers]
        splits = load_data(parse_data(data or []), opened[0], split=split)
        notes = list(read_corpus(unlabelled)) if unlabelled else []

        def begin(place: Path) -> Path:
            if student:
                return begin_from_folder(student, opened[0].tags, place, seed=seed)
            return begin_from_layers(opened[0], place, layers=layers)

        recipe = inherit_recipe(opened[0], epochs=epochs, learning_rate=learning_rate, batch=batch, seed=seed)
        settings = DistillationSettings(temperature, soft, hard, hidden)
        with watching() as watch:
            distill(opened, output, recipe, splits, begin=begin, settings=settings, unlabelled=notes, watch=watch)
        write_cost(opened[0], {output.name: output}, _test_notes(splits), json_to)


@shrink.command("search")
def search_command(
    model: Model,
    output: OutputFolder,
    data: Data = None,
    split: Split = "",
    target_size: Annotated[str | None, typer.Option(metavar="SIZE", help="The largest size, such as 20MB. [default: half]")] = None,
    max_loss: Annotated[float, typer.Option(min=0, help="The largest loss of F1.")] = 0.005,
    budget: Annotated[float, typer.Option(metavar="MINUTES", min=0, help="Start no trial after this many minutes; 0 is no limit.")] = 0,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of a short training; distillation takes twice as many.")] = 3,
    every_way: Annotated[bool, typer.Option("--all", help="Also try the expensive ways when a cheap one is good enough.")] = False,
    learning_rate: Rate = None,
    batch: Batch = 16,
    seed: Seed = 0,
    resume: Resume = False,
    json_to: Json = None,
) -> None:
    """Search combinations of these ways, and show the frontier.

    Tries fewer layers, smaller vocabularies, factorized embeddings, int8, int4, training and distillation together. FOLDER gets the
    models on the frontier of size and quality, and a page.

    Example: incognote shrink search models/roberta --data gold/ --target-size 20MB --max-loss 0.005 -o smaller/
    """
    require_torch()
    from dataclasses import asdict

    from incognote.corpora.locks import writing_alone
    from incognote.lab.shrink.frontier import choose, find_frontier, format_found, parse_size
    from incognote.lab.shrink.search import Wish, search
    from incognote.lab.shrink.table import measure
    from incognote.lab.shrink.tuning import load_data, open_model
    from incognote.lab.study.tradeoff import write_tradeoff

    check_pages({"--json": json_to})
    source = open_model(model)
    target = parse_size(target_size) if target_size else measure(source.folder, []).size / 2
    splits = load_data(parse_data(data or []), source, split=split)
    changes: dict[str, Any] = {"learning_rate": learning_rate, "batch": batch, "seed": seed}
    wish = Wish(target, max_loss, budget, every_way)
    with writing_alone(output), watching() as watch:
        found = search(source, splits, output, wish, epochs=epochs, resume=resume, changes=changes, watch=watch, say=say)
        html, _ = write_tradeoff(output, found, target=target, max_loss=max_loss)
    chosen = choose(found, target=target, max_loss=max_loss)
    if json_to != "-":
        write_text(format_found(find_frontier(found), chosen), "-")
    if json_to:
        write_json(
            {"target": target, "max_loss": max_loss, "chosen": chosen and chosen.name, "found": [asdict(one) for one in found]}, json_to
        )
    say(f"chosen: {chosen.name}" if chosen else "no model meets both the size and the quality")
    say(f"page: {html}")


def _test_notes(splits: "Splits | None") -> "Sequence[Document]":
    """The test split, or else the validation split."""
    return () if splits is None else splits.test or splits.validation

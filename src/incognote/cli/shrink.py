"""incognote shrink: make a model smaller, and see what that costs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli.output import check_pages, say, write_json, write_text
from incognote.cli.shrink_gate import gate
from incognote.cli.shrink_options import Data, Json, Model, Output, Overwrite, Split
from incognote.cli.shrink_quantize import claimed, expand, factorize, quantize, tell_cost
from incognote.cli.train import parse_data, require_torch, watching

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.lab.training.data import Parts

shrink = typer.Typer(
    name="shrink",
    help="Make a model smaller: each way gives another model and a line that says what it cost.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

shrink.command()(quantize)
shrink.command()(factorize)
shrink.command()(gate)
shrink.command()(expand)

Rate = Annotated[float | None, typer.Option(help="The peak learning rate; what the model was trained with unless given.")]
Batch = Annotated[int, typer.Option("--batch", min=1, help="Windows in each step.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of the order of notes, and of dropout.")]


@shrink.command()
def prune(
    model: Model,
    output: Output,
    drop: Annotated[int, typer.Option("--layers", min=0, metavar="N", help="How many layers to drop.")] = 0,
    strategy: Annotated[str, typer.Option(help="Which to drop: top, bottom, even, odd, middle or contribution.")] = "top",
    vocabulary: Annotated[
        Path | None, typer.Option(metavar="CORPUS", help="Keep the tokens that these notes use most, --tokens of them.")
    ] = None,
    tokens: Annotated[int, typer.Option(min=0, metavar="N", help="How many tokens to keep.")] = 0,
    data: Data = None,
    split: Split = "",
    epochs: Annotated[int, typer.Option(min=0, help="Epochs of training afterwards; 0 is none.")] = 0,
    learning_rate: Rate = None,
    batch: Batch = 16,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Drop layers, as in "Poor Man's BERT", or tokens, with or without a short training afterwards.

    Example: incognote shrink prune models/roberta --layers 6 --strategy top --data gold/ --epochs 3 -o models/half
    """
    from incognote.corpora import read_corpus
    from incognote.errors import ConfigError

    require_torch()
    from incognote.lab.shrink.shapes import Shape, count_usage, measure_layers
    from incognote.lab.shrink.tuning import inherit_recipe, load_data, open_model, prune_model

    faults = [] if drop or tokens else ["nothing to prune; give --layers or --tokens"]
    faults += ["--tokens and --vocabulary belong together"] if bool(tokens) != bool(vocabulary) else []
    if faults:
        raise ConfigError("prune", faults)
    with claimed(output, json_to, overwrite=overwrite):
        source = open_model(model)
        parts = load_data(parse_data(data or []), source, split=split) if data or epochs else None
        shape = Shape(drop=drop, strategy=strategy, tokens=tokens)
        likeness = measure_layers(source, shape, parts.train if parts else ())
        counts = count_usage(source, list(read_corpus(vocabulary))) if vocabulary else None
        recipe = inherit_recipe(source, epochs=epochs, learning_rate=learning_rate, batch=batch, seed=seed) if epochs else None
        with watching() as watch:
            prune_model(source, output, shape, recipe, parts, counts=counts, likeness=likeness, watch=watch)
        tell_cost(source, {output.name: output}, _judges(parts), json_to)


@shrink.command("distill")
def distill_command(
    teachers: Annotated[list[str], typer.Argument(metavar="TEACHER...", help="Tagging models with the same tags; several are averaged.")],
    output: Output,
    data: Data = None,
    split: Split = "",
    unlabelled: Annotated[Path | None, typer.Option(metavar="NOTES", help="Notes without annotations to learn from as well.")] = None,
    student: Annotated[str | None, typer.Option(metavar="FOLDER", help="A smaller encoder to begin with, a folder or a hub name.")] = None,
    layers: Annotated[
        int, typer.Option(min=0, metavar="N", help="Begin with this many layers of the first teacher. [default: every other one]")
    ] = 0,
    temperature: Annotated[float, typer.Option(min=0.1, help="How soft the teachers' distribution is made.")] = 2.0,
    soft: Annotated[float, typer.Option(min=0, help="How much the teachers' distribution counts.")] = 1.0,
    hard: Annotated[float, typer.Option(min=0, help="How much the gold tags count.")] = 0.4,
    hidden: Annotated[float, typer.Option(min=0, help="How much likeness of hidden states to the first teacher's counts.")] = 0.2,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of training.")] = 10,
    learning_rate: Rate = None,
    batch: Batch = 16,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Teach a smaller model what larger ones say about every token.

    Example: incognote shrink distill models/roberta --data gold/ --unlabelled notes/ -o models/student
    """
    from incognote.corpora import read_corpus
    from incognote.errors import ConfigError

    require_torch()
    from incognote.lab.shrink.distill import Teaching
    from incognote.lab.shrink.students import begin_from_folder, begin_from_layers, distill
    from incognote.lab.shrink.tuning import inherit_recipe, load_data, open_model

    if student and layers:
        raise ConfigError("distill", ["--student and --layers both say what to begin with; give one of them"])
    with claimed(output, json_to, overwrite=overwrite):
        opened = [open_model(teacher) for teacher in teachers]
        parts = load_data(parse_data(data or []), opened[0], split=split)
        notes = list(read_corpus(unlabelled)) if unlabelled else []

        def begin(place: Path) -> Path:
            if student:
                return begin_from_folder(student, opened[0].tags, place, seed=seed)
            return begin_from_layers(opened[0], place, layers=layers)

        recipe = inherit_recipe(opened[0], epochs=epochs, learning_rate=learning_rate, batch=batch, seed=seed)
        teaching = Teaching(temperature, soft, hard, hidden)
        with watching() as watch:
            distill(opened, output, recipe, parts, begin=begin, teaching=teaching, unlabelled=notes, watch=watch)
        tell_cost(opened[0], {output.name: output}, _judges(parts), json_to)


@shrink.command("search")
def search_command(
    model: Model,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the models on the frontier and the page go.")],
    data: Data = None,
    split: Split = "",
    target_size: Annotated[str | None, typer.Option(metavar="SIZE", help="How large it may be, such as 20MB. [default: half]")] = None,
    max_loss: Annotated[float, typer.Option(min=0, help="How much F1 it may lose.")] = 0.005,
    budget: Annotated[float, typer.Option(metavar="MINUTES", min=0, help="Begin no trial after this many minutes; 0 is no limit.")] = 0,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of a short training; a student learns twice as long.")] = 3,
    every_way: Annotated[bool, typer.Option("--all", help="Try the costly ways even when a cheap one was good enough.")] = False,
    learning_rate: Rate = None,
    batch: Batch = 16,
    seed: Seed = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the search in FOLDER.")] = False,
    json_to: Json = None,
) -> None:
    """Try layers, vocabularies, thin embeddings, int8, int4, training and teaching together, and show the frontier.

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
    parts = load_data(parse_data(data or []), source, split=split)
    changes: dict[str, Any] = {"learning_rate": learning_rate, "batch": batch, "seed": seed}
    wish = Wish(target, max_loss, budget, every_way)
    with writing_alone(output), watching() as watch:
        found = search(source, parts, output, wish, epochs=epochs, resume=resume, changes=changes, watch=watch, say=say)
        html, _ = write_tradeoff(output, found, target=target, max_loss=max_loss)
    chosen = choose(found, target=target, max_loss=max_loss)
    if json_to != "-":
        write_text(format_found(find_frontier(found), chosen), "-")
    if json_to:
        write_json(
            {"target": target, "max_loss": max_loss, "chosen": chosen and chosen.name, "found": [asdict(one) for one in found]}, json_to
        )
    say(f"{chosen.name} is small and good enough" if chosen else "no model tried is small and good enough")
    say(f"page: {html}")


def _judges(parts: "Parts | None") -> "Sequence[Document]":
    """The notes that score: the test part, or the validation part where there is none."""
    return () if parts is None else parts.test or parts.validation

"""incognote adapt: continue the pre-training of an encoder on unlabelled notes."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli import options
from incognote.cli.data import parse_data, require_torch, settle_model
from incognote.cli.output import check_pages, count, say, write_json
from incognote.cli.progress import watching
from incognote.cli.train import stoppable
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.lab.training.adaptation_report import Adaptation
    from incognote.lab.training.recipe import Recipe

_NOTES = "Unlabelled notes, in any format; train=PATH or validation=PATH for one split. Repeatable."
_GOLD = "An annotated corpus with train and validation (or test) splits: fine-tune both encoders on it and compare. Repeatable."


def adapt(
    notes: Annotated[list[str], typer.Argument(metavar="NOTES...", help=_NOTES)],
    output: options.OutputFolder,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The encoder to adapt: a folder, a hub name, or default.")],
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of training; each hides other words.")] = 5,
    rate: Annotated[float, typer.Option(min=1e-9, max=1, help="The learning rate.")] = 1e-4,
    batch: Annotated[int, typer.Option(min=1, help="Windows in each step.")] = 16,
    window: options.Window = 0,
    masking: Annotated[float, typer.Option(min=0.01, max=0.9, help="The share of tokens to hide, in whole words.")] = 0.15,
    pack: Annotated[bool, typer.Option(help="Let short notes share a window, separated by special tokens.")] = True,
    head_epochs: Annotated[int, typer.Option(min=0, help="Epochs of the new head alone, if the encoder has no head for words.")] = 1,
    head_rate: Annotated[float, typer.Option(min=1e-9, max=1, help="The learning rate of the new head.")] = 1e-3,
    newline_token: Annotated[
        bool, typer.Option("--newline-token", help="Add a token for the line break if the tokenizer lacks one.")
    ] = False,
    held_out: Annotated[int, typer.Option(min=1, max=50, help="Percent of the notes to hold out for validation, by patient.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The seed of held-out notes, hidden words, new head and dropout.")] = 0,
    gold: Annotated[list[str] | None, typer.Option("--gold", metavar="[SPLIT=]PATH", help=_GOLD)] = None,
    recipe: Annotated[
        Path | None, typer.Option(metavar="RECIPE", help="With --gold: the fine-tuning recipe, a TOML file or a shipped name.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="With --gold: fine-tunings of each encoder.")] = 3,
    resume: options.Resume = False,
    overwrite: options.Overwrite = False,
    unsafe: options.Unsafe = False,
    json_to: Annotated[str | None, options.json_option("the report")] = None,
) -> None:
    """Continue pre-training an encoder on your notes.

    Masked language modelling of whole words; no labels are needed. Reports the perplexity of hidden words in held-out notes before and
    after, and with --gold the effect on tagging. FOLDER is then the model of a recipe. It may contain parts of the notes: keep it as safe
    as the notes.

    Example: incognote adapt notes/ --model roberta-base -o models/ours --gold gold/
    """
    from dataclasses import asdict

    from incognote.lab.training.recipe import parse_recipe

    sources, annotated = parse_data(notes, "NOTES"), parse_data(gold or [], "--gold")
    if recipe and not gold:
        raise ConfigError("adapt", ["--recipe is for fine-tuning on annotated notes; add --gold"])
    check_pages({"--json": json_to}, files=[*(source.path for source in (*sources, *annotated)), recipe])
    require_torch()
    from incognote.lab.training.adaptation import adapt as run
    from incognote.lab.training.adaptation_report import Plan

    length = window or _find_window(model, unsafe=unsafe)
    settings = {"model": settle_model(model), "window": length, "overlap": length // 4, "newline_token": newline_token}
    learning = {"task": "words", "data": sources, "seed": seed, "batch": batch, "epochs": epochs, "learning_rate": rate}
    wanted = parse_recipe(settings | learning, subject="adapt")
    tagging = _choose_recipe(recipe, parse_recipe({**settings, "data": annotated})) if gold else None
    plan = Plan(masking, pack, head_epochs, head_rate, held_out)
    with stoppable(output), watching(wanted.task) as watch:
        report = run(
            wanted,
            output,
            plan=plan,
            gold=tagging,
            seeds=range(seeds),
            resume=resume,
            overwrite=overwrite,
            unsafe=unsafe,
            watch=watch,
            say=say,
        )
    from incognote.lab.training.ranks import leads

    if leads() and json_to != "-":
        _show(report)
    if leads() and json_to:
        write_json(asdict(report), json_to)


def _find_window(model: str, *, unsafe: bool) -> int:
    from incognote.find.model.checkpoint import Checkpoint, find_folder
    from incognote.find.model.config import read_config

    folder = find_folder(model, unsafe=unsafe)
    return min(512, Checkpoint(folder, "", read_config(folder), ()).limit)


def _choose_recipe(path: Path | None, standard: "Recipe") -> "Recipe":
    """The recipe of the file with the encoder and the gold of the command line, or the standard one."""
    from dataclasses import replace

    from incognote.lab.training.recipe import read_recipe

    return replace(read_recipe(path), model=standard.model, data=standard.data) if path else standard


_STAGES = {
    "before": "original",
    "head": "original, new head trained",
    "after": "adapted",
}


def _show(report: "Adaptation") -> None:
    from incognote.lab.training.adaptation_report import format_ends

    counts = report.counts
    print(
        f"perplexity of {count(counts['hidden_held_out'], 'hidden token')} in {count(counts['held_out'], 'held-out note')} "
        "(95 % interval over patients)"
    )
    for stage, one in report.perplexity.items():
        name = "new head, untrained" if stage == "before" and report.fresh_head else _STAGES[stage]
        print(f"  {name:30} {one['value']:12,.2f}  ({format_ends(one, ',.2f')})   {one['accuracy']:.1%} predicted")
    change = report.change
    print(f"  adapted / original             {change['ratio']:12.3f}  ({format_ends(change, '.3f')}){_add_p(change)}")
    if report.gold:
        _show_gold(report.gold)


def _show_gold(gold: Mapping[str, Any]) -> None:
    from incognote.lab.training.adaptation_report import format_ends

    notes, seeds = count(gold["notes"], f"{gold['part']} note"), count(len(gold["seeds"]), "seed")
    print(f"strict F1 on {notes}, {seeds} (95 % interval over seeds)")
    for name in ("plain", "adapted"):
        print(f"  {name:30} {_mean(gold['mean'][name])}   {', '.join(f'{value:.4f}' for value in gold['f1'][name])}")
    print(f"  {'gain, paired by seed':30} {_mean(gold['gain'], '+')}")
    over = gold["over_patients"]
    if over:
        ends = format_ends(over["interval"] or {"low": None, "high": None}, "+.4f")
        print(f"  {'gain, paired by patient':30} {over['value']:+12.4f}  ({ends}){_add_p(over)}")
    if gold["seen"]:
        print(f"  the text of {gold['seen']:,} of these notes was also in the notes of the adaptation")


def _add_p(table: Mapping[str, Any]) -> str:
    return "" if table["p"] is None else f", p = {table['p']:.3g}"


def _mean(mean: Mapping[str, Any], sign: str = "") -> str:
    interval = mean["interval"]
    around = f"({interval['low']:{sign}.4f} to {interval['high']:{sign}.4f})" if interval else "(one seed: no interval)"
    return f"{mean['value']:{sign}12.4f}  {around}"

"""incognote adapt: go on pre-training an encoder on your own notes, before it is fine-tuned."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli.options import Unsafe, json_option
from incognote.cli.output import check_pages, say, write_json
from incognote.cli.train import parse_data, require_torch, settle_model, stoppable, watching
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.lab.training.adaptation_report import Adaptation
    from incognote.lab.training.recipe import Recipe

_NOTES = "Notes without labels, in any format that is read; train=PATH or validation=PATH for one part. May be several."
_GOLD = "An annotated corpus with train and validation (or test): fine-tune both encoders on it and compare. May be given several times."


def adapt(
    notes: Annotated[list[str], typer.Argument(metavar="NOTES...", help=_NOTES)],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the adapted encoder goes.")],
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The encoder to adapt: a folder, a hub name, or default.")],
    epochs: Annotated[int, typer.Option(min=1, help="How often every note is read; other words are hidden each time.")] = 5,
    rate: Annotated[float, typer.Option(min=1e-9, max=1, help="The learning rate.")] = 1e-4,
    batch: Annotated[int, typer.Option(min=1, help="Windows in a step.")] = 16,
    window: Annotated[int, typer.Option(min=0, help="Tokens in a window; 0 is what the encoder takes, at most 512.")] = 0,
    masking: Annotated[float, typer.Option(min=0.01, max=0.9, help="The share of tokens that is hidden, in whole words.")] = 0.15,
    pack: Annotated[bool, typer.Option(help="Let short notes share a window, parted by special tokens.")] = True,
    head_epochs: Annotated[int, typer.Option(min=0, help="Epochs for a new head alone, where the encoder has none.")] = 1,
    head_rate: Annotated[float, typer.Option(min=1e-9, max=1, help="The learning rate of the new head's epochs.")] = 1e-3,
    newline_token: Annotated[bool, typer.Option("--newline-token", help="Add a token for the line break, if there is none.")] = False,
    held_out: Annotated[int, typer.Option(min=1, max=50, help="Percent of the notes to hold out and measure on, whole patients.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the held-out notes, the hidden words, the new head and dropout.")] = 0,
    gold: Annotated[list[str] | None, typer.Option("--gold", metavar="[PART=]PATH", help=_GOLD)] = None,
    recipe: Annotated[Path | None, typer.Option(metavar="RECIPE", help="With --gold: the recipe to fine-tune with, a TOML file.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="With --gold: how many times each encoder is fine-tuned.")] = 3,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped; the result is the same.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is in FOLDER.")] = False,
    unsafe: Unsafe = False,
    json_to: Annotated[str | None, json_option("the report")] = None,
) -> None:
    """Adapt an encoder to your notes: it learns to predict whole words that are hidden from it. No labels are needed.

    Reports the perplexity of hidden words in held-out notes before and after, and with --gold what it does to tagging.

    FOLDER is then the model of a recipe. It may know parts of the notes by heart: keep it as safe as the notes.

    Example: incognote adapt notes/ --model roberta-base -o models/ours --gold gold/
    """
    from dataclasses import asdict

    from incognote.lab.training.recipe import parse_recipe

    sources, annotated = parse_data(notes, "NOTES"), parse_data(gold or [], "--gold")
    if recipe and not gold:
        raise ConfigError("adapt", ["--recipe says how to fine-tune on annotated notes; give them with --gold"])
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
    """The recipe in the file with the encoder and the gold of the command line, or the standard one."""
    from dataclasses import replace

    from incognote.lab.training.recipe import read_recipe

    return replace(read_recipe(path), model=standard.model, data=standard.data) if path else standard


_STAGES = {
    "before": "as it came",
    "head": "as it came, new head trained",
    "after": "adapted",
}


def _show(report: "Adaptation") -> None:
    from incognote.lab.training.adaptation_report import format_ends

    counts = report.counts
    print(
        f"perplexity of {counts['hidden_held_out']:,} hidden tokens in {counts['held_out']:,} held-out notes (95 % interval over patients)"
    )
    for stage, one in report.perplexity.items():
        name = "new head, untrained" if stage == "before" and report.fresh_head else _STAGES[stage]
        print(f"  {name:30} {one['value']:12,.2f}  ({format_ends(one, ',.2f')})   {one['accuracy']:.1%} told right")
    change = report.change
    print(f"  adapted over as it came        {change['ratio']:12.3f}  ({format_ends(change, '.3f')}){_add_p(change)}")
    if report.gold:
        _show_gold(report.gold)


def _show_gold(gold: Mapping[str, Any]) -> None:
    from incognote.lab.training.adaptation_report import format_ends

    print(f"strict F1 on {gold['notes']:,} {gold['part']} notes, {len(gold['seeds'])} seeds (95 % interval over seeds)")
    for name in ("plain", "adapted"):
        print(f"  {name:30} {_mean(gold['mean'][name])}   {', '.join(f'{value:.4f}' for value in gold['f1'][name])}")
    print(f"  {'gain, paired by seed':30} {_mean(gold['gain'], '+')}")
    over = gold["over_patients"]
    if over:
        ends = format_ends(over["interval"] or {"low": None, "high": None}, "+.4f")
        print(f"  {'gain, paired by patient':30} {over['value']:+12.4f}  ({ends}){_add_p(over)}")
    if gold["seen"]:
        print(f"  the text of {gold['seen']:,} of these notes, without labels, was among the notes adapted to")


def _add_p(table: Mapping[str, Any]) -> str:
    return "" if table["p"] is None else f", p = {table['p']:.3g}"


def _mean(mean: Mapping[str, Any], sign: str = "") -> str:
    interval = mean["interval"]
    around = f"({interval['low']:{sign}.4f} to {interval['high']:{sign}.4f})" if interval else "(one seed: no interval)"
    return f"{mean['value']:{sign}12.4f}  {around}"

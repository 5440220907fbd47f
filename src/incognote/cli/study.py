"""incognote study: plan a comparison of encoders, run it, report it, and use the winner."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.data import parse_data, require_torch
from incognote.cli.options import Data, Overwrite, Unsafe, json_option
from incognote.cli.output import check_pages, count, say, write_json, write_text
from incognote.cli.progress import watching

if TYPE_CHECKING:
    from incognote.lab.study.study import Study

study = typer.Typer(
    name="study", help="Compare encoders: models × settings × seeds, one report.", no_args_is_help=True, rich_markup_mode=None
)

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="A TOML file, or the name of a shipped study.")]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a study.")]
Exact = Annotated[bool, typer.Option("--exact", help="Train each length separately instead of sharing a prefix.")]
Json = Annotated[str | None, json_option("the plan")]


@study.command()
def plan(file: StudyFile, exact: Exact = False, json_to: Json = None) -> None:
    """List the runs of a study and their cost, without training.

    Example: incognote study plan meaney2022
    """
    from incognote.lab.study.study import group_units, plan_runs, read_study

    check_pages({"--json": json_to}, files=[file])
    found = read_study(file)
    runs = plan_runs(found)
    units = group_units(runs, exact=exact)
    alone, trained = float(sum(run.recipe.epochs for run in runs)), sum(unit.epochs for unit in units)
    prefixes = {run.name: unit.name for unit in units for run in unit.runs}
    keys = list(dict.fromkeys(["batch", *(key for model in found.models for key in model.grid)]))
    rows = [
        {
            "name": run.name,
            "model": run.model,
            "encoder": run.recipe.model,
            **{key: getattr(run.recipe, key) for key in keys},
            "seed": run.recipe.seed,
        }
        | ({"held_out": run.held_out} if run.held_out else {})
        | ({} if exact else {"shared_prefix": prefixes[run.name]})
        for run in runs
    ]
    if json_to:
        write_json(
            {"study": found.name, "exact": exact, "runs": rows, "units": len(units), "epochs": trained, "epochs_alone": alone}, json_to
        )
        return
    lines = [row["name"] for row in rows]
    share = f", {100 * trained / alone:.1f} % of the {alone:g} without sharing" if trained != alone else ""
    write_text(
        "\n".join([*map(str, lines), f"{count(len(runs), 'run')} in {count(len(units), 'training')}: {trained:g} epochs{share}"]), "-"
    )


@study.command()
def run(
    file: StudyFile,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="The folder to write. [default: out/NAME]")
    ] = None,
    data: Data = None,
    exact: Exact = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes on each GPU, or on the CPU.")] = 1,
    minutes: Annotated[float, typer.Option(min=0, help="Start no run after this many minutes; 0 is no limit.")] = 0,
    unsafe: Unsafe = False,
) -> None:
    """Train the missing runs of a study, then write the report.

    Stop it at any time and run the same command again. Ensembles are built when all runs are there.

    Example: incognote study run meaney2022 --data i2b2-2014/ -o out/meaney
    """
    from dataclasses import replace

    from incognote.corpora.locks import writing_alone
    from incognote.lab.study.pool import run_study
    from incognote.lab.study.study import read_study

    found: Study = read_study(file)
    if data:
        found = replace(found, data=parse_data(data))
    require_torch()
    import torch

    folder, gpus = output or Path("out") / found.name, range(torch.cuda.device_count())
    with writing_alone(folder, inside=True):
        run_study(found, folder, exact=exact, gpus=gpus, workers=workers, minutes=minutes, unsafe=unsafe, say=say)
        _finish(found, folder)


def _finish(found: "Study", folder: Path) -> None:
    from incognote.lab.study.folder import StudyFolder
    from incognote.lab.study.report import write_report
    from incognote.lab.study.study import plan_runs
    from incognote.lab.study.systems import build_systems
    from incognote.lab.training.data import load_splits

    if not StudyFolder(folder).read_runs():
        return  # the minutes were over before the first run was done
    if not found.leave_one_out:
        build_systems(StudyFolder(folder), load_splits(plan_runs(found)[0].recipe), say=say)
    html, _ = write_report(folder)
    say(f"report: {html}")


@study.command()
def report(
    folder: Folder,
    beside: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The same study with (or without) --exact, to compare.")] = None,
) -> None:
    """Write report.html and report.md from the runs in the folder.

    Example: incognote study report out/meaney
    """
    from incognote.lab.study.report import write_report

    for path in write_report(folder, beside=beside):
        say(str(path))


@study.command()
def best(
    folder: Folder,
    predict: Annotated[Path | None, typer.Option("--predict", metavar="TEXTS", help="Tag these notes with the winner.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="PRED", help="Where to write the predictions.")] = None,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="The format of the predictions.")] = "brat",
    single: Annotated[bool, typer.Option("--single", help="The best single model instead of the best ensemble.")] = False,
    data: Data = None,
    encoders: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The folder of the encoders on this machine.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Show the winner of a study, or tag notes with it.

    Weights that are not in the folder are trained again from the recipe.

    Example: incognote study best out/meaney --predict notes/ -o found/
    """
    require_torch()
    from incognote.errors import ConfigError
    from incognote.lab.study.best import find_winner
    from incognote.lab.training.recipe import format_recipe

    winner = find_winner(folder, single=single)
    if not predict:
        heads = [
            f"# {run.name}, weight {times}, validation F1 {run.f1:.4f}" for run, times in zip(winner.runs, winner.weights, strict=True)
        ]
        recipes = [f"{head}\n{format_recipe(run.as_recipe())}" for head, run in zip(heads, winner.runs, strict=True)]
        write_text("\n".join([f"# {winner.kind}: validation F1 {winner.f1:.4f}", *recipes]), "-")
        return
    if output is None:
        raise ConfigError("study best", ["--predict needs -o PRED: where to write the predictions"])
    from incognote.corpora import format_named, read_corpus, write_corpus
    from incognote.corpora.output import check_output
    from incognote.lab.study.best import open_winner

    # Check first: training a winner again can take hours.
    check_output(predict, output, folder=format_named(to).layout == "folder", overwrite=overwrite)
    documents = list(read_corpus(predict))
    with watching() as watch:
        tagger = open_winner(folder, winner, data=parse_data(data or []), encoders=encoders, say=say, watch=watch)
    found = tagger.tag([document.text for document in documents])
    tagged = (document.with_spans(spans) for document, spans in zip(documents, found, strict=True))
    written = write_corpus(tagged, output, format=to, scheme=winner.runs[0].as_recipe().scheme or None, overwrite=overwrite)
    say(f"{output}: {count(written, 'note')} tagged by {winner.kind} (validation F1 {winner.f1:.4f})")

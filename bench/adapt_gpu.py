"""Does adapting help? granite-30m learns hidden words of MEDDOCAN's training text, then plain and adapted are fine-tuned and scored on dev.

    python bench/transfer_bundle.py pack --encoders FOLDER            here, once; then bundle/part1 … to the GPU machine
    python bench/adapt_gpu.py --minutes 4 --out $OUT        there; keeps what it has done in out/adapt, and a second call goes on

No label and no note of dev is learned from while adapting; perplexity is that of dev's text. Every tagger is trained to its last epoch
and scored once, strict F1, with all training notes and with the first 50. Plain taggers train beside the adaptation, so that the GPU is
never idle. `--tiny` tries it all with a toy encoder on a CPU.
"""

import argparse
import functools
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from multiprocessing.pool import AsyncResult
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "src"), str(HERE)]

import meddocan_gpu  # also puts the packages of the bundle on the path

from incognote.lab.training.data import Splits, load_splits
from incognote.lab.training.recipe import Recipe, Source

MODEL = "granite-30m"
Job = tuple[str, int, int]  # arm, seed, labelled notes (0: all); ("adapt", 0, 0) is the adaptation


def tagging_recipe(encoders: Path, data: tuple[Source, ...], tiny: bool) -> Recipe:
    """The best settings known for this encoder on MEDDOCAN."""
    recipe = Recipe(
        model=str(encoders / MODEL),
        scheme="meddocan",
        data=data,
        learning_rate=6e-4,
        epochs=24,
        warmup=1,
        newline_token=True,
        window=512,
        overlap=128,
        save_every=0,
    )
    return replace(recipe, epochs=2, learning_rate=3e-3, window=64, overlap=16, batch=4) if tiny else recipe


def words_recipe(tagging: Recipe, options: argparse.Namespace) -> Recipe:
    """How the encoder is adapted: to the last epoch, so that dev's text chooses nothing."""
    return Recipe(
        model=tagging.model,
        task="words",
        data=tagging.data,
        seed=0,
        learning_rate=options.rate,
        epochs=options.epochs,
        batch=tagging.batch,
        warmup=1,
        window=tagging.window,
        overlap=tagging.overlap,
        newline_token=True,
        validate_every=options.epochs,
        save_every=0,
    )


@functools.cache
def read_gold(recipe: Recipe, few: int) -> Splits:
    splits = load_splits(recipe)
    return Splits(splits.train[:few], splits.validation) if few else splits


def work(job: Job, recipe: Recipe, words: Recipe, adapted: Path, file: Path, threads: int) -> str:
    """One job in a process of the pool; its result is a JSON file."""
    import torch

    if threads:
        torch.set_num_threads(threads)
    arm, seed, few = job
    began = time.time()
    if arm == "adapt":
        from incognote.lab.training.adaptation import adapt
        from incognote.lab.training.adaptation_report import Plan

        report = adapt(words, adapted, plan=Plan(head_epochs=2), overwrite=True)
        result: dict[str, Any] = {"adaptation": asdict(report)}
        told = f"perplexity {report.perplexity['head']['value']:.2f} → {report.perplexity['after']['value']:.2f}"
    else:
        from incognote.lab.training.comparison import fine_tune

        model = str(adapted) if arm == "adapted" else recipe.model
        trial = fine_tune(replace(recipe, model=model, seed=seed), read_gold(recipe, few), part="validation")
        result = {"rows": trial.rows, "f1": trial.f1}
        told = f"F1 {trial.f1:.4f}"
    seconds = time.time() - began
    draft = file.with_name(f".{file.name}")
    draft.write_text(json.dumps({**result, "seconds": seconds}))
    draft.replace(file)
    return f"{name_of(job)}: {told}, {seconds:.0f} s"


def name_of(job: Job) -> str:
    arm, seed, few = job
    return arm if arm == "adapt" else f"{arm}, {few or 'all'} notes, seed {seed}"


class Board:
    """What is done and what is under way; adapted taggers wait for the adaptation."""

    def __init__(self, options: argparse.Namespace, recipe: Recipe, words: Recipe) -> None:
        self.options, self.recipe, self.words = options, recipe, words
        self.folder = options.work / ("tiny" if options.tiny else "runs")
        # Plain taggers serve every adaptation; adapted ones only their own.
        self.setting = f"{options.epochs}x{options.rate:g}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.running: dict[Job, AsyncResult[str]] = {}
        self.failed: list[Job] = []

    def file(self, job: Job) -> Path:
        arm, seed, few = job
        return self.folder / (f"{arm}-{few or 'all'}-{seed}" + ("" if arm == "plain" else f"-{self.setting}") + ".json")

    def todo(self) -> list[Job]:
        seeds = range(self.options.seeds)
        plain: list[Job] = [("plain", seed, few) for few in (0, self.options.few) for seed in seeds]
        jobs: list[Job] = [("adapt", 0, 0), *plain]
        if self.file(("adapt", 0, 0)).exists() and self.adapted.is_dir():
            jobs = [*(("adapted", seed, few) for _, seed, few in plain), *plain]
        return [job for job in jobs if job not in self.running and job not in self.failed and not self.file(job).exists()]

    @property
    def adapted(self) -> Path:
        return self.folder / f"encoder-{self.setting}"

    def run(self, end: float) -> None:
        context = multiprocessing.get_context("spawn")
        with context.Pool(self.options.workers) as pool:
            while time.time() < end:
                for job in self.todo()[: max(0, self.options.workers - len(self.running))]:
                    inputs = (job, self.recipe, self.words, self.adapted, self.file(job), 1 if self.options.tiny else 0)
                    self.running[job] = pool.apply_async(work, inputs)
                if not self.running:
                    return
                time.sleep(0.2)
                for job, result in list(self.running.items()):
                    if result.ready():
                        del self.running[job]
                        self.hear(job, result)
            meddocan_gpu.say(f"out of time; not finished: {', '.join(name_of(job) for job in [*self.running, *self.todo()])}")

    def hear(self, job: Job, result: AsyncResult[str]) -> None:
        try:
            meddocan_gpu.say(result.get())
        except Exception as error:  # noqa: BLE001 - what was done must still come back
            self.failed.append(job)
            meddocan_gpu.say(f"{name_of(job)} failed: {type(error).__name__}: {error}")


def summarize(board: Board, device: str, seconds: float) -> dict[str, Any]:
    """Everything that is done, as one table; seeds count where both encoders have them."""
    from incognote.lab.training.comparison import Trial, join_trials

    found: dict[str, Any] = {"encoder": MODEL, "device": device, "seconds": seconds, "tiny": board.options.tiny}
    file = board.file(("adapt", 0, 0))
    if file.exists():
        table = json.loads(file.read_text())
        found["adaptation"] = json.loads(json.dumps(table["adaptation"]).replace(f"{ROOT}/", "")) | {"seconds": table["seconds"]}
    found["recipe"] = {"epochs": board.recipe.epochs, "learning_rate": board.recipe.learning_rate, "batch": board.recipe.batch}
    for few in (0, board.options.few):
        seeds = [s for s in range(board.options.seeds) if all(board.file((arm, s, few)).exists() for arm in ("plain", "adapted"))]
        if not seeds:
            continue
        tables = {arm: [json.loads(board.file((arm, seed, few)).read_text()) for seed in seeds] for arm in ("plain", "adapted")}
        trials = {arm: [Trial(tuple(tuple(row) for row in one["rows"])) for one in own] for arm, own in tables.items()}
        comparison = join_trials(trials, read_gold(board.recipe, few), part="validation", seeds=seeds)
        taken = {arm: [one["seconds"] for one in own] for arm, own in tables.items()}
        found[f"labelled_{few or 'all'}"] = asdict(comparison) | {"train": len(read_gold(board.recipe, few).train), "seconds": taken}
    return found


def render(found: dict[str, Any], minutes: float) -> str:
    """The table as Markdown."""
    lines = ["# Adapting an encoder to the notes' language", ""]
    lines += [f"Made by `bench/adapt_gpu.py` on {found['device']} in {found['seconds']:.0f} s (budget {minutes:g} minutes).", ""]
    adaptation = found.get("adaptation")
    if adaptation:
        counts, recipe = adaptation["counts"], adaptation["recipe"]
        lines += [
            f"{found['encoder']} learned hidden words in the text of MEDDOCAN's {counts['notes']:,} training notes "
            f"({counts['tokens']:,} tokens, {recipe['epochs']} epochs, rate {recipe['learning_rate']:g}, "
            f"{adaptation['seconds']:.0f} s). Perplexity is that of "
            f"{counts['hidden_held_out']:,} hidden tokens in the {counts['held_out']:,} notes of dev, the same each time.",
            "",
            "| stage | perplexity | 95 % interval over notes | predicted right |",
            "|---|---|---|---|",
        ]
        names = {"before": "head new and untrained", "head": "encoder as it came, head trained", "after": "adapted"}
        for stage, one in adaptation["perplexity"].items():
            row = f"{one['value']:,.2f} | {one['low']:,.2f} to {one['high']:,.2f} | {one['accuracy']:.1%}"
            lines.append(f"| {names[stage]} | {row} |")
        lines.append("")
    lines += ["Strict F1 on dev after fine-tuning, same recipe and seeds, last epoch:", ""]
    lines += ["| labelled notes | seeds | plain | adapted | gain, paired by seed | gain, paired by note |", "|---|---|---|---|---|---|"]
    for key, table in found.items():
        if key.startswith("labelled_"):
            lines.append("| " + " | ".join(_cells(table)) + " |")
    return "\n".join([*lines, "", "Intervals are 95 %: over seeds by Student's t, over notes by the bootstrap."]) + "\n"


def _cells(table: dict[str, Any]) -> Sequence[str]:
    def mean(one: dict[str, Any], sign: str = "") -> str:
        span = one["interval"]
        return f"{one['value']:{sign}.4f}" + (f" ({span['low']:{sign}.4f} to {span['high']:{sign}.4f})" if span else "")

    notes = table["over_patients"]
    low, high = notes["interval"]["low"], notes["interval"]["high"]
    by_note = f"{notes['value']:+.4f} ({low:+.4f} to {high:+.4f}), p = {notes['p']:.3g}"
    f1 = table["mean"]
    return str(table["train"]), str(len(table["seeds"])), mean(f1["plain"]), mean(f1["adapted"]), mean(table["gain"], "+"), by_note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--workers", type=int, default=4, help="processes on the GPU")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--few", type=int, default=50, help="labelled notes of the second comparison")
    parser.add_argument("--epochs", type=int, default=20, help="of adapting")
    parser.add_argument("--rate", type=float, default=5e-4, help="of adapting")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "adapt-out")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "adapt")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    began = time.time()
    if options.tiny:
        options.epochs, options.few, options.workers, options.rate = 2, 5, 1, 3e-3
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    options.work.mkdir(parents=True, exist_ok=True)
    encoders, data = meddocan_gpu.prepare(options.work, options.tiny)
    recipe = tagging_recipe(encoders, data, options.tiny)
    board = Board(options, recipe, words_recipe(recipe, options))
    board.run(began + 60 * options.minutes)
    import torch

    device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "a CPU"
    found = summarize(board, device, time.time() - began)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "adapt.json").write_text(json.dumps(found, indent=1))
    text = render(found, options.minutes)
    (options.out / "adapt.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

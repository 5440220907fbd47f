"""The MEDDOCAN study on one GPU inside a time budget: grid, what each step adds, prefix sharing, refined seeds, ensembles, report.

    python bench/transfer_bundle.py pack --encoders FOLDER          here, once; then bundle/part1 … to the GPU machine
    python bench/meddocan_gpu.py --minutes 9.4 --reserve 0.3 --train-only --out $OUT    there; keeps what it has done in out/meddocan
    python bench/meddocan_gpu.py --minutes 9.4 --out $OUT                               there, again: goes on, then ensembles and report

Stages, in one queue where they do not wait for each other:
  grid     the study meddocan: five encoders × rates, all lengths from one shared prefix each
  sharing  granite-30m at one rate, two seeds: lengths from prefixes, and each alone
  steps    what each idea adds: granite-30m plain, adversarial, R-Drop, hidden tokens; minilm-l6 without line breaks
  refine   every encoder at its best rate with the idea that helped most, several seeds
then ensembles, the report, the smallest good checkpoint in int8, and a table. `--tiny` tries it all with toy encoders on a CPU.
"""

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUNDLE = ROOT / "bundle"
# Where the GPU machine lacks a small package that reading corpora needs, the copy in the bundle serves; the workers inherit it.
_SITE = BUNDLE / "part1" / "site"
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(HERE), os.environ.get("PYTHONPATH", ""), str(_SITE)])
sys.path[:0] = [str(ROOT / "src"), str(HERE)]
sys.path.append(str(_SITE))

import transfer_bundle

from incognote.lab.study.census import describe_corpus
from incognote.lab.study.folder import StudyFolder, group_best
from incognote.lab.study.pool import run_units
from incognote.lab.study.study import PlannedRun, Study, Unit, group_units, plan_runs, read_study
from incognote.lab.training.data import load_splits
from incognote.lab.training.recipe import Source
from incognote.lab.training.run import Run

STEPS = {"adversarial": {"adversarial": 1.0}, "r-drop": {"r_drop": 1.0}, "hidden-tokens": {"token_masking": 0.1}}
CHEAP, SECOND = "granite-30m", "minilm-l6"
STAGES = ("grid", "sharing", "steps", "refine")
SHARING_SEEDS, STEP_SEEDS = (0, 1), (0, 1)
MODELS = ("mpnet-base", "gte-small", "distilbert-cased", "granite-30m", "minilm-l6")


class Clock:
    """What is left of the budget."""

    def __init__(self, minutes: float) -> None:
        self.end = time.time() + 60 * minutes

    @property
    def minutes(self) -> float:
        return max(0.01, (self.end - time.time()) / 60)


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", flush=True)


def load_study(encoders: Path, data: tuple[Source, ...], tiny: bool) -> Study:
    """The study meddocan with the paths of this machine and the encoders that arrived."""
    study = read_study("meddocan")
    models = tuple(
        replace(model, recipe={**model.recipe, "model": str(encoders / model.name)}, grid=_tiny_grid(model.grid) if tiny else model.grid)
        for model in study.models
        if (encoders / model.name).is_dir()
    )
    # Runs last a minute: saving their state would take longer than training them again.
    recipe = {**study.recipe, "save_every": 0, **({"window": 64, "overlap": 16, "batch": 4} if tiny else {})}
    return replace(study, models=models, data=data, recipe=recipe)


def _tiny_grid(grid):
    return {**grid, "epochs": [1, 2], "learning_rate": [0.001, 0.003]}


def of_model(study: Study, name: str, rate: float, seeds: Sequence[int], lengths: Sequence[int], label: str) -> list[PlannedRun]:
    """Planned runs of one encoder at one rate, under another name in the tables."""
    model = next(model for model in study.models if model.name == name)
    small = replace(study, models=(replace(model, grid={"epochs": list(lengths), "learning_rate": [rate]}),), seeds=tuple(seeds))
    return [replace(run, name=f"{label}-{run.name}", model=f"{name} {label}") for run in plan_runs(small)]


def first_units(study: Study, stages: Sequence[str]) -> list[Unit]:
    """Grid, sharing and steps: they wait for nothing. The largest units come first, the rest fills the gaps."""
    made = {"grid": grid_units, "sharing": sharing_units, "steps": steps_units}
    return [unit for stage, make in made.items() if stage in stages for unit in make(study)]


def grid_units(study: Study) -> list[Unit]:
    return group_units(plan_runs(study), exact=False)


def sharing_units(study: Study) -> list[Unit]:
    model = next((model for model in study.models if model.name == CHEAP), None)
    if model is None:
        return []
    rate, lengths = model.grid["learning_rate"][0], model.grid["epochs"]
    alone = of_model(study, CHEAP, rate, SHARING_SEEDS, lengths, "exact")
    shared = group_units(of_model(study, CHEAP, rate, SHARING_SEEDS, lengths, "shared"), exact=False)
    return shared + group_units(sorted(alone, key=lambda run: -run.recipe.epochs), exact=True)


def steps_units(study: Study) -> list[Unit]:
    units = []
    for model in study.models:
        rate, lengths = model.grid["learning_rate"][0], model.grid["epochs"][-1:]
        settings = {f"step-{step}": changes for step, changes in STEPS.items()} if model.name == CHEAP else {}
        if model.name == SECOND:
            settings = {"step-plain": {"newline_token": False}, "step-newline": {"newline_token": True}}
        for label, changes in settings.items():
            runs = of_model(study, model.name, rate, STEP_SEEDS, lengths, label)
            units += group_units([with_settings(run, changes) for run in runs], exact=True)
    return units


def with_settings(run: PlannedRun, settings: dict) -> PlannedRun:
    return replace(run, recipe=replace(run.recipe, **settings))


def mean_f1(runs: Sequence[Run], model: str, epochs: int) -> float | None:
    values = [run.f1 for run in runs if run.model == model and run.recipe["epochs"] == epochs]
    return sum(values) / len(values) if values else None


def steps_table(folder: StudyFolder, study: Study) -> list[tuple[str, str, float, float]]:
    """Encoder, step, F1 without and with it (means over seeds); those not done yet are left out."""
    runs = folder.read_runs()
    longest = max(model.grid["epochs"][-1] for model in study.models)
    plain = mean_f1(runs, f"{CHEAP} exact", longest)
    rows = [(CHEAP, step, plain, mean_f1(runs, f"{CHEAP} step-{step}", longest)) for step in STEPS]
    rows.append(
        (SECOND, "line breaks as tokens", mean_f1(runs, f"{SECOND} step-plain", longest), mean_f1(runs, f"{SECOND} step-newline", longest))
    )
    return [row for row in rows if row[2] is not None and row[3] is not None]


def refine_units(folder: StudyFolder, study: Study, seeds: Sequence[int]) -> list[Unit]:
    """Each encoder at its best rate, with the step that helped granite most, and without any; seed by seed so that all get a turn."""
    if not seeds:
        return []
    gains = [(after - before, step) for name, step, before, after in steps_table(folder, study) if name == CHEAP]
    gain, step = max(gains, default=(0.0, ""))
    settings = STEPS[step] if gain > 0 else {}
    say(f"refine with {step} ({gain:+.4f})" if settings else "refine without a step: none helped")
    best = {group[0].model: group[0] for group in group_best(folder.read_runs()) if group[0].model in MODELS}
    units = []
    for seed in seeds:
        for model in study.models:
            if model.name not in best:
                continue
            run = best[model.name]
            rate, length = run.recipe["learning_rate"], model.grid["epochs"][-1]
            planned = of_model(study, model.name, rate, (seed,), (length,), "refined")[0]
            recipe = replace(planned.recipe, schedule="cosine", **settings)
            units.append(Unit(planned.name, (PlannedRun(planned.name, model.name, recipe),), shared=False))
    return units


def publish(folder: StudyFolder, study: Study, target: Path, wanted, *, exact: bool) -> StudyFolder | None:
    """A study folder of its own from some of the runs, for a report."""
    runs = [run for run in folder.read_runs() if wanted(run)]
    if not runs:
        return None
    shutil.rmtree(target, ignore_errors=True)
    made = StudyFolder(target)
    for run in runs:
        made.write_run(_placeless(replace(run, model=run.model.removesuffix(" shared").removesuffix(" exact"))))
        for kind in ("evaluations", "predictions"):
            for file in (folder.path / kind).glob(f"{run.name}.*"):
                (target / kind).mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target / kind / file.name)
    plan = {"name": study.name, "title": study.title, "exact": exact, "published": "", "keep": study.keep, "scheme": study.scheme}
    made.write_table("study", plan | {"study": json.loads(json.dumps(asdict(study)).replace(f"{ROOT}/", ""))})
    made.write_table("corpus", folder.read_table("corpus"))
    (target / "checkpoints").symlink_to(folder.checkpoints.resolve())
    return made


def _placeless(run: Run) -> Run:
    """The run with paths from the root of the repository, true on every machine."""
    return replace(run, recipe=json.loads(json.dumps(run.recipe).replace(f"{ROOT}/", "")))


def finish(folder: StudyFolder, study: Study, work: Path, out: Path, data) -> None:
    """Ensembles, reports, the small checkpoint, and everything packed to come back."""
    from incognote.lab.study.report import write_report
    from incognote.lab.study.systems import build_systems

    splits = load_splits(replace(plan_runs(study)[0].recipe, data=data))
    main = publish(folder, study, work / "final", lambda run: run.model in MODELS, exact=False)
    if main:
        build_systems(main, splits, say=say)
    shared = publish(folder, study, work / "shared", lambda run: run.model == f"{CHEAP} shared", exact=False)
    exact = publish(folder, study, work / "exact", lambda run: run.model == f"{CHEAP} exact", exact=True)
    if main:
        write_report(main.path)
    if shared and exact:
        write_report(shared.path, beside=exact.path)
    steps = steps_table(folder, study)
    (work / "steps.json").write_text(json.dumps(steps, indent=1))
    with tarfile.open(out / "study.tar.gz", "w:gz") as archive:
        for name in ("final", "shared", "exact", "steps.json"):
            if (work / name).exists():
                archive.add(work / name, arcname=name, filter=lambda info: None if "checkpoints" in info.name.split("/") else info)
    if main:
        pack_small(main, out)
    summarize(folder, main, steps)


def pack_small(folder: StudyFolder, out: Path) -> None:
    """The best checkpoint of the small encoder in int8, in pieces that can come back; bench/transfer_bundle.py has the format."""
    runs = [run for run in group_best(folder.read_runs()) if run and run[0].model == CHEAP]
    source = folder.checkpoints / runs[0][0].name if runs else None
    if source is None or not source.is_dir():
        return
    stream, index = bytearray(), []
    transfer_bundle.pack_encoder(source, runs[0][0].name, stream, index)
    with tarfile.open(out / "small.tar.gz", "w:gz") as archive:
        for file in source.iterdir():
            if file.suffix != ".safetensors":
                content = file.read_text(encoding="utf-8").replace(f"{ROOT}/", "").encode()
                info = tarfile.TarInfo(file.name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    (out / "small.json").write_text(json.dumps({"run": runs[0][0].name, "f1": runs[0][0].f1, "index": index}))
    piece = 15 * 2**20
    for number in range(0, len(stream), piece):
        (out / f"small.{number // piece}.bin").write_bytes(stream[number : number + piece])


def summarize(folder: StudyFolder, main: StudyFolder | None, steps) -> None:
    runs = folder.read_runs()
    print("\n| encoder | runs | best settings | seconds | dev strict NER F1 |\n|---|---|---|---|---|")
    for group in sorted(group_best(runs), key=lambda g: (g[0].model not in MODELS, -g[0].f1)):
        run = group[0]
        count = sum(other.model == run.model for other in runs)
        how = f"{run.recipe['epochs']} epochs, rate {run.recipe['learning_rate']:g}, seed {run.seed}, {run.recipe['schedule']}"
        print(f"| {run.model} | {count} | {how} | {run.cost.get('seconds_alone', 0):.0f} | {run.f1:.4f} |")
    print("\n| step | encoder | without | with | added |\n|---|---|---|---|---|")
    for name, step, before, after in steps:
        print(f"| {step} | {name} | {before:.4f} | {after:.4f} | {after - before:+.4f} |")
    for system in (main.read_table("systems") if main else None) or []:
        print(f"system {system['kind']}: {system['f1']:.4f} with {len(system['members'])}: {', '.join(sorted(set(system['members'])))}")
    shared, alone = ([run for run in runs if run.model == f"{CHEAP} {way}"] for way in ("shared", "exact"))
    if shared and alone:
        counts = [sum(run.cost["samples"] for run in way) for way in (shared, alone)]
        print(f"sharing: {counts[0]:,} samples against {counts[1]:,}; {len(shared)} and {len(alone)} runs")


_SCRATCH = tempfile.gettempdir()
MPS = {"CUDA_MPS_PIPE_DIRECTORY": f"{_SCRATCH}/mps-pipe", "CUDA_MPS_LOG_DIRECTORY": f"{_SCRATCH}/mps-log"}


def start_mps() -> None:
    """Let the processes' kernels run side by side on the GPU, where the machine allows it; tried first in a child process."""
    for folder in MPS.values():
        Path(folder).mkdir(exist_ok=True)
    code = "import torch; print(torch.ones(8, device='cuda').sum().item())"
    try:
        subprocess.run(["nvidia-cuda-mps-control", "-d"], env={**os.environ, **MPS}, timeout=20, check=False, capture_output=True)
        subprocess.run([sys.executable, "-c", code], env={**os.environ, **MPS}, timeout=60, check=True, capture_output=True)
    except (subprocess.SubprocessError, OSError) as error:
        say(f"no MPS ({type(error).__name__}); processes take turns on the GPU")
        stop_mps()
        return
    os.environ.update(MPS)
    say("MPS is on")


def stop_mps() -> None:
    """Before this process uses the GPU itself: a worker that was ended may have left the server unwell."""
    with contextlib.suppress(subprocess.SubprocessError, OSError):
        subprocess.run(
            ["nvidia-cuda-mps-control"],
            input="quit -t 5\n",
            text=True,
            env={**os.environ, **MPS},
            timeout=30,
            check=False,
            capture_output=True,
        )
    for name in MPS:
        os.environ.pop(name, None)


def prepare(work: Path, tiny: bool) -> tuple[Path, tuple[Source, ...]]:
    """Encoders unpacked, and the corpus' sources."""
    if tiny:
        return make_tiny(work)
    encoders = ROOT / "out" / "encoders"
    if not all((encoders / name / "model.safetensors").exists() for name in MODELS):
        say("unpacked: " + ", ".join(transfer_bundle.unpack(BUNDLE, encoders)))
    data = BUNDLE / "part1" / "meddocan"
    return encoders, (Source(str(data / "train.jsonl.gz"), part="train"), Source(str(data / "dev.jsonl.gz"), part="validation"))


def make_tiny(work: Path) -> tuple[Path, tuple[Source, ...]]:
    """Toy encoders under the real names, and twenty notes of the corpus, to try the script with."""
    import gzip

    sys.path.insert(0, str(ROOT))
    from tests.fakes import tiny_encoder

    families = {"granite-30m": "roberta", "distilbert-cased": "distilbert", "mpnet-base": "mpnet"}
    for name in MODELS:
        if not (work / "encoders" / name).is_dir():
            tiny_encoder(work / "encoders" / name, families.get(name, "bert"))
    sources = []
    for name, part, count in (("train", "train", 20), ("dev", "validation", 10)):
        lines = gzip.decompress((BUNDLE / "part1" / "meddocan" / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()[:count]
        (work / f"{name}.jsonl").write_text("\n".join(lines))
        sources.append(Source(str(work / f"{name}.jsonl"), part=part))
    return work / "encoders", tuple(sources)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=9.4)
    parser.add_argument("--reserve", type=float, default=2.2, help="minutes kept for ensembles and the report")
    parser.add_argument("--workers", type=int, default=8, help="processes on the GPU")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--refine-seeds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "meddocan-out")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "meddocan")
    parser.add_argument("--mps", action="store_true", help="try NVIDIA's multi-process service")
    parser.add_argument("--train-only", action="store_true", help="leave ensembles and report to the next call")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    clock = Clock(options.minutes - options.reserve)
    options.work.mkdir(parents=True, exist_ok=True)
    encoders, data = prepare(options.work, options.tiny)
    study = load_study(encoders, data, options.tiny)
    folder = StudyFolder(options.work / "work")
    if not folder.read_table("corpus"):
        folder.write_table("corpus", describe_corpus(load_splits(replace(plan_runs(study)[0].recipe, data=data))))
    gpus: tuple[int, ...] = ()
    if not options.tiny:
        gpus = (0,)
        if options.mps:
            start_mps()
    seeds = range(10, 10 + options.refine_seeds) if "refine" in options.stages else ()
    stages = (lambda: first_units(study, options.stages), lambda: refine_units(folder, study, seeds))
    for number, stage in enumerate(stages, 1):
        units = [unit for unit in stage() if not all(folder.has_run(run.name) for run in unit.runs)]
        say(f"stage {number}: {len(units)} units to train, {clock.minutes:.1f} minutes left")
        if units and clock.end > time.time():
            try:
                left = clock.minutes
                run_units(units, folder, keep=study.keep, gpus=gpus, workers=options.workers, minutes=left, stop_minutes=left, say=say)
            except Exception as error:  # noqa: BLE001 - what was done must still come back
                say(f"{type(error).__name__}: {error}")
    if options.mps:
        stop_mps()
    # First of all the runs, so that they come back even when the machine's time ends during what follows.
    options.out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(options.out / "runs.tar.gz", "w:gz") as archive:
        archive.add(folder.path / "runs", arcname="runs")
    if options.train_only:
        summarize(folder, None, steps_table(folder, study))
        return
    finish(folder, study, options.work, options.out, data)


if __name__ == "__main__":
    main()

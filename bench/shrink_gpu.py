"""What each way of shrinking a tagger costs on MEDDOCAN, over seeds, on one GPU inside a time budget.

    python bench/transfer_bundle.py pack --encoders FOLDER                  here, once; then bundle/part1 … to the GPU machine
    python bench/shrink_gpu.py --minutes 6 --mps --out $OUT       there; writes rows.json; again: goes on, from out/shrink
    python bench/shrink_gpu.py --speed --encoders FOLDER          here: speed on a processor, from shapes alone, to speed.json
    python bench/shrink_gpu.py --table                            here: docs/results/shrink/meddocan.md from both

For each seed a model is fine-tuned whole on train; every smaller one is made from it and scored on dev. Nothing is chosen on dev: each
training ends with its last epoch. `--tiny` tries it all with toy encoders on a CPU.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import time
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from queue import Empty

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "src"), str(HERE)]

import meddocan_gpu
import shrink_ways
from meddocan_gpu import say
from shrink_ways import WAYS, Job, list_jobs

RESULTS = ROOT / "docs" / "results" / "shrink"


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are on this machine, for every worker."""

    encoders: str
    train: str
    dev: str
    work: str
    tiny: bool


def run(jobs: list[Job], place: Place, rows_file: Path, *, minutes: float, workers: int) -> list[dict]:
    """Do the jobs in their order, each when what it starts from is there; returns the rows that came in time."""
    context = multiprocessing.get_context("spawn")
    inbox = context.Queue()
    desks = [context.Queue() for _ in range(workers)]
    people = [context.Process(target=work, args=(number, desk, inbox, place), daemon=True) for number, desk in enumerate(desks)]
    for person in people:
        person.start()
    end = time.time() + 60 * minutes
    rows = read_rows(rows_file)
    done = {row["name"] for row in rows if is_usable(row, place)}
    waiting, idle, busy = [job for job in jobs if job.name not in done], [], 0
    while time.time() < end and (waiting or busy):
        try:
            number, name, row = inbox.get(timeout=1)
        except Empty:
            if not any(person.is_alive() for person in people):
                break
            continue
        idle.append(number)
        if name:
            busy -= 1
        if row:
            rows = [other for other in rows if other["name"] != name] + [row]
            rows_file.write_text(json.dumps(rows, indent=1))
            if "f1" in row:
                done.add(name)
                say(f"{name}: F1 {row['f1']:.4f}, {row['weights'] / 1e6:.1f} MB, {row['seconds']:.0f} s")
            else:
                waiting = [job for job in waiting if job.after != name]
                say(f"{name}: {row['error']}")
        for job in [job for job in waiting if not job.after or job.after in done]:
            if not idle:
                break
            waiting.remove(job)
            desks[idle.pop(0)].put(job)
            busy += 1
    for person in people:
        person.kill()
    names = {row["name"] for row in rows if "f1" in row}
    left = [job.name for job in jobs if job.name not in names]
    say(f"{len(jobs) - len(left)} of {len(jobs)} done" + (f"; left out: {', '.join(left)}" if left else ""))
    return rows


def read_rows(file: Path) -> list[dict]:
    """What earlier runs finished."""
    rows = json.loads(file.read_text()) if file.exists() else []
    return [row for row in rows if "f1" in row]


def is_usable(row: dict, place: Place) -> bool:
    """False for a full model that is not here any more: what starts from it needs it trained again."""
    return row["way"] != "full" or (Path(place.work) / "models" / row["name"].replace(" ", "-")).is_dir()


def work(number: int, desk, inbox, place: Place) -> None:
    """A process that does jobs until it is ended; a job that fails is told and the next one begins."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    import torch

    torch.set_num_threads(1)
    notes = shrink_ways.read_parts(place)
    inbox.put((number, "", None))
    while True:
        job = desk.get()
        begun = time.time()
        shrink_ways.clear(job, place)
        try:
            row = WAYS[job.way](job, place, notes)
            inbox.put((number, job.name, {**asdict(job), "name": job.name, **row, "seconds": time.time() - begun}))
        except Exception as error:  # noqa: BLE001 - one job must not take the others down
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}"
            inbox.put((number, job.name, {**asdict(job), "name": job.name, "error": text, "seconds": time.time() - begun}))


def prepare(options: argparse.Namespace) -> Place:
    """Encoders and corpus of this machine; toy ones for a trial."""
    options.work.mkdir(parents=True, exist_ok=True)
    if options.encoders and not options.tiny:
        data = options.data or ROOT / "bundle" / "part1" / "meddocan"
        return Place(str(options.encoders), str(data / "train.jsonl.gz"), str(data / "dev.jsonl.gz"), str(options.work), options.tiny)
    meddocan_gpu.MODELS = tuple(shrink_ways.MODELS)
    encoders, sources = meddocan_gpu.prepare(options.work, options.tiny)
    return Place(str(encoders), sources[0].path, sources[1].path, str(options.work), options.tiny)


def choose(jobs: list[Job], patterns: list[str]) -> list[Job]:
    """The jobs with such names, and the full models that they start from."""
    wanted = {job.name for job in jobs if any(fnmatch(job.name, pattern) for pattern in patterns)}
    return [job for job in jobs if job.name in wanted or any(other.after == job.name for other in jobs if other.name in wanted)]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--models", nargs="+", default=list(shrink_ways.MODELS))
    parser.add_argument("--only", nargs="+", default=["*"], help='rows by name, such as "gte-small dropped * 6 *"')
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "shrink")
    parser.add_argument("--encoders", type=Path)
    parser.add_argument("--data", type=Path, help="a folder with train.jsonl.gz and dev.jsonl.gz")
    parser.add_argument("--mps", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def main() -> None:
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.tiny:
        options.workers, options.seeds = min(options.workers, 2), options.seeds[:2]
    if options.table:
        import shrink_report

        print(shrink_report.write_report(options.out))
        return
    place = prepare(options)
    if options.speed:
        import shrink_report

        shrink_report.measure_shapes(place, options.models, options.out / "speed.json")
        return
    if options.mps:
        meddocan_gpu.start_mps()
    kept = options.work / "rows.json"
    jobs = choose(list_jobs(options.models, options.seeds, tiny=options.tiny), options.only)
    run(jobs, place, kept, minutes=options.minutes, workers=options.workers)
    shutil.copyfile(kept, options.out / "rows.json")
    if options.mps:
        meddocan_gpu.stop_mps()


if __name__ == "__main__":
    main()

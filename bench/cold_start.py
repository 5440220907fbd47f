"""Seconds from the command to the clean note: `incognote scrub` on one note, its first run on a machine and later ones, and `--help`.

    python bench/cold_start.py [--runs 5] [--out out]

The first run has an empty cache, so that nothing is remembered about the machine; byte code is compiled, as pip leaves it. The best of
several runs is given, since other work on a machine only ever makes a run longer; processor time stands beside it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "Mr. Kowalczyk left on 7/22 with his daughter. Call 555-0199 before Monday.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch) / "notes"
        notes.mkdir()
        (notes / "p1.1.txt").write_text(NOTE, encoding="utf-8")
        files = ["scrub", str(notes), "-o", str(Path(scratch) / "clean"), "--overwrite"]
        run(files, Path(scratch) / "warm")  # the files are in memory from here on
        rows = {
            "scrub a file, first run on a machine": best(files, options.runs, scratch, fresh=True),
            "scrub a file, later": best(files, options.runs, scratch),
            "scrub standard input, first run on a machine": best(["scrub", "-"], options.runs, scratch, fresh=True),
            "scrub standard input, later": best(["scrub", "-"], options.runs, scratch),
            "--help": best(["--help"], options.runs, scratch),
        }
    result = {"load": round(os.getloadavg()[0], 1), "seconds": rows}
    Path(options.out).mkdir(parents=True, exist_ok=True)
    (Path(options.out) / "cold_start.json").write_text(json.dumps(result, indent=2))
    print(render(result), flush=True)


def best(arguments: list[str], runs: int, scratch: str, *, fresh: bool = False) -> dict[str, float]:
    found = []
    for number in range(runs):
        with tempfile.TemporaryDirectory(dir=scratch) as cache:
            found.append(run(arguments, Path(cache) if fresh or not number else Path(scratch) / "cache"))
    return {"wall": round(min(wall for wall, _ in found), 2), "processor": round(min(work for _, work in found), 2)}


def run(arguments: list[str], cache: Path) -> tuple[float, float]:
    """Wall and processor seconds of one command."""
    environment = {**os.environ, "INCOGNOTE_CACHE": str(cache)}
    spent, begun = work_of_children(), time.perf_counter()
    command = [str(Path(sys.executable).with_name("incognote")), *arguments]
    done = subprocess.run(command, input=NOTE, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    if done.returncode or "Kowalczyk" in done.stdout:
        raise SystemExit(f"incognote {arguments[0]} went wrong")
    return time.perf_counter() - begun, work_of_children() - spent


def work_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def render(result: dict) -> str:
    lines = [f"Load of the machine: {result['load']}", "", "| command | seconds | of processor time |", "|---|---:|---:|"]
    lines += [f"| {name} | {row['wall']:.2f} | {row['processor']:.2f} |" for name, row in result["seconds"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

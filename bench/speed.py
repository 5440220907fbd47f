"""Every figure about speed on a processor in one run of a quarter of an hour or so, and the tables of docs/results/speed.md made of them.

    python bench/speed.py [--write] [--presidio peers/bin/python] [--only as-they-are,long,...] [--one-thread] [--out out/speed]

Let the machine do nothing else. Each part is a script of its own, whose words say what is measured; all check that outputs agree.
With `--write` the part's table takes the place of the one between its marks in the page.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "results" / "speed.md"

# What each part runs; `--one-thread` goes to those that know it.
PARTS = {
    "as-they-are": "cpu_speed.py --conventional --notes 600 --name cpu_as_they_are",
    "long": "cpu_speed.py --notes 1350 --join 8 --short-windows 32 --repeats 1 --name cpu_long",
    "real": "cpu_speed.py --conventional --real --notes 300 --repeats 1 --name cpu_real",
    "injected": "cpu_speed.py --conventional --injected --notes 400 --repeats 1 --name cpu_injected",
    "bert-base": "cpu_speed.py --shape bert-base --notes 50 --runtimes onnx,onnx-fp32 --name cpu_bert_base",
    "scrub": "same_spans.py",
    "stages": "stages.py",
    "start": "cold_start.py",
    "presidio": "presidio_speed.py",
    "memory": "memory.py",
}
ONE_THREAD = ("as-they-are", "long", "real", "injected", "bert-base", "presidio")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--presidio", help="an interpreter that has presidio-analyzer; without it that part is left out")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--one-thread", action="store_true", help="for a machine that does other work")
    parser.add_argument("--out", default="out/speed")
    options = parser.parse_args()
    for name in options.only.split(","):
        if name == "presidio" and not options.presidio:
            print("presidio: left out, no --presidio", flush=True)
            continue
        begun = time.perf_counter()
        table = measure(name, options)
        print(f"\n## {name} ({time.perf_counter() - begun:.0f} s)\n\n{table}", flush=True)
        if options.write:
            PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), name, table), encoding="utf-8")


def measure(name: str, options) -> str:
    script, *arguments = PARTS[name].split()
    arguments += ["--out", options.out] if script != "same_spans.py" else []
    arguments += ["--one-thread"] if options.one_thread and name in ONE_THREAD else []
    arguments += ["--presidio", options.presidio] if name == "presidio" else []
    done = subprocess.run([sys.executable, str(HERE / script), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} went wrong:\n{done.stderr[-2000:]}")
    return done.stdout.strip()


def put(page: str, name: str, table: str) -> str:
    """The page with this table between the marks of its part.

    >>> put("a <!-- x --> old <!-- end of x --> b", "x", "new")
    'a <!-- x -->\\n\\nnew\\n\\n<!-- end of x --> b'
    """
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    found = re.subn(rf"{marks[0]}.*?{marks[1]}", lambda _: f"{marks[0]}\n\n{table}\n\n{marks[1]}", page, flags=re.DOTALL)
    if not found[1]:
        raise SystemExit(f"{PAGE} has no place for {name}")
    return found[0]


if __name__ == "__main__":
    main()

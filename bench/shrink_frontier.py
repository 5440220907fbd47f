"""A search for a smaller tagger on MEDDOCAN, every way tried, as `incognote shrink search` does it: its table and its plot.

    python bench/shrink_frontier.py search --minutes 4 --out $OUT     on a GPU, with what bench/carry.py packed; writes found.json
    python bench/shrink_frontier.py plot                              here: docs/results/shrink/frontier.md and .html from it

The whole model is granite-30m fine-tuned as in bench/shrink_gpu.py. `search --tiny` tries it with a toy encoder on a CPU.
"""

import argparse
import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "src"), str(HERE)]

import shrink_ways  # noqa: E402
from shrink_gpu import RESULTS, prepare, say  # noqa: E402

from incognote.encoders.checkpoint import load_checkpoint  # noqa: E402
from incognote.shrink.frontier import read_found, write_found  # noqa: E402
from incognote.shrink.search import Wish, search  # noqa: E402

MODEL, SEED = "granite-30m", 100
SHARE, LOSS = 0.5, 0.005
"""Half of what int8 alone leaves, which is a quarter of the whole, and how much F1 that may cost."""


def run(options: argparse.Namespace) -> None:
    """Fine-tune the whole model, unless an earlier run did, and search from it until the time is up."""
    place = prepare(options)
    job = shrink_ways.Job(MODEL, SEED, "full", epochs=1 if options.tiny else shrink_ways.MODELS[MODEL].epochs)
    parts, whole = shrink_ways.read_parts(place), shrink_ways.full_folder(job, place)
    if not whole.exists():
        say(f"whole: {shrink_ways.train_full(job, place, parts)}")
    size = sum(file.stat().st_size for file in whole.glob("*.safetensors"))
    wish = Wish(target=SHARE * size / 4, max_loss=LOSS, minutes=options.minutes, every_way=True)
    folder = options.work / "search"
    shutil.rmtree(folder, ignore_errors=True)
    found = search(load_checkpoint(whole), parts, folder, wish, epochs=1 if options.tiny else shrink_ways.SHORT, say=say)
    write_found(found, options.out / "found.json")
    (options.out / "wish.json").write_text(json.dumps(asdict(wish)), encoding="utf-8")


def plot(out: Path) -> None:
    """The pages of what was found."""
    from incognote.study.tradeoff import write_tradeoff

    wish = json.loads((out / "wish.json").read_text())
    found = read_found(out / "found.json")
    for page in write_tradeoff(out, found, target=wish["target"], max_loss=wish["max_loss"]):
        print(page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    searching, plotting = verbs.add_parser("search"), verbs.add_parser("plot")
    for verb in (searching, plotting):
        verb.add_argument("--out", type=Path, default=RESULTS)
    searching.add_argument("--minutes", type=float, default=4.0)
    searching.add_argument("--work", type=Path, default=ROOT / "out" / "shrink")
    searching.add_argument("--encoders", type=Path)
    searching.add_argument("--data", type=Path, help="a folder with train.jsonl.gz and dev.jsonl.gz")
    searching.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.verb == "search":
        run(options)
    else:
        plot(options.out)


if __name__ == "__main__":
    main()

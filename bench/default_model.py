"""The default model, from data to package; recipes/default.toml has its settings.

    python bench/default_model.py data --encoder FOLDER        here: carry/default, from ../shared/data and granite-30m
    python bench/default_model.py train --minutes 6.5 --out OUT  on a GPU: streams notes, trains, scores, saves pieces
    python bench/default_model.py train --start FOLDER --aware --minutes 3.3 --out OUT   there: the same model learns to be rounded
    python bench/default_model.py package OUT                  here: calibrates, quantizes, checks, writes the shipped folder

`train --tiny --minutes 2` tries the whole of it on a CPU.
"""

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CARRY = ROOT / "carry" / "default"
# The GPU machine runs the package as it was when the data was made, whatever is edited meanwhile.
SOURCE = CARRY / "src" if "train" in sys.argv[1:2] and (CARRY / "src").is_dir() else ROOT / "src"
# Workers inherit it; the carried copy of a small package serves where the GPU machine lacks it.
os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE), str(HERE), os.environ.get("PYTHONPATH", ""), str(CARRY / "site")])
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path[:0] = [str(SOURCE), str(HERE)]
sys.path.append(str(CARRY / "site"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    data = verbs.add_parser("data")
    data.add_argument("--data", type=Path, default=ROOT / ".." / "shared" / "data")
    data.add_argument("--encoder", type=Path, required=True, help="granite-30m: shared/weights/get.py granite-30m FOLDER")
    data.add_argument("--out", type=Path, default=CARRY)
    data.add_argument("--size", type=int, default=24000, help="tokens to keep")
    data.add_argument("--variants", type=int, default=5)
    train = verbs.add_parser("train")
    train.add_argument("--minutes", type=float, default=6.5)
    train.add_argument("--out", type=Path, required=True)
    train.add_argument("--carry", type=Path, default=CARRY)
    train.add_argument("--workers", type=int, default=max(1, min(14, (os.cpu_count() or 2) - 2)))
    train.add_argument("--tokens", type=int, default=49152, help="in a batch")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--start", type=Path, help="a model trained before, in place of the encoder")
    train.add_argument("--aware", action="store_true", help="round as int8 does while training, so that int8 loses nothing")
    train.add_argument("--tiny", action="store_true")
    package = verbs.add_parser("package")
    restore = verbs.add_parser("restore")
    restore.add_argument("source", type=Path, help="what train wrote")
    restore.add_argument("out", type=Path, help="a folder for --start")
    package.add_argument("source", type=Path, help="what train wrote")
    package.add_argument("--out", type=Path, default=ROOT / "src" / "incognote" / "models" / "default")
    package.add_argument("--notes", type=int, default=400, help="synthetic notes to measure on")
    options = parser.parse_args()
    if options.verb == "data":
        from default_data import make_data

        make_data(options.data, options.encoder, options.out, size=options.size, variants=options.variants)
    elif options.verb == "train":
        from default_training import train_default

        train_default(options)
    elif options.verb == "restore":
        from default_training import restore as restore_model

        print(restore_model(options.source, options.out))
    else:
        from default_packaging import package_default

        package_default(options.source, options.out, count=options.notes)


if __name__ == "__main__":
    main()

"""The default model, from data to package; recipes/default.toml has its settings.

    python bench/default_model.py data --encoder FOLDER          here: carry/default, from ../shared/data and granite-30m
    python bench/default_model.py spool SPOOL &                  on a GPU: writes notes for all trainings there
    python bench/default_model.py train --spool SPOOL --minutes 7.5 --start mpnet --rate 1e-4 --out OUT      a teacher; and others beside it
    python bench/default_model.py restore OUT FOLDER             what train wrote, as a folder for --start or --teachers
    python bench/default_model.py average FOLDER FOLDER FOLDER   the mean of models that grew from one, in the last folder
    python bench/default_model.py train --spool SPOOL --minutes 9 --teachers FOLDER FOLDER --aware 0.55 --out OUT  the model that ships
    python bench/default_model.py package OUT                    here: calibrates, quantizes, checks, writes the shipped folder
    python bench/default_model.py gates                          here: fits the gates of the shipped folder

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
SOURCE = CARRY / "src" if sys.argv[1:2] in (["train"], ["spool"]) and (CARRY / "src").is_dir() else ROOT / "src"
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
    spool = verbs.add_parser("spool")
    spool.add_argument("folder", type=Path, help="where notes go, for trainings that run with --spool")
    spool.add_argument("--carry", type=Path, default=CARRY)
    spool.add_argument("--writers", type=int, default=max(1, (os.cpu_count() or 2) - 4))
    spool.add_argument("--seed", type=int, default=0)
    train = verbs.add_parser("train")
    train.add_argument("--minutes", type=float, default=6.5)
    train.add_argument("--out", type=Path, required=True)
    train.add_argument("--carry", type=Path, default=CARRY)
    train.add_argument("--start", type=Path, default=CARRY / "granite", help="an encoder, or a model trained before")
    train.add_argument("--rate", type=float, help="the highest learning rate, in place of the recipe's")
    train.add_argument("--teachers", type=Path, nargs="+", default=[], help="trained models whose mean judgement it follows")
    train.add_argument("--aware", type=float, help="round as int8 does from this share of the time on, so that int8 loses nothing")
    train.add_argument("--bits", type=int, default=8, help="of a weight, where it rounds")
    train.add_argument("--spool", type=Path, help="notes that others write; without it, --writers of its own")
    train.add_argument("--writers", type=int, default=max(1, min(12, (os.cpu_count() or 2) - 3)))
    train.add_argument("--readers", type=int, default=2)
    train.add_argument("--tokens", type=int, default=49152, help="in a batch")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--tiny", action="store_true")
    package = verbs.add_parser("package")
    restore = verbs.add_parser("restore")
    restore.add_argument("source", type=Path, help="what train wrote")
    restore.add_argument("out", type=Path, help="a folder for --start")
    average = verbs.add_parser("average")
    average.add_argument("folders", type=Path, nargs="+", help="two models or more, then where their mean goes")
    package.add_argument("source", type=Path, help="a folder of a model, or what train wrote")
    package.add_argument("--out", type=Path, default=ROOT / "src" / "incognote" / "models" / "default")
    package.add_argument("--notes", type=int, default=400, help="synthetic notes to measure on")
    gates = verbs.add_parser("gates")
    gates.add_argument("--data", type=Path, default=ROOT / ".." / "shared" / "data")
    gates.add_argument("--out", type=Path, default=ROOT / "src" / "incognote" / "models" / "default")
    options = parser.parse_args()
    if options.verb == "data":
        from default_data import make_data

        make_data(options.data, options.encoder, options.out, size=options.size, variants=options.variants)
    elif options.verb == "train":
        from default_training import train_default

        train_default(options)
    elif options.verb == "restore":
        from default_pieces import restore as restore_model

        print(restore_model(options.source, options.out))
    elif options.verb == "average":
        from default_pieces import average as average_models

        print(average_models(options.folders[:-1], options.folders[-1]))
    elif options.verb == "gates":
        from default_gate import make_gates

        make_gates(options.data, options.out)
    elif options.verb == "spool":
        from default_samples import write_notes_for_all

        write_notes_for_all(options.folder, options.carry, writers=options.writers, seed=options.seed)
    else:
        from default_packaging import package_default

        package_default(options.source, options.out, count=options.notes)


if __name__ == "__main__":
    main()

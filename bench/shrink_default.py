"""The shipped model at half its size: fewer layers and tokens, taught by the shipped model on the notes that it was trained on.

    python bench/shrink_default.py shape                               here: students in carry/shrink-default, cut from the shipped model
    python bench/shrink_default.py train --minutes 2 --out OUT         on a GPU: teaches each, scores, saves pieces
    python bench/shrink_default.py score OUT                           here: int8, beside the shipped model, docs/results/shrink/default.md

bench/default_model.py makes carry/default, the notes, first. `train --tiny --minutes 0.5` tries it on a CPU.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CARRY = ROOT / "carry" / "default"
STUDENTS = ROOT / "carry" / "shrink-default"
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(HERE), os.environ.get("PYTHONPATH", ""), str(CARRY / "site")])
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path[:0] = [str(ROOT / "src"), str(HERE)]
sys.path.append(str(CARRY / "site"))

# Layers and tokens that stay. In int8 each is at most half of the shipped model's 6 layers and 24,000 tokens.
SHAPES = ((3, 10_000), (4, 6_000))


def name_of(layers: int, tokens: int) -> str:
    return f"layers-{layers}-tokens-{tokens}"


def make_students(shapes: tuple[tuple[int, int], ...]) -> None:
    """Cut the shipped model; its tokens are those that the training notes, the names and the terms use most."""
    from default_data import count_words
    from default_notes import read_notes

    from incognote.encoders.checkpoint import load_checkpoint
    from incognote.models import find_model
    from incognote.shrink.layers import count_layers
    from incognote.shrink.shapes import Shape, shape_model
    from incognote.shrink.table import measure

    source = load_checkpoint(find_model())
    counts = count_words(source.folder, (note.text for note in read_notes(CARRY / "injected.jsonl.gz")))
    whole = measure(source.folder, [])
    for layers, tokens in shapes:
        shape = Shape(drop=count_layers(source.config) - layers, tokens=tokens)
        made = measure(shape_model(source, STUDENTS / name_of(layers, tokens), shape, counts=counts), [])
        print(f"{made.name}: {made.size / 1e6:.1f} MB, {made.size / whole.size:.1%} of the shipped model's {whole.size / 1e6:.1f} MB")


def train_all(options: argparse.Namespace) -> None:
    """Each student in a process of its own, side by side; the processor's cores are shared out."""
    names = [folder.name for folder in sorted(STUDENTS.iterdir()) if folder.is_dir()]
    if options.only:
        names = [name for name in names if name in options.only]
    if options.tiny:
        names = names[:1]
    workers = 1 if options.tiny else max(1, ((os.cpu_count() or 2) - 2) // max(1, len(names)))
    commands = [
        [
            sys.executable,
            __file__,
            "one",
            name,
            "--minutes",
            str(options.minutes),
            "--out",
            str(options.out / name),
            "--workers",
            str(workers),
        ]
        + ["--seed", str(options.seed)]
        + (["--tiny"] if options.tiny else [])
        for name in names
    ]
    running = [subprocess.Popen(command) for command in commands]
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit(f"exit codes {codes} of {', '.join(names)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("shape")
    train = verbs.add_parser("train")
    one = verbs.add_parser("one", help="one student; train calls it")
    one.add_argument("name")
    one.add_argument("--workers", type=int, default=6)
    for verb in (train, one):
        verb.add_argument("--minutes", type=float, default=2.0)
        verb.add_argument("--out", type=Path, required=True)
        verb.add_argument("--seed", type=int, default=0)
        verb.add_argument("--tiny", action="store_true")
    train.add_argument("--only", nargs="+", help="names of students")
    score = verbs.add_parser("score")
    score.add_argument("source", type=Path, help="what train wrote")
    score.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "shrink")
    score.add_argument("--models", type=Path, default=ROOT / "out" / "shrink-default", help="where the int8 models go")
    score.add_argument("--notes", type=int, default=400, help="held-out synthetic notes")
    options = parser.parse_args()
    if options.verb == "shape":
        make_students(SHAPES)
    elif options.verb == "train":
        train_all(options)
    elif options.verb == "one":
        from shrink_stream import teach_student

        teach_student(STUDENTS / options.name, CARRY, options)
    else:
        from shrink_stream import score_students

        score_students(options.source, options.models, options.out, count=options.notes, carry=CARRY)


if __name__ == "__main__":
    main()

"""The shipped model at half its size: weights of four bits and somewhat fewer tokens, distilled from the model itself.

python bench/shrink_default.py train BUILD --model MODEL     on a GPU, after the build of the model (lab/default_model) in BUILD
python bench/shrink_default.py score BUILD                   beside the shipped model: docs/results/shrink/default.md
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.default_model.build import Build, Settings
from incognote.lab.default_model.data import COUNTS
from incognote.lab.default_model.evaluation import gather_card_sets, score_tagger
from incognote.lab.default_model.quantization import BIAS, WINDOWS, bias_recall, binary_f1, write_settings
from incognote.lab.default_model.training import Plan, train_model
from incognote.lab.shrink.expand import expand
from incognote.lab.shrink.quantize import quantize_dynamic
from incognote.lab.shrink.shapes import Shape, shape_model
from incognote.lab.shrink.table import format_lines, line_dict, measure
from incognote.models import find_model

ROOT = Path(__file__).resolve().parent.parent
TOKENS = 21_000  # of 24,000: with four bits for each weight, the folder is then half as large
FEW = 4  # bits
STUDENT = "half"

TITLE = f"""# The shipped model at half its size

`bench/shrink_default.py` makes these figures: the models alone, strict F1 of whole spans. The half has weights of four bits and {TOKENS:,}
of the tokens; it was trained so, taught by the shipped model in full precision. The last line shows what four bits cost without that
training.
"""


def train_student(build: Build, model: Path) -> None:
    """The model with the tokens that the training notes, the names and the terms use most, trained to round to four bits."""
    counts = dict(enumerate(json.loads((build.stage("data") / COUNTS).read_text(encoding="utf-8"))))
    start = shape_model(load_checkpoint(model), build.out / f"{STUDENT}-start", Shape(tokens=TOKENS), counts=counts)
    train_model(build, build.out / STUDENT, Plan(start=start, minutes=9, rate=5e-4, teachers=(model,), rounding_from=0.0, bits=FEW))


def score_student(build: Build, out: Path) -> None:
    """The student in four bits, and the shipped model rounded to four bits without training, on held-out notes of two kinds."""
    sets = {name: notes for name, notes in gather_card_sets(build).items() if name.startswith("held-out")}
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        exact = Path(shutil.copytree(build.out / STUDENT, work / "exact", ignore=shutil.ignore_patterns("training.json")))
        bias_recall(exact, BIAS)  # as the shipped model has it, which cuts its windows so too
        write_settings(exact, WINDOWS)
        folders = {
            "default, int8": find_model(),
            "half, int4 trained": quantize_dynamic(exact, work / "half", bits=FEW),
            "default, rounded to int4": quantize_dynamic(expand(load_checkpoint(find_model()), work / "whole"), work / "rounded", bits=FEW),
        }
        scores = {name: score_tagger(EncoderTagger(str(folder), runtime="onnx"), sets) for name, folder in folders.items()}
        text, rows = TITLE, []
        for name, notes in sets.items():
            whole, *others = folders.items()
            first = measure(whole[1], notes, name=whole[0])
            lines = [first, *(measure(folder, notes, name=each, against=first) for each, folder in others)]
            f1 = ", ".join(f"{each} {binary_f1(found[name]):.4f}" for each, found in scores.items())
            text += f"\n## {name} ({len(notes)})\n\n{format_lines(lines)}\n\nBinary token F1: {f1}.\n"
            rows.append({"notes": name, "count": len(notes), "lines": [line_dict(line) for line in lines]})
        sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) for name, folder in folders.items()}
    shares = (f"{name} {size / 1e6:.1f} MB ({size / sizes['default, int8']:.1%})" for name, size in sizes.items())
    text += f"\nFolders on disk, tokenizer and all: {'; '.join(shares)}.\n"
    (out / "default.md").write_text(text, encoding="utf-8")
    (out / "default.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(text)


def main() -> None:
    """Train the half, or score it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("train", "score"))
    parser.add_argument("build", type=Path, help="where the build of the model wrote its stages")
    parser.add_argument("--model", type=Path, help="the trained model in full precision, to start from and to follow")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "shrink")
    parser.add_argument("--notes", type=int, default=800, help="held-out synthetic notes")
    options = parser.parse_args()
    build = Build(ROOT.parent / "shared" / "data", options.build / "encoders", ROOT, options.build, Settings(evaluated=options.notes))
    if options.verb == "train":
        train_student(build, options.model or build.stage("training"))
    else:
        score_student(build, options.out)


if __name__ == "__main__":
    main()

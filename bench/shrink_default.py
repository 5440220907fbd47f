"""The shipped model at half its size: weights of four bits and somewhat fewer tokens, taught by the model itself.

    python bench/shrink_default.py shape MODEL OUT     on a GPU: the trained model with the tokens that are used most
    python bench/default_model.py train --start OUT --teachers MODEL --aware 0 --bits 4 --out HALF                   there
    python bench/shrink_default.py score HALF          here: beside the shipped model, docs/results/shrink/default.md

bench/default_model.py makes carry/default, the notes and the counts of tokens, first.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CARRY = ROOT / "carry" / "default"
SOURCE = CARRY / "src" if sys.argv[1:2] == ["shape"] and (CARRY / "src").is_dir() else ROOT / "src"
sys.path[:0] = [str(SOURCE), str(HERE)]

TOKENS = 21_000  # of 24,000: with four bits for each weight, the folder is then half as large
FEW = 4  # bits


def make_student(model: Path, out: Path) -> None:
    """The model with the tokens that the training notes, the names and the terms use most."""
    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.lab.shrink.shapes import Shape, shape_model

    counts = dict(enumerate(json.loads((CARRY / "counts.json").read_text())))
    print(shape_model(load_checkpoint(model), out, Shape(tokens=TOKENS), counts=counts))


def score_student(source: Path, out: Path, *, count: int) -> None:
    """The student in four bits, and the shipped model rounded to four bits without training, on held-out notes of two kinds."""
    from default_exams import score
    from default_notes import read_notes
    from default_packaging import LEAN, READING, lean
    from default_pieces import restore

    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.find.model.tagger import EncoderTagger
    from incognote.lab.shrink.expand import expand
    from incognote.lab.shrink.quantize import quantize_dynamic
    from incognote.lab.shrink.table import format_lines, line_dict, measure
    from incognote.lab.synthetic import synthesize
    from incognote.models import find_model

    exams = {
        "held-out synthetic notes": list(synthesize(count, seed=90_003, part="test")),
        "held-out sources with made-up PHI": read_notes(CARRY / "held-out.jsonl.gz")[: count // 2],
    }
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        exact = restore(source, work / "exact")
        (exact / "training.json").unlink()
        lean(exact, LEAN)  # as the shipped model does, which cuts its windows so too
        config = json.loads((exact / "config.json").read_text())
        config["incognote"] |= READING
        (exact / "config.json").write_text(json.dumps(config))
        folders = {
            "default, int8": find_model(),
            "half, int4 trained": quantize_dynamic(exact, work / "half", bits=FEW),
            "default, rounded to int4": quantize_dynamic(expand(load_checkpoint(find_model()), work / "whole"), work / "rounded", bits=FEW),
        }
        text = (
            "# The shipped model at half its size\n\n`bench/shrink_default.py` makes these figures: the models alone, strict F1 of whole "
        )
        text += f"spans. The half has weights of four bits and {TOKENS:,} of the tokens; it was trained so, taught by the shipped model "
        text += "in full precision. The last line shows what four bits cost without that training.\n"
        rows = []
        for name, notes in exams.items():
            whole, *others = folders.items()
            first = measure(whole[1], notes, name=whole[0])
            lines = [first, *(measure(folder, notes, name=each, against=first) for each, folder in others)]
            text += f"\n## {name} ({len(notes)})\n\n{format_lines(lines)}\n"
            taggers = {each: EncoderTagger(str(folder), runtime="onnx") for each, folder in folders.items()}
            binary = {each: score(notes, tagger.tag([note.text for note in notes])) for each, tagger in taggers.items()}
            f1 = {each: 2 * row["recall"] * row["precision"] / (row["recall"] + row["precision"]) for each, row in binary.items()}
            text += f"\nBinary token F1: {', '.join(f'{each} {value:.4f}' for each, value in f1.items())}.\n"
            rows.append({"notes": name, "count": len(notes), "lines": [line_dict(line) for line in lines]})
        sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) for name, folder in folders.items()}
    shares = (f"{name} {size / 1e6:.1f} MB ({size / sizes['default, int8']:.1%})" for name, size in sizes.items())
    text += f"\nFolders on disk, tokenizer and all: {'; '.join(shares)}.\n"
    (out / "default.md").write_text(text, encoding="utf-8")
    (out / "default.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    shaping = verbs.add_parser("shape")
    shaping.add_argument("model", type=Path, help="a trained model in full precision")
    shaping.add_argument("out", type=Path)
    scoring = verbs.add_parser("score")
    scoring.add_argument("source", type=Path, help="what train wrote for the student")
    scoring.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "shrink")
    scoring.add_argument("--notes", type=int, default=800, help="held-out synthetic notes")
    options = parser.parse_args()
    if options.verb == "shape":
        make_student(options.model, options.out)
    else:
        score_student(options.source, options.out, count=options.notes)


if __name__ == "__main__":
    main()

"""The shipped model at half its size: fewer layers and tokens, taught by the shipped model or its teachers on its own training notes.

    python bench/shrink_default.py shape              here: students in carry/shrink-default, cut from the shipped model
    python bench/default_model.py train --start carry/shrink-default/NAME --teachers FOLDER --aware 0.55 --out OUT/NAME     on a GPU
    python bench/shrink_default.py score OUT          here: int8, beside the shipped model, docs/results/shrink/default.md

bench/default_model.py makes carry/default, the notes, first.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CARRY = ROOT / "carry" / "default"
STUDENTS = ROOT / "carry" / "shrink-default"
sys.path[:0] = [str(ROOT / "src"), str(HERE)]

from default_data import count_words  # noqa: E402
from default_notes import read_notes  # noqa: E402
from default_packaging import LEAN, lean  # noqa: E402
from default_pieces import restore  # noqa: E402

from incognote.corpora.synthetic import synthesize  # noqa: E402
from incognote.encoders.checkpoint import load_checkpoint  # noqa: E402
from incognote.models import find_model  # noqa: E402
from incognote.shrink.layers import count_layers  # noqa: E402
from incognote.shrink.quantize import quantize_dynamic  # noqa: E402
from incognote.shrink.shapes import Shape, shape_model  # noqa: E402
from incognote.shrink.table import format_lines, line_dict, measure  # noqa: E402

# Layers and tokens that stay. In int8 each is at most half of the shipped model's 6 layers and 24,000 tokens.
SHAPES = ((4, 6_500), (5, 2_200))


def name_of(layers: int, tokens: int) -> str:
    return f"layers-{layers}-tokens-{tokens}"


def make_students(shapes: tuple[tuple[int, int], ...]) -> None:
    """Cut the shipped model; its tokens are those that the training notes, the names and the terms use most."""
    source = load_checkpoint(find_model())
    counts = count_words(source.folder, (note.text for note in read_notes(CARRY / "injected.jsonl.gz")))
    whole = measure(source.folder, [])
    for layers, tokens in shapes:
        shape = Shape(drop=count_layers(source.config) - layers, tokens=tokens)
        made = measure(shape_model(source, STUDENTS / name_of(layers, tokens), shape, counts=counts), [])
        print(f"{made.name}: {made.size / 1e6:.1f} MB, {made.size / whole.size:.1%} of the shipped model's {whole.size / 1e6:.1f} MB")


def score_students(source: Path, models: Path, out: Path, *, count: int, carry: Path) -> None:
    """Each student in int8 beside the shipped model, on held-out notes of two kinds."""
    exams = {
        "held-out synthetic notes": list(synthesize(count, seed=90_003, part="test")),
        "held-out sources with made-up PHI": read_notes(carry / "held-out.jsonl.gz")[: count // 4],
    }
    folders = {"default": find_model()}
    for place in sorted(folder for folder in source.iterdir() if (folder / "checkpoint.tar.gz").exists()):
        shutil.rmtree(models / place.name, ignore_errors=True)
        exact = restore(place, models / f"{place.name}-exact")
        (exact / "training.json").unlink()
        lean(exact, LEAN)  # as the shipped model does
        folders[place.name] = quantize_dynamic(exact, models / place.name)
        shutil.rmtree(exact)
    text = "# The shipped model at half its size\n\n`bench/shrink_default.py` makes these figures. Students were taught on the notes of "
    text += "the shipped model by what it was before its own teachers came in. All are int8, the model alone, strict F1 of whole spans.\n"
    rows = []
    for name, notes in exams.items():
        whole = measure(folders["default"], notes, name="default")
        lines = [whole, *(measure(folder, notes, name=each, against=whole) for each, folder in folders.items() if each != "default")]
        text += f"\n## {name} ({len(notes)})\n\n{format_lines(lines)}\n"
        rows.append({"notes": name, "count": len(notes), "lines": [line_dict(line) for line in lines]})
    sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) for name, folder in folders.items()}
    shares = (f"{name} {size / 1e6:.1f} MB ({size / sizes['default']:.1%})" for name, size in sizes.items())
    text += f"\nFolders on disk: {', '.join(shares)}.\n"
    out.mkdir(parents=True, exist_ok=True)
    (out / "default.md").write_text(text, encoding="utf-8")
    (out / "default.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("shape")
    scoring = verbs.add_parser("score")
    scoring.add_argument("source", type=Path, help="a folder with a folder of what train wrote for each student")
    scoring.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "shrink")
    scoring.add_argument("--models", type=Path, default=ROOT / "out" / "shrink-default", help="where the int8 models go")
    scoring.add_argument("--notes", type=int, default=800, help="held-out synthetic notes")
    options = parser.parse_args()
    if options.verb == "shape":
        make_students(SHAPES)
    else:
        score_students(options.source, options.models, options.out, count=options.notes, carry=CARRY)


if __name__ == "__main__":
    main()

"""What int8 and thin embeddings cost a tagging model that is trained already, on a processor.

    python bench/shrink_quantize.py                                     the shipped model, on the tuning notes
    python bench/shrink_quantize.py --model FOLDER --calibrate CORPUS --notes CORPUS --ranks 96,192 [--epochs 6 --rate 0.0001]
    python bench/shrink_quantize.py --tiny                              a toy model, to try the script

"Tags kept" is the share of tokens with the tag of full precision, "PHI tags kept" the same among tokens that full precision calls PHI.
Thin embeddings are made twice: with all words alike, and with each word counting as often as the calibration notes use it. With
--epochs, quantization-aware training and trained thin embeddings follow, by the notes to calibrate on. The shipped model is int8; what
its codes stand for is taken as full precision here, so that only what rounding activations costs is seen, not rounding weights.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from incognote.corpora import read_corpus
from incognote.document import Document
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import is_quantized
from incognote.lab.shrink.expand import expand
from incognote.lab.shrink.factorize import factorize
from incognote.lab.shrink.factorize_tuned import factorize_tuned
from incognote.lab.shrink.quantize import quantize_dynamic, quantize_static
from incognote.lab.shrink.table import format_lines, line_dict, measure, natural_runtime
from incognote.lab.shrink.tuning import inherit_recipe
from incognote.lab.synthetic import synthesize
from incognote.lab.training.data import Splits
from incognote.models import find_model

ROOT = Path(__file__).parents[1]


def make_models(
    whole: Path, work: Path, notes: Sequence[Document], validation: Sequence[Document], *, ranks: Sequence[int], training: dict | None
) -> Iterator[tuple[str, Path]]:
    """Every smaller model by name; ``training`` are the settings of those that are trained."""
    checkpoint, texts = load_checkpoint(whole), [note.text for note in notes]
    yield "dynamic int8", quantize_dynamic(whole, work / "dynamic")
    yield "static int8", quantize_static(whole, work / "static", notes)
    for rank in ranks:
        yield f"rank {rank}, all words alike", factorize(checkpoint, work / f"alike-{rank}", rank=rank)
        yield f"rank {rank}, by use", factorize(checkpoint, work / f"used-{rank}", rank=rank, texts=texts)
    if not training:
        return
    from incognote.lab.shrink.aware import exact_folder, train_aware

    splits, recipe = Splits(tuple(notes), tuple(validation)), inherit_recipe(checkpoint, **training)
    train_aware(whole, work / "aware", recipe, splits)
    yield "trained to be quantized, full precision", exact_folder(work / "aware")
    yield "trained to be quantized, int8", work / "aware"
    for rank in ranks:
        factorize_tuned(checkpoint, work / f"tuned-{rank}", rank=rank, recipe=recipe, splits=splits)
        yield f"rank {rank}, trained", work / f"tuned-{rank}"
        yield f"rank {rank}, trained, dynamic int8", quantize_dynamic(work / f"tuned-{rank}", work / f"tuned-{rank}-int8")


def tags_of(folder: Path, texts: Sequence[str]) -> np.ndarray:
    """The likeliest tag of every token, by number."""
    tagger = EncoderTagger(str(folder), device="cpu", runtime=natural_runtime(folder))
    return np.concatenate([logits.argmax(axis=1) for logits in tagger.logits(tagger.tokenizer.tokenize(texts))])


def compare(whole: Path, models: Iterator[tuple[str, Path]], validation: Sequence[Document], *, timed: bool) -> tuple[list, list]:
    """A line of the table for each model, and how many tags of full precision it keeps."""
    texts = [document.text for document in validation]
    lines, rows = [measure(whole, validation, name="full precision", timed=timed)], []
    exact, outside = tags_of(whole, texts), load_checkpoint(whole).tags.index("O")
    for name, folder in models:
        lines.append(measure(folder, validation, name=name, against=lines[0], timed=timed))
        same = tags_of(folder, texts) == exact
        rows.append((name, float(same.mean()), float(same[exact != outside].mean())))
        print(f"{name}: F1 {lines[-1].f1.value:.4f}, tags kept {rows[-1][1]:.4f}, PHI tags kept {rows[-1][2]:.4f}", flush=True)
    return lines, rows


def prepare(options: argparse.Namespace, work: Path) -> tuple[Path, list[Document], list[Document]]:
    """The model in full precision, the notes to calibrate on, and those to measure on."""
    if options.tiny:
        sys.path.insert(0, str(ROOT))
        from tests.fakes import template_notes, tiny_checkpoint

        notes = template_notes(40)
        return tiny_checkpoint(work / "tiny", "roberta"), notes[:30], notes[30:]
    source = Path(options.model) if options.model else find_model()
    notes = list(read_corpus(options.calibrate)) if options.calibrate else list(synthesize(200, seed=777, part="train"))
    validation = list(read_corpus(options.notes or ROOT / "tests" / "golden" / "tuning"))
    return expand(load_checkpoint(source), work / "whole") if is_quantized(source) else source, notes, validation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a checkpoint folder; the shipped model otherwise")
    parser.add_argument("--calibrate", help="annotated notes to calibrate and train on; synthetic ones otherwise")
    parser.add_argument("--notes", help="annotated notes to measure on; the tuning notes otherwise")
    parser.add_argument("--ranks", default="128,192")
    parser.add_argument("--epochs", type=int, default=0)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--untimed", action="store_true", help="leave the speed out")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    ranks = [8] if options.tiny else [int(rank) for rank in options.ranks.split(",")]
    epochs = 1 if options.tiny else options.epochs
    training = {"epochs": epochs, "learning_rate": options.rate, "seed": options.seed} if epochs else None
    with tempfile.TemporaryDirectory() as scratch:
        whole, notes, validation = prepare(options, Path(scratch))
        models = make_models(whole, Path(scratch), notes, validation, ranks=ranks, training=training)
        lines, rows = compare(whole, models, validation, timed=not options.untimed)
    table = [
        "| model | tags kept | PHI tags kept |",
        "|---|---:|---:|",
        *(f"| {name} | {all_:.4f} | {phi:.4f} |" for name, all_, phi in rows),
    ]
    print("\n".join(["", format_lines(lines), "", *table]))
    Path(options.out).mkdir(parents=True, exist_ok=True)
    result = {"lines": [line_dict(line) for line in lines], "kept": rows, "notes": len(validation)}
    (Path(options.out) / "shrink_quantize.json").write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()

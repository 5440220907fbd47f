"""The trained default model made ready to ship: calibrated, in int8, measured, with its card and checksums."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from default_exams import score
from default_notes import read_notes
from default_pieces import restore

from incognote.corpora import read_corpus
from incognote.document import Document, Span
from incognote.find.finder import Tagger
from incognote.find.model.config import read_config
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, write_tensors
from incognote.lab.encoders.calibration import calibrate
from incognote.lab.synthetic import synthesize
from incognote.models import write_sums

ROOT = Path(__file__).resolve().parents[1]
# Short windows take a quarter off the work for long notes and cost no F1: docs/results/speed.md.
READING = {"short_windows": True, "overlap": 32, "lowercase_all_caps": True}
# How much less likely "no PHI" is made than the model thinks: a miss costs more than a word too many, and the second reader judges what
# comes of it. Chosen among 2, 2.8, 3.6, 4, 4.4, 5 and 6 on the tuning notes and on synthetic notes of the part for tuning.
LEAN = 6.0
MOST_LOST = 0.002
NOTICE = """incognote's default model
Derived from granite-embedding-30m-english, Copyright IBM, under the Apache License 2.0
(https://huggingface.co/ibm-granite/granite-embedding-30m-english): the vocabulary was cut, a head was added, and all weights were
trained further and quantized. The licence is in the LICENSE file of this package.
Trained on text of MTSamples (CC0) and of ACI-Bench (Yim et al. 2023, CC BY 4.0), and on names of GeoNames (CC BY 4.0) and the US Census.
"""
Layers = list[tuple[Span, ...]]


def package_default(source: Path, out: Path, *, count: int) -> None:
    """From the pieces that training wrote to the folder that ships; stops when int8 loses more than it may."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = restore(source, Path(scratch) / "default")
        exams = {
            "held-out synthetic notes": list(synthesize(count, seed=90_003, part="test")),
            "held-out sources with made-up PHI": read_notes(ROOT / "carry" / "default" / "held-out.jsonl.gz")[: count // 2],
            "tuning notes": list(read_corpus(ROOT / "tests" / "golden" / "tuning")),
        }
        other = list(synthesize(count, seed=90_004, part="tune"))
        temperature = calibrate(EncoderTagger(str(folder), runtime="onnx-fp32"), other)
        print(f"temperature {temperature}")
        lean(folder, LEAN)
        settle(folder, temperature=temperature)
        full = {name: score(notes, tag(EncoderTagger(str(folder), runtime="onnx-fp32"), notes)) for name, notes in exams.items()}
        small = Path(scratch) / "small"
        pack_checkpoint(folder, small, settings={"validated_runtimes": ["onnx"]})
        (small / "training.json").unlink()
        tagger = EncoderTagger(str(small), runtime="onnx")
        packed = {name: score(notes, tag(tagger, notes)) for name, notes in exams.items()}
        lost = compare(full, packed)
        write_card(small, folder, tabulate(packed, exams), lost, temperature=temperature)
        publish(small, out)


def tag(tagger: Tagger, notes: Sequence[Document]) -> Layers:
    return tagger.tag([note.text for note in notes])


def lean(folder: Path, much: float) -> None:
    """Take so much from what the head says for the tag O; in the weights, so that every runtime has it."""
    weights = Tensors(folder)
    whole = {name: weights[name] for name in weights}
    place = next(int(at) for at, tag in read_config(folder)["id2label"].items() if tag == "O")
    whole["classifier.bias"] = whole["classifier.bias"].copy()
    whole["classifier.bias"][place] -= much
    write_tensors(folder / "leaning", whole, metadata={"format": "pt"})
    (folder / "leaning").replace(folder / "model.safetensors")


def settle(folder: Path, *, temperature: float) -> None:
    """Put the temperature, the lean and the windows into the settings."""
    config = read_config(folder)
    config["incognote"] |= {"temperature": temperature, "recall_bias": LEAN, **READING}
    config.pop("_name_or_path", None)  # a folder of the machine it was trained on
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def compare(full: dict[str, dict[str, float]], small: dict[str, dict[str, float]]) -> str:
    """What int8 loses, in words; too much of the binary F1 ends the packaging."""
    whole, packed = ({name: harmonic(found["recall"], found["precision"]) for name, found in each.items()} for each in (full, small))
    text = "; ".join(
        f"{name} {whole[name]:.4f} → {packed[name]:.4f} (with labels {full[name]['token_f1']:.4f} → {small[name]['token_f1']:.4f}, "
        f"strict {full[name]['strict_f1']:.4f} → {small[name]['strict_f1']:.4f})"
        for name in full
    )
    print(f"int8: {text}")
    lost = {name: whole[name] - packed[name] for name in whole}
    if max(lost.values()) > MOST_LOST:
        raise SystemExit(f"int8 loses more than {MOST_LOST}: {lost}")
    return text


def harmonic(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision)


def tabulate(scores: dict[str, dict[str, float]], exams: dict[str, list[Document]]) -> str:
    """The table of the card."""
    lines = ["| notes | recall | precision | strict F1 |", "|---|---:|---:|---:|"]
    for name, found in scores.items():
        lines.append(
            f"| {name} ({len(exams[name])}) | " + " | ".join(f"{found[key]:.4f}" for key in ("recall", "precision", "strict_f1")) + " |"
        )
    print("\n".join(lines))
    return "\n".join(lines)


def write_card(folder: Path, source: Path, figures: str, int8: str, *, temperature: float) -> None:
    about = json.loads((source / "training.json").read_text())
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    text = (
        (ROOT / "bench" / "default_card.md")
        .read_text(encoding="utf-8")
        .format(
            tokens=f"{read_config(folder)['vocab_size']:,}",
            megabytes=size,
            steps=about["steps"],
            windows=about["windows"],
            trained=about["tokens"],
            temperature=temperature,
            figures=figures,
            int8=int8,
        )
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    (folder / "NOTICE").write_text(NOTICE, encoding="utf-8")


def publish(folder: Path, out: Path) -> None:
    """The folder where it ships, whole, with its sums."""
    write_sums(folder)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(folder, out)
    print(f"{out}: {sum(file.stat().st_size for file in out.iterdir()) / 1e6:.1f} MB")

"""The trained default model made ready to ship: calibrated, leaning to recall, in int8, measured, with its card and checksums."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from default_notes import read_notes
from default_training import ROOT, restore, score

from incognote.corpora import read_corpus
from incognote.corpora.synthetic import synthesize
from incognote.deidentify import Deidentifier
from incognote.document import Document, Span
from incognote.encoders.calibration import calibrate
from incognote.encoders.checkpoint import read_config
from incognote.encoders.decoding import decode, visible_scores
from incognote.encoders.judging import Logits, softmax
from incognote.encoders.packing import pack_checkpoint
from incognote.encoders.tagger import EncoderTagger
from incognote.encoders.tensors import Tensors, write_tensors
from incognote.models import write_sums
from incognote.rules import RuleTagger
from incognote.tagging import Tagger

BIASES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
MOST_LOST = 0.002
NOTICE = """incognote's default model
Derived from granite-embedding-30m-english, Copyright IBM, under the Apache License 2.0
(https://huggingface.co/ibm-granite/granite-embedding-30m-english): the vocabulary was cut, a head was added, and all weights were
trained further and quantized. The licence is in the LICENSE file of this package.
Trained on text of MTSamples (CC0) and of ACI-Bench (Yim et al. 2023, CC BY 4.0), and on names of GeoNames (CC BY 4.0) and the US Census.
"""
Layers = list[tuple[Span, ...]]


class Fixed:
    """A Tagger that gives spans found before, so that a sweep tags each note once."""

    def __init__(self, texts: Sequence[str], spans: Sequence[tuple[Span, ...]]) -> None:
        self.found = dict(zip(texts, spans, strict=True))

    def tag(self, texts: Sequence[str]) -> Layers:
        return [self.found[text] for text in texts]


def package_default(source: Path, out: Path, *, count: int) -> None:
    """From the pieces that training wrote to the folder that ships; stops when int8 loses more than it may."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = restore(source, Path(scratch) / "default")
        exams = {
            "held-out synthetic notes": list(synthesize(count, seed=90_003, part="test")),
            "held-out sources with made-up PHI": read_notes(ROOT / "carry" / "default" / "held-out.jsonl.gz")[: count // 4],
            "tuning notes": list(read_corpus(ROOT / "tests" / "golden" / "tuning")),
        }
        exact = EncoderTagger(str(folder), runtime="onnx-fp32")
        temperature = calibrate(exact, [note for name in list(exams)[:2] for note in exams[name]])
        print(f"temperature {temperature}")
        bias = choose_bias(exact, exams, temperature)
        settle(folder, temperature=temperature, bias=bias)
        full = {name: score(notes, tag(EncoderTagger(str(folder), runtime="onnx-fp32"), notes)) for name, notes in exams.items()}
        small = Path(scratch) / "small"
        # Short windows take a quarter off the work for long notes and cost no F1: docs/results/speed.md.
        pack_checkpoint(folder, small, settings={"vouched": ["onnx"], "short_windows": True, "overlap": 32})
        (small / "training.json").unlink()
        tagger = EncoderTagger(str(small), runtime="onnx")
        alone = {name: tag(tagger, notes) for name, notes in exams.items()}
        lost = compare(full, {name: score(notes, alone[name]) for name, notes in exams.items()})
        write_card(small, folder, measure(exams, alone), lost, temperature=temperature, bias=bias)
        publish(small, out)


def tag(tagger: Tagger, notes: Sequence[Document]) -> Layers:
    return tagger.tag([note.text for note in notes])


def choose_bias(tagger: EncoderTagger, exams: dict[str, list[Document]], temperature: float) -> float:
    """The bias against "no PHI" with the best F2 of rules and model together on tuning notes, averaged with the synthetic ones."""
    rules = {name: tag(RuleTagger.default(), notes) for name, notes in exams.items()}
    said = {}
    for name, notes in exams.items():
        tokens = tagger.tokenizer.tokenize([note.text for note in notes])
        said[name] = list(zip(tokens, tagger.logits(tokens), strict=True))
    print("\n| bias | notes | model recall | model precision | hybrid recall | hybrid precision | hybrid strict F1 |")
    print("|---|---|---|---|---|---|---|")
    best = (-1.0, 0.0)
    for bias in BIASES:
        values = []
        for name, notes in exams.items():
            found = [
                decode(
                    note.text,
                    visible_scores(note.text, tokens, lean(logits, tagger.tags, temperature, bias)),
                    tagger.tags,
                    source="model.default",
                )
                for note, (tokens, logits) in zip(notes, said[name], strict=True)
            ]
            alone, both = score(notes, found), score(notes, combine(notes, rules[name], found))
            print(
                f"| {bias} | {name} | {alone['recall']:.4f} | {alone['precision']:.4f} | {both['recall']:.4f} | {both['precision']:.4f} "
                f"| {both['strict_f1']:.4f} |"
            )
            values.append(f2(both))
        best = max(best, ((values[0] + 2 * values[2]) / 3, -bias))
    print(f"\nbias {-best[1]} has the best F2")
    return -best[1]


def f2(scores: dict[str, float]) -> float:
    return 5 * scores["precision"] * scores["recall"] / (4 * scores["precision"] + scores["recall"] or 1)


def lean(logits: Logits, tags: Sequence[str], temperature: float, bias: float) -> Logits:
    """Probabilities with the logit of O lowered."""
    lowered = logits.copy()
    lowered[:, list(tags).index("O")] -= bias * temperature
    return softmax(lowered, temperature=temperature)


def combine(notes: Sequence[Document], rules: Layers, model: Layers) -> Layers:
    """What the whole pipeline finds: merge, guard and memory included."""
    texts = [note.text for note in notes]
    pipeline = Deidentifier.default(mode="redact", models=())
    taggers: tuple[Tagger, ...] = (Fixed(texts, rules), Fixed(texts, model))
    found = Deidentifier(taggers, pipeline.replacer).tag([note.with_spans(()) for note in notes])
    return [document.spans for document in found]


def settle(folder: Path, *, temperature: float, bias: float) -> None:
    """Put the bias into the head and the temperature into the settings."""
    config = read_config(folder)
    weights = Tensors(folder)
    tensors = {name: weights[name] for name in weights}
    outside = int(config["label2id"]["O"])
    tensors["classifier.bias"] = tensors["classifier.bias"].copy()
    tensors["classifier.bias"][outside] -= bias * temperature
    write_tensors(folder / "settled", tensors, metadata={"format": "pt"})
    (folder / "settled").replace(folder / "model.safetensors")
    config["incognote"] |= {"temperature": temperature}
    config.pop("_name_or_path", None)  # a folder of the machine it was trained on
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def compare(full: dict[str, dict[str, float]], small: dict[str, dict[str, float]]) -> str:
    """What int8 loses, in words; too much ends the packaging."""
    lost = {name: full[name]["strict_f1"] - small[name]["strict_f1"] for name in full}
    text = ", ".join(f"{name} {full[name]['strict_f1']:.4f} → {small[name]['strict_f1']:.4f}" for name in full)
    print(f"int8: {text}")
    if max(lost.values()) > MOST_LOST:
        raise SystemExit(f"int8 loses more than {MOST_LOST}: {lost}")
    return text


def measure(exams: dict[str, list[Document]], alone: dict[str, Layers]) -> str:
    """The table of the card: rules, model and both, on each set of notes."""
    lines = ["| notes | tagger | recall | precision | strict F1 |", "|---|---|---:|---:|---:|"]
    for name, notes in exams.items():
        rules = tag(RuleTagger.default(), notes)
        empty: Layers = [()] * len(notes)
        ways = {"rules": combine(notes, rules, empty), "model": alone[name], "both": combine(notes, rules, alone[name])}
        for way, found in ways.items():
            scores = score(notes, found)
            figures = " | ".join(f"{scores[key]:.4f}" for key in ("recall", "precision", "strict_f1"))
            lines.append(f"| {name} ({len(notes)}) | {way} | {figures} |")
    print("\n".join(lines))
    return "\n".join(lines)


def write_card(folder: Path, source: Path, figures: str, int8: str, *, temperature: float, bias: float) -> None:
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
            bias=bias,
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

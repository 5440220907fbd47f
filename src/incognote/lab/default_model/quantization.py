"""From the trained model to the one that runs: temperature, recall bias, int8 weights, token pruning heads and the confidence margin."""

import json
import shutil
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from incognote.errors import TrainingError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.config import LOWERCASE, MARGIN, RECALL_BIAS, SETTINGS, VALIDATED, read_config
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.runtimes.pruning_file import write_pruning
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, write_tensors
from incognote.lab.default_model.build import Build, log
from incognote.lab.default_model.evaluation import gather_card_sets, report, score_tagger
from incognote.lab.default_model.sources import inject_sources, is_held_out, read_sources
from incognote.lab.encoders.calibration import calibrate
from incognote.lab.shrink.confidence_margin import measure_confidence_margin
from incognote.lab.shrink.pruning import fit_pruning
from incognote.lab.synthetic import synthesize

# Short windows take a quarter off the work for long notes and cost no F1: docs/results/speed.md.
WINDOWS = {"short_windows": True, "overlap": 32, LOWERCASE: True}
BIAS = 6.0
"""How much less likely the tag O is made than the model thinks: a miss costs more than a false alarm, and the rescorer judges those.

Chosen among 2, 2.8, 3.6, 4, 4.4, 5 and 6 on the tuning notes and on synthetic notes of the part for tuning."""
MODEL, SCORES = "model", "scores.json"


def make_int8(build: Build, out: Path) -> None:
    """Write ``model`` in int8, calibrated and biased, and the ``scores.json`` of int8 and of full precision; raise when int8 costs more
    than it may."""
    out.mkdir()
    exact, small = Path(shutil.copytree(build.stage("training"), out / "exact")), out / MODEL
    tuning = list(synthesize(build.settings.evaluated, seed=90_004, part="tune"))
    temperature = calibrate(EncoderTagger(str(exact), runtime="onnx-fp32"), tuning)
    bias_recall(exact, BIAS)
    write_settings(exact, {"temperature": temperature, RECALL_BIAS: BIAS, **WINDOWS})
    (exact / "training.json").unlink()
    pack_checkpoint(exact, small, settings={VALIDATED: ["onnx"]})
    sets = gather_card_sets(build)
    full = score_tagger(EncoderTagger(str(exact), runtime="onnx-fp32"), sets)
    packed = score_tagger(EncoderTagger(str(small), runtime="onnx"), sets)
    for name, scores in packed.items():
        report(name, scores)
    (out / SCORES).write_text(
        json.dumps({"full": full, "int8": packed, "notes": {name: len(notes) for name, notes in sets.items()}}, indent=1), encoding="utf-8"
    )
    shutil.rmtree(exact)
    lost = {name: binary_f1(full[name]) - binary_f1(packed[name]) for name in sets}
    if max(lost.values()) > build.settings.most_lost:
        raise TrainingError(f"int8 costs more binary token F1 than {build.settings.most_lost}: {lost}")


def bias_recall(folder: Path, bias: float) -> None:
    """Subtract so much from the logit of the tag O; in the weights, so that every runtime has it."""
    weights = Tensors(folder)
    whole = {name: weights[name] for name in weights}
    outside = next(int(at) for at, tag in read_config(folder)["id2label"].items() if tag == "O")
    whole["classifier.bias"] = whole["classifier.bias"].copy()
    whole["classifier.bias"][outside] -= bias
    write_tensors(folder / "biased", whole, metadata={"format": "pt"})
    (folder / "biased").replace(folder / "model.safetensors")


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Put these among the settings of the checkpoint."""
    config = read_config(folder)
    config[SETTINGS] |= settings
    config.pop("_name_or_path", None)  # a folder of the machine it was trained on
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def binary_f1(scores: Mapping[str, float]) -> float:
    """F1 of PHI against no PHI."""
    both = scores["recall"] + scores["precision"]
    return 2 * scores["recall"] * scores["precision"] / both if both else 0.0


def add_pruning_heads(build: Build, out: Path) -> None:
    """The int8 model with token pruning heads, fitted on real texts, on such with synthetic PHI, and on synthetic notes; none held out."""
    shutil.copytree(build.stage("int8") / MODEL, out)
    fits = fit_pruning(load_checkpoint(out), list(gather_texts(build)))
    write_pruning(out, [fit.head for fit in fits])
    for fit in fits:
        log(f"{fit.where}: {100 * fit.through:.1f} % of tokens pass; of {fit.tagged:,} tagged {100 * fit.lost:.3f} % do not")


def measure_margin(build: Build, out: Path) -> None:
    """The model with its confidence margin, which the cascade goes by."""
    shutil.copytree(build.stage("pruning-heads"), out)
    margin = measure_confidence_margin(load_checkpoint(out), list(gather_texts(build)))
    log(f"confidence margin: {margin}")
    if margin is not None:
        write_settings(out, {MARGIN: margin})


def gather_texts(build: Build) -> Iterator[str]:
    """Texts that the model was trained on, for what is fitted on its output."""
    real, synthetic = build.settings.pruned_on
    sources = [document for document in read_sources(build.data) if not is_held_out(document.id)]
    yield from (document.text for document in sources[0::2][:real])
    yield from (document.text for document in islice(inject_sources(sources[1::2], 0), real))
    yield from (document.text for document in synthesize(synthetic, seed=5, part="train"))


def average_weights(folders: list[Path], out: Path) -> Path:
    """The mean of models that grew from one, weight by weight: often better on unseen text than any of them (Wortsman et al. 2022)."""
    shutil.copytree(folders[0], out, ignore=shutil.ignore_patterns("*.safetensors"))
    members = [Tensors(folder) for folder in folders]
    mean = {name: np.mean([np.asarray(member[name], dtype=np.float32) for member in members], axis=0) for name in members[0]}
    write_tensors(out / "model.safetensors", mean, metadata={"format": "pt"})
    costs = [json.loads((folder / "training.json").read_text(encoding="utf-8")) for folder in folders]
    totals = {name: sum(cost[name] for cost in costs) for name in ("steps", "windows", "tokens")}
    (out / "training.json").write_text(json.dumps(totals, indent=1), encoding="utf-8")
    return out

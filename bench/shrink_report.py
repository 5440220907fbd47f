"""The table of bench/shrink_gpu.py: means and intervals over seeds, with speeds measured on a processor from shapes alone."""

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from shrink_ways import MODELS, RANK, TOKENS, Job, begin_models, list_jobs, read_splits

from incognote.find.model.checkpoint import load_checkpoint
from incognote.lab.shrink.factorize import factorize
from incognote.lab.shrink.quantize import quantize_dynamic, quantize_static
from incognote.lab.shrink.shapes import Shape, count_usage, measure_layers, shape_model
from incognote.lab.shrink.table import measure_speeds
from incognote.lab.training.comparison import find_mean

SEEDS = 3  # fewer say little
LEARNED = 0.9  # F1 of a full model; one below it did not learn, and what is made of it says nothing about the ways
_WORDS = {
    "full": "fine-tuned whole, fp32",
    "dynamic-int8": "dynamic int8",
    "static-int8": "static int8, calibrated on train",
    "qat-int8": "quantization-aware training, int8",
    "factorized": f"embedding factorized to rank {RANK}, tuned",
    "vocabulary": f"vocabulary of {TOKENS:,} tokens, tuned",
}
_HEAD = """# Shrinking on MEDDOCAN

Trained on train, scored on dev: strict F1 of whole spans. `bench/shrink_gpu.py` makes these figures; its text says how.
Each figure is a mean over seeds with its 95 % interval (Student's t). "Change" is paired: each smaller model against the full model of
its own seed. "Untrained" is the F1 right after cutting, before the short training. Speed is tokens per second of processor time on one
thread beside the full model, from the shape alone.
"""


def write_report(out: Path) -> Path:
    """``meddocan.md`` from ``rows.json`` and, where it is there, ``speed.json``."""
    rows = [row for row in json.loads((out / "rows.json").read_text()) if "f1" in row]
    speeds = json.loads((out / "speed.json").read_text()) if (out / "speed.json").exists() else {}
    text = _HEAD
    for model in dict.fromkeys(row["model"] for row in rows):
        mine = [row for row in rows if row["model"] == model]
        failed = {row["seed"]: row["f1"] for row in mine if row["way"] == "full" and row["f1"] < LEARNED}
        whole, mine = mine, [row for row in mine if row["seed"] not in failed]
        full = {row["seed"]: row for row in mine if row["way"] == "full"}
        lines = [_format(group, full, _speed(speeds, group[0])) for group in _group(mine).values()]
        head = ["model", "seeds", "F1", "change", "kept", "recall", "untrained F1", "weights MB", "of full", "parameters", "CPU speed"]
        text += f"\n## {model}\n\n| {' | '.join(head)} |\n|---|---:|---|---|---:|---:|---:|---:|---:|---:|---:|\n" + "\n".join(lines) + "\n"
        text += "".join(_tell_failed(seed, f1, whole) for seed, f1 in failed.items()) + _left_out(model, mine)
    target = out / "meddocan.md"
    target.write_text(text, encoding="utf-8")
    return target


def _tell_failed(seed: int, f1: float, rows: Sequence[dict[str, Any]]) -> str:
    """A seed that is not in the table, and what came of it."""
    later = [f"{_label(row)} {row['f1']:.4f}" for row in rows if row["seed"] == seed and row["way"] != "full"]
    return f"\nSeed {seed} is not in the table: its full model did not learn ({f1:.4f}). What was made of it: {', '.join(later)}.\n"


def _speed(speeds: dict[str, float], row: dict[str, Any]) -> float | None:
    """That of the row or, for layers dropped, of as many dropped by another strategy."""
    own = speeds.get(f"{row['model']} {_label(row)}")
    return own or speeds.get(f"{row['model']} {Job(row['model'], 0, row['way'], row['drop'], 'top').label}")


def _group(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_label(row), []).append(row)
    order = [job.label for job in list_jobs(list(MODELS), [0], tiny=False)]
    return dict(sorted(groups.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def _label(row: dict[str, Any]) -> str:
    return Job(row["model"], row["seed"], row["way"], row["drop"], row["strategy"]).label


def _span(values: Sequence[float], form: str) -> str:
    found = find_mean(values).interval
    return format(mean(values), form) + (f" ({format(found.low, form)} to {format(found.high, form)})" if found else "")


def _format(rows: Sequence[dict[str, Any]], full: dict[int, dict[str, Any]], speed: float | None) -> str:
    first = rows[0]
    words = _WORDS.get(first["way"], f"{first['way']}: {first['strategy']}, {first['drop']} layers fewer")
    epochs = f", {first['epochs']} epochs" if first["epochs"] else ""
    pairs = [(row, full[row["seed"]]) for row in rows if row["seed"] in full]
    best = mean([whole["f1"] for _, whole in pairs] or [0.0])
    untrained = [row["untrained"] for row in rows if "untrained" in row]
    cells = (
        words + epochs,
        str(len(rows)),
        _span([row["f1"] for row in rows], ".4f"),
        "" if first["way"] == "full" else _span([row["f1"] - whole["f1"] for row, whole in pairs], "+.4f"),
        f"{mean(row['f1'] for row, _ in pairs) / best:.1%}" if best else "",
        f"{mean(row['recall'] for row in rows):.4f}",
        f"{mean(untrained):.4f}" if untrained else "",
        f"{mean(row['weights'] for row in rows) / 1e6:.1f}",
        f"{mean(row['weights'] for row, _ in pairs) / mean(whole['weights'] for _, whole in pairs):.1%}" if pairs else "",
        f"{first['parameters']:,}",
        f"×{speed:.2f}" if speed else "",
    )
    return f"| {' | '.join(cells)} |"


def _left_out(model: str, rows: Sequence[dict[str, Any]]) -> str:
    """The rows that have fewer than three seeds."""
    seeds = Counter(_label(row) for row in rows)
    few = [label for label in dict.fromkeys(job.label for job in list_jobs([model], [0], tiny=False)) if seeds[label] < SEEDS]
    named = ", ".join(f"{label} ({seeds[label]} seeds)" if seeds[label] else label for label in few)
    return f"\nFewer than three seeds, because the time was up: {named}.\n" if few else ""


def measure_shapes(place: Any, models: Sequence[str], target: Path) -> None:
    """Speeds beside the full model by row of the table: the encoder as it was fetched has the shapes, and shapes decide the speed."""
    splits = read_splits(place)
    texts = [document.text for document in splits.validation[:20]]
    found: dict[str, float] = {}
    for model in models:
        with tempfile.TemporaryDirectory() as scratch:
            full = load_checkpoint(begin_models(place, model, Path(scratch)))
            for job in list_jobs([model], [0], tiny=place.tiny):
                folder = _shape(job, full, Path(scratch) / job.label.replace(" ", "-"), splits, place)
                if folder:
                    one, two = measure_speeds([folder, full.folder], texts)
                    found[f"{model} {job.label}"] = median(a / b for a, b in zip(one, two, strict=True))
                    print(f"{model} {job.label}: ×{found[f'{model} {job.label}']:.2f}", flush=True)
    target.write_text(json.dumps(found, indent=1) + "\n")


def _shape(job: Job, full: Any, folder: Path, splits: Any, place: Any) -> Path | None:
    """A model of the job's shape. Any strategy leaves as many layers as another, so one of them is measured."""
    few = splits.train[:20]
    if job.way == "dynamic-int8":
        return quantize_dynamic(full.folder, folder)
    if job.way in ("static-int8", "qat-int8"):
        return quantize_static(full.folder, folder, few)
    if job.way == "factorized":
        return factorize(full, folder, rank=8 if place.tiny else RANK)
    if job.way == "vocabulary":
        return shape_model(full, folder, Shape(tokens=330 if place.tiny else TOKENS), counts=count_usage(full, splits.train))
    if job.way in ("dropped", "distilled") and (job.strategy in ("top", "spread") or place.tiny):
        shape = Shape(drop=job.drop, strategy=job.strategy)
        return shape_model(full, folder, shape, likeness=measure_layers(full, shape, few[:4]))
    return None

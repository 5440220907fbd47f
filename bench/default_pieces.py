"""A model on its way between machines: its weights in half precision, in pieces small enough to come back, and all else in one archive."""

import json
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from incognote.encoders.tensors import write_tensors
from incognote.training.recipe import format_recipe
from incognote.training.state import Training, best_weights_so_far
from incognote.training.tasks.tagging import Tagging

PIECE = 14 * 2**20


def save(training: Training, task: Tagging, history: Sequence[Mapping[str, object]], out: Path) -> None:
    """The averaged weights and all that makes a checkpoint of them."""
    work = out.parent / f".{out.name}.work"
    work.mkdir(exist_ok=True)
    with best_weights_so_far(training) as model:
        floats = {name: value.detach() for name, value in model.state_dict().items() if value.is_floating_point()}
        weights = {name: value.to("cpu", torch.float16, copy=True).numpy() for name, value in floats.items()}
        config = model.config.to_dict()
    config |= {"id2label": dict(enumerate(task.tags)), "label2id": {tag: at for at, tag in enumerate(task.tags)}}
    config["incognote"] = {"window": task.recipe.window, "overlap": task.recipe.overlap}
    write_tensors(work / "weights", weights, metadata={"format": "pt"})
    stream = (work / "weights").read_bytes()
    for at in range(0, len(stream), PIECE):
        (out / f"weights.{at // PIECE}.bin").write_bytes(stream[at : at + PIECE])
    (work / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    about = {"history": list(history), "steps": training.step, "windows": training.samples, "tokens": training.tokens, "size": len(stream)}
    (work / "training.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    (work / "recipe.toml").write_text(format_recipe(replace(task.recipe, model="granite-30m")), encoding="utf-8")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(task.tokenizer_folder / name, work / name)
    with tarfile.open(out / "checkpoint.tar.gz", "w:gz") as archive:
        for file in sorted(work.iterdir()):
            if file.name != "weights":
                archive.add(file, arcname=file.name)
    shutil.rmtree(work)


def restore(source: Path, target: Path) -> Path:
    """The checkpoint that :func:`save` wrote, as a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(source / "checkpoint.tar.gz") as archive:
        archive.extractall(target, filter="data")
    pieces = sorted(source.glob("weights.*.bin"), key=lambda file: int(file.name.split(".")[1]))
    stream = b"".join(file.read_bytes() for file in pieces)
    size = json.loads((target / "training.json").read_text())["size"]
    if len(stream) != size:
        raise SystemExit(f"{source}: {len(stream):,} bytes of weights, but {size:,} were written; fetch the pieces again")
    (target / "model.safetensors").write_bytes(stream)
    return target

"""A model on its way between machines: its weights in half precision, in pieces small enough to come back, and all else in one archive."""

import json
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from incognote.find.model.tensors import Tensors, write_tensors
from incognote.lab.training.recipe import format_recipe
from incognote.lab.training.state import Training, best_weights_so_far
from incognote.lab.training.tasks.tagging import Tagging

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


def average(folders: Sequence[Path], out: Path) -> Path:
    """The mean of models that grew from one, weight by weight: often better on strange text than any of them (Wortsman et al. 2022)."""
    shutil.copytree(folders[0], out, ignore=shutil.ignore_patterns("*.safetensors"), dirs_exist_ok=True)
    members = [Tensors(folder) for folder in folders]
    mean = {name: np.mean([np.asarray(member[name], dtype=np.float32) for member in members], axis=0) for name in members[0]}
    write_tensors(out / "model.safetensors", mean, metadata={"format": "pt"})
    about = [json.loads((folder / "training.json").read_text()) for folder in folders if (folder / "training.json").exists()]
    totals = {name: sum(each[name] for each in about) for name in ("steps", "windows", "tokens")}
    (out / "training.json").write_text(json.dumps(totals, indent=1), encoding="utf-8")
    return out


def restore(source: Path, target: Path) -> Path:
    """The checkpoint that :func:`save` wrote, as a folder; a copy of what is one already."""
    if not (source / "checkpoint.tar.gz").exists():
        return Path(shutil.copytree(source, target))
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

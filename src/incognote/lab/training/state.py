"""The state of a training in progress: weights, optimizer, averages, random numbers and place; saved whole or not at all."""

import copy
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from incognote.corpora.files import draft
from incognote.errors import TrainingError
from incognote.lab.training.batches import steps_per_epoch
from incognote.lab.training.machine import compile_layers, compile_pays, pick_device, pick_precision, recompute_layers, set_dropout
from incognote.lab.training.parameters import group_parameters
from incognote.lab.training.ranks import Ranks
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.task import Task

Snapshot = dict[str, Any]


@dataclass(slots=True)
class Training:
    """All that changes while training. ``masters`` are the fp32 weights the optimizer moves; ``live`` are those the model computes with."""

    task: Task
    recipe: Recipe
    ranks: Ranks
    device: torch.device
    precision: str
    network: nn.Module
    names: list[str]
    live: list[nn.Parameter]
    masters: list[Tensor]
    optimizer: torch.optim.Optimizer
    averages: list[Tensor]
    epoch_steps: int
    samples_at_once: int
    step: int = 0
    seconds: float = 0.0
    samples: int = 0
    tokens: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)

    @property
    def epoch(self) -> int:
        """Whole epochs done."""
        return self.step // self.epoch_steps


def begin(task: Task, recipe: Recipe, ranks: Ranks) -> Training:
    """A training at its first step. The seed is set here, so the same recipe draws the same random numbers."""
    device = pick_device(ranks)
    torch.manual_seed(recipe.seed)
    precision = pick_precision(recipe, device)
    model = task.model
    set_dropout(model, recipe.dropout)
    groups = group_parameters(model, recipe)
    if not groups:
        raise TrainingError("the recipe freezes every weight; nothing would be learned")
    model.to(device)
    if recipe.gradient_checkpointing:
        recompute_layers(model)
    live = [parameter for group in groups for parameter in group["params"]]
    names = [name for group in groups for name in group.pop("names")]
    masters: list[Tensor] = list(live)
    if precision == "bf16-weights":
        masters = [parameter.detach().float().clone() for parameter in live]
        model.to(torch.bfloat16)
        at = 0
        for group in groups:
            count = len(group["params"])
            group["params"], at = masters[at : at + count], at + count
    optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=device.type == "cuda")
    if compile_pays(recipe, model, sum(task.lengths), device):
        compile_layers(model)
    network: nn.Module = model
    if ranks.world > 1:
        network = nn.parallel.DistributedDataParallel(model, device_ids=[device.index] if device.type == "cuda" else None)
    averages = [master.detach().clone() for master in masters] if recipe.ema else []
    steps = steps_per_epoch(len(task.lengths), recipe.batch)
    return Training(
        task, recipe, ranks, device, precision, network, names, live, masters, optimizer, averages, steps, -(-recipe.batch // ranks.world)
    )


def publish_masters(training: Training, weights: list[Tensor] | None = None) -> None:
    """Put the master weights (or others) where the model computes with them."""
    source = training.masters if weights is None else weights
    if source is not training.live and source[0] is not training.live[0]:
        with torch.no_grad():
            torch._foreach_copy_([p.data for p in training.live], list(source))


@contextmanager
def best_weights_so_far(training: Training) -> Iterator[nn.Module]:
    """The model in evaluation mode, with the averaged weights where the recipe averages; as before when done."""
    model = training.task.model
    model.eval()
    kept = [p.detach().clone() for p in training.live] if training.averages else []
    if training.averages:
        publish_masters(training, training.averages)
    try:
        with torch.inference_mode():
            yield model
    finally:
        if kept:
            publish_masters(training, kept)
        model.train()


def weights_now(training: Training) -> list[Tensor]:
    """A copy of what would be saved as the result now, on the CPU."""
    return [weight.detach().to("cpu", copy=True) for weight in (training.averages or training.masters)]


def take_snapshot(training: Training) -> Snapshot:
    """Everything that :func:`restore` needs to continue exactly from there."""
    return {
        "masters": [weight.detach().clone() for weight in training.masters],
        "averages": [weight.clone() for weight in training.averages],
        "optimizer": copy.deepcopy(training.optimizer.state_dict()),
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state(training.device) if training.device.type == "cuda" else None,
        "place": {name: copy.deepcopy(getattr(training, name)) for name in _PLACE},
    }


_PLACE = ("step", "seconds", "samples", "tokens", "history", "notes", "losses", "samples_at_once")


def restore(training: Training, snapshot: Snapshot) -> None:
    """Go back to where the snapshot was taken."""
    if training.precision == "bf16-weights":
        training.task.model.to(torch.bfloat16)
    with torch.no_grad():
        for own, saved in zip(training.masters, snapshot["masters"], strict=True):
            own.copy_(saved)
        for own, saved in zip(training.averages, snapshot["averages"], strict=True):
            own.copy_(saved)
    publish_masters(training)
    training.optimizer.load_state_dict(copy.deepcopy(snapshot["optimizer"]))
    torch.set_rng_state(snapshot["random"].cpu())
    if snapshot["random_cuda"] is not None and training.device.type == "cuda":
        torch.cuda.set_rng_state(snapshot["random_cuda"].cpu(), training.device)
    for name, value in snapshot["place"].items():
        setattr(training, name, copy.deepcopy(value))


def save_atomically(value: Mapping[str, Any], path: Path) -> None:
    """Write with ``torch.save`` so that a kill at any moment leaves the old file or the new one, never half of one."""
    with draft(path) as stream:
        torch.save(dict(value), stream)
        stream.flush()
        os.fsync(stream.fileno())


def load_state(path: Path) -> dict[str, Any]:
    """What :func:`save_atomically` wrote; tensors and plain values only, never code."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # noqa: BLE001 - a damaged file fails in many ways, and each means the same to the user
        raise TrainingError(
            f"the saved state cannot be read ({type(error).__name__})", where=path, fix="start again: set {overwrite}, not {resume}"
        ) from None
    return state

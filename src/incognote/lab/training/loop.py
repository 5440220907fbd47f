"""The one training loop: the same on a CPU, on one GPU and on several, for every task.

Every epoch is saved whole, so a killed training resumes to the same weights. The best epoch by validation F1 is what stays.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from incognote.errors import TrainingError
from incognote.lab.training.batches import plan_epoch
from incognote.lab.training.features import fill_features, remembering
from incognote.lab.training.machine import peak_memory
from incognote.lab.training.ranks import join_ranks, share
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.schedule import rate_factor
from incognote.lab.training.state import Training, begin, best_weights_so_far, publish_masters, weights_now
from incognote.lab.training.step import take_step
from incognote.lab.training.store import Store
from incognote.lab.training.task import Task

# The loss stays on the GPU between checks, because reading it makes the CPU wait for the GPU.
CHECK_EVERY = 16


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a training, for its display; ``note`` is a line to print."""

    step: int
    total: int
    loss: float
    f1: float
    samples_per_second: float
    note: str = ""


Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a training took. ``samples`` counts every training sample seen, the measure of compute that needs no clock.

    Where a prefix is shared, these are what the run added to it; ``seconds_alone`` and ``samples_alone`` are from its start.
    """

    seconds: float = 0.0
    gpu_seconds: float = 0.0
    steps: int = 0
    samples: int = 0
    tokens: int = 0
    peak_memory: int = 0
    device: str = ""
    seconds_alone: float = 0.0
    samples_alone: int = 0

    @property
    def samples_per_second(self) -> float:
        return self.samples / self.seconds if self.seconds else 0.0

    @property
    def steps_per_second(self) -> float:
        return self.steps / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a training: the best epoch, its scores, how it got there, and what it cost; ``stopped`` says why it broke off."""

    epoch: float
    scores: dict[str, float]
    history: list[dict[str, Any]] = field(repr=False)
    cost: Cost
    notes: tuple[str, ...] = ()
    stopped: str = ""


def train(
    task: Task, recipe: Recipe, *, folder: Path | None = None, resume: bool = False, mark: str = "", watch: Watch | None = None
) -> Outcome:
    """Train to the recipe's last epoch; the task's model ends with the weights of the best one.

    With a folder, each epoch is saved there and ``resume`` continues from the last; ``mark`` names recipe and data, so that
    a folder of another training is not taken for this one's.
    """
    with join_ranks() as ranks, remembering(task, recipe):
        training = begin(task, recipe, ranks)
        fill_features(task, training.device)
        store = Store(folder, mark) if folder and ranks.leads else None
        if folder and resume:
            Store(folder, mark).load(training)
        total = recipe.epochs * training.epoch_steps
        try:
            while training.epoch < recipe.epochs and not _is_stale(training):
                advance(training, until=(training.epoch + 1) * training.epoch_steps, total=total, watch=watch)
                if training.epoch % recipe.validate_every == 0 or training.epoch == recipe.epochs:
                    validate(training)
                if store and recipe.save_every and training.epoch % recipe.save_every == 0:
                    store.save(training)
        except TrainingError as error:
            if not training.best:
                raise TrainingError(f"{error}; no epoch was finished before, so nothing is kept") from None
            return replace(finish(training), stopped=f"{error}; epoch {training.best['epoch']:g}, the best of those finished, is kept")
        return finish(training)


def advance(training: Training, *, until: int, total: int, schedule: str | None = None, watch: Watch | None = None) -> None:
    """Take steps up to step ``until`` of a run that is ``total`` long, wherever in an epoch that begins and ends."""
    recipe, task = training.recipe, training.task
    warmup = round(recipe.warmup * training.epoch_steps)
    training.task.model.train()
    pending: list[torch.Tensor] = []
    started, before = time.perf_counter(), training.samples
    notes = len(training.notes)
    while training.step < until:
        plan = plan_epoch(task.lengths, batch=recipe.batch, seed=recipe.seed, epoch=training.epoch)
        for indices in plan[training.step % training.epoch_steps :]:
            factor = rate_factor(training.step, total=total, warmup=warmup, schedule=schedule or recipe.schedule, decay=recipe.decay)
            pending.append(take_step(training, indices, factor))
            if len(pending) == CHECK_EVERY or training.step == until or training.step % training.epoch_steps == 0:
                loss = _check_losses(training, pending, plan)
                pending = []
                _tell(training, watch, loss, total, (training.samples - before) / (time.perf_counter() - started), notes)
                notes = len(training.notes)
            if training.step == until:
                break
    if training.device.type == "cuda":
        torch.cuda.synchronize(training.device)
    training.seconds += time.perf_counter() - started


def validate(training: Training) -> dict[str, float]:
    """Score the weights as they are now on the validation documents, note it, and keep them when they are the best yet."""
    epoch = training.step / training.epoch_steps
    if not all(weight.isfinite().all() for weight in training.masters):  # the loss of the last step was that before it
        raise TrainingError(f"the weights are no numbers any more after epoch {epoch:g}; lower learning_rate or raise warmup")
    scores: dict[str, float] = {}
    if training.ranks.leads:
        with best_weights_so_far(training) as model:
            scores = dict(training.task.validate(model))
    f1 = share(scores.get("f1", 0.0), training.ranks, training.device)
    training.history.append({"epoch": epoch, "step": training.step, **scores, "f1": f1, "loss": _last_loss(training)})
    if not training.best or f1 > training.best["f1"]:
        training.best = {"epoch": epoch, "f1": f1, "scores": scores, "weights": weights_now(training) if training.ranks.leads else []}
    return scores


def finish(training: Training) -> Outcome:
    """Put the best weights into the model and say what happened."""
    if not training.best:
        validate(training)
    if training.ranks.leads:
        publish_masters(training, [w.to(training.device) for w in training.best["weights"]])
    training.task.model.float().eval()
    # The wrapper that exchanges gradients must go before the process group does: it would otherwise end the group's threads while
    # holding the lock of the interpreter that they wait for, and hang.
    training.network = training.task.model
    return Outcome(training.best["epoch"], dict(training.best["scores"]), training.history, measure_cost(training), tuple(training.notes))


def measure_cost(training: Training) -> Cost:
    """The cost so far; validation and saving are not training and are not counted."""
    cuda = training.device.type == "cuda"
    return Cost(
        seconds=training.seconds,
        gpu_seconds=training.seconds * training.ranks.world if cuda else 0.0,
        steps=training.step,
        samples=training.samples,
        tokens=training.tokens,
        peak_memory=peak_memory(training.device),
        device=torch.cuda.get_device_name(training.device) if cuda else "cpu",
        seconds_alone=training.seconds,
        samples_alone=training.samples,
    )


def cost_table(cost: Cost) -> dict[str, Any]:
    """The cost with its rates, for JSON."""
    return {**asdict(cost), "samples_per_second": cost.samples_per_second, "steps_per_second": cost.steps_per_second}


def _check_losses(training: Training, pending: list[torch.Tensor], plan: list[list[int]]) -> float:
    losses = torch.stack(pending).tolist()
    for back, loss in zip(range(len(losses), 0, -1), losses, strict=True):
        if not math.isfinite(loss):
            step = training.step - back
            epoch, batch = step // training.epoch_steps + 1, step % training.epoch_steps + 1
            ids = ", ".join(training.task.name_samples(plan[batch - 1])[:8])
            raise TrainingError(
                f"the loss is not a number at epoch {epoch}, batch {batch} of {training.epoch_steps} (documents {ids}); "
                "lower learning_rate or raise warmup"
            )
    mean = float(sum(losses) / len(losses))
    training.losses.append(mean)
    return mean


def _last_loss(training: Training) -> float:
    losses, training.losses = training.losses, []
    return sum(losses) / len(losses) if losses else float("nan")


def _tell(training: Training, watch: Watch | None, loss: float, total: int, rate: float, notes: int) -> None:
    if watch and training.ranks.leads:
        f1 = training.history[-1]["f1"] if training.history else 0.0
        for note in training.notes[notes:] or [""]:
            watch(Progress(training.step, total, loss, f1, rate, note))


def _is_stale(training: Training) -> bool:
    patience = training.recipe.early_stopping
    if not patience or not training.best:
        return False
    since = [row for row in training.history if row["epoch"] > training.best["epoch"]]
    return len(since) >= patience

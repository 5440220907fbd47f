"""One step of the optimizer: forward and backward over parts of a batch that fit in memory, then the move."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from incognote.errors import TrainingError
from incognote.lab.training.batches import split_for_memory
from incognote.lab.training.machine import arithmetic
from incognote.lab.training.state import Training, publish_masters
from incognote.lab.training.task import Batch


def take_step(training: Training, indices: Sequence[int], factor: float) -> Tensor:
    """Learn from one batch at ``factor`` of the peak rates; returns its mean loss, still on the device.

    Out of GPU memory, the batch is halved and its parts accumulated, which gives the same gradient in more time.
    """
    for group in training.optimizer.param_groups:
        group["lr"] = group["peak"] * factor
    while True:
        try:
            loss = _accumulate(training, indices)
            break
        except torch.OutOfMemoryError:
            _halve(training)
    _move(training)
    training.step += 1
    training.samples += len(indices)
    training.tokens += sum(training.task.lengths[i] for i in indices)
    return loss


def _accumulate(training: Training, indices: Sequence[int]) -> Tensor:
    task, recipe, ranks = training.task, training.recipe, training.ranks
    weight = task.weigh(indices)
    mine = list(indices[ranks.rank :: ranks.world])
    # A last, short batch may leave a process without samples; it still has to take part in the exchange of gradients.
    scale = ranks.world / max(1, weight) if mine else 0.0
    parts = list(split_for_memory(mine or indices[:1], task.lengths, samples=training.samples_at_once, tokens=recipe.memory_tokens))
    total = torch.zeros((), device=training.device)
    for number, part in enumerate(parts):
        batch = {key: value.to(training.device, non_blocking=True) for key, value in task.collate(part).items()}
        last = number == len(parts) - 1
        with _exchange(training, last and not recipe.adversarial):
            loss = _loss(training, batch) * scale
            loss.backward()  # type: ignore[no-untyped-call]
        if recipe.adversarial:
            with _exchange(training, last), _nudged_embeddings(training):
                (_loss(training, batch) * scale).backward()  # type: ignore[no-untyped-call]
        total += loss.detach()
    return total


def _loss(training: Training, batch: Batch) -> Tensor:
    task, recipe = training.task, training.recipe
    with arithmetic(training.precision, training.device):
        if recipe.token_masking:
            batch = task.corrupt(batch, recipe.token_masking)
        if not recipe.r_drop:
            return task.loss(task.forward(training.network, batch), batch, smoothing=recipe.label_smoothing)
        # R-Drop (Liang et al. 2021): two passes with different dropout must agree; one doubled batch is two passes.
        twice = {key: torch.cat([value, value]) for key, value in batch.items()}
        one, other = task.forward(training.network, twice).chunk(2)
        both = task.loss(one, batch, smoothing=recipe.label_smoothing) + task.loss(other, batch, smoothing=recipe.label_smoothing)
        return both / 2 + recipe.r_drop * task.divergence(one, other, batch)


class _nudged_embeddings:
    """The word embeddings moved a little up the gradient for one pass (the fast gradient method, Miyato et al. 2017)."""

    def __init__(self, training: Training) -> None:
        self.weight: Tensor = training.task.model.get_input_embeddings().weight  # type: ignore[operator]
        self.size = training.recipe.adversarial

    def __enter__(self) -> None:
        grad = self.weight.grad
        if grad is None:
            raise TrainingError('adversarial training needs embeddings that learn; set freeze = "none" or adversarial = 0')
        self.kept = self.weight.data.clone()
        self.weight.data.add_(grad * (self.size / (grad.norm() + 1e-12)))

    def __exit__(self, *_: object) -> None:
        self.weight.data.copy_(self.kept)


def _exchange(training: Training, wanted: bool) -> AbstractContextManager[object]:
    network = training.network
    if wanted or not isinstance(network, nn.parallel.DistributedDataParallel):
        return nullcontext()
    return network.no_sync()


def _move(training: Training) -> None:
    masters, live = training.masters, training.live
    separate = masters[0] is not live[0]
    if separate:
        for master, parameter in zip(masters, live, strict=True):
            master.grad = None if parameter.grad is None else parameter.grad.float()
            parameter.grad = None
    if training.recipe.max_grad_norm:
        nn.utils.clip_grad_norm_(masters, training.recipe.max_grad_norm, foreach=training.device.type == "cuda")
    training.optimizer.step()
    training.optimizer.zero_grad(set_to_none=True)
    if separate:
        publish_masters(training)
    if training.averages:
        # A young average would hold the random start for long; this ramp lets it follow the first steps closely.
        keep = min(training.recipe.ema, (1 + training.step) / (10 + training.step))
        with torch.no_grad():
            torch._foreach_lerp_(training.averages, [m.detach() for m in masters], 1 - keep)


def _halve(training: Training) -> None:
    """Make the parts of a batch half as large, and say so; the halves of one sample do not exist."""
    training.optimizer.zero_grad(set_to_none=True)
    for parameter in training.live:
        parameter.grad = None
    if training.ranks.world > 1:
        raise TrainingError("out of GPU memory on one of several processes; set memory_tokens in the recipe to a smaller number")
    if training.samples_at_once == 1:
        raise TrainingError("out of GPU memory with one sample at a time; shorten window or set gradient_checkpointing = true")
    training.samples_at_once = -(-min(training.samples_at_once, training.recipe.batch) // 2)
    if training.device.type == "cuda":
        torch.cuda.empty_cache()
    training.notes.append(
        f"out of GPU memory at step {training.step + 1}: going on with {training.samples_at_once} samples at a time; batches stay as large"
    )

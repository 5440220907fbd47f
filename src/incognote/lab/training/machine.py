"""What the machine offers a training: its device, its number formats, and whether compiling pays."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from incognote.lab.training.ranks import Ranks
from incognote.lab.training.recipe import Recipe

# Compiling one layer costs some seconds; it pays when the training is at least this much arithmetic (about a minute of one fast GPU).
COMPILE_PAYS = 2e16


def pick_device(ranks: Ranks) -> torch.device:
    """This process's GPU, or the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    torch.cuda.set_device(ranks.local)
    # cuDNN plans its attention again for each shape of batch, which takes many times longer than the attention itself.
    torch.backends.cuda.enable_cudnn_sdp(enabled=False)
    return torch.device("cuda", ranks.local)


def pick_precision(recipe: Recipe, device: torch.device) -> str:
    """``auto`` is bf16 arithmetic over fp32 weights on a GPU that has it, and fp32 elsewhere: a CPU may claim bf16 and lack it."""
    if recipe.precision != "auto":
        return recipe.precision
    return "bf16" if device.type == "cuda" and torch.cuda.is_bf16_supported() else "fp32"


def arithmetic(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """The context in which the forward pass runs."""
    return torch.autocast(device.type, torch.bfloat16) if precision == "bf16" else nullcontext()


def compile_pays(recipe: Recipe, model: nn.Module, tokens: int, device: torch.device) -> bool:
    """Whether the recipe asks for compiling, or leaves it to us and there is enough to gain; ``tokens`` is one epoch's."""
    if recipe.compile != "auto":
        return recipe.compile == "yes"
    weights = sum(parameter.numel() for parameter in model.parameters())
    return device.type == "cuda" and 6.0 * weights * tokens * recipe.epochs > COMPILE_PAYS


def list_layers(model: nn.Module) -> Iterator[nn.Module]:
    """The layers an encoder stacks; ALBERT has one, which it runs again and again."""
    inside: set[int] = set()
    for module in model.modules():
        if isinstance(module, nn.ModuleList) and id(module) not in inside:
            inside.update(id(inner) for inner in module.modules())
            yield from module


def compile_layers(model: nn.Module) -> None:
    """Compile each layer on its own: equal layers share one compilation, so 24 of them cost as little as one."""
    for layer in list_layers(model):
        layer.compile()


def recompute_layers(model: nn.Module) -> None:
    """Keep only what goes into each layer and compute the rest again on the way back: less memory, more time, equal gradients.

    Done here and not by transformers, which leaves ALBERT out, the family that needs it most.
    """
    for layer in list_layers(model):
        layer.forward = partial(_forward_again, layer, layer.forward)


def _forward_again(layer: nn.Module, forward: Callable[..., Any], *inputs: Any, **options: Any) -> Any:
    if layer.training and torch.is_grad_enabled():
        return checkpoint(forward, *inputs, use_reentrant=False, **options)
    return forward(*inputs, **options)


def peak_memory(device: torch.device) -> int:
    """The most bytes of GPU memory held since the start; 0 on a CPU, whose memory is not ours alone."""
    return torch.cuda.max_memory_allocated(device) if device.type == "cuda" else 0


def set_dropout(model: nn.Module, share: float) -> None:
    """Give every dropout of the model this share, its attention's too; a negative share leaves them."""
    if share < 0:
        return
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = share
        elif isinstance(getattr(module, "dropout_prob", None), float):
            module.dropout_prob = share  # type: ignore[assignment]

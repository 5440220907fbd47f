"""Fake quantization: a PyTorch model that computes in floats what the int8 runtime computes in whole numbers, with gradients.

Weights are rounded to the codes of their rows, inputs of linears to 256 levels between a low and a high value; softmax, norms and GELU
stay in full precision, as in Q8BERT (Zafrir et al. 2019). As in the runtime, the first and the last token of a window are not rounded:
their activations dwarf those of words. The last products, which are finer there, are rounded here like the others. Rounding has no
gradient, so it is given that of the identity where nothing is cut off.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from incognote.find.model.tensors import SHARES, highest

EXACT_INPUTS = ("classifier", "embedding_hidden_mapping_in")
"""Linears whose inputs the runtime leaves as they are: the head, and what widens ALBERT's embeddings."""

_KEEP = 0.99  # how much of a running range stays at each training step


@dataclass(slots=True)
class Fake:
    """How the inputs of linears are rounded. Without ranges each window has its own; with them they are fixed, or follow in training.

    ``bits`` are those of a weight; inputs always have eight.
    """

    ranges: dict[str, Tensor] | None = None
    bits: int = 8
    words: Tensor | None = field(default=None, repr=False)

    def input(self, name: str, x: Tensor, *, training: bool) -> Tensor:
        """What the int8 product of the linear of that name sees of ``x``."""
        if self.words is None or x.shape[:2] != self.words.shape:
            raise ValueError(f"{name}: the input of shape {tuple(x.shape)} has no words to tell from the first and last token")
        words = self.words[..., None]
        plain = x.float()
        if self.ranges is None:
            low, high = find_extremes(plain.detach(), words)
            scale, zero = (part[:, None, None] for part in scale_of(low, high))
            rounded = round_through(plain, scale, zero, 0, 255)
        else:
            held = self.ranges[name]
            if training:
                extremes = torch.stack(find_extremes(plain.detach(), words)).mean(dim=1)
                held.lerp_(extremes, 1 - _KEEP)
            rounded = round_through(plain, *scale_of(held[0], held[1]), 0, 255)
        return torch.where(words, rounded, plain).to(x.dtype)


def find_extremes(x: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
    """The lowest and the highest value of the words of each window; nought is always between them."""
    seen = torch.where(words, x, 0.0).flatten(1)
    return seen.amin(dim=1), seen.amax(dim=1)


def scale_of(low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
    """The step between 256 levels from low to high, and the level of nought.

    >>> [part.tolist() for part in scale_of(torch.tensor(-1.0), torch.tensor(254.0))]
    [1.0, 1]
    """
    scale = (high - low) / 255
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    return scale, torch.round(-low / scale).clamp(0, 255).to(torch.int32)


def round_through(x: Tensor, scale: Tensor, zero: Tensor, least: int, most: int) -> Tensor:
    """Numbers at the nearest whole step between ``least`` and ``most`` steps, with the gradient of what was not cut off.

    PyTorch's own looks at every zero point from the CPU, which makes a GPU wait for it at each product.
    """
    rounded: Tensor = _Rounding.apply(x, scale, zero, least, most)  # type: ignore[no-untyped-call]
    return rounded


class _Rounding(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Tensor, scale: Tensor, zero: Tensor, least: int, most: int) -> Tensor:
        steps = torch.round(x / scale).add_(zero)
        context.save_for_backward((steps >= least) & (steps <= most))
        return steps.clamp_(least, most).sub_(zero).mul_(scale)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (within,) = context.saved_tensors
        return gradients[0] * within, None, None, None, None


def round_rows(weight: Tensor, *, bits: int = 8) -> Tensor:
    """Each row as so many levels as a packed checkpoint's codes have: what they stand for.

    >>> round_rows(torch.tensor([[127.0, 0.6], [0, 0]])).tolist()
    [[127.0, 1.0], [0.0, 0.0]]
    """
    plain, most = weight.float(), highest(bits)
    scales = scale_rows(plain.detach(), bits)
    return round_through(plain, scales, torch.zeros_like(scales), -most, most).to(weight.dtype)


def scale_rows(rows: Tensor, bits: int) -> Tensor:
    """The step of each row, as :func:`incognote.find.model.tensors.quantize` chooses it."""
    most = highest(bits)
    widest = rows.abs().amax(dim=1, keepdim=True) / most
    widest = torch.where(widest > 0, widest, torch.ones_like(widest))
    if bits != 4:
        return widest
    steps = [widest * share for share in SHARES]
    errors = [(torch.round(rows / step).clamp_(-most, most).mul_(step) - rows).square_().sum(dim=1, keepdim=True) for step in steps]
    return torch.cat(steps, dim=1).gather(1, torch.cat(errors, dim=1).argmin(dim=1, keepdim=True))


def fake_model(model: nn.Module, fake: Fake, *, kept: Sequence[str]) -> Callable[[], None]:
    """Let the model's linears and embeddings round, but those with a part of ``kept`` in their names; what comes back undoes it.

    Only ``forward`` of these modules is put in front of their own, so that names and weights are those of the plain model.
    """
    hook = model.register_forward_pre_hook(note_words(fake), with_kwargs=True)
    changed = []
    for name, module in model.named_modules():
        if type(module) not in (nn.Linear, nn.Embedding) or any(part in name for part in kept):
            continue
        module.forward = _linear(module, name, fake) if isinstance(module, nn.Linear) else _embedding(module, fake)
        changed.append(module)

    def undo() -> None:
        hook.remove()
        for module in changed:
            del module.forward

    return undo


def note_words(fake: Fake) -> Any:
    """A hook for a model, by which the fake knows the words of the windows that go in."""

    def note(model: nn.Module, inputs: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        fake.words = find_words(named["input_ids"], named.get("attention_mask"))

    return note


def find_words(ids: Tensor, mask: Tensor | None) -> Tensor:
    """Which tokens of windows are neither the first nor the last nor padding, which comes at the end.

    >>> find_words(torch.zeros(2, 4), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])).tolist()
    [[False, True, True, False], [False, True, False, False]]
    """
    places = torch.arange(ids.shape[1], device=ids.device)
    lengths = ids.shape[1] if mask is None else mask.sum(dim=1, keepdim=True)
    return ((places > 0) & (places < lengths - 1)).expand(ids.shape)


def is_rounded(name: str, module: nn.Module) -> bool:
    """Whether this is a linear whose input int8 rounds."""
    return type(module) is nn.Linear and not any(part in name for part in EXACT_INPUTS)


def _linear(module: nn.Linear, name: str, fake: Fake) -> Any:
    exact = not is_rounded(name, module)

    def forward(x: Tensor) -> Tensor:
        seen = x if exact else fake.input(name, x, training=module.training)
        return functional.linear(seen, round_rows(module.weight, bits=fake.bits), module.bias)

    return forward


def _embedding(module: nn.Embedding, fake: Fake) -> Any:
    def forward(ids: Tensor) -> Tensor:
        # Rows are rounded one by one, so those that are looked up are enough.
        rows = functional.embedding(ids, module.weight, module.padding_idx)
        return round_rows(rows.flatten(0, -2), bits=fake.bits).view(rows.shape)

    return forward

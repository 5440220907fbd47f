"""Fake quantization: a PyTorch model that computes in floats what the int8 runtime computes in whole numbers, with gradients.

Weights are rounded to the codes of their rows, inputs of linears to 256 levels between a low and a high value; softmax, norms and GELU
stay in full precision, as in Q8BERT (Zafrir et al. 2019). As in the runtime, the first and the last token of a window are not rounded:
their activations dwarf those of words. Rounding has no gradient, so it is given that of the identity where nothing is cut off.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

EXACT_INPUTS = ("classifier", "embedding_hidden_mapping_in")
"""Linears whose inputs the runtime leaves as they are: the head, and what widens ALBERT's embeddings."""

_KEEP = 0.99  # how much of a running range stays at each training step


@dataclass(slots=True)
class Fake:
    """How the inputs of linears are rounded. Without ranges each window has its own; with them they are fixed, or follow in training."""

    ranges: dict[str, Tensor] | None = None
    words: Tensor | None = field(default=None, repr=False)

    def input(self, name: str, x: Tensor, *, training: bool) -> Tensor:
        """What the int8 product of the linear of that name sees of ``x``."""
        if self.words is None or x.shape[:2] != self.words.shape:
            raise ValueError(f"{name}: the input of shape {tuple(x.shape)} has no words to tell from the first and last token")
        words = self.words[..., None]
        plain = x.float()
        if self.ranges is None:
            low, high = find_extremes(plain.detach(), words)
            scale, zero = scale_of(low, high)
            rounded = torch.fake_quantize_per_channel_affine(plain, scale, zero, 0, 0, 255)
        else:
            held = self.ranges[name]
            if training:
                extremes = torch.stack(find_extremes(plain.detach(), words)).mean(dim=1)
                held.lerp_(extremes, 1 - _KEEP)
            scale, zero = scale_of(held[0], held[1])
            rounded = torch.fake_quantize_per_tensor_affine(plain, scale, zero, 0, 255)
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


def round_rows(weight: Tensor) -> Tensor:
    """Each row as 255 levels, the largest number at 127 steps: what the codes of a packed checkpoint stand for.

    >>> round_rows(torch.tensor([[127.0, 0.6], [0, 0]])).tolist()
    [[127.0, 1.0], [0.0, 0.0]]
    """
    plain = weight.float()
    scales = plain.detach().abs().amax(dim=1) / 127
    scales = torch.where(scales > 0, scales, torch.ones_like(scales))
    zeros = torch.zeros_like(scales, dtype=torch.int32)
    return torch.fake_quantize_per_channel_affine(plain, scales, zeros, 0, -127, 127).to(weight.dtype)


def fake_model(model: nn.Module, fake: Fake, *, kept: Sequence[str]) -> Callable[[], None]:
    """Let the model's linears and embeddings round, but those with a part of ``kept`` in their names; what comes back undoes it.

    Only ``forward`` of these modules is put in front of their own, so that names and weights are those of the plain model.
    """
    hook = model.register_forward_pre_hook(note_words(fake), with_kwargs=True)
    changed = []
    for name, module in model.named_modules():
        if type(module) not in (nn.Linear, nn.Embedding) or any(part in name for part in kept):
            continue
        module.forward = _linear(module, name, fake) if isinstance(module, nn.Linear) else _embedding(module)
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
        return functional.linear(seen, round_rows(module.weight), module.bias)

    return forward


def _embedding(module: nn.Embedding) -> Any:
    def forward(ids: Tensor) -> Tensor:
        # Rows are rounded one by one, so those that are looked up are enough.
        rows = functional.embedding(ids, module.weight, module.padding_idx)
        return round_rows(rows.flatten(0, -2)).view(rows.shape)

    return forward

"""The PyTorch runtime: full precision on a processor, bfloat16 on a GPU, with the next batch under way while one is read."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.device import open_device, watch_memory
from incognote.find.model.runtimes import Batch
from incognote.find.model.runtimes.packed import PackedRuntime, load_packed_runtime
from incognote.find.model.runtimes.stack import fits, read_stack
from incognote.find.model.weights import load_model

if TYPE_CHECKING:
    import torch

_AHEAD = 2
_BUDGETS = {"cpu": 4096, "cuda": 65536}


@dataclass(frozen=True, slots=True)
class TorchRuntime:
    """A model on a device."""

    model: Any = field(repr=False)
    device: "torch.device"

    @property
    def budget(self) -> int:
        return _BUDGETS.get(self.device.type, _BUDGETS["cpu"])

    def run(self, batches: Iterable[Batch]) -> Iterator[NDArray[np.float32]]:
        waiting: deque[tuple[torch.Tensor, torch.cuda.Event | None]] = deque()
        for ids, mask in batches:
            with watch_memory(self.device):
                waiting.append(self._fetch(self._forward(ids, mask)))
            if len(waiting) > _AHEAD:
                yield _wait(*waiting.popleft())
        while waiting:
            yield _wait(*waiting.popleft())

    def _forward(self, ids: NDArray[Any], mask: NDArray[Any]) -> "torch.Tensor":
        import torch

        try:
            with torch.inference_mode():
                # Without padding no mask is needed, and attention is faster for it.
                hidden = None if mask.all() else self._move(mask)
                logits: torch.Tensor = self.model(input_ids=self._move(ids), attention_mask=hidden).logits
                return logits
        except torch.OutOfMemoryError:
            if len(ids) == 1:
                raise
        torch.cuda.empty_cache()
        half = len(ids) // 2
        return torch.cat([self._forward(ids[:half], mask[:half]), self._forward(ids[half:], mask[half:])])

    def _move(self, values: NDArray[Any]) -> "torch.Tensor":
        import torch

        tensor = torch.from_numpy(values)
        return tensor.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else tensor.to(self.device)

    def _fetch(self, logits: "torch.Tensor") -> "tuple[torch.Tensor, torch.cuda.Event | None]":
        import torch

        if self.device.type != "cuda":
            return logits.float().cpu(), None
        held = torch.empty(logits.shape, dtype=torch.float32, pin_memory=True)
        held.copy_(logits.float(), non_blocking=True)
        done = torch.cuda.Event()  # type: ignore[no-untyped-call]
        done.record()
        return held, done


def _wait(logits: "torch.Tensor", done: "torch.cuda.Event | None") -> NDArray[np.float32]:
    if done is not None:
        done.synchronize()
    found: NDArray[np.float32] = logits.numpy()
    return found


def load_torch_runtime(checkpoint: Checkpoint, *, device: str = "auto") -> "TorchRuntime | PackedRuntime":
    """The checkpoint on a device: ``cpu``, ``cuda``, ``cuda:1``, or ``auto`` for a GPU where there is one.

    On a GPU, encoders of the BERT kind run packed.
    """
    import torch

    place = open_device(device)
    with watch_memory(place):
        if place.type == "cuda" and fits(checkpoint.config) and not checkpoint.unsafe:
            return load_packed_runtime(checkpoint, read_stack(checkpoint.config, checkpoint.weights), place)
        model = load_model(checkpoint).to(place)
        return TorchRuntime(model.to(torch.bfloat16) if place.type == "cuda" else model, place)

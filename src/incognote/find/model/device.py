"""The device that PyTorch runs on, and the error when its memory is full."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from incognote.errors import CheckpointError

if TYPE_CHECKING:
    import torch


def open_device(name: str) -> "torch.device":
    """``cpu``, ``cuda``, ``cuda:1``, or ``auto`` for a GPU where there is one; an error for one that does not work here."""
    import torch

    chosen = ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name
    try:
        device = torch.device(chosen)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise CheckpointError(f"device {chosen} cannot be used ({type(error).__name__})", fix=_FIX) from None
    return device


@contextmanager
def watch_memory(device: "torch.device") -> Iterator[None]:
    """An error with a fix when the device has no memory left."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError:
        raise CheckpointError(f"the memory of {device} is full", fix=f"free some of it, or {_FIX}") from None


_FIX = "use the processor: {runtime} onnx, or {device} cpu where a command has it"

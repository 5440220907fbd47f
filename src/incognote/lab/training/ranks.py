"""The processes of a training on several GPUs, as torchrun starts them; one process needs nothing of this."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True, slots=True)
class Ranks:
    """This process among its peers."""

    rank: int = 0
    world: int = 1
    local: int = 0

    @property
    def leads(self) -> bool:
        """Whether this process validates, saves and speaks."""
        return self.rank == 0


@contextmanager
def join_ranks() -> Iterator[Ranks]:
    """The process group that torchrun's variables describe, for as long as the training lasts."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Ranks()
        return
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield Ranks(dist.get_rank(), world, int(os.environ.get("LOCAL_RANK", "0")))
    finally:
        dist.destroy_process_group()


def leads() -> bool:
    """Whether this process is the one that validates, saves and speaks."""
    return os.environ.get("RANK", "0") == "0"


def share(value: float, ranks: Ranks, device: torch.device) -> float:
    """The leader's number, on every process."""
    if ranks.world == 1:
        return value
    box = torch.tensor([value], dtype=torch.float64, device=device)
    dist.broadcast(box, src=0)
    return float(box.item())

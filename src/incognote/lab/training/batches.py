"""Which samples make up each step: batches of similar length, in an order that only the seed and the epoch decide."""

from collections.abc import Iterator, Sequence

import numpy as np

# Samples are sorted by length inside pools of this many batches: little padding is left, and pools keep the order random.
POOL = 32


def plan_epoch(lengths: Sequence[int], *, batch: int, seed: int, epoch: int) -> list[list[int]]:
    """The batches of an epoch; each sample is in exactly one of them.

    >>> [len(b) for b in plan_epoch([5, 9, 5, 9, 7], batch=2, seed=0, epoch=0)]
    [2, 2, 1]
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    size = np.asarray(lengths)
    batches: list[list[int]] = []
    for start in range(0, len(order), batch * POOL):
        pool = order[start : start + batch * POOL]
        pool = pool[np.argsort(size[pool], kind="stable")]
        batches.extend(pool[at : at + batch].tolist() for at in range(0, len(pool), batch))
    # A short batch stays last, so that a shorter epoch never begins with an odd step.
    short = [b for b in batches if len(b) < batch]
    full = [b for b in batches if len(b) == batch]
    return [full[index] for index in random.permutation(len(full))] + short


def steps_per_epoch(samples: int, batch: int) -> int:
    """How many batches :func:`plan_epoch` makes."""
    return -(-samples // batch)


def split_for_memory(batch: Sequence[int], lengths: Sequence[int], *, samples: int, tokens: int = 0) -> Iterator[list[int]]:
    """The batch in parts that fit in memory: at most ``samples`` each and, padded, at most ``tokens`` (0: no bound).

    >>> list(split_for_memory([0, 1, 2], [10, 500, 10], samples=8, tokens=600))
    [[0, 2], [1]]
    """
    part: list[int] = []
    for index in sorted(batch, key=lambda i: lengths[i]):
        full = len(part) >= samples or (tokens and part and lengths[index] * (len(part) + 1) > tokens)
        if full:
            yield part
            part = []
        part.append(index)
    if part:
        yield part

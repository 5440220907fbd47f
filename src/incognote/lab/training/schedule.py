"""Learning-rate schedules as pure functions of the step, so that a resumed or branched run meets the same rates."""

import math

# The schedule under which runs of different length are the same until each begins to decay.
SHARED = "warmup-stable-decay"


def rate_factor(step: int, *, total: int, warmup: int, schedule: str, decay: float = 0.1) -> float:
    """The share of the peak learning rate that step ``step`` (from 0) of ``total`` uses.

    >>> [round(rate_factor(s, total=4, warmup=0, schedule="linear"), 2) for s in range(4)]
    [1.0, 0.75, 0.5, 0.25]
    >>> [round(rate_factor(s, total=10, warmup=2, schedule="warmup-stable-decay", decay=0.2), 2) for s in range(10)]
    [0.33, 0.67, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.67, 0.33]
    """
    if step < warmup:
        return (step + 1) / (warmup + 1)
    if schedule == "constant":
        return 1.0
    if schedule == SHARED:
        begin = decay_start(total, decay)
        return 1.0 if step < begin else (total - step) / (total - begin + 1)
    done = (step - warmup) / max(1, total - warmup)
    return 1.0 - done if schedule == "linear" else 0.5 * (1.0 + math.cos(math.pi * done))


def decay_start(total: int, decay: float) -> int:
    """The first step of the decay at the end of a warmup-stable-decay run; until then runs of any length are the same.

    >>> decay_start(50, 0.1)
    45
    """
    return total - round(total * decay)

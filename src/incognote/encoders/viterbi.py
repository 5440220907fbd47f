"""The likeliest path of tags under a grammar, exact and fast.

Where the likeliest tag of each piece already obeys the grammar there is nothing to search. So the note is cut into parts, each
beginning with a word whose likeliest tag needs nothing before it, and only parts with a fault are searched, without regard to their
neighbours. Parts that are each the best there can be cannot be beaten together; when two of them do not fit, they are searched as one.
"""

import numpy as np
from numpy.typing import NDArray

from incognote.encoders.grammar import Grammar

Logs = NDArray[np.floating]
Path = NDArray[np.intp]
Flags = NDArray[np.bool_]


def best_path(logs: Logs, grammar: Grammar, inside: Flags) -> Path:
    """The allowed tags with the highest sum of logs ``(pieces, tags)``; ``inside`` marks pieces in the middle of a word."""
    path: Path = logs.argmax(axis=1)
    size = len(path)
    good = _allowed(path, grammar, inside)
    faults = np.concatenate(([not grammar.opens[path[0]]], ~good, [not grammar.closes[path[-1]]]))
    if not faults.any():
        return path
    cuts = np.flatnonzero(np.concatenate(([True], ~inside[1:] & grammar.opens[path[1:]] & good, [True])))
    searched: list[tuple[int, int]] = []  # ranges of cuts
    for fault in np.flatnonzero(faults):
        high = int(np.searchsorted(cuts, min(int(fault), size - 1), side="right"))
        if not searched or searched[-1][1] < high:
            _search(path, logs, grammar, inside, cuts, searched, high)
    return path


def _search(
    path: Path, logs: Logs, grammar: Grammar, inside: Flags, cuts: NDArray[np.intp], searched: list[tuple[int, int]], high: int
) -> None:
    """Search the part that ends at cut number ``high``, taking in its neighbours until it fits between them."""
    low, step = high - 1, 1
    while True:
        while searched and searched[-1][1] > low:
            low = min(low, searched.pop()[0])
        first, last = int(cuts[low]), int(cuts[high])
        edges = (grammar.opens if low == 0 else None, grammar.closes if last == len(path) else None)
        path[first:last] = viterbi(logs[first:last], grammar, inside[first:last], *edges)
        if low and not grammar.free[path[first - 1], path[first]]:
            low = max(0, low - step)
        elif last < len(path) and not grammar.free[path[last - 1], path[last]]:
            high = min(len(cuts) - 1, high + step)
        else:
            break
        step *= 2  # so that a note of any length is searched a few times at most
    searched.append((low, high))


def _allowed(path: Path, grammar: Grammar, inside: Flags) -> Flags:
    before, after = path[:-1], path[1:]
    return np.where(inside[1:], grammar.within[before, after], grammar.free[before, after])


def viterbi(logs: Logs, grammar: Grammar, inside: Flags, opens: Flags | None, closes: Flags | None) -> Path:
    """The best path by full search; ``opens`` and ``closes`` bind its ends where they are given."""
    free, within = (np.where(table, 0.0, -np.inf) for table in (grammar.free, grammar.within))
    size, width = logs.shape
    back = np.zeros((size, width), dtype=np.intp)
    columns = np.arange(width)
    best = logs[0].astype(np.float64)
    if opens is not None:
        best[~opens] = -np.inf
    for at in range(1, size):
        steps = best[:, None] + (within if inside[at] else free)
        back[at] = steps.argmax(axis=0)
        best = steps[back[at], columns] + logs[at]
    if closes is not None:
        best[~closes] = -np.inf
    path = np.zeros(size, dtype=np.intp)
    path[-1] = best.argmax()
    for at in range(size - 1, 0, -1):
        path[at - 1] = back[at, path[at]]
    return path

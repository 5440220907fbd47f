"""The likeliest path of tags under a grammar, exact and fast.

Where the likeliest tag of each piece already obeys the grammar there is nothing to search. So the note is cut into parts, each
beginning with a word whose likeliest tag needs nothing before it, and only parts with a fault are searched, without regard to their
neighbours. Parts that are each the best there can be cannot be beaten together; when two of them do not fit, they are searched as one.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.grammar import NEW_WORD, Grammar

Logs = NDArray[np.floating]
Path = NDArray[np.intp]
Flags = NDArray[np.bool_]
Links = NDArray[np.int8]


def best_path(scores: Logs, grammar: Grammar, links: Links, *, logs: Callable[[Logs], Logs] = np.asarray) -> Path:
    """The allowed tags with the highest sum of the logs of scores ``(pieces, tags)``.

    ``links`` says how each piece continues the one before it.

    ``logs`` takes the logs of what is searched, where the scores are not logs already.
    """
    path: Path = scores.argmax(axis=1)
    size = len(path)
    good = grammar.steps[links[1:], path[:-1], path[1:]]
    faults = np.concatenate(([not grammar.opens[path[0]]], ~good, [not grammar.closes[path[-1]]]))
    if not faults.any():
        return path
    cuts = np.flatnonzero(np.concatenate(([True], (links[1:] == NEW_WORD) & grammar.opens[path[1:]] & good, [True])))
    searched: list[tuple[int, int]] = []  # ranges of cuts
    for fault in np.flatnonzero(faults):
        high = int(np.searchsorted(cuts, min(int(fault), size - 1), side="right"))
        if not searched or searched[-1][1] < high:
            _search(path, scores, grammar, links, cuts, searched, high, logs)
    return path


def _search(
    path: Path,
    scores: Logs,
    grammar: Grammar,
    links: Links,
    cuts: NDArray[np.intp],
    searched: list[tuple[int, int]],
    high: int,
    logs: Callable[[Logs], Logs],
) -> None:
    """Search the part that ends at cut number ``high``, taking in its neighbours until it fits between them."""
    low, step = high - 1, 1
    while True:
        while searched and searched[-1][1] > low:
            low = min(low, searched.pop()[0])
        first, last = int(cuts[low]), int(cuts[high])
        edges = (grammar.opens if low == 0 else None, grammar.closes if last == len(path) else None)
        path[first:last] = viterbi(logs(scores[first:last]), grammar, links[first:last], *edges)
        if low and not grammar.steps[NEW_WORD, path[first - 1], path[first]]:
            low = max(0, low - step)
        elif last < len(path) and not grammar.steps[NEW_WORD, path[last - 1], path[last]]:
            high = min(len(cuts) - 1, high + step)
        else:
            break
        step *= 2  # so that a note of any length is searched a few times at most
    searched.append((low, high))


def viterbi(logs: Logs, grammar: Grammar, links: Links, opens: Flags | None, closes: Flags | None) -> Path:
    """The best path by full search; ``opens`` and ``closes`` bind its ends where they are given."""
    costs = np.where(grammar.steps, 0.0, -np.inf)
    size, width = logs.shape
    back = np.zeros((size, width), dtype=np.intp)
    columns = np.arange(width)
    best = logs[0].astype(np.float64)
    if opens is not None:
        best[~opens] = -np.inf
    for at in range(1, size):
        steps = best[:, None] + costs[links[at]]
        back[at] = steps.argmax(axis=0)
        best = steps[back[at], columns] + logs[at]
    if closes is not None:
        best[~closes] = -np.inf
    path = np.zeros(size, dtype=np.intp)
    path[-1] = best.argmax()
    for at in range(size - 1, 0, -1):
        path[at - 1] = back[at, path[at]]
    return path

"""Confusion between types: which label the tokens of each gold type were given."""

from collections.abc import Mapping
from dataclasses import dataclass

from incognote.document.bio import OUTSIDE


@dataclass(frozen=True, slots=True)
class Confusion:
    """``tokens`` tokens of type ``gold`` were called ``predicted``; ``O`` is no PHI."""

    gold: str
    predicted: str
    tokens: int


def rank_confusions(pairs: Mapping[tuple[str, str], int]) -> tuple[Confusion, ...]:
    """The wrong pairs, most frequent first.

    >>> rank_confusions({("DATE", "AGE"): 2, ("DATE", "DATE"): 9, ("AGE", "O"): 3})[0]
    Confusion(gold='AGE', predicted='O', tokens=3)
    """
    wrong = [Confusion(gold, predicted, number) for (gold, predicted), number in pairs.items() if gold != predicted]
    return tuple(sorted(wrong, key=lambda each: (-each.tokens, each.gold, each.predicted)))


def order_labels(pairs: Mapping[tuple[str, str], int]) -> tuple[str, ...]:
    """The labels of a confusion table, by gold tokens, ``O`` last."""
    support: dict[str, int] = {}
    for (gold, predicted), number in pairs.items():
        support[gold] = support.get(gold, 0) + number
        support.setdefault(predicted, 0)
    support.pop(OUTSIDE, None)
    return (*sorted(support, key=lambda label: (-support[label], label)), OUTSIDE)

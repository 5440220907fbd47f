"""Notes dealt into folds, patients whole and classes spread evenly, so that each note is held out once."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

from incognote.errors import ConfigError


def deal_folds(clusters: Sequence[str], targets: Sequence[int], *, folds: int, seed: int) -> list[int]:
    """The fold of each note. All notes of a patient share one; the patients of each class are spread over the folds in turn.

    >>> deal_folds(["a", "a", "b", "c", "d"], [0, 0, 0, 1, 1], folds=2, seed=0)
    [1, 1, 0, 0, 1]
    """
    members: dict[str, list[int]] = defaultdict(list)
    for cluster, target in zip(clusters, targets, strict=True):
        members[cluster].append(target)
    if folds < 2 or folds > len(members):
        raise ConfigError("folds", [f"{folds} folds of {len(members)} patients: take 2 or more, and no more than there are patients"])
    by_class: dict[int, list[str]] = defaultdict(list)
    for cluster in sorted(members):
        by_class[Counter(members[cluster]).most_common(1)[0][0]].append(cluster)
    home: dict[str, int] = {}
    rng = Random(seed)
    for target in sorted(by_class):
        for cluster in rng.sample(by_class[target], len(by_class[target])):
            home[cluster] = len(home) % folds
    return [home[cluster] for cluster in clusters]

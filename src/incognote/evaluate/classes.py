"""Scores of texts put into classes: accuracy, macro F1, and for two classes the area under the ROC curve, all from counts that add."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from incognote.evaluate.counts import Counts, Ratio, divide


def count_classes(gold: Sequence[str], found: Sequence[str]) -> dict[str, Counts]:
    """True and false positives and false negatives of each class that is in either.

    >>> count_classes(["a", "a", "b"], ["a", "b", "b"])
    {'a': Counts(tp=1, fp=0, fn=1), 'b': Counts(tp=1, fp=1, fn=0)}
    """
    pairs = Counter(zip(gold, found, strict=True))
    told, given = Counter(gold), Counter(found)
    return {
        name: Counts(pairs[name, name], given[name] - pairs[name, name], told[name] - pairs[name, name]) for name in sorted({*told, *given})
    }


def accuracy(gold: Sequence[str], found: Sequence[str]) -> Ratio:
    """How many are right."""
    return Ratio(sum(one == two for one, two in zip(gold, found, strict=True)), len(gold))


def macro_f1(counts: Mapping[str, Counts]) -> float:
    """The mean F1 of the classes, each as heavy as any other.

    >>> macro_f1(count_classes(["a", "a", "b"], ["a", "b", "b"]))
    0.6666666666666666
    """
    return divide(sum(count.f1 for count in counts.values()), len(counts))


def rank_pairs(truths: Sequence[bool], scores: Sequence[float]) -> Ratio:
    """The area under the ROC curve as a ratio: of all pairs of a true and a false one, those where the true one scores higher.

    Every pair counts twice, so that a tie counts half and the numbers stay whole. Without both kinds there is no pair.

    >>> rank_pairs([True, False, True], [0.9, 0.5, 0.5]), rank_pairs([True], [0.9]).whole
    (Ratio(part=3, whole=4), 0)
    """
    high = [score for truth, score in zip(truths, scores, strict=True) if truth]
    low = sorted(score for truth, score in zip(truths, scores, strict=True) if not truth)
    won = sum(bisect_left(low, score) + bisect_right(low, score) for score in high)
    return Ratio(won, 2 * len(high) * len(low))

"""Scores of extractive answers as SQuAD defines them: exact match and token F1 after normalizing; an empty answer means no answer."""

import re
import string
from collections import Counter
from collections.abc import Sequence

from incognote.evaluate.counts import divide

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(answer: str) -> str:
    """Lower case, no punctuation, no articles, single blanks: the four steps of SQuAD's scorer, in its order.

    >>> normalize_answer(" The  Mayo-Clinic, an")
    'mayoclinic'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


def is_exact(gold: str, found: str) -> bool:
    """Whether the answers are the same once normalized.

    >>> is_exact("the left knee", "Left knee."), is_exact("", "")
    (True, True)
    """
    return normalize_answer(gold) == normalize_answer(found)


def token_f1(gold: str, found: str) -> float:
    """F1 of the words that the answers share; where one is empty, 1 when both are and 0 otherwise.

    >>> token_f1("left knee", "the left knee joint"), token_f1("", "knee")
    (0.8, 0.0)
    """
    one, two = normalize_answer(gold).split(), normalize_answer(found).split()
    if not one or not two:
        return float(one == two)
    shared = sum((Counter(one) & Counter(two)).values())
    return divide(2 * shared, len(one) + len(two))


def score_answers(gold: Sequence[str], found: Sequence[str]) -> dict[str, float]:
    """The means over all questions.

    >>> score_answers(["left knee", ""], ["knee", ""])
    {'exact': 0.5, 'f1': 0.8333333333333333}
    """
    pairs = list(zip(gold, found, strict=True))
    exact = divide(sum(is_exact(one, two) for one, two in pairs), len(pairs))
    return {"exact": exact, "f1": divide(sum(token_f1(one, two) for one, two in pairs), len(pairs))}

import collections
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.evaluate.answers import is_exact, score_answers, token_f1


def official_normalize(s: str) -> str:
    """The steps of SQuAD's evaluate-v2.0.py, in its own words."""

    def remove_articles(text: str) -> str:
        return re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text)

    def remove_punc(text: str) -> str:
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return " ".join(remove_articles(remove_punc(s.lower())).split())


def official_f1(gold: str, found: str) -> float:
    gold_toks, pred_toks = official_normalize(gold).split(), official_normalize(found).split()
    common = collections.Counter(gold_toks) & collections.Counter(pred_toks)
    num_same = sum(common.values())
    if len(gold_toks) == 0 or len(pred_toks) == 0:
        return int(gold_toks == pred_toks)
    if num_same == 0:
        return 0
    precision, recall = 1.0 * num_same / len(pred_toks), 1.0 * num_same / len(gold_toks)
    return (2 * precision * recall) / (precision + recall)


words = st.lists(st.sampled_from(["the", "The", "a", "knee", "Knee,", "left", "-", "an", "l'an", ""]), max_size=6).map(" ".join)


@given(st.lists(st.tuples(words, words), min_size=1))
def test_scores_are_those_of_the_official_scorer(pairs: list[tuple[str, str]]) -> None:
    for gold, found in pairs:
        assert is_exact(gold, found) == (official_normalize(gold) == official_normalize(found))
        assert token_f1(gold, found) == pytest.approx(official_f1(gold, found))
    scores = score_answers(*(list(side) for side in zip(*pairs, strict=True)))
    assert scores["f1"] == pytest.approx(sum(official_f1(*pair) for pair in pairs) / len(pairs))

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from incognote.evaluate.classes import accuracy, count_classes, macro_f1, rank_pairs

labels = st.sampled_from("abcd")


@given(st.lists(st.tuples(labels, labels), min_size=1))
def test_accuracy_and_macro_f1_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, found = zip(*pairs, strict=True)
    assert accuracy(gold, found).value == pytest.approx(accuracy_score(gold, found))
    assert macro_f1(count_classes(gold, found)) == pytest.approx(f1_score(gold, found, average="macro", zero_division=0))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1))
def test_the_area_under_the_curve_is_that_of_scikit_learn(rows: list[tuple[bool, int]]) -> None:
    truths, scores = [truth for truth, _ in rows], [score / 5 for _, score in rows]
    ranked = rank_pairs(truths, scores)
    if len(set(truths)) == 2:
        assert ranked.value == pytest.approx(roc_auc_score(truths, scores))
    else:
        assert ranked.whole == 0


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=30))
def test_the_area_under_the_curve_counts_every_pair(rows: list[tuple[bool, float]]) -> None:
    pairs = [(high, low) for truth, high in rows if truth for other, low in rows if not other]
    won = sum(2 if high > low else high == low for high, low in pairs)
    ranked = rank_pairs([truth for truth, _ in rows], [score for _, score in rows])
    assert (ranked.part, ranked.whole) == (won, 2 * len(pairs))

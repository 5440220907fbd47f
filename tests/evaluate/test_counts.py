"""Counts add, and what is read off them agrees with the definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.evaluate.counts import Counts, Ratio, average

numbers = st.integers(0, 50)
counts = st.builds(Counts, numbers, numbers, numbers)


@given(counts, counts)
def test_adding_counts_adds_each_number(one: Counts, two: Counts) -> None:
    total = one + two
    assert (total.tp, total.fp, total.fn) == (one.tp + two.tp, one.fp + two.fp, one.fn + two.fn)
    assert sum([one, two], Counts()) == total


@given(counts)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(each: Counts) -> None:
    sum_ = each.precision + each.recall
    assert each.f1 == pytest.approx(2 * each.precision * each.recall / sum_ if sum_ else 0.0)


def test_nothing_to_divide_by_is_zero() -> None:
    assert (Counts().precision, Counts().recall, Counts().f1, Ratio().value) == (0.0, 0.0, 0.0, 0.0)


def test_macro_takes_f1_of_the_means_and_the_population_deviation() -> None:
    macro = average([Counts(1, 1, 0), Counts(1, 0, 3), Counts(0, 0, 0)])
    assert (macro.precision, macro.recall) == pytest.approx((0.5, 1.25 / 3))
    assert macro.f1 == pytest.approx(2 * 0.5 * (1.25 / 3) / (0.5 + 1.25 / 3))
    assert macro.precision_sd == pytest.approx(((0 + 0.25 + 0.25) / 3) ** 0.5)


def test_macro_of_no_document_is_zero() -> None:
    assert average([]).f1 == 0.0

"""The bootstrap: right widths on cases with a known answer, the same numbers for the same seed, patients drawn whole."""

from math import sqrt
from random import Random

import pytest

from incognote.document import parse_markup
from incognote.evaluate.bootstrap import find_difference, find_interval, resample
from incognote.evaluate.report import Evaluation, Score, compare, evaluate, find_intervals
from tests.evaluate.random_documents import random_pairs

RECALL = Score("token", "recall")


def evaluate_hits(hits: list[bool], patients: list[str]) -> Evaluation:
    """One PHI token in each note, found or not."""
    gold = [parse_markup("<AGE>41</AGE> x", id=str(at), patient=patient) for at, patient in enumerate(patients)]
    return evaluate(gold, [document if hit else document.with_spans(()) for document, hit in zip(gold, hits, strict=True)])


def test_the_interval_of_a_share_is_the_binomial_one() -> None:
    total, share = 1000, 0.8
    evaluation = evaluate_hits([at < share * total for at in range(total)], [str(at) for at in range(total)])
    interval = find_intervals(evaluation, [RECALL], resamples=2000)[RECALL]
    half = 1.96 * sqrt(share * (1 - share) / total)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((share - half, share + half), abs=0.003)


def test_correlated_notes_of_a_patient_widen_the_interval() -> None:
    rng = Random(1)
    patients = [str(at // 10) for at in range(1000)]
    luck = {patient: rng.random() < 0.8 for patient in patients}
    hits = [luck[patient] for patient in patients]
    clustered = find_intervals(evaluate_hits(hits, patients), [RECALL])[RECALL]
    alone = find_intervals(evaluate_hits(hits, [""] * 1000), [RECALL])[RECALL]
    assert clustered is not None
    assert alone is not None
    # Ten notes that move as one are worth one: the interval is about sqrt(10) times as wide.
    assert 2.4 < (clustered.high - clustered.low) / (alone.high - alone.low) < 4.0


def test_the_same_seed_gives_the_same_interval_whatever_the_order_of_notes() -> None:
    pairs = random_pairs(60)
    scores = [RECALL, Score("characters", "recall"), Score("i2b2.strict.all", "macro-f1"), Score("clean", "value")]
    forth = evaluate([one for one, _ in pairs], [two for _, two in pairs])
    back = evaluate([one for one, _ in reversed(pairs)], [two for _, two in pairs])
    assert find_intervals(forth, scores, seed=5) == find_intervals(back, scores, seed=5)
    assert find_intervals(forth, scores, seed=5) != find_intervals(forth, scores, seed=6)


def test_resamples_are_sums_of_whole_patients() -> None:
    sums = resample([[1, 100], [2, 100], [4, 0]], ["a", "a", "b"], resamples=200, seed=2)
    assert {tuple(row) for row in sums} == {(6, 400), (7, 200), (8, 0)}


def test_large_numbers_do_not_spill_into_the_next_column() -> None:
    assert resample([[2**62, 1, 2**62]], ["a"], resamples=1) == [[2**62, 1, 2**62]]


def test_scores_without_anything_to_divide_by_have_no_interval() -> None:
    evaluation = evaluate_hits([True], ["a"])
    assert find_intervals(evaluation, [Score("token.type.DATE", "recall")]) == {Score("token.type.DATE", "recall"): None}
    assert find_interval([]) is None
    assert find_difference(0.0, []) is None


def test_one_patient_gives_no_interval_and_proves_nothing() -> None:
    one, two = evaluate_hits([True] * 5, ["a"] * 5), evaluate_hits([False] * 5, ["a"] * 5)
    assert find_intervals(one, [RECALL]) == {RECALL: None}
    difference = compare(one, two, [RECALL])[RECALL]
    assert difference is not None
    assert (difference.value, difference.interval, difference.p) == (1.0, None, None)


def test_a_type_that_one_patient_has_gets_no_interval_though_others_have_notes() -> None:
    gold = [parse_markup("<SSN>123</SSN> x", id="0", patient="a"), *(parse_markup("x", id=str(at), patient=str(at)) for at in range(1, 9))]
    evaluation = evaluate(gold, gold)
    recall = Score("token.type.SSN", "recall")
    assert find_intervals(evaluation, [recall, Score("clean", "value")])[recall] is None
    assert find_intervals(evaluation, [Score("clean", "value")])[Score("clean", "value")] is not None


def test_few_patients_who_agree_prove_no_more_than_the_exact_sign_test() -> None:
    for patients, least in ((2, 0.5), (5, 0.0625), (9, 0.00390625)):
        names = [str(at) for at in range(patients)]
        difference = compare(evaluate_hits([True] * patients, names), evaluate_hits([False] * patients, names), [RECALL])[RECALL]
        assert difference is not None
        assert difference.p == least


def test_a_system_does_not_differ_from_itself() -> None:
    pairs = random_pairs(40)
    evaluation = evaluate([one for one, _ in pairs], [two for _, two in pairs])
    difference = compare(evaluation, evaluation, [RECALL])[RECALL]
    assert difference is not None
    assert (difference.value, difference.interval.low, difference.interval.high, difference.p) == (0.0, 0.0, 0.0, 1.0)


def test_a_clear_difference_is_found_and_its_sign_says_who_is_better() -> None:
    patients = [str(at) for at in range(300)]
    good, bad = evaluate_hits([at % 10 > 0 for at in range(300)], patients), evaluate_hits([at % 10 > 2 for at in range(300)], patients)
    forth, back = compare(good, bad, [RECALL])[RECALL], compare(bad, good, [RECALL])[RECALL]
    assert forth is not None
    assert back is not None
    assert forth.value == pytest.approx(0.2)
    assert forth.p < 0.01
    assert forth.interval.low > 0
    assert (back.value, back.p) == (-forth.value, forth.p)


def test_the_paired_interval_is_the_one_of_the_differences() -> None:
    # 200 notes; the first finds 20 that the second misses, so the difference has mean 0.1 and variance 0.09.
    patients = [str(at) for at in range(200)]
    one, two = evaluate_hits([True] * 200, patients), evaluate_hits([at >= 20 for at in range(200)], patients)
    difference = compare(one, two, [RECALL], resamples=2000)[RECALL]
    half = 1.96 * sqrt(0.09 / 200)
    assert difference is not None
    assert (difference.interval.low, difference.interval.high) == pytest.approx((0.1 - half, 0.1 + half), abs=0.005)


def test_the_test_keeps_its_level_when_there_is_no_difference() -> None:
    rng, rejected = Random(11), 0
    patients = [str(at) for at in range(60)]
    for seed in range(80):
        one, two = ([rng.random() < 0.8 for _ in patients] for _ in range(2))
        difference = compare(evaluate_hits(one, patients), evaluate_hits(two, patients), [RECALL], resamples=199, seed=seed)[RECALL]
        assert difference is not None
        rejected += difference.p <= 0.05
    assert rejected <= 10

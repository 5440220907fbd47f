"""Token scores against a brute-force count over characters, and on notes worked by hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from incognote.document import Document, cut_pieces, parse_markup, word_tokens
from incognote.evaluate.counts import Counts, Ratio
from incognote.evaluate.token import count_all, count_binary, count_labels, count_right, count_tokens, pair_labels
from tests.evaluate.random_documents import random_pairs
from tests.strategies import documents


def brute_force(gold: Document, predicted: Document) -> list[tuple[str, str]]:
    """Gold and predicted label of each piece, looked up character by character."""

    def labels_of(document: Document, start: int, end: int) -> list[str]:
        return [next((s.label for s in document.spans if s.start <= at < s.end), "O") for at in range(start, end)]

    pairs = []
    for piece in cut_pieces(gold.text, word_tokens(gold.text), gold.spans):
        ours = labels_of(gold, piece.start, piece.end)[0]
        theirs = labels_of(predicted, piece.start, piece.end)
        covered = "O" if "O" in theirs else theirs[0]
        touched = next((label for label in theirs if label != "O"), "O")
        pairs.append((ours, touched if ours == "O" else covered))
    return pairs


@given(documents(), st.data())
def test_pairs_equal_brute_force_on_any_text(gold: Document, data: st.DataObject) -> None:
    other = data.draw(documents())
    predicted = gold.with_spans(span for span in other.spans if span.end <= len(gold.text))
    assert pair_labels(gold, predicted) == Counter(brute_force(gold, predicted))


def test_scores_equal_scikit_learn_on_random_documents() -> None:
    pairs = random_pairs(1000)
    flat = [pair for gold, predicted in pairs for pair in brute_force(gold, predicted)]
    ours = sum((pair_labels(gold, predicted) for gold, predicted in pairs), Counter())
    truth, found = [gold for gold, _ in flat], [predicted for _, predicted in flat]
    labels = sorted({*truth, *found} - {"O"})
    micro = precision_recall_fscore_support(truth, found, labels=labels, average="micro")
    counts = count_all(ours)
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx(micro[:3])
    assert count_right(ours).value == pytest.approx(accuracy_score(truth, found))
    each = precision_recall_fscore_support(truth, found, labels=labels, average=None)
    by_label = count_labels(ours)
    for at, label in enumerate(labels):
        got = by_label[label]
        assert (got.precision, got.recall, got.f1, got.support) == pytest.approx(tuple(column[at] for column in each))


WORKED = [
    ("all right", "<PATIENT>Ann Lee</PATIENT> came", "<PATIENT>Ann Lee</PATIENT> came", Counts(2, 0, 0), Ratio(3, 3)),
    (
        "one span in two is the same tokens",
        "<PATIENT>Ann Lee</PATIENT>",
        "<PATIENT>Ann</PATIENT> <PATIENT>Lee</PATIENT>",
        Counts(2, 0, 0),
        Ratio(2, 2),
    ),
    ("wrong type is a miss and a false alarm", "<PATIENT>Ann</PATIENT> came", "<DOCTOR>Ann</DOCTOR> came", Counts(0, 1, 1), Ratio(1, 2)),
    ("half a token is a miss", "<PATIENT>Annabel</PATIENT>", "<PATIENT>Ann</PATIENT>abel", Counts(0, 0, 1), Ratio(0, 1)),
    ("half a token outside the gold is a false alarm", "Annabel", "<PATIENT>Ann</PATIENT>abel", Counts(0, 1, 0), Ratio(0, 1)),
    ("a gold edge cuts the token", "<AGE>41</AGE>y", "<AGE>41y</AGE>", Counts(1, 1, 0), Ratio(1, 2)),
    (
        "two spans that cover a token hide it",
        "<PATIENT>Annabel</PATIENT>",
        "<PATIENT>Ann</PATIENT><PATIENT>abel</PATIENT>",
        Counts(1, 0, 0),
        Ratio(1, 1),
    ),
    ("an underscore is part of a word", "<AGE>41</AGE>_x", "<AGE>41_</AGE>x", Counts(1, 1, 0), Ratio(1, 2)),
    ("nothing predicted", "<DATE>3/5</DATE> seen", "3/5 seen", Counts(0, 0, 3), Ratio(1, 4)),
    ("empty note", "", "", Counts(), Ratio()),
]


@pytest.mark.parametrize(("gold", "predicted", "counts", "right"), [case[1:] for case in WORKED], ids=[case[0] for case in WORKED])
def test_worked_notes(gold: str, predicted: str, counts: Counts, right: Ratio) -> None:
    pairs = pair_labels(parse_markup(gold), parse_markup(predicted))
    assert (count_all(pairs), count_right(pairs)) == (counts, right)


def test_binary_forgives_the_type() -> None:
    pairs = pair_labels(parse_markup("<PATIENT>Ann</PATIENT> came"), parse_markup("<DOCTOR>Ann</DOCTOR> came"))
    assert count_binary(pairs) == Counts(1, 0, 0)


@given(documents())
def test_support_does_not_depend_on_the_prediction(gold: Document) -> None:
    support = {label: counts.support for label, counts in count_labels(pair_labels(gold, gold.with_spans(()))).items()}
    tokens = count_tokens(gold)
    assert support == {label: number for label, number in tokens.items() if label != "O"}
    assert tokens.total() == len(cut_pieces(gold.text, word_tokens(gold.text), gold.spans))

"""Entity scores against seqeval and nervaluate on 1,000 random documents and on random tag sequences."""

from random import Random

import pytest
from nervaluate import Evaluator
from seqeval.metrics import classification_report
from seqeval.scheme import IOB2

from incognote.document import Document, cut_pieces, spans_to_tags, word_tokens
from incognote.evaluate.counts import Counts
from incognote.evaluate.entity import count_tags
from incognote.evaluate.report import evaluate
from tests.evaluate.random_documents import LABELS, random_pairs

PAIRS = random_pairs(1000)


@pytest.fixture(scope="module")
def sequences() -> tuple[list[list[str]], list[list[str]]]:
    """The random documents as tags over the pieces that both sides cut; seqeval cannot take an empty sequence."""
    gold, predicted = [], []
    for one, two in PAIRS:
        pieces = cut_pieces(one.text, word_tokens(one.text), one.spans + two.spans)
        gold.append(spans_to_tags(pieces, one.spans))
        predicted.append(spans_to_tags(pieces, two.spans))
    return gold, predicted


def check_against_seqeval(counts: dict[str, Counts], report: dict[str, dict[str, float]]) -> None:
    total = sum(counts.values(), Counts())
    for label, each in {**counts, "micro avg": total}.items():
        theirs = report[label]
        ours = each.precision, each.recall, each.f1, each.support
        assert ours == pytest.approx((theirs["precision"], theirs["recall"], theirs["f1-score"], theirs["support"])), label
    assert len(report) == len(counts) + 3


@pytest.mark.parametrize("options", [{}, {"mode": "strict", "scheme": IOB2}], ids=["default", "strict"])
def test_documents_equal_seqeval(sequences: tuple[list[list[str]], list[list[str]]], options: dict[str, object]) -> None:
    evaluation = evaluate([gold for gold, _ in PAIRS], [predicted for _, predicted in PAIRS])
    counts = {label: evaluation.counts(f"entity.type.{label}") for label in evaluation.labels}
    check_against_seqeval(counts, classification_report(*sequences, output_dict=True, zero_division=0, **options))
    assert evaluation.counts("entity") == evaluation.counts("meddocan.ner") == evaluation.counts("i2b2.strict.all")


def random_tags(rng: Random) -> list[str]:
    tags = ["O", "O", "O", *(f"{prefix}-{label}" for prefix in "BI" for label in LABELS[:3])]
    return rng.choices(tags, k=40)


@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_any_tags_equal_seqeval_stray_inside_tags_included(strict: bool) -> None:
    rng = Random(7)
    gold = [random_tags(rng) for _ in range(300)]
    predicted = [[tag if rng.random() < 0.8 else other for tag, other in zip(tags, random_tags(rng), strict=True)] for tags in gold]
    options = {"mode": "strict", "scheme": IOB2} if strict else {}
    report = classification_report(gold, predicted, output_dict=True, zero_division=0, **options)
    check_against_seqeval(count_tags(gold, predicted, strict=strict), report)


def test_sequences_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 tags"):
        count_tags([["O", "O"]], [["O"]])


def as_dicts(document: Document) -> list[dict[str, object]]:
    # nervaluate's ends are inclusive; with half-open ones it lets a neighbour use up a gold span.
    return [{"label": span.label, "start": span.start, "end": span.end - 1} for span in document.spans]


def test_documents_equal_nervaluate_strict_exact_and_partial() -> None:
    gold, predicted = [as_dicts(one) for one, _ in PAIRS], [as_dicts(two) for _, two in PAIRS]
    overall = Evaluator(gold, predicted, tags=list(LABELS)).evaluate()["overall"]
    evaluation = evaluate([one for one, _ in PAIRS], [two for _, two in PAIRS])
    for name, theirs in (("entity", overall["strict"]), ("meddocan.spans", overall["exact"])):
        counts = evaluation.counts(name)
        assert (counts.tp, counts.tp + counts.fp, counts.support) == (theirs.correct, theirs.actual, theirs.possible)
        assert (counts.precision, counts.recall, counts.f1) == pytest.approx((theirs.precision, theirs.recall, theirs.f1))
    # Its partial schema adds half a point for an overlap, which no score of ours does; its exact hits are ours.
    assert evaluation.counts("meddocan.spans").tp == overall["partial"].correct
    # Its type schema gives credit for any overlap of the right type; ours, exact, can only be lower.
    assert evaluation.counts("entity").tp <= overall["ent_type"].correct

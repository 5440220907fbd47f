"""An evaluation holds counts that add; the summary, its JSON and its page are read off it and show no text."""

import json
from html.parser import HTMLParser

import pytest

from incognote.document import parse_markup, scheme
from incognote.evaluate import Counts, Evaluation, Ratio, Score, evaluate, find_intervals
from incognote.evaluate.page import render_page
from incognote.evaluate.report import measure_row
from incognote.evaluate.schemes import fit_scheme, map_labels
from incognote.evaluate.summary import HEADLINE, as_dict, summarize
from tests.evaluate.random_documents import random_pairs

PAIRS = random_pairs(80, seed=4)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate([one for one, _ in PAIRS], [two for _, two in PAIRS], scheme=scheme("i2b2-2014"))


def test_the_counts_of_two_halves_add_up_to_the_whole(evaluation: Evaluation) -> None:
    halves = [evaluate([one for one, _ in half], [two for _, two in half], scheme=scheme("i2b2-2014")) for half in (PAIRS[:30], PAIRS[30:])]
    for name in evaluation.names:
        assert halves[0].counts(name) + halves[1].counts(name) == evaluation.counts(name)
        assert halves[0].ratio(name) + halves[1].ratio(name) == evaluation.ratio(name)


def test_every_value_equals_the_property_of_its_counts(evaluation: Evaluation) -> None:
    for name in evaluation.names:
        counts, ratio, macro = evaluation.counts(name), evaluation.ratio(name), evaluation.macro(name)
        if ratio != Ratio():
            assert evaluation.value(Score(name, "value")) == ratio.value
            continue
        for measure in ("precision", "recall", "f1"):
            assert evaluation.value(Score(name, measure)) == pytest.approx(getattr(counts, measure))
            assert evaluation.value(Score(name, f"macro-{measure}")) == pytest.approx(getattr(macro, measure))


def test_intervals_hold_their_value_for_every_kind_of_score(evaluation: Evaluation) -> None:
    scores = [score for score, _ in HEADLINE] + [Score("i2b2.token.hipaa", f"macro-{measure}") for measure in ("precision", "recall", "f1")]
    for score, interval in find_intervals(evaluation, scores, resamples=300).items():
        assert interval is not None
        assert interval.low <= evaluation.value(score) <= interval.high


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="measure f2"):
        measure_row([1, 1, 1], "f2")


def test_a_note_with_nothing_leaked_is_clean_even_with_wrong_labels() -> None:
    gold = [parse_markup("<PATIENT>Ann</PATIENT> came", id="a"), parse_markup("<AGE>41</AGE>", id="b"), parse_markup("no PHI", id="c")]
    report = evaluate(gold, [parse_markup("<DATE>Ann came</DATE>", id="a"), parse_markup("41", id="b"), parse_markup("no PHI", id="c")])
    assert report.ratio("clean") == Ratio(2, 3)
    assert report.counts("characters") == Counts(3, 4, 2)
    assert [(leak.document, leak.label) for leak in report.leaks] == [("b", "AGE")]


def test_labels_are_put_in_the_words_of_another_scheme() -> None:
    (mapped,) = map_labels([parse_markup("<FECHAS>3 mayo</FECHAS>")], "i2b2-2014")
    assert mapped.spans[0].label == "DATE"
    assert map_labels([mapped], "i2b2-2014") == [mapped]


def test_no_scheme_fits_labels_that_no_scheme_has() -> None:
    assert fit_scheme([parse_markup("<WIDGET>3</WIDGET>")]) is None


def test_the_json_holds_every_score_and_no_text(evaluation: Evaluation) -> None:
    value = json.loads(json.dumps(as_dict(summarize(evaluation, against=evaluation, resamples=20))))
    assert {name for name in evaluation.names if ".type." not in name} == value["scores"].keys() | value["figures"].keys()
    assert value["types"].keys() == value["entity_types"].keys() == set(evaluation.labels)
    assert value["scores"]["token"]["f1"] == evaluation.counts("token").f1
    assert value["scores"]["i2b2.strict.hipaa-idnum"]["macro"]["recall_sd"] == evaluation.macro("i2b2.strict.hipaa-idnum").recall_sd
    assert len(value["contrasts"]) == len(HEADLINE)
    assert "Kaczmarek" not in json.dumps(value)


class Reader(HTMLParser):
    """Collects what a page would fetch, and whether its tags balance."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href")]
        assert tag != "script"
        if tag not in ("meta", "line", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("line", "circle"):
            assert self.open.pop() == tag


def test_the_page_is_whole_fetches_nothing_and_holds_no_text(evaluation: Evaluation) -> None:
    page = render_page(summarize(evaluation, against=evaluation, resamples=20), names=["gold <x>", "a & b", "other"])
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert reader.fetched == []
    assert "url(" not in page
    assert "Kaczmarek" not in page
    assert "gold &lt;x&gt;" in page
    assert f"{evaluation.counts('token').f1:.4f}" in page


def test_the_page_names_the_missing_notes() -> None:
    report = evaluate([parse_markup("<AGE>41</AGE>", id="n<1>")], [])
    assert "n&lt;1&gt;" in render_page(summarize(report, resamples=5), names=["gold", "found"])

"""Edges of spans are trimmed, and spans parted, whatever a model has marked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Span, scheme
from tests.find.rules.test_number_rules import TEXTS
from tests.judged import trim_names, trim_spans

LABELS = sorted(scheme("i2b2-2014").labels)
NAMES = st.lists(st.sampled_from([*"Roe Ann Dr Mr MD & and ; ( ) / \n - , . 4 Jr Clinic".split(" "), "\n", " \n "]), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("before", "marked"), [("Lee", "; Ann Roe"), ("Lee", " (Ann Roe"), ("Lee", " & Ann Roe"), ("", " \nAnn Roe"), ("", "Ann Roe;\n")]
)
def test_a_mark_at_the_edge_of_a_span_leaves_nothing_beside_the_name(before: str, marked: str) -> None:
    text = before + marked
    spans = trim_spans([Span(len(before), len(text), "PATIENT")], text)
    assert [text[span.start : span.end].strip("& ") for span in spans] == ["Ann Roe"]


@given(st.one_of(TEXTS, NAMES.map(" ".join)), st.data())
@settings(max_examples=300, deadline=None)
def test_any_span_of_any_text_can_be_trimmed_and_only_shrinks(text: str, data: st.DataObject) -> None:
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))), data.draw(st.sampled_from(LABELS)))
    for trimmed in (*trim_spans([span], text), *trim_names([span], text)):
        assert span.start <= trimmed.start < trimmed.end <= span.end

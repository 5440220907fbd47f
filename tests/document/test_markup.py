"""Inline markup: the inverse of itself, and clear about tags that do not balance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span, format_markup, parse_markup
from incognote.errors import MarkupError
from tests.strategies import documents


@given(documents())
def test_markup_comes_back_as_the_same_document(document: Document) -> None:
    assert parse_markup(format_markup(document), id=document.id, patient=document.patient) == document


@given(st.text("&<>;/ ltgampXA"), st.data())
def test_text_that_looks_like_markup_comes_back(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    spans = (Span(start, len(text), "AGE"),) if start < len(text) else ()
    note = Document("n", text, spans=spans)
    assert parse_markup(format_markup(note), id="n") == note


def test_a_bare_less_than_sign_is_text() -> None:
    assert parse_markup("BP < 120, <b>, a<b").text == "BP < 120, <b>, a<b"


def test_labels_may_have_digits_dashes_and_underscores() -> None:
    assert parse_markup("<LOCATION-OTHER>x</LOCATION-OTHER>").spans == (Span(0, 1, "LOCATION-OTHER"),)


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("Mr <PATIENT>Kowalczyk", "<PATIENT> is never closed"),
        ("Kowalczyk</PATIENT>", "character 9: </PATIENT> closes nothing"),
        ("<PATIENT>Kowalczyk</DOCTOR>", "character 18: </DOCTOR> closes nothing"),
        ("<PATIENT>Ann <DATE>Kowalczyk</DATE></PATIENT>", "character 13: <DATE> opens inside <PATIENT>"),
        ("<PATIENT></PATIENT>", "closes an empty span"),
    ],
)
def test_tags_that_do_not_balance_are_told_with_their_place_and_no_text(marked: str, words: str) -> None:
    with pytest.raises(MarkupError) as caught:
        parse_markup(marked, id="n1")
    assert str(caught.value).startswith("document n1")
    assert words in str(caught.value)
    assert "Kowalczyk" not in str(caught.value)

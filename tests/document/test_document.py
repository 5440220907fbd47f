"""Span and Document: checked when made, unchangeable, silent about the text."""

import pickle

import pytest
from hypothesis import given

from incognote.document import Document, Span
from incognote.errors import IncognoteError, SpanError
from tests.strategies import documents


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2)])
def test_a_span_must_hold_at_least_one_character(start: int, end: int) -> None:
    with pytest.raises(SpanError, match=r"needs 0 <= start < end"):
        Span(start, end, "DATE")


def test_score_and_source_are_not_part_of_a_spans_identity() -> None:
    one, two = Span(0, 3, "DATE", score=0.5, source="rules"), Span(0, 3, "DATE")
    assert one == two
    assert len({one, two}) == 1
    assert one != Span(0, 3, "AGE")


def test_spans_know_their_length_overlap_and_shift() -> None:
    span = Span(2, 5, "DATE", score=0.5, source="x")
    assert len(span) == 3
    assert span.overlaps(Span(4, 9, "AGE"))
    assert not span.overlaps(Span(5, 9, "AGE"))
    assert not span.overlaps(Span(0, 2, "AGE"))
    moved = span.shift(-2)
    assert (moved, moved.score, moved.source) == (Span(0, 3, "DATE"), 0.5, "x")


def test_what_is_no_span_is_no_label() -> None:
    with pytest.raises(SpanError, match=r"document n: span \[4, 7\) has the label O, .*give it another label"):
        Document("n", "Ann Lee", spans=(Span(0, 3, "PATIENT"), Span(4, 7, "O")))


def test_spans_are_kept_sorted_and_once() -> None:
    note = Document("n", "Ann Lee", spans=(Span(4, 7, "PATIENT"), Span(0, 3, "PATIENT"), Span(4, 7, "PATIENT")))
    assert note.spans == (Span(0, 3, "PATIENT"), Span(4, 7, "PATIENT"))


def test_a_span_beyond_the_text_is_refused_with_id_and_place() -> None:
    with pytest.raises(SpanError, match="document n7: a span ends at 9 but the text has 3 characters"):
        Document("n7", "Ann", spans=(Span(0, 9, "PATIENT"),))


def test_overlapping_spans_are_refused_with_both_named() -> None:
    with pytest.raises(SpanError, match=r"document n7: spans \[0, 3\) and \[2, 4\) overlap"):
        Document("n7", "Ann Lee", spans=(Span(2, 4, "DATE"), Span(0, 3, "PATIENT")))


def test_the_same_range_with_two_labels_overlaps() -> None:
    with pytest.raises(SpanError, match="overlap"):
        Document("n", "Ann", spans=(Span(0, 3, "DOCTOR"), Span(0, 3, "PATIENT")))


def test_nothing_can_be_changed() -> None:
    note = Document("n", "Ann", spans=(Span(0, 3, "PATIENT"),))
    with pytest.raises(AttributeError):
        note.text = "Bob"
    with pytest.raises(AttributeError):
        note.spans[0].end = 9


def test_offsets_count_code_points() -> None:
    note = Document("n", "😀e\u0301 Ann", spans=(Span(4, 7, "PATIENT"),))
    assert note.value(note.spans[0]) == "Ann"


@given(documents(min_size=1))
def test_no_repr_or_error_holds_the_text(document: Document) -> None:
    secret = Document(document.id, "Kowalczyk" + document.text, spans=(Span(0, 9, "PATIENT"),), meta={"author": "Kowalczyk"})
    assert "Kowalczyk" not in repr(secret) + str(secret) + repr(secret.spans)
    with pytest.raises(IncognoteError) as caught:
        secret.with_spans([Span(0, 9, "PATIENT"), Span(1, 10_000, "DATE")])
    assert "Kowalczyk" not in str(caught.value)


@given(documents())
def test_documents_survive_pickling(document: Document) -> None:
    assert pickle.loads(pickle.dumps(document)) == document


def test_with_spans_keeps_all_else() -> None:
    note = Document("n", "Ann", patient="p", meta={"ward": "B"})
    new = note.with_spans([Span(0, 3, "PATIENT")])
    assert (new.id, new.text, new.patient, new.meta) == (note.id, note.text, note.patient, note.meta)
    assert note.spans == ()

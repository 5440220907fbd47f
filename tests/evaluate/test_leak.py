"""Leaks and label-blind characters against a count character by character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, parse_markup
from incognote.evaluate.counts import Counts
from incognote.evaluate.leak import count_characters, find_leaks
from tests.evaluate.random_documents import random_pairs
from tests.strategies import documents


def brute_force(gold: Document, predicted: Document) -> Counts:
    hidden = {at for span in predicted.spans for at in range(span.start, span.end)}
    phi, readable = set(), {at for at, character in enumerate(gold.text) if character.isalnum()}
    for span in gold.spans:
        inside = set(range(span.start, span.end))
        phi |= inside & readable or {at for at in inside if not gold.text[at].isspace()}
    covered = {at for span in gold.spans for at in range(span.start, span.end)}
    return Counts(len(phi & hidden), len((hidden - covered) & readable), len(phi - hidden))


@given(documents(), st.data())
def test_characters_equal_brute_force(gold: Document, data: st.DataObject) -> None:
    other = data.draw(documents())
    predicted = gold.with_spans(span for span in other.spans if span.end <= len(gold.text))
    assert count_characters(gold, predicted) == brute_force(gold, predicted)


def test_characters_equal_brute_force_on_random_documents() -> None:
    for gold, predicted in random_pairs(300, seed=3):
        assert count_characters(gold, predicted) == brute_force(gold, predicted)


@given(documents(), st.data())
def test_there_is_a_leak_exactly_when_recall_is_not_whole(gold: Document, data: st.DataObject) -> None:
    other = data.draw(documents())
    predicted = gold.with_spans(span for span in other.spans if span.end <= len(gold.text))
    assert bool(find_leaks(gold, predicted)) == (count_characters(gold, predicted).fn > 0)


LEAKS = [
    ("nothing hidden", "<PATIENT>Ann Lee</PATIENT>", "Ann Lee", [(0, 7, True)]),
    ("the blank between hidden words is no leak", "<PATIENT>Ann Lee</PATIENT>", "<AGE>Ann</AGE> <AGE>Lee</AGE>", []),
    ("nor is a comma", "<DATE>May 3,</DATE>", "<DATE>May 3</DATE>,", []),
    ("the label does not matter", "<PATIENT>Ann</PATIENT>", "<DATE>Ann</DATE>", []),
    ("a middle part", "<PATIENT>Ann B. Lee</PATIENT>", "<PATIENT>Ann</PATIENT> B. <PATIENT>Lee</PATIENT>", [(4, 5, False)]),
    ("both ends", "<DATE>1/2/3</DATE>", "1/<DATE>2</DATE>/3", [(0, 1, False), (4, 5, False)]),
    ("half a word", "<PATIENT>Annabel</PATIENT>", "<PATIENT>Anna</PATIENT>bel", [(4, 7, False)]),
    ("marks alone are readable when there is nothing else", "<OTHER>☎-☎</OTHER>", "☎-☎", [(0, 3, True)]),
    ("one predicted span hides two gold", "<AGE>4</AGE> <AGE>5</AGE>", "<DATE>4 5</DATE>", []),
]


@pytest.mark.parametrize(("gold", "predicted", "expected"), [case[1:] for case in LEAKS], ids=[case[0] for case in LEAKS])
def test_worked_notes(gold: str, predicted: str, expected: list[tuple[int, int, bool]]) -> None:
    leaks = find_leaks(parse_markup(gold, id="n"), parse_markup(predicted, id="n"))
    assert [(leak.start, leak.end, leak.whole) for leak in leaks] == expected


def test_a_leak_holds_no_text() -> None:
    (leak,) = find_leaks(parse_markup("<PATIENT>Kaczmarek</PATIENT>", id="n"), parse_markup("Kaczmarek", id="n"))
    assert "Kaczmarek" not in repr(leak)

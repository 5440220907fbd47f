"""Merge: one layer, no overlap, nothing lost, whole words, sources kept."""

from hypothesis import assume, given
from hypothesis import strategies as st

from incognote.document import Span
from incognote.document.scripts import is_unspaced
from incognote.document.span import first_overlap
from incognote.merge import WITHIN_WORDS, Role, cut_long, merge
from tests.strategies import CHARACTERS

SOURCES = ("rules.name.list", "rules.date", "memory.patient", "model.small")
ROLES = (Role.GUESS, Role.KNOWN, Role.LEARNED)


@st.composite
def layered(draw: st.DrawFn) -> tuple[str, list[list[Span]]]:
    """A text and up to three layers of spans that may overlap in any way."""
    text = draw(st.text(CHARACTERS, min_size=1, max_size=40))
    span = st.tuples(st.integers(0, len(text) - 1), st.integers(1, 12), st.sampled_from(("PATIENT", "DOCTOR", "DATE", "AGE")))
    layers = draw(st.lists(st.lists(span, max_size=5), max_size=3))
    return text, [
        [
            Span(start, min(len(text), start + length), label, draw(st.sampled_from((0.5, 0.9))), draw(st.sampled_from(SOURCES)))
            for start, length, label in layer
        ]
        for layer in layers
    ]


def covered(spans: list[Span] | tuple[Span, ...]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


@given(layered())
def test_the_result_is_sorted_and_does_not_overlap(case: tuple[str, list[list[Span]]]) -> None:
    text, layers = case
    merged = merge(layers, text, roles=ROLES[: len(layers)])
    assert list(merged) == sorted(merged)
    assert first_overlap(merged) is None


@given(layered())
def test_merging_again_changes_nothing(case: tuple[str, list[list[Span]]]) -> None:
    text, layers = case
    merged = merge(layers, text, roles=ROLES[: len(layers)])
    # Without its role an age in a word is one span of the layer, and another label may be widened over it.
    assume(not any(span.label in WITHIN_WORDS for span in merged))
    again = merge([merged], text)
    assert [(span, span.score, span.source) for span in again] == [(span, span.score, span.source) for span in merged]


@given(layered())
def test_no_letter_or_digit_that_was_found_is_lost(case: tuple[str, list[list[Span]]]) -> None:
    text, layers = case
    found = covered([span for layer in layers for span in layer])
    assert {at for at in found if text[at].isalnum()} <= covered(merge(layers, text, roles=ROLES[: len(layers)]))


@given(layered())
def test_a_word_is_covered_whole_or_not_at_all(case: tuple[str, list[list[Span]]]) -> None:
    text, layers = case
    merged = merge(layers, text, roles=ROLES[: len(layers)])
    inside = covered(merged)
    for span in merged:
        if span.label in WITHIN_WORDS:
            continue
        for edge, beyond in ((span.start, span.start - 1), (span.end - 1, span.end)):
            pair = [text[at] for at in (edge, beyond) if 0 <= at < len(text)]
            # Words of Han or Hangul may stand without blanks between them.
            if len(pair) == 2 and all(letter.isalnum() and not is_unspaced(letter) for letter in pair):
                assert beyond in inside


@given(layered())
def test_each_span_keeps_a_source_and_label_that_were_given(case: tuple[str, list[list[Span]]]) -> None:
    text, layers = case
    given_pairs = {(span.label, span.source) for layer in layers for span in layer}
    assert {(span.label, span.source) for span in merge(layers, text, roles=ROLES[: len(layers)])} <= given_pairs


@given(layered())
def test_the_order_of_layers_does_not_matter(case: tuple[str, list[list[Span]]]) -> None:
    text, layers = case
    assert merge(layers, text, roles=ROLES[: len(layers)]) == merge(layers[::-1], text, roles=ROLES[: len(layers)][::-1])


def test_a_higher_role_beats_a_longer_span_and_the_rest_of_the_loser_stays() -> None:
    long, short = Span(0, 12, "DOCTOR", 0.9, "rules.name.list"), Span(5, 12, "PATIENT", 0.9, "memory.patient")
    merged = merge([[long], [short]], "Mark O'Brien", roles=[Role.LEARNED, Role.KNOWN])
    assert merged == (Span(0, 4, "DOCTOR"), Span(5, 12, "PATIENT"))
    assert merge([[long], [short]], "Mark O'Brien") == (Span(0, 12, "DOCTOR"),)


def test_parts_of_one_name_are_joined_and_two_names_are_not() -> None:
    text = "Ana-Lucía Ruiz, Tom"
    parts = [Span(0, 3, "PATIENT"), Span(4, 9, "PATIENT"), Span(10, 14, "PATIENT"), Span(16, 19, "PATIENT")]
    assert merge([parts], text) == (Span(0, 14, "PATIENT"), Span(16, 19, "PATIENT"))


def test_a_full_stop_joins_an_initial_and_parts_two_sentences() -> None:
    text = "J. Roe. Ben came to 5 Elm Blvd. Apt 2"
    parts = [Span(0, 1, "PATIENT"), Span(3, 6, "PATIENT"), Span(8, 11, "PATIENT"), Span(20, 30, "STREET"), Span(32, 37, "STREET")]
    assert merge([parts], text) == (Span(0, 6, "PATIENT"), Span(8, 11, "PATIENT"), Span(20, 37, "STREET"))


def test_an_accent_written_apart_belongs_to_its_word() -> None:
    assert merge([[Span(0, 4, "PATIENT")]], "Rene\u0301 came") == (Span(0, 5, "PATIENT"),)


def test_an_age_is_not_widened() -> None:
    assert merge([[Span(0, 2, "AGE")]], "67yo") == (Span(0, 2, "AGE"),)


def test_a_long_span_is_cut_into_pieces_that_cover_every_word() -> None:
    for text in ("Oak Pine Elm Street " * 300, "a1" * 2000, " " * 3000 + "Lee"):
        pieces = list(cut_long(Span(0, len(text), "STREET"), text))
        covered = {at for piece in pieces for at in range(piece.start, piece.end)}
        assert all(at in covered for at, character in enumerate(text) if not character.isspace())
        assert max(map(len, pieces)) <= 1000
        assert first_overlap(pieces) is None


def test_a_chain_of_streets_stays_in_pieces_and_every_word_is_covered() -> None:
    text = "Elm Street " * 400
    merged = merge([[Span(at, at + 10, "STREET") for at in range(0, len(text), 11)]], text)
    assert max(map(len, merged)) <= 200
    assert sum(map(len, merged)) > 400 * 10

"""The plain reading of a note: only what looks like a plain character is read as one, and every span finds its place again."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span, normalize_document
from incognote.document.normalize import normalize_text
from tests.strategies import documents, texts


@given(st.one_of(texts, st.text()))
def test_every_character_stays_at_its_place(text: str) -> None:
    plain = normalize_text(text)
    assert len(plain) == len(text)
    assert all(one == two or not one.isascii() for one, two in zip(text, plain, strict=True))


def test_every_space_and_every_digit_of_unicode_is_read() -> None:
    every = [chr(code) for code in range(0x110000)]
    assert {normalize_text(character) for character in every if unicodedata.category(character) == "Zs"} == {" "}
    assert all(normalize_text(character) == str(unicodedata.decimal(character)) for character in every if character.isdecimal())


def test_accents_superscripts_and_fractions_stay() -> None:
    text = "Muñoz, 10²/µL, ½ tablet, 37 °C, – ’ Ⅳ ﬁ"
    assert normalize_text(text) == text


UNSEEN = "\u00ad\u200b\u200d\u200e\u202b\u2060\ufeff"


@given(documents(), st.lists(st.tuples(st.integers(0, 40), st.sampled_from(UNSEEN)), max_size=6))
def test_spans_come_back_to_their_places_around_characters_that_nobody_sees(note: Document, marks: list[tuple[int, str]]) -> None:
    text, spans = note.text, list(note.spans)
    for at, mark in ((min(at, len(text)), mark) for at, mark in marks):
        text = text[:at] + mark + text[at:]
        spans = [Span(span.start + (at <= span.start), span.end + (at < span.end), span.label) for span in spans]
    odd = Document("n1", text, spans=tuple(spans))
    reading = normalize_document(odd)
    assert not set(UNSEEN) & set(reading.document.text)
    restored = reading.restore(reading.document.spans)
    seen = [span for span in spans if odd.value(span).strip(UNSEEN)]
    assert [odd.value(span) for span in restored] == [odd.value(span).strip(UNSEEN) for span in seen]
    assert [span.label for span in restored] == [span.label for span in seen]

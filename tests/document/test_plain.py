"""The plain reading of a text: every place stays, and only what looks like a plain character is read as one."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from incognote.document import read_plainly
from tests.strategies import texts


@given(st.one_of(texts, st.text()))
def test_every_character_stays_at_its_place(text: str) -> None:
    plain = read_plainly(text)
    assert len(plain) == len(text)
    assert all(one == two or not one.isascii() for one, two in zip(text, plain, strict=True))


def test_every_space_and_every_digit_of_unicode_is_read() -> None:
    every = [chr(code) for code in range(0x110000)]
    assert {read_plainly(character) for character in every if unicodedata.category(character) == "Zs"} == {" "}
    assert all(read_plainly(character) == str(unicodedata.decimal(character)) for character in every if character.isdecimal())


def test_accents_superscripts_and_fractions_stay() -> None:
    text = "Muñoz, 10²/µL, ½ tablet, 37 °C, – ’ Ⅳ ﬁ"
    assert read_plainly(text) == text

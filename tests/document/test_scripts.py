"""Which letters a model of English cannot read."""

import pytest

from incognote.document import Span
from incognote.document.scripts import count_unread, has_caseless_letters

READABLE = [
    "José, Łukasz, Nguyễn Văn Đức, Åsa, Şükrü, Ñuñez",
    "5 µg, 5 μg, 37 °C, β-blocker, α1, αβ T cells, ΔΨ, 10 Ω, ™, ½, 10², CO₂",
    "naïve — “quoted” … • ✓ 😀 → ≥ 3",
    "Ａｎａ, ﬁbrosis, ℃, ªº, ʻokina, /ˈkæt/",
    "",
]
UNREAD = [
    ("seen by 李秀英", {"Han": 3}),
    ("김민수", {"Hangul": 3}),
    ("カルテ と ひ", {"Katakana": 3, "Hiragana": 2}),
    ("Привет", {"Cyrillic": 6}),
    ("Hаrrington", {"Cyrillic": 1}),
    ("محمد", {"Arabic": 4}),
    ("Ζωή", {"Greek": 3}),
    ("दव", {"Devanagari": 2}),
    ("ใจ", {"Thai": 2}),
    ("דוד", {"Hebrew": 3}),
]


@pytest.mark.parametrize("text", READABLE)
def test_accents_units_and_signs_are_readable(text: str) -> None:
    assert count_unread(text) == {}


@pytest.mark.parametrize(("text", "letters"), UNREAD)
def test_letters_of_other_scripts_are_counted_by_script(text: str, letters: dict[str, int]) -> None:
    assert count_unread(f"Note: {text}. End.") == letters


def test_what_is_replaced_need_not_be_read() -> None:
    assert count_unread("李秀英 李", [Span(0, 3, "PATIENT")]) == {"Han": 1}


def test_scripts_without_capitals() -> None:
    assert [has_caseless_letters(text) for text in ("李", "Ana 민", "Иван", "Ζωή", "ªº José", "ana")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]

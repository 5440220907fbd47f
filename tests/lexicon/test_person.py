"""Written names: taken apart the same way however they are written, and never taken for another person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.lexicon.person import PersonName, fold, may_be_same, parse_name

NAMES = st.sampled_from(["Ana", "Mirela", "Tomasz", "José", "Ngozi", "Xiaoming", "Ana-Lucía"])
FAMILIES = st.sampled_from(["Ruiz", "Kaczmarek", "van der Berg", "O'Brien", "al-Masri", "Ruiz-Ortega", "de la Cruz"])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Mirela Kaczmarek", PersonName("mirela", (), "kaczmarek")),
        ("KACZMAREK, MIRELA J.", PersonName("mirela", ("j",), "kaczmarek")),
        ("Dr. Jane Roe, M.D., Ph.D.", PersonName("jane", (), "roe")),
        ("Roe Jr., John, MD", PersonName("john", (), "roe")),
        ("John Roe III", PersonName("john", (), "roe")),
        ("Minh Do", PersonName("minh", (), "do")),
        ("Minh Do, DO", PersonName("minh", (), "do")),
        ("Ludwig van der Berg", PersonName("ludwig", (), "van der berg")),
        ("Ms. O’Brien's", PersonName(lone="o’brien")),
        ("Mr. James'", PersonName(lone="james")),
        ("J.M. Roe", PersonName("j", ("m",), "roe")),
        ("José García", PersonName("jose", (), "garcia")),
        ("Jose\u0301 Garci\u0301a", PersonName("jose", (), "garcia")),
        ("Judge", PersonName(lone="judge")),
        ("", PersonName()),
        (" , ", PersonName()),
    ],
)
def test_a_name_is_taken_apart(written: str, name: PersonName) -> None:
    assert parse_name(written) == name


@given(NAMES, FAMILIES)
def test_all_ways_of_writing_one_name_agree(given_name: str, family: str) -> None:
    full = parse_name(f"{given_name} {family}")
    ways = [
        f"{family}, {given_name}",
        f"{family.upper()}, {given_name.upper()}",
        f"Dr. {given_name} {family}, MD",
        f"{given_name[0]}. {family}",
        f"{given_name} Q. {family}",
        given_name,
        f"{given_name} {family}'s",
    ]
    assert all(may_be_same(full, parse_name(way)) and may_be_same(parse_name(way), full) for way in ways)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Ana Ruiz", "Tom Ruiz"),
        ("A. Ruiz", "Tom Ruiz"),
        ("Ana B. Ruiz", "Ana C. Ruiz"),
        ("Ana Ruiz", "Ana Lim"),
        ("Ana", "Tom"),
        ("A", "Ana Ruiz"),
        ("", "Ana Ruiz"),
        ("", ""),
    ],
)
def test_a_part_that_contradicts_makes_two_persons(one: str, two: str) -> None:
    assert not may_be_same(parse_name(one), parse_name(two))


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_can_be_read_and_compared_both_ways(one: str, two: str) -> None:
    first, second = parse_name(one), parse_name(two)
    assert may_be_same(first, second) == may_be_same(second, first)


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_name_shows_nothing() -> None:
    assert repr(parse_name("Ana Ruiz")) == "PersonName(…)"

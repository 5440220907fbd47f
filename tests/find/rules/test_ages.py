"""Ages: what is easily broken beyond the golden lines."""

import pytest

from incognote.find.rules.ages.stated import find_ages
from incognote.find.rules.engine.reading import Reading


@pytest.mark.parametrize("age", ["0", "1", "89", "90", "91", "102", "119"])
def test_every_age_is_labelled_and_left_to_the_policy(age: str) -> None:
    text = f"{age} year old"
    assert [text[span.start : span.end] for span in find_ages(Reading(text))] == [age]


@pytest.mark.parametrize("text", ["", "yo", "67", "1000 yo", "999-year-old", "age", "age:", "in her"])
def test_fragments_hold_no_age(text: str) -> None:
    assert not list(find_ages(Reading(text)))


@pytest.mark.parametrize("age", ["90th", "ninetieth", "ninety-first", "hundredth", "seventieth"])
@pytest.mark.parametrize("birthday", ["birthday", "b-day", "bday"])
def test_the_number_of_a_birthday_is_an_age_in_figures_and_in_words(age: str, birthday: str) -> None:
    text = f"fell on her {age} {birthday}, the fiftieth day"
    assert [text[span.start : span.end] for span in find_ages(Reading(text))] == [age]

"""A model's date loses the hour and the words beside it, and nothing else."""

import pytest

from incognote.filters.date_boundaries import cut_date

CUTS = [
    ("Sat 14 Mar 1620", "Sat 14 Mar"),
    ("14.11.24 10.10", "14.11.24"),
    ("Fri 1500", "Fri"),
    ("mon bc", "mon"),
    ("april end of", "april"),
    ("third fall since Easter", "Easter"),
    ("the week of 7/2", "7/2"),
    ("second week of July", "July"),
    ("3rd week of January", "January"),
    ("end of January", "January"),
    ("start of summer 2060", "summer 2060"),
    ("latter part of December", "December"),
    ("end-June", "June"),
    ("first Monday of May", "Monday of May"),
    # what stays
    ("14 Mar 2020", "14 Mar 2020"),
    ("March 1862", "March 1862"),
    ("Sept 4 or 5", "Sept 4 or 5"),
]


@pytest.mark.parametrize(("text", "kept"), CUTS)
def test_a_date_is_cut_to_its_day(text: str, kept: str) -> None:
    assert text[slice(*cut_date(text, 0, len(text)))] == kept


def test_the_number_of_the_next_item_is_no_part_of_the_day() -> None:
    text = "no better by Thurs\n6. OGD next week"
    assert text[slice(*cut_date(text, 13, 20))] == "Thurs"


def test_the_number_of_the_next_item_on_the_line_is_no_part_of_the_day() -> None:
    text = "MRI 26 AUG 3. Ca/D 4. PT"
    assert text[slice(*cut_date(text, 4, 12))] == "26 AUG"


def test_the_year_at_the_end_of_a_sentence_is_no_number_of_an_item() -> None:
    text = "Next dose due 17 May 25. Please ask"
    assert text[slice(*cut_date(text, 14, 23))] == "17 May 25"

"""A model's date loses the hour and the words beside it, and nothing else."""

import pytest

from incognote.rules.date_edges import cut_date

CUTS = [
    ("Sat 14 Mar 1620", "Sat 14 Mar"),
    ("14.11.24 10.10", "14.11.24"),
    ("0130 2/19", "2/19"),
    ("2200 4/3", "4/3"),
    ("Fri 1500", "Fri"),
    ("mon bc", "mon"),
    ("april end of", "april"),
    ("Mon 161/99", "Mon"),
    ("Sep 12/10/2021", "12/10/2021"),
    ("third fall since Easter", "Easter"),
    ("the week of 7/2", "7/2"),
    ("second week of July", "July"),
    ("3rd week of January", "January"),
    ("3, September 1990", "September 1990"),
    ("22 3/12/97", "3/12/97"),
    ("fall 7/29", "7/29"),
    # what stays
    ("fall 2019", "fall 2019"),
    ("3 September 1990", "3 September 1990"),
    ("friday 7-3", "friday 7-3"),
    ("14 Mar 2020", "14 Mar 2020"),
    ("March 1862", "March 1862"),
    ("Mon 12/10/2021", "Mon 12/10/2021"),
    ("10 Feb", "10 Feb"),
    ("24 12/98", "24 12/98"),
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


def test_minutes_before_a_day_go() -> None:
    text = "Seen 03:20 10 Feb"
    assert text[slice(*cut_date(text, 8, 17))] == "10 Feb"


def test_one_shift_of_several_is_no_part_of_the_day() -> None:
    text = "friday 7-3 jenny, sunday 3-11 reeva"
    assert text[slice(*cut_date(text, 0, 10))] == "friday"

"""The word lists load, are clean, and hold what the rules and the surrogates count on."""

import re
from pathlib import Path

import pytest

from incognote.errors import IncognoteError
from incognote.lexicon import list_names, word_list, word_order, word_rows, words


def test_an_unknown_list_is_an_error_that_names_the_lists() -> None:
    with pytest.raises(IncognoteError, match="surnames"):
        word_list("nothing-of-the-kind")


@pytest.mark.parametrize("name", list_names())
def test_entries_are_trimmed_and_not_repeated(name: str) -> None:
    rows = word_rows(name)
    assert rows
    assert all(column == column.strip() for row in rows for column in row)
    assert all(row[0] for row in rows)
    assert len(set(rows)) == len(rows)


def test_names_cover_the_common_and_the_foreign() -> None:
    assert {"smith", "kaczmarek", "nguyen", "o'brien", "mcdonald", "garcia", "okafor", "müller"} <= word_list("surnames")
    assert {"mary", "mirela", "josé", "priya", "kwame"} <= word_list("given-names")


def test_every_given_name_has_a_gender() -> None:
    assert {gender for _, gender in word_rows("given-names")} == {"f", "m", "e"}


def test_us_cities_have_a_state_and_mostly_a_zip_area() -> None:
    rows = word_rows("cities-us")
    assert all(re.fullmatch("[A-Z]{2}", state) for _, state, _ in rows)
    assert ("Boston", "MA", "021") in rows
    assert sum(bool(zip3) for *_, zip3 in rows) > 0.6 * len(rows)


def test_a_zip_area_of_a_city_lies_in_its_state() -> None:
    state_of = {row[0]: row[1] for row in word_rows("zip3")}
    rows = [row for row in word_rows("cities-us") if row[2]]
    assert sum(state_of[zip3] == state for _, state, zip3 in rows) > 0.98 * len(rows)


def test_the_restricted_zip_areas_are_those_of_the_guidance_and_of_the_census_after_it() -> None:
    guidance = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
    census_2010 = "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893"
    assert word_list("restricted-zip3") == {*guidance.split(), *census_2010.split()}


def test_no_common_word_is_only_a_frequent_given_name() -> None:
    frequent = {name.casefold() for name in word_order("given-names")[:300]}
    assert frequent & word_list("common-words") <= word_list("ambiguous-names")


def test_every_list_has_its_source_and_licence_written_down() -> None:
    sources = (Path(words.__file__).parent / "SOURCES.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in sources.splitlines() if line.startswith("| ")]
    written = {name.strip() for row in rows for name in row.split(",")}
    assert set(list_names()) <= written


def test_the_lists_are_small() -> None:
    folder = Path(words.__file__).parent
    assert sum(file.stat().st_size for file in folder.glob("*.txt*")) < 2_500_000


def test_no_name_is_both_whole_and_short() -> None:
    rows = word_rows("nicknames")
    assert not {name for name, _ in rows} & {short for _, shorts in rows for short in shorts.split()}

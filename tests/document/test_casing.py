"""A text in capitals is told from others, and made small with every character in its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import count_cases, is_all_caps, lowercase_all_caps

SHOUTED = "PT SEEN BY DR. LEE THIS MORNING, NO CHANGE OVERNIGHT."


@given(st.text())
def test_no_character_moves(text: str) -> None:
    quiet = lowercase_all_caps(SHOUTED + text.upper())
    assert len(quiet) == len(SHOUTED + text.upper())
    assert lowercase_all_caps(quiet) == quiet


@given(st.text(max_size=3000))
def test_letters_are_counted_as_python_counts_them(text: str) -> None:
    assert count_cases(text) == (sum(map(str.isupper, text)), sum(map(str.islower, text)))


@pytest.mark.parametrize("text", ["", "MRN 4471-AB", "Seen by Dr. LEE this morning, NO CHANGE overnight, home on Friday", "J. SMITH"])
def test_a_code_a_name_and_words_between_others_do_not_shout(text: str) -> None:
    assert not is_all_caps(text)
    assert lowercase_all_caps(text) == text

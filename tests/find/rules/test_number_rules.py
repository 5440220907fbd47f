"""What holds for every number-like family on any text at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import scheme
from incognote.find.rules.ages.stated import find_ages
from incognote.find.rules.contacts.electronic import find_contacts
from incognote.find.rules.dates import find_dates
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers.numbers import find_identifiers
from incognote.find.rules.places.postcodes import find_postcodes

FAMILIES = {"ages": find_ages, "contacts": find_contacts, "dates": find_dates, "identifiers": find_identifiers, "postcodes": find_postcodes}
PIECES = "MRN SSN NPI DEA VIN NHS lot DOB yo age tel fax x p may May Mon sat in on since the of 's # : - / . , ( ) @ ' + % \n".split(" ")
NUMBERS = st.from_regex(r"[0-9٣५７]{1,12}", fullmatch=True)
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(st.one_of(st.sampled_from(PIECES), NUMBERS, st.text(max_size=4)), max_size=15).map(" ".join)
)


@pytest.mark.parametrize("family", FAMILIES)
@given(text=st.one_of(TEXTS, TEXTS.map(lambda text: text.replace(" ", ""))))
@settings(max_examples=150, deadline=None)
def test_spans_lie_in_the_text_with_honest_scores_labels_and_sources(family: str, text: str) -> None:
    labels = scheme("i2b2-2014").labels
    for span in FAMILIES[family](Reading(text)):
        assert 0 <= span.start < span.end <= len(text)
        assert 0.5 <= span.score < 1
        assert span.label in labels
        assert span.source.startswith(f"rules.{family}.")
        assert text[span.start : span.end].strip() == text[span.start : span.end]

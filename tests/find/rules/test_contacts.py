"""Phones, e-mail, web and network addresses: what is easily broken beyond the golden lines."""

import pytest

from incognote.find.rules.contacts.electronic import find_contacts
from incognote.find.rules.engine.reading import Reading


def test_the_nearest_word_tells_fax_from_phone() -> None:
    labels = [span.label for span in find_contacts(Reading("Tel 617-555-0199, fax 617-555-0198, office 617-555-0111"))]
    assert labels == ["PHONE", "FAX", "PHONE"]


@pytest.mark.parametrize("octets", ["256.1.1.1", "999.999.999.999", "1.2.3", "1.2.3.4.5"])
def test_impossible_addresses_are_none(octets: str) -> None:
    assert not [span for span in find_contacts(Reading(f"ip {octets}")) if span.label == "IPADDR"]


@pytest.mark.parametrize("text", ["", "@", "+", "www.", "http://", "()", "x", "p", "tel", "::", "a@b", "+" * 50])
def test_fragments_do_no_harm(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in find_contacts(Reading(text)))

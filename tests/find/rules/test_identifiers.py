"""Identifying numbers: check digits, and what is easily broken beyond the golden lines."""

import pytest

from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers.foreign import find_foreign_ids
from incognote.find.rules.identifiers.numbers import find_identifiers


def _labels(text: str) -> set[tuple[str, float]]:
    return {(span.label, span.score) for span in find_identifiers(Reading(text))}


def test_a_social_security_number_outside_the_area_rules_is_less_sure() -> None:
    assert ("SSN", 0.95) in _labels("pt gave 536-90-4399")
    assert ("SSN", 0.6) in _labels("pt gave 900-90-4399")
    assert ("SSN", 0.97) in _labels("SSN 900-90-4399")


@pytest.mark.parametrize(
    ("right", "wrong"), [("AB1234563", "AB1234564"), ("1HGCM82633A004352", "1HGCM82633A004353"), ("54362315K", "54362315A")]
)
def test_without_a_word_only_a_right_check_digit_counts(right: str, wrong: str) -> None:
    assert any(span.score > 0.85 for span in find_identifiers(Reading(f"noted {right} today")))
    assert not any(span.score > 0.85 for span in find_identifiers(Reading(f"noted {wrong} today")))


def test_a_named_foreign_number_with_a_typing_error_is_still_taken() -> None:
    right, wrong = (list(find_foreign_ids(Reading(f"NHS number {value}"))) for value in ("943 476 5919", "943 476 5918"))
    assert right[0].score > wrong[0].score >= 0.9


@pytest.mark.parametrize("text", ["", "MRN", "MRN:", "#", "SSN -", "lot", "VIN 1", "()", "MRN: \n\n\n", "-" * 40])
def test_fragments_hold_no_identifier(text: str) -> None:
    assert not list(find_identifiers(Reading(text)))


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("Home is at lat 42.36012.", "LOCATION-OTHER", "42.36012"),
        ("GPS: 42.36012, -71.05891", "LOCATION-OTHER", "42.36012, -71.05891"),
        ("found at what3words filled.count.soap by", "LOCATION-OTHER", "filled.count.soap"),
        ("W3W: ///filled.count.soap", "LOCATION-OTHER", "filled.count.soap"),
        ("found at 42.3601° N, 71.0589° W by EMS", "LOCATION-OTHER", "42.3601° N, 71.0589° W"),
        ("series 1.2.840.113619.2.55.3.604688119.971.1468.", "IDNUM", "1.2.840.113619.2.55.3.604688119.971.1468"),
    ],
)
def test_geocodes_and_numbers_of_pictures_are_found_whole(text: str, label: str, value: str) -> None:
    assert (label, value) in [(span.label, text[span.start : span.end]) for span in find_identifiers(Reading(text))]


@pytest.mark.parametrize("text", ["p = 0.0001, 0.0003", "lat 5.2 cm", "Long 2.125 mm stent", "version 1.2.3.4", "lateral 12.3456"])
def test_figures_with_many_places_are_no_geocodes(text: str) -> None:
    assert not [span for span in find_identifiers(Reading(text)) if span.label in ("LOCATION-OTHER", "IDNUM")]

"""What the name rules must do and must never do, beyond their golden lines."""

import pytest

from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.names import find_names
from incognote.merge import merge


def test_a_weakly_found_name_takes_the_label_it_has_elsewhere() -> None:
    text = "Dr. Ngozi Okafor saw him. Later, Ngozi Okafor returned."
    spans = merge([tuple(find_names(Reading(text)))], text)
    assert [span.label for span in spans] == ["DOCTOR", "DOCTOR"]


@pytest.mark.parametrize(
    "text",
    [
        "Lives at 4 Elm Street, Boston, MA 02139.",
        "4 Elm St, Boston, MA 02139",
        "22 Elm Street, Atlanta, PA",
        "Elm Street, Boston, MA 02139",
        "12 Mill Lane, Jackson, MD 20650",
    ],
)
def test_a_street_and_its_town_are_no_name_and_their_state_no_degree(text: str) -> None:
    assert not list(find_names(Reading(text)))


@pytest.mark.parametrize("text", ["Seen by Lane, Jackson, MD", "4. Lane, Jackson, MD 33451", "Jane Lane, MD 33451"])
def test_a_surname_that_also_ends_streets_is_still_a_name(text: str) -> None:
    assert any("Lane" in text[span.start : span.end] and span.label == "DOCTOR" for span in find_names(Reading(text)))


@pytest.mark.parametrize("speaker", ["Patient", "Provider", "Pt", "Clinician"])
def test_what_somebody_says_is_no_name(speaker: str) -> None:
    turns = ("Honestly? I hate the mask.", "Weed?", "Darker maybe.", "Hundred and one on Friday.")
    assert not list(find_names(Reading("\n".join(f"{speaker}: {turn}\nInterviewer: Go on." for turn in turns))))


def test_a_roster_is_not_talk() -> None:
    text = "Patient: Okafor, bed 4\nPatient: Lindqvist 67M\nPatient: Kaczmarek\nPatient: Wojcik; home"
    assert [text[span.start : span.end] for span in find_names(Reading(text))] == ["Okafor", "Lindqvist", "Kaczmarek", "Wojcik"]


def test_a_field_at_the_head_of_what_is_said_is_still_one() -> None:
    text = "Patient: Ngozi Okafor\nDoctor: How are you?\nPatient: Fine.\nDoctor: Good.\nPatient: Bye."
    assert [text[span.start : span.end] for span in find_names(Reading(text))] == ["Ngozi Okafor"]


@pytest.mark.parametrize(
    "text",
    ["That is the one you can't miss. Ninety milligrams, twice a day.", "I'M A KNITTER, ON MY FEET ALL DAY", "Referred by: GP letter"],
)
def test_a_verb_an_article_and_an_abbreviation_are_no_names(text: str) -> None:
    assert not list(find_names(Reading(text)))


def test_every_source_names_its_rule() -> None:
    text = (
        "Name: Ana Ruiz\nSeen by Dr. Roe with her niece Ileana. I spoke with Jose Martinez. Ngozi Okafor\nElectronically signed by Jane Roe"
    )
    rules = {"title", "field", "relation", "speech", "list", "signature"}
    assert {span.source for span in find_names(Reading(text))} == {f"rules.name.{rule}" for rule in rules}

"""What the rules for organizations do beyond the golden lines of places."""

from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.organizations.named import find_organizations


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.source) for span in find_organizations(Reading(text))]


def test_every_source_names_its_rule() -> None:
    text = (
        "Lindqvist Regional Hospital (LRH) called Kaiser. Seen at St. Luke's and at the VA. Employer: Norcraft. "
        "She works at Petrogas. ECT at Marwood, near Lake Hawea.\nEmployer: Norcraft\n"
    )
    rules = {"head", "acronym", "known", "saint", "veterans", "field", "cue", "venue", "landmark"}
    assert {source for _, source in found(text)} == {f"rules.organization.{rule}" for rule in rules}


def test_a_name_goes_on_over_the_break_of_a_full_line_only() -> None:
    long = "He was discharged from the acute service last week to Golden\nOaks Nursing Center."
    assert ("Golden\nOaks Nursing Center", "rules.organization.head") in found(long)
    assert [words for words, _ in found("Dr Siddiqui\nLakeside Family Practice")] == ["Lakeside Family Practice"]


def test_an_acronym_must_start_as_its_name_does() -> None:
    assert not [words for words, source in found("Mercy Hospital (ICU) and Mercy Hospital (XYZ)") if source.endswith("acronym")]


def test_a_heading_or_a_field_is_no_part_of_a_name() -> None:
    heading = "NEW PATIENT CONSULTATION REPORT - GASTROINTESTINAL ONCOLOGY\nLadd University Medical Center"
    assert {words for words, _ in found(heading)} == {"Ladd University", "Ladd University Medical Center"}
    field = "Brought by ambulance from the scene on the highway at 4:10, Monroe\nTransport: ground"
    assert not [words for words, _ in found(field) if "Transport" in words]
    assert [words for words, _ in found("Message thread - Kulpmont Urgent Care - Obstetrics")] == ["Kulpmont Urgent Care"]

"""What people are and what was measured is neither an occupation nor a date."""

import pytest

from incognote import Deidentifier

DEIDENTIFIER = Deidentifier.default(mode="redact", runtime="onnx")


@pytest.mark.parametrize(
    "note",
    [
        "She is a transgender man on testosterone.",
        "He is a homeless man with diabetes.",
        "Here with her daughter, a Spanish speaker.",
        "He is an undocumented immigrant without insurance.",
        "He is a refugee, Arabic speaker.",
        "She is a Christian Scientist and declines vaccination.",
        "Gay male, sexually active with one partner.",
        "Hgb/Hct  11/34  10/31  9/28",
        "Labs\nHgb/Hct\n11/34 10/31 10/30",
        "Na 138 K 4.1 BUN/Cr 12/1",
        "DISCHARGED HOME WITH SON.",
    ],
)
def test_a_trait_a_result_and_a_word_of_kinship_stay(note: str) -> None:
    assert DEIDENTIFIER.scrub(note).text == note


@pytest.mark.parametrize(
    ("note", "value"),
    [
        ("She works as a motivational speaker.", "motivational"),
        ("He is a homeless outreach worker.", "outreach"),
        ("Hgb/Hct 11/34 on 10/31", "10/31"),
        ("LIVES IN LONG BEACH APARTMENT.", "LONG BEACH"),
    ],
)
def test_an_occupation_a_day_and_a_city_beside_them_go(note: str, value: str) -> None:
    assert value not in DEIDENTIFIER.scrub(note).text

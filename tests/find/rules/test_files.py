"""Names of files give away persons and days; a file without them is left."""

import pytest

from incognote.merge import merge
from tests.judged import find_by_rules


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("file oduya_grace_chestCT_20240917.dcm won't open", ["oduya_grace", "20240917"]),
        ("file name EVL_wrist_2024-09-18_3.jpg.", ["EVL", "2024-09-18"]),
        ('saved "IMG_20240626_MWB_rf1.jpg"', ["IMG_20240626_MWB_rf1.jpg"]),
        ("see consent_form_2.pdf, CT_chest_axial.dcm, IMG_2231.jpg", []),
        ("mail report.pdf to the desk", []),
    ],
)
def test_a_file_gives_its_person_and_day(text: str, found: list[str]) -> None:
    assert [text[span.start : span.end] for span in merge([find_by_rules(text)], text)] == found

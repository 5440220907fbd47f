"""The initials of a known person are found in the notes of the patient; letters that mean something else need a person beside them."""

import pytest

from tests.memory.test_known_mentions import find

FOUND = [
    ("William Harrington", "WH is a 45M.", "WH"),
    ("William Harrington", "Discussed the plan with WH's wife.", "WH"),
    ("William Harrington", "wh W.H. agreed", "W.H"),
    ("William Harrington", "Plan reviewed; WH to call back", "WH"),
    ("William James Harrington", "WJH tolerated it well", "WJH"),
    ("William James Harrington", "WH and W.J.H. left", "WH"),
    ("Rosa Maria Hernandez-Webb", "RMHW was seen", "RMHW"),
    ("Rosa Maria Hernandez Webb", "RMHW was seen", "RMHW"),
    ("Katherine Wilson-Hughes", "K.W.-H. is well", "K.W.-H"),
    ("Katherine Wilson-Hughes", "spoke to KWH today", "KWH"),
    ("Jean-Luc Whitby", "JLW has pain", "JLW"),
    ("Ludwig van der Zee", "LVDZ slept", "LVDZ"),
    ("Okonkwo, Zadie", "ZO has no fever", "ZO"),
    # Letters with a meaning in notes.
    ("Paul Thompson", "PT is a 45M with cough", "PT"),
    ("Evan Drake", "Evan Drake (ED) was seen", "ED"),
    ("Mary Stone", "MS, 62F, here with son", "MS"),
    ("Rita Acosta", "RA's daughter called", "RA"),
    ("Carl Pruitt", "CP is a pleasant 71-year-old", "CP"),
    ("Lena Evers", "LE is a woman with asthma", "LE"),
    ("Paul Marsh", "initials: PM", "PM"),
    ("Susan Alvarez-Whitlow", "SAW reports pain", "SAW"),
    ("Rita Acosta", "RA denies fever", "RA"),
]
LEFT = [
    ("Paul Thompson", "PT and OT to see. PT is recommended. PT: gait training"),
    ("Evan Drake", "seen in the ED. ED course was unremarkable. (ED) noted"),
    ("Mary Stone", "has MS, on interferon; MS is stable"),
    ("Rita Acosta", "RA sat 95 on RA. RA is stable on methotrexate"),
    ("Carl Pruitt", "no CP, SOB. CP is resolved"),
    ("Lena Evers", "LE edema 2+, LE strength 5/5"),
    ("Paul Marsh", "at 4 P.M. and 5 PM. PMH: none"),
    ("Hana Eide", "HE IS WELL"),
    ("William Harrington", "who when wh; lot WH-3, KL/WH, WH 12, WHO"),
    ("William Harrington", "W stands, H stands, W, H"),
    ("Kim Wahid", "used 4 kwh, KW"[:10]),
    ("Paul Thompson", "PT reports he walked; PT called"),
    ("Nathan Edward Garcia", "Troponin NEG."),
    ("Jo Poole", "JP drain 20 cc; JP removed"),
]


@pytest.mark.parametrize(("name", "text", "written"), FOUND)
def test_initials_of_the_patient_are_found(name: str, text: str, written: str) -> None:
    assert written in find(text, PATIENT=name)


@pytest.mark.parametrize(("name", "text"), LEFT)
def test_letters_that_are_no_initials_are_left(name: str, text: str) -> None:
    assert find(text, PATIENT=name) == []

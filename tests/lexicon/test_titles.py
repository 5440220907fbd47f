"""Words that are a title before one name and a name in another."""

import pytest

from incognote import Deidentifier

DEIDENTIFIER = Deidentifier.default(mode="redact", runtime="onnx")


@pytest.mark.parametrize(
    ("note", "name"),
    [
        ("Patient: Don Carter was seen.", "Don Carter"),
        ("Patient: Justice Monroe, 45F", "Justice Monroe"),
        ("Reg Hollis called about refills.", "Reg Hollis"),
        ("Sho Tanaka was admitted.", "Sho Tanaka"),
        ("Gen Whitfield presents with cough.", "Gen Whitfield"),
        ("Hon Nguyen is a pleasant 60M.", "Hon Nguyen"),
        ("Deacon Fuller, DOB 3/4/1980", "Deacon Fuller"),
        ("Marshal Dent was brought by EMS.", "Marshal Dent"),
        ("Elder Santos was intubated.", "Elder Santos"),
    ],
)
def test_a_given_name_that_is_a_title_elsewhere_is_part_of_the_name(note: str, name: str) -> None:
    assert not set(name.split()) & set(DEIDENTIFIER.scrub(note).text.replace(".", " ").replace(",", " ").split())


@pytest.mark.parametrize(
    "note", ["Gen. Patrick Moore called.", "Officer Dana Whitlock called.", "Nurse Kelly Brown gave report.", "Miss Osei was seen."]
)
def test_a_title_with_evidence_stays(note: str) -> None:
    assert DEIDENTIFIER.scrub(note).text.startswith(note.split()[0])

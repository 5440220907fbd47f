"""The marks around a model's value are no part of it, but for the stop of an abbreviation and the brackets of its own."""

import pytest

from incognote.document import Span
from tests.judged import trim_spans

EDGES = [
    ("Mercy.", "HOSPITAL", "Mercy"),
    ("St. Luke's.", "HOSPITAL", "St. Luke's"),
    ("Elmgate Medicine, P.C..", "HOSPITAL", "Elmgate Medicine, P.C."),
    ("Kaptarakwa Hosp.", "HOSPITAL", "Kaptarakwa Hosp."),
    ("Acme Tools Inc.", "ORGANIZATION", "Acme Tools Inc."),
    ("Ward 5 (Cardiology).", "DEPARTMENT", "Ward 5 (Cardiology)"),
    ("3TELE/", "DEPARTMENT", "3TELE"),
    ("J. Smith.", "DOCTOR", "J. Smith"),
    ("ADEYEMO.", "DOCTOR", "ADEYEMO"),
    ("K.E.F./", "DOCTOR", "K.E.F."),
    ('Fitzgibbon.","', "DOCTOR", "Fitzgibbon"),
    ("“Billy”", "PATIENT", "Billy"),
    ("CHARLES BODIN SR..", "PATIENT", "CHARLES BODIN SR."),
    ("Lubelo D.", "PATIENT", "Lubelo D."),
    ("W. Va.).", "STATE", "W. Va."),
    ("NC.", "STATE", "NC"),
    ("Anne Roe (", "PATIENT", "Anne Roe"),
    ("Coimbatore -", "CITY", "Coimbatore"),
    ("(Cork", "CITY", "Cork"),
    ("12 Main St.", "STREET", "12 Main St."),
    ("12 Ocean Way.", "STREET", "12 Ocean Way"),
    ("4610 East Dr.</", "STREET", "4610 East Dr."),
    ("VMH000001–", "IDNUM", "VMH000001"),
    ("(617) 555-0120", "PHONE", "(617) 555-0120"),
    ("'58,", "DATE", "'58"),
    ("https://mercy.example/", "URL", "https://mercy.example/"),
]


@pytest.mark.parametrize(("text", "label", "kept"), EDGES)
def test_marks_stay_outside_unless_they_belong_to_the_value(text: str, label: str, kept: str) -> None:
    (span,) = trim_spans([Span(0, len(text), label)], text)
    assert text[span.start : span.end] == kept

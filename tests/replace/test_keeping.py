"""A policy keeps only what is proved to be what its label says; in doubt it is replaced."""

import pytest

from incognote.document import Document, parse_markup
from incognote.facts import gather_facts
from incognote.replace import load_policy, make_replacer, rewrite
from incognote.replace.keeping import DOUBT

KEY = bytes(range(32))


def judge(*marked: str, policy: str = "limited-data-set", clinicians: str | None = None) -> list[list[str]]:
    """The verdicts on the spans of each note of one patient."""
    notes = [parse_markup(text, id=f"n{at}", patient="p1") for at, text in enumerate(marked)]
    replacer = make_replacer("redact", policy=load_policy(policy, clinicians=clinicians), key=KEY)
    facts = gather_facts(notes)["p1"]
    return [replacer.judge_kept(note, facts) for note in notes]


def clean(marked: str, mode: str = "redact", **about: str) -> str:
    note = parse_markup(marked, id="n", patient="p1")
    replacer = make_replacer(mode, policy=load_policy(about.pop("policy", "limited-data-set"), **about), key=KEY)
    return rewrite(note, replacer.replace(note, gather_facts([note])["p1"]))[0].text


PROVED_CLINICIANS = [
    ("Seen by Dr. <DOCTOR>Ines Okoro</DOCTOR> today.", "title"),
    ("Prof. <DOCTOR>Okoro</DOCTOR> rounds at 7.", "title"),
    ("<DOCTOR>Ines Okoro</DOCTOR>, MD", "degree"),
    ("<DOCTOR>Ines Okoro</DOCTOR> RN at bedside", "degree"),
    ("PCP: <DOCTOR>Ines Okoro</DOCTOR>", "role"),
    ("Attending - <DOCTOR>Okoro</DOCTOR>", "role"),
    ("discussed with nurse <DOCTOR>Bethany</DOCTOR>", "role"),
    ("D/w <DOCTOR>Okoro</DOCTOR> (cardiologist) this morning", "role"),
    ("Referred to the surgeon, <DOCTOR>I. Okoro</DOCTOR>", "role"),
    ("Electronically signed by <DOCTOR>Ines Okoro</DOCTOR> 3/4", "signature"),
    ("Anesthesia: <DOCTOR>Lowell Banks</DOCTOR>", "role"),
    ("Dictated by: <DOCTOR>Ines Okoro</DOCTOR>", "signature"),
]
DOUBTFUL_CLINICIANS = [
    "Separated from <DOCTOR>Monique Baptiste</DOCTOR> last year.",
    "Letter from <DOCTOR>Angela Moreno</DOCTOR> received.",
    "Divorced from Dr. <DOCTOR>Baptiste</DOCTOR> in spring.",
    "His wife, Dr. <DOCTOR>Lena Park</DOCTOR>, is here.",
    "daughter <DOCTOR>Petra Novak</DOCTOR>, RN, was called",
    "Dr. <DOCTOR>Lena Park</DOCTOR>, his wife, agrees",
    "<DOCTOR>Lena Park</DOCTOR>, MD (daughter) agrees",
    "Consent signed by <DOCTOR>Omar Haddad</DOCTOR>.",
    "Call <DOCTOR>Tobias Lindqvist</DOCTOR> with results.",
    "Rides with <DOCTOR>Kofi Asante</DOCTOR> to dialysis",
    "Resident: <DOCTOR>Edna Walsh</DOCTOR>, room 12",
]


@pytest.mark.parametrize(("marked", "evidence"), PROVED_CLINICIANS)
def test_a_clinician_is_kept_by_what_stands_beside_the_name(marked: str, evidence: str) -> None:
    assert judge(marked, policy="i2b2", clinicians="keep") == [[evidence]]


@pytest.mark.parametrize("marked", DOUBTFUL_CLINICIANS)
def test_a_name_that_nothing_proves_a_clinicians_is_replaced(marked: str) -> None:
    assert judge(marked, policy="i2b2", clinicians="keep") == [[DOUBT]]
    name = marked[marked.index("<DOCTOR>") + 8 : marked.index("</")]
    for mode in ("redact", "placeholder", "surrogate"):
        assert name not in clean(marked, mode, policy="i2b2", clinicians="keep")


def test_evidence_in_another_note_of_the_patient_keeps_a_name() -> None:
    notes = "Seen by <DOCTOR>Ines Okoro</DOCTOR>, MD", "Letter from <DOCTOR>Okoro</DOCTOR> received; call <DOCTOR>Petra Novak</DOCTOR>"
    assert judge(*notes, policy="i2b2", clinicians="keep") == [["degree"], ["another mention", DOUBT]]


def test_a_relative_with_a_title_goes_wherever_the_name_stands() -> None:
    notes = "His wife, Dr. <DOCTOR>Lena Park</DOCTOR>, is here.", "Dr. <DOCTOR>Park</DOCTOR> asked. Dr. <DOCTOR>Okoro</DOCTOR> agrees."
    assert judge(*notes, policy="i2b2", clinicians="keep") == [[DOUBT], [DOUBT, "title"]]


PROVED_PLACES = [
    ("Lives in <CITY>Madison</CITY>, WI 53703", "address"),
    ("born in <CITY>Jackson</CITY>", "gazetteer"),
    ("Visited <CITY>San Diego</CITY> once", "gazetteer"),
    ("From <COUNTRY>Haiti</COUNTRY>", "gazetteer"),
    ("moved to <STATE>Ohio</STATE>", "gazetteer"),
    ("lives at <CITY>Greenholt</CITY>, MI 48001", "address"),
    ("seen at <HOSPITAL>Lakeview Family Clinic</HOSPITAL>", "word of its kind"),
    ("sent to <HOSPITAL>St. Brendan's</HOSPITAL>", "word of its kind"),
    ("stays in <CITY>Brockton</CITY>", "gazetteer"),
    ("of Boston, <STATE>MA</STATE>;", "address"),
    ("of Arlington, <STATE>Texas</STATE>", "address"),
    ("sent to <HOSPITAL>MGH</HOSPITAL>", "gazetteer"),
    ("ZIP <ZIP>53703</ZIP>", "form"),
    ("seen on <DATE>Christmas Eve</DATE>", "word list"),
    ("aged <AGE>ninety</AGE>", "word list"),
    ("seen on <DATE>3/4</DATE>", "form"),
    ("a <PROFESSION>retired welder</PROFESSION>", "word list"),
    ("in <DEPARTMENT>Cardiology clinic</DEPARTMENT>", "word of its kind"),
]
DOUBTFUL_PLACES = [
    "Divorced from <CITY>Monique Baptiste</CITY>.",
    "Pt lives in <CITY>Monique</CITY>'s house.",
    "Lives near <CITY>Imelda Santos</CITY>.",
    "Staying with <CITY>Florence</CITY> now",
    "Lives in <CITY>Jackson</CITY>'s basement",
    "moved in with <STATE>Georgia</STATE>",
    "confides in <CITY>Victoria</CITY>",
    "her children Madison, <STATE>Georgia</STATE> and Chad",
    "raised by <COUNTRY>Chad</COUNTRY>",
    "transferred to <HOSPITAL>Okonkwo</HOSPITAL>",
    "care of <HOSPITAL>Monique's home</HOSPITAL>",
    "he works for <PROFESSION>Monique</PROFESSION>",
    "seen by <DEPARTMENT>Baptiste</DEPARTMENT>",
    "since <DATE>Monique</DATE> left",
]


@pytest.mark.parametrize(("marked", "evidence"), PROVED_PLACES)
def test_a_place_is_kept_by_a_gazetteer_an_address_or_a_word_of_its_kind(marked: str, evidence: str) -> None:
    assert judge(marked) == [[evidence]]


@pytest.mark.parametrize("marked", DOUBTFUL_PLACES)
def test_what_may_be_a_person_under_a_places_label_is_replaced(marked: str) -> None:
    assert judge(marked) == [[DOUBT]]
    value = marked[marked.index(">") + 1 : marked.index("</")]
    assert value not in clean(marked)


SHARED = [
    "<PATIENT>TRAN NGUYEN</PATIENT> seen at <HOSPITAL>NGUYEN FAMILY CLINIC</HOSPITAL>",
    "<PATIENT>Rosa Medina</PATIENT>, of <CITY>Medina</CITY>, OH 44256",
    "<PATIENT>Ada Mayo-Lee</PATIENT> at <HOSPITAL>Mayo Clinic</HOSPITAL>",
    "<PATIENT>Virginia Roe</PATIENT> born in <STATE>Virginia</STATE>",
    "<PATIENT>Jordan Pike</PATIENT> flew to <COUNTRY>Jordan</COUNTRY>",
    "<PATIENT>Ann Baptiste</PATIENT>, <HOSPITAL>Baptiste's Hospice</HOSPITAL>",
    "<PATIENT>Ann Houston</PATIENT> lives in <CITY>HOUSTON</CITY>",
    "<PATIENT>Muñoz, Ana</PATIENT> at <HOSPITAL>Munoz Hospital</HOSPITAL>",
]


@pytest.mark.parametrize("marked", SHARED)
def test_what_holds_a_word_of_a_replaced_name_is_replaced(marked: str) -> None:
    assert judge(marked) == [["", DOUBT]]


def test_what_a_policy_does_not_keep_has_no_verdict_and_a_policy_that_keeps_names_judges_none() -> None:
    note = Document("n", "Ann Roe", patient="p1")
    assert make_replacer("redact", policy=load_policy("i2b2"), key=KEY).judge_kept(note, gather_facts([note])["p1"]) == []
    assert judge("<PATIENT>Ann Roe</PATIENT> in <ROOM>12</ROOM>") == [["", ""]]


def test_a_state_that_is_a_name_of_the_patients_is_no_state() -> None:
    marked = "<PATIENT>Virginia Roe</PATIENT> of <STATE>Virginia</STATE> and <STATE>Ohio</STATE>"
    assert judge(marked, policy="safe-harbor") == [["", DOUBT, ""]]
    assert "Virginia" not in clean(marked, policy="safe-harbor")
    assert clean(marked, policy="safe-harbor").endswith("and Ohio")

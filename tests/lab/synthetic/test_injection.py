"""Injection into real text, on notes written for these tests."""

import re
from collections.abc import Iterator

import pytest

from incognote.document import Document, Span, scheme
from incognote.lab.synthetic import inject
from incognote.lab.synthetic.clarity import is_clear
from incognote.lab.synthetic.injection import injected_topics
from incognote.lab.synthetic.library import library
from incognote.lab.synthetic.placeholders import find_placeholders

LOST = (
    "HISTORY OF PRESENT ILLNESS: , The patient is a 71-year-old female seen by Dr. Torvald on 3/4/2009.  She has Crohn disease.  "
    "Dr. Torvald stopped her Lasix.,PLAN:,1.  Rest, fluids.,2.  See Dr. XYZ at ABCD General Hospital on MM/DD/YYYY.  "
    "She should call with fever.  No driving."
)
TRUTH = (
    (r"(?<=Dr\. )Torvald", "DOCTOR"),
    (r"\d/\d/\d{4}", "DATE"),
    (r"\d\d(?=-year)", "AGE"),
)


def find(text: str) -> Iterator[Span]:
    """A finder that knows these notes, in the place of the rules."""
    for pattern, label in TRUTH:
        for match in re.finditer(pattern, text):
            yield Span(*match.span(), label)


def notes(count: int = 40, text: str = LOST) -> list[Document]:
    return [Document(f"n{number}", text) for number in range(count)]


def test_spans_are_exact_and_of_the_scheme() -> None:
    labels = set(scheme("i2b2-2014").labels)
    for note in inject(notes(), find):
        assert all(note.value(span) == note.value(span).strip() and span.label in labels for span in note.spans)


def test_what_was_found_is_replaced_and_labelled() -> None:
    made = list(inject(notes(), find))
    assert len(made) == 40
    for note in made:
        assert not re.search("torvald|XYZ|ABCD|MM/DD|3/4/2009", note.text, re.IGNORECASE)
        assert {"AGE", "DOCTOR", "DATE", "HOSPITAL"} <= {span.label for span in note.spans}


def test_a_name_keeps_its_bearer_through_the_note() -> None:
    kept = 0
    for note in inject(notes(), find, sentences=0):
        names = re.findall(r"seen by Dr\.\s+(.+?)\s+on .*?Dr\.\s+(.+?)\s+stopped", note.text, re.DOTALL)
        kept += any(one == two for one, two in names)
    assert kept > 25


def test_clinical_words_around_the_spans_stay() -> None:
    plain = [note.text for note in inject(notes(), find) if "Crohn disease" in note.text]
    assert len(plain) > 15


def test_sentences_headers_and_trailers_are_added() -> None:
    bare, rich = (sum(len(note.spans) for note in inject(notes(), find, sentences=count)) for count in (0, 6))
    assert bare > 40 * 7
    assert rich > bare + 40


def test_lost_line_breaks_come_back_in_most_notes() -> None:
    broken = [note for note in inject(notes(), find, sentences=0) if re.search(r"(?i)plan:?\s*\n", note.text)]
    assert 20 < len(broken) < 40


def test_a_note_with_phi_that_was_not_found_is_left_out() -> None:
    unseen = notes(3, "Mrs. Halvorsen came on 3/4/2009.  She is well.")
    assert list(inject(unseen, find)) == []
    assert len(list(inject(unseen, find, strict=False))) == 3


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("Seen for Crohn disease with a Foley catheter.", True),
        ("Sent home with Kaczmarek today.", False),
        ("Signed, Halvorsen, M.D.", False),
        ("A 71-year-old woman.", False),
        ("Call 617-555-0199.", False),
        ("Seen by XYZ today.", False),
        ("She takes Lasix and Coumadin for Graves disease.", True),
    ],
)
def test_what_looks_like_phi_makes_a_note_unclear(text: str, clear: bool) -> None:
    assert is_clear(text, []) is clear


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. ABC came", [("PATIENT", "ABC")]),
        ("seen by Dr. X and Dr. Y.", [("DOCTOR", "X"), ("DOCTOR", "Y")]),
        ("Dr. X. Halvorsen came", []),
        ("came to ABCD General Hospital", [("HOSPITAL", "ABCD General Hospital")]),
        ("on xx/xx/xxxx and 12/__/____", [("DATE", "xx/xx/xxxx"), ("DATE", "12/__/____")]),
        ("an XX-year-old man, MRN: XXXXX", [("AGE", "XX"), ("MEDICALRECORD", "XXXXX")]),
        ("I have seen ABC today", [("PATIENT", "ABC")]),
        ("the ____ was clamped at 4 mm/hr", []),
        ("XXX-XXX-XXXX", [("PHONE", "XXX-XXX-XXXX")]),
    ],
)
def test_placeholders_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(span.label, text[span.start : span.end]) for span in sorted(find_placeholders(text))] == expected


def test_the_same_arguments_give_the_same_notes_and_another_seed_others() -> None:
    one, two, other = (list(inject(notes(5), find, seed=seed)) for seed in (1, 1, 2))
    assert one == two
    assert [note.text for note in one] != [note.text for note in other]


def test_the_injected_topics_exist() -> None:
    assert set(injected_topics()) <= library().patterns.keys()
    assert {frame.name.partition(".")[0] for frame in library().headers_footers} == {"header", "footer"}

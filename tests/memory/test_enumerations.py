"""Of a list of single names the others are found where one is."""

import pytest

from incognote.document import parse_markup
from incognote.memory.enumerations import find_listed_names

FOUND = [
    ("<PATIENT>Will</PATIENT>, <PATIENT>Hope</PATIENT>, and Grace came", ["Grace"]),
    ("Her sons Mark, <PATIENT>Rich</PATIENT> and Art", ["Mark", "Art"]),
    ("Grant, Chase & <PATIENT>Brook</PATIENT> visited", ["Grant", "Chase"]),
    ("Joy; <PATIENT>Faith</PATIENT>; Summer.", ["Joy", "Summer"]),
    ("HOPE, <PATIENT>WILL</PATIENT>, GRACE", ["HOPE", "GRACE"]),
    ("<PATIENT>Rob, Will</PATIENT> and Grace by phone", ["Grace"]),
    ("met <DOCTOR>Joy</DOCTOR> and Dawn", ["Dawn"]),
    ("Olive, Clay, <PATIENT>Forrest</PATIENT>, and Rocky", ["Olive", "Clay", "Rocky"]),
    ("Ángel, <PATIENT>Paz</PATIENT> and Jean-Luc", ["Ángel", "Jean-Luc"]),
]
LEFT = [
    "Will, Hope, and Grace",
    "<PATIENT>Roe</PATIENT>, Attending, and Surgeon",
    "<PATIENT>Roe</PATIENT>, May 5",
    "Seen by <DOCTOR>Roe</DOCTOR>, Will follow up",
    "<PATIENT>Roe</PATIENT> and Cardiology, Nephrology, and Surgery",
    "<CITY>Jackson</CITY>, Hope, and Grace",
    "<PATIENT>Ann</PATIENT> came. Will, she said, hope and grace.",
    "<PATIENT>Ann</PATIENT> takes Lasix, Aspirin and Coumadin",
]


@pytest.mark.parametrize(("marked", "names"), FOUND)
def test_the_other_names_of_a_list_are_found(marked: str, names: list[str]) -> None:
    document = parse_markup(marked)
    assert [document.text[span.start : span.end] for span in find_listed_names(document.text, document.spans)] == names


@pytest.mark.parametrize("marked", LEFT)
def test_words_that_are_no_names_and_lists_without_one_are_left(marked: str) -> None:
    document = parse_markup(marked)
    assert find_listed_names(document.text, document.spans) == []

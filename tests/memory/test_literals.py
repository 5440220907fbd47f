"""Listed values in any script are found at any length, however they are normalized and whether or not blanks stand around them."""

import unicodedata
from pathlib import Path

import pytest

from incognote.document import Document
from incognote.facts import gather_facts, patient_key
from incognote.memory.known_mentions import find_known_mentions
from incognote.memory.patients import Roster
from incognote.merge import merge

FOUND = [
    ("name\n李秀英", "Patient 李秀英 seen.", ["李秀英"]),
    ("name\n李秀英", "患者李秀英来院，秀英说。", ["李秀英", "秀英"]),
    ("name\n李秀英", "李 秀英, 李・秀英 and 李女士", ["李 秀英", "李・秀英", "李女士"]),
    ("family,given\n李,秀英", "秀英李 and 李秀英", ["秀英李", "李秀英"]),
    ("name\n李", "Saw 李 today", ["李"]),
    ("name\n김민수", "김민수는 왔다. 민수 has pain", ["김민수", "민수"]),
    ("name\n山田太郎", "山田様 (太郎) seen", ["山田", "太郎"]),
    ("name\nキム", "Name: ｷﾑ", ["ｷﾑ"]),
    ("name\nمحمد العلي", "العلي، محمد and والعلي left", ["العلي، محمد", "العلي"]),
    ("relative\nليلى", "mother ليلى.", ["ليلى"]),
    ("name\nדוד לוי", "דוד came", ["דוד"]),
    ("name\nदेवी शर्मा", "देवी शर्मा admitted; शर्मा stable", ["देवी शर्मा", "शर्मा"]),
    ("name\nสมชาย ใจดี", "คุณสมชายมา", ["สมชาย"]),
    ("city\n北京", "from 北京市", ["北京"]),
    ("employer\n삼성", "삼성에서 일함", ["삼성"]),
    ('name\n"Иванов, Пётр"', "Пётр Иванов, ИВАНОВ", ["Пётр Иванов", "ИВАНОВ"]),
    ("name\nЛи", "Ли said", ["Ли"]),
    ("name\nΖωή Παππά", "Ζωή came with Παππά", ["Ζωή", "Παππά"]),
]
LEFT = [
    ("name\nعلي", "عليم"),
    ("name\n기", "김 left"),
    ("name\n김민수", "김철수 left"),
    ("name\n李秀英", "木子 left"),
]


@pytest.fixture
def find(tmp_path: Path):
    def find(listed: str, text: str) -> list[str]:
        header, row = listed.split("\n")
        (tmp_path / "p.csv").write_text(f"patient,{header}\np1,{row}\n", encoding="utf-8")
        document = Document("n", text, patient="p1")
        return [document.text[span.start : span.end] for span in Roster.from_csv(tmp_path / "p.csv").find(document)]

    return find


@pytest.mark.parametrize(("listed", "text", "found"), FOUND)
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
def test_listed_values_are_found_in_every_script_and_normalization(find, listed: str, text: str, found: list[str], form: str) -> None:
    text = unicodedata.normalize(form, text)
    assert [unicodedata.normalize("NFC", each) for each in find(listed, text)] == [
        unicodedata.normalize("NFKC" if form == "NFKC" else "NFC", each) for each in found
    ]


@pytest.mark.parametrize(("listed", "text"), LEFT)
def test_letters_of_other_words_are_left(find, listed: str, text: str) -> None:
    assert find(listed, text) == []


def test_what_was_found_once_is_found_in_the_patients_other_notes(find, tmp_path: Path) -> None:
    find("name\n李秀英", "")
    known = Document("n1", "Patient 李秀英", patient="p1")
    known = known.with_spans(Roster.from_csv(tmp_path / "p.csv").find(known))
    other = Document("n2", "秀英 called", patient="p1")
    assert [(span.start, span.end) for span in find_known_mentions(other, gather_facts([known])[patient_key(known)], sure=0.5)] == [(0, 2)]


def test_a_span_in_a_script_without_blanks_is_not_widened_to_the_whole_sentence(find, tmp_path: Path) -> None:
    find("name\n李秀英", "")
    document = Document("n", "患者李秀英来院", patient="p1")
    assert [(span.start, span.end) for span in merge([Roster.from_csv(tmp_path / "p.csv").find(document)], document.text)] == [(2, 5)]

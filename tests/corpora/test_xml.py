"""i2b2 and MEDDOCAN XML: whose offsets they are, and what XML cannot hold."""

import re
from pathlib import Path

import pytest

from incognote.corpora import read_corpus, write_corpus
from incognote.document import Document, Span
from incognote.errors import CorpusError, OutputError

HEAD = "<?xml version='1.0' encoding='UTF-8'?>\n<deIdi2b2><TEXT><![CDATA["
TAGS = "]]></TEXT><TAGS>{}</TAGS></deIdi2b2>"


def read_one(folder: Path, text: str, tags: str, name: str = "220-01.xml") -> Document:
    (folder / name).write_bytes((HEAD + text + TAGS.format(tags)).encode())
    return next(read_corpus(folder))


def tag(start: int, end: int, text: str, kind: str = "DATE") -> str:
    return f'<DATE id="P1" start="{start}" end="{end}" text="{text}" TYPE="{kind}" comment=""/>'


def test_patient_comes_from_the_file_name(tmp_path: Path) -> None:
    note = read_one(tmp_path, "\n\nRecord date: 2067-05-03", tag(15, 25, "2067-05-03"))
    assert (note.id, note.patient, note.spans) == ("220-01", "220", (Span(15, 25, "DATE"),))


def test_other_file_names_tell_no_patient(tmp_path: Path) -> None:
    assert read_one(tmp_path, "x", "", name="S0004-0614.xml").patient == ""


def test_offsets_of_a_parser_count_crlf_once(tmp_path: Path) -> None:
    note = read_one(tmp_path, "a\r\nb\r\n2067", tag(4, 8, "2067"))
    assert note.text == "a\nb\n2067"
    assert note.value(note.spans[0]) == "2067"


def test_offsets_of_an_annotator_who_counted_crlf_twice_are_found_out(tmp_path: Path) -> None:
    note = read_one(tmp_path, "a\r\nb\r\n2067 \ue000", tag(6, 10, "2067"))
    assert note.text == "a\r\nb\r\n2067 \ue000"
    assert note.value(note.spans[0]) == "2067"


def test_offsets_that_fit_neither_way_of_counting_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="correct the offsets"):
        read_one(tmp_path, "a\r\nb\r\n2067 x", tag(5, 9, "2067"))


def test_white_space_in_the_text_attribute_may_differ(tmp_path: Path) -> None:
    note = read_one(tmp_path, "on May\n\t3 she", tag(3, 9, "May  3"))
    assert note.spans == (Span(3, 9, "DATE"),)


def test_spans_without_a_text_attribute_are_taken(tmp_path: Path) -> None:
    assert read_one(tmp_path, "2067", '<DATE start="0" end="4" TYPE="DATE"/>').spans == (Span(0, 4, "DATE"),)


def test_text_may_stand_without_cdata(tmp_path: Path) -> None:
    (tmp_path / "1-01.xml").write_text("<deIdi2b2><TEXT>A &amp; B&#13;</TEXT></deIdi2b2>", encoding="utf-8")
    assert next(read_corpus(tmp_path)).text == "A & B\r"


def test_a_doctype_that_fetches_nothing_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "1-01.xml").write_text(
        '<!DOCTYPE deIdi2b2 SYSTEM "http://localhost:1/x.dtd"><deIdi2b2><TEXT>A</TEXT></deIdi2b2>', encoding="utf-8"
    )
    assert next(read_corpus(tmp_path)).text == "A"


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006", "meddocan"])
@pytest.mark.parametrize("character", ["\x00", "\x0b", "\ufffe"])
def test_a_character_that_xml_forbids_is_named_with_its_place(format: str, character: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=rf"document n1, character 3: U\+{ord(character):04X} is forbidden in XML"):
        write_corpus([Document("n1", f"abc{character}")], tmp_path / "out", format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("format", "labels", "way"),
    [("i2b2", "i2b2-2014", "map the labels with map_to i2b2-2014"), ("i2b2-2006", "i2b2-2006", "with scheme")],
)
def test_a_label_of_another_scheme_is_refused_with_the_way_out(format: str, labels: str, way: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=rf"document n1: label FECHAS is not in scheme {labels}.*{way}"):
        write_corpus([Document("n1", "2067", spans=(Span(0, 4, "FECHAS"),))], tmp_path / "out", format=format)
    assert list(tmp_path.iterdir()) == []


def test_a_named_scheme_gives_the_elements_their_names(tmp_path: Path) -> None:
    write_corpus([Document("n1", "2067", spans=(Span(0, 4, "FECHAS"),))], tmp_path / "out", format="i2b2", scheme="meddocan")
    assert '<DATE id="P0" start="0" end="4" text="2067" TYPE="FECHAS"' in (tmp_path / "out/n1.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize("id", ["../n1", "/n1", "a//b", ".hidden", "", "a\0b"])
def test_an_id_never_leads_out_of_the_folder(id: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot name a file"):
        write_corpus([Document(id, "x")], tmp_path / "deep" / "out", format="text")
    assert not (tmp_path / "deep").exists() or list((tmp_path / "deep").iterdir()) == []


def test_an_id_too_long_for_a_file_name_is_refused_and_can_be_set_aside(tmp_path: Path) -> None:
    notes = [Document("é" * 130, "x"), Document("n1", "x")]
    with pytest.raises(CorpusError, match="this id is too long to name a file"):
        write_corpus(notes, tmp_path / "out", format="text")
    faults: list[CorpusError] = []
    assert write_corpus(notes, tmp_path / "out", format="text", aside=faults) == 1
    assert [fault.document for fault in faults] == ["é" * 130]


def test_a_file_that_cannot_be_written_is_told_by_the_name_it_was_to_have(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=re.escape(f"{tmp_path / 'out' / 'a.txt' / 'b.txt'}: cannot be written")):
        write_corpus([Document("a", "x"), Document("a.txt/b", "x")], tmp_path / "out", format="text")
    assert not list(tmp_path.iterdir())

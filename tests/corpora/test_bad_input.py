"""Every kind of bad input gives one clear error: file, document, place, and never a word of the note."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from incognote.corpora import Columns, detect_format, read_corpus
from incognote.document import Document
from incognote.errors import CorpusError, IncognoteError

SECRET = "Kowalczyk"
I2B2 = '<?xml version="1.0" encoding="UTF-8"?>\n<deIdi2b2><TEXT><![CDATA[{text}]]></TEXT><TAGS>{tags}</TAGS></deIdi2b2>'
NAME = '<NAME id="P0" start="{}" end="{}" text="{}" TYPE="{}" comment=""/>'
BOMB = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><deIdi2b2><TEXT>&c;</TEXT><TAGS/></deIdi2b2>'
RECORDS = b'<ROOT><RECORD ID="1"><TEXT>a</TEXT></RECORD></ROOT>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><deIdi2b2><TEXT>&b;</TEXT><TAGS/></deIdi2b2>'


def xml(text: str = f"Mr {SECRET} came", *tags: str) -> bytes:
    return I2B2.format(text=text, tags="".join(tags)).encode()


def line(spans: str, *, id: str = "n1") -> bytes:
    return f'{{"id": "{id}", "text": "Mr {SECRET} came", "spans": {spans}}}\n'.encode()


CASES: dict[str, tuple[str, dict[str, bytes], list[str]]] = {
    "span outside the text, i2b2": (
        "i2b2",
        {"1-01.xml": xml("Mr X", NAME.format(3, 9, SECRET, "PATIENT"))},
        ["1-01", "[3, 9)", "P0", "4 characters"],
    ),
    "span outside the text, jsonl": (
        "jsonl",
        {"a.jsonl": line('[{"start": 3, "end": 99, "label": "PATIENT"}]')},
        ["line 1", "n1", "[3, 99)"],
    ),
    "span outside the text, brat": ("brat", {"a.txt": b"Mr X", "a.ann": b"T1\tPATIENT 3 9\tX"}, ["a.ann", "line 1", "[3, 9)"]),
    "empty span": ("jsonl", {"a.jsonl": line('[{"start": 3, "end": 3, "label": "PATIENT"}]')}, ["line 1", "[3, 3)", "empty"]),
    "negative start": ("jsonl", {"a.jsonl": line('[{"start": -3, "end": 3, "label": "PATIENT"}]')}, ["line 1", "[-3, 3)"]),
    "text attribute differs, i2b2": (
        "i2b2",
        {"1-01.xml": xml(f"Mr {SECRET}", NAME.format(2, 11, SECRET, "PATIENT"))},
        ["[2, 11)", "correct the offsets"],
    ),
    "text attribute differs, meddocan": (
        "meddocan",
        {"a.xml": xml("Sr X", NAME.format(0, 2, "X", "FECHAS")).replace(b"deIdi2b2", b"MEDDOCAN")},
        ["a.xml", "[0, 2)", "correct the offsets"],
    ),
    "text column differs, brat": (
        "brat",
        {"a.txt": b"Mr X", "a.ann": b"T1\tPATIENT 0 2\tXX\n"},
        ["a.ann", "line 1", "correct the offsets"],
    ),
    "text of a span differs, jsonl": (
        "jsonl",
        {"a.jsonl": line('[{"start": 0, "end": 2, "label": "X", "text": "no"}]')},
        ["line 1, span 0"],
    ),
    "overlap, i2b2": (
        "i2b2",
        {"1-01.xml": xml(f"Mr {SECRET}", NAME.format(0, 5, "Mr Ko", "PATIENT"), NAME.format(3, 5, "Ko", "DOCTOR"))},
        ["[0, 5)", "[3, 5)", "overlap"],
    ),
    "overlap, jsonl": (
        "jsonl",
        {"a.jsonl": line('[{"start": 0, "end": 5, "label": "A"}, {"start": 4, "end": 6, "label": "B"}]')},
        ["n1", "line 1", "overlap"],
    ),
    "unknown label, i2b2": (
        "i2b2",
        {"1-01.xml": xml(f"Mr {SECRET}", NAME.format(3, 5, "Ko", "PATEINT"))},
        ["PATEINT", "i2b2-2014", "nearest: PATIENT"],
    ),
    "unknown label, i2b2-2006": (
        "i2b2-2006",
        {"a.xml": b'<ROOT><RECORD ID="1"><TEXT>a <PHI TYPE="DOKTOR">b</PHI></TEXT></RECORD></ROOT>'},
        ["document 1", "DOKTOR", "nearest: DOCTOR"],
    ),
    "malformed XML": (
        "i2b2",
        {"1-01.xml": f"<deIdi2b2><TEXT>{SECRET}</TEXTS></deIdi2b2>".encode()},
        ["1-01", "line 1, column", "mismatched tag"],
    ),
    "malformed XML, streamed": (
        "i2b2-2006",
        {"a.xml": f'<ROOT><RECORD ID="1"><TEXT>{SECRET}</ROOT>'.encode()},
        ["line 1, column", "mismatched"],
    ),
    "undefined entity": ("i2b2", {"1-01.xml": f"<deIdi2b2><TEXT>&{SECRET};</TEXT></deIdi2b2>".encode()}, ["line 1", "malformed XML"]),
    "wrong root": ("i2b2", {"1-01.xml": b"<MEDDOCAN><TEXT>a</TEXT></MEDDOCAN>"}, ["<deIdi2b2>", "format"]),
    "start not a number": ("i2b2", {"1-01.xml": xml("Mr X", NAME.format("one", 2, "Mr", "PATIENT"))}, ["P0", "whole numbers"]),
    "nested PHI": (
        "i2b2-2006",
        {"a.xml": b'<ROOT><RECORD ID="7"><TEXT><PHI TYPE="ID">1<b/></PHI></TEXT></RECORD></ROOT>'},
        ["document 7", "nested"],
    ),
    "record without ID": ("i2b2-2006", {"a.xml": b"<ROOT><RECORD><TEXT>a</TEXT></RECORD></ROOT>"}, ["record 1", "ID"]),
    "entity bomb": ("i2b2", {"1-01.xml": BOMB.encode()}, ["1-01", "entity"]),
    "external entity": ("i2b2", {"1-01.xml": OUTSIDE.encode()}, ["1-01", "external"]),
    "entity bomb, streamed": ("i2b2-2006", {"a.xml": BOMB.replace("deIdi2b2", "ROOT").encode()}, ["entity"]),
    "malformed JSON": (
        "jsonl",
        {"a.jsonl": line("[]") + f'{{"id": "n2", "text": "{SECRET}"'.encode()},
        ["line 2, character", "malformed JSON"],
    ),
    "not a JSON object": ("jsonl", {"a.jsonl": f'"{SECRET}"'.encode()}, ["line 1", "object"]),
    "no id": ("jsonl", {"a.jsonl": f'{{"text": "{SECRET}"}}'.encode()}, ["line 1", '"id"']),
    "no text": ("jsonl", {"a.jsonl": b'{"id": "n1"}'}, ["line 1", "n1", '"text"']),
    "span without label": ("jsonl", {"a.jsonl": line('[{"start": 0, "end": 2}]')}, ["line 1, span 0", "label"]),
    "label O, jsonl": ("jsonl", {"a.jsonl": line('[{"start": 3, "end": 12, "label": "O"}]')}, ["line 1", "n1", "[3, 12)", "label O"]),
    "label O, csv": (
        "csv",
        {"a.csv": b'id,text,spans\nn1,Mr X,"[{""start"": 3, ""end"": 4, ""label"": ""O""}]"\n'},
        ["line 2", "n1", "[3, 4)", "label O"],
    ),
    "label O, brat": ("brat", {"a.txt": b"Mr X", "a.ann": b"T1\tO 3 4\tX\n"}, ["document a", "[3, 4)", "label O"]),
    "label O, markup": ("markup", {"a.note": b"Mr <O>X</O>"}, ["a.note", "document a:", "[3, 4)", "label O"]),
    "label O, conll": ("conll", {"a.conll": b"-DOCSTART-\tn1\tp\n\nabc\t0\t3\tB-O\n"}, ["n1", "[0, 3)", "label O"]),
    "lone surrogate": ("jsonl", {"a.jsonl": b'{"id": "n1", "text": "\\ud800"}'}, ["line 1", "surrogate"]),
    "deep JSON": ("jsonl", {"a.jsonl": b'{"id": "n1", "text": "", "x": ' + b"[" * 99999}, ["line 1", "JSON"]),
    "malformed brat line": (
        "brat",
        {"a.txt": b"Mr X", "a.ann": f"T1\tPATIENT 3 4\tX\nT2 {SECRET}\n".encode()},
        ["a.ann", "line 2", "T1<tab>LABEL"],
    ),
    "brat spans without their note": ("brat", {"a.txt": b"", "b.ann": b""}, ["b.ann", "no .txt"]),
    "malformed markup": ("markup", {"a.note": f"<PATIENT>{SECRET}".encode()}, ["a.note", "never closed"]),
    "malformed CoNLL line": ("conll", {"a.conll": f"-DOCSTART-\tn1\tp\n\n{SECRET}\n".encode()}, ["n1", "line 3", "IOB2"]),
    "CoNLL offsets that do not fit": ("conll", {"a.conll": b"-DOCSTART-\tn1\tp\n\nabc\t0\t9\tO\n"}, ["n1", "line 3", "do not fit"]),
    "CoNLL offset far away": ("conll", {"a.conll": b"-DOCSTART-\tn1\tp\n\nabc\t99999999999\t100000000002\tO\n"}, ["n1", "line 3"]),
    "not UTF-8, text": ("text", {"a.txt": b"Ren\xe9"}, ["a.txt", "document a", "byte 3", "UTF-8"]),
    "not UTF-8, brat": ("brat", {"a.txt": b"X", "a.ann": b"T1\tID 0 1\t\xe9"}, ["a.ann", "byte 10", "UTF-8"]),
    "not UTF-8, i2b2": ("i2b2", {"1-01.xml": b"<deIdi2b2><TEXT>\xe9</TEXT></deIdi2b2>"}, ["1-01", "byte 16", "UTF-8"]),
    "another encoding, i2b2": (
        "i2b2",
        {"1-01.xml": b"<?xml version='1.0' encoding='latin-1'?><deIdi2b2/>"},
        ["latin-1", "save the file as UTF-8"],
    ),
    "not UTF-8, i2b2-2006": ("i2b2-2006", {"a.xml": b"<ROOT>\n<RECORD ID='1'><TEXT>\xe9</TEXT></RECORD></ROOT>"}, ["byte 28", "UTF-8"]),
    "not UTF-8, jsonl": ("jsonl", {"a.jsonl": line("[]") + b'{"id": "\xe9"}'}, [f"byte {len(line('[]')) + 8}", "UTF-8"]),
    "not UTF-8, csv": ("csv", {"a.csv": b"id,text\n1,Ren\xe9\n"}, ["line 2, byte 13", "UTF-8"]),
    "not UTF-8, conll": ("conll", {"a.conll": b"Ren\xe9 O\n"}, ["byte 3", "UTF-8"]),
    "not UTF-8, markup": ("markup", {"a.note": b"\xe9"}, ["byte 0", "UTF-8"]),
    "duplicate id": ("jsonl", {"a.jsonl": line("[]") + line("[]")}, ["document n1", "second"]),
    "duplicate id, csv": ("csv", {"a.csv": b"id,text\n1,a\n1,b\n"}, ["document 1", "second"]),
    "duplicate id over files": ("jsonl", {"a.jsonl": line("[]"), "b.jsonl": line("[]")}, ["document n1", "second"]),
    "duplicate id, text": ("text", {"a.txt": b"1", "a.TXT": b"2"}, ["document a", "rename"]),
    "missing column": ("csv", {"a.csv": b"id,note,author\n1,a,b\n"}, ["a.csv", "no note column text", "id, note, author", "note_column"]),
    "missing id column": ("csv", {"a.csv": b"nr,text\n1,a\n"}, ["no id column id", "nr, text", "id_column"]),
    "repeated column": ("csv", {"a.csv": b"id,text,x,x\n1,a,b,c\n"}, ["same name"]),
    "fields missing in a row": ("csv", {"a.csv": f"id,text\n{SECRET}\n".encode()}, ["line 2", "1 fields where the header has 2"]),
    "malformed CSV": ("csv", {"a.csv": f'id,text\n1,"{SECRET}\n'.encode()}, ["a.csv", "line 2", "malformed table"]),
    "csv without a header": ("csv", {"a.csv": b""}, ["a.csv", "empty"]),
    "spans column that is no JSON": ("csv", {"a.csv": f"id,text,spans\n1,a,{SECRET}\n".encode()}, ["line 2", "spans", "malformed JSON"]),
    "not parquet": ("parquet", {"a.parquet": SECRET.encode()}, ["a.parquet", "Parquet"]),
    "broken gzip": ("jsonl", {"a.jsonl.gz": SECRET.encode()}, ["a.jsonl.gz", "cannot be read: not gzip, damaged or cut short"]),
    "empty folder": ("text", {"readme.md": b""}, ["empty", "*.txt"]),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_told_clearly_and_without_note_text(case: str, tmp_path: Path) -> None:
    format, files, words = CASES[case]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(tmp_path, format=format))
    message = str(caught.value)
    for word in [str(tmp_path), *words]:
        assert word in message
    assert SECRET not in message
    assert "\n" not in message


GOOD: dict[str, dict[str, bytes]] = {
    "i2b2": {"9-01.xml": xml("fine")},
    "text": {"z.txt": b"fine"},
    "brat": {"z.txt": b"fine", "z.ann": b""},
    "markup": {"z.note": b"fine"},
}
ONE_BAD_FILE = [case for case, (format, _, _) in CASES.items() if format in GOOD and case not in ("empty folder", "duplicate id, text")]


@pytest.mark.parametrize("case", ONE_BAD_FILE)
def test_with_quarantine_the_good_files_are_read(case: str, tmp_path: Path) -> None:
    format, files, _ = CASES[case]
    for name, content in {**files, **GOOD[format]}.items():
        (tmp_path / name).write_bytes(content)
    faults: list[CorpusError] = []
    texts = [document.text for document in read_corpus(tmp_path, format=format, quarantine=faults.append)]
    assert texts[-1] == "fine"
    assert len(faults) == 1
    assert faults[0].path


@pytest.mark.parametrize(
    ("name", "content", "kept"),
    [
        ("a.jsonl", line("[]", id="1") + b"{\n" + b'{"id": "2", "text": "\xe9"}\n' + line("[]", id="1") + line("[]", id="3"), ["1", "3"]),
        ("a.csv", b"id,text\n1,a\n2\n3,\xe9\n,b\n4,c\n", ["1", "4"]),
        ("a.conll", b"-DOCSTART-\t1\t\na O\n-DOCSTART-\t2\t\nbad\n-DOCSTART-\t3\t\n\xe9 O\n-DOCSTART-\t4\t\nb O\n", ["1", "4"]),
        (
            "a.xml",
            b'<ROOT><RECORD ID="1"><TEXT>a</TEXT></RECORD><RECORD><TEXT>a</TEXT></RECORD><RECORD ID="3"><TEXT/></RECORD></ROOT>',
            ["1", "3"],
        ),
    ],
)
def test_with_quarantine_one_file_is_read_to_its_end(name: str, content: bytes, kept: list[str], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    faults: list[CorpusError] = []
    assert [document.id for document in read_corpus(tmp_path / name, quarantine=faults.append)] == kept
    assert faults


def test_a_named_patient_column_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,text\n1,a\n")
    assert next(read_corpus(tmp_path / "a.csv")).patient == ""
    with pytest.raises(CorpusError, match="no patient column mrn"):
        list(read_corpus(tmp_path / "a.csv", columns=Columns(patient="mrn")))


@pytest.mark.parametrize(
    "first",
    [
        "17,Ann Lee was seen today.",
        "n17,Ann Lee came; 2067-05-03,x",
        'n17,"Ann Lee\ncame"',
        "2067-05-03,Ann Lee",
        "id;Ann Lee, well",
        "Ann Lee,Ann Lee,7",
    ],
)
def test_a_table_without_a_header_is_refused_and_its_first_note_not_shown(first: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{first}\n18,Bob Lee\n")
    with pytest.raises(CorpusError, match="is there a header") as error:
        list(read_corpus(tmp_path / "a.csv"))
    assert "Ann" not in str(error.value)


def test_a_header_that_is_not_utf8_is_refused_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("id,text\n1,a\n".encode("utf-16"))
    with pytest.raises(CorpusError, match=r"a\.csv, line 1, byte 0: not UTF-8"):
        list(read_corpus(tmp_path / "a.csv"))


def _missing(folder: Path) -> None:
    pass


def _empty(folder: Path) -> None:
    folder.mkdir()


def _unknown(folder: Path) -> None:
    folder.mkdir()
    (folder / "a.docx").write_bytes(b"")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _mixed(folder: Path) -> None:
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"")
    (folder / "a.jsonl").write_bytes(b"")


def _two_years(folder: Path) -> None:
    folder.mkdir()
    (folder / "a.xml").write_bytes(RECORDS)
    (folder / "b.xml").write_bytes(xml("a"))


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (_missing, "no such file"),
        (_empty, "empty"),
        (_pipe, "pipe.*save what it gives in a file"),
        (_unknown, "cannot tell the format.*name it with format.*markup"),
        (_mixed, r"jsonl and text, as a\.jsonl and a\.txt are; give each format a folder of its own"),
        (_two_years, r"i2b2-2006 and i2b2, as a\.xml and b\.xml are"),
    ],
)
def test_a_corpus_of_no_clear_format_is_refused(prepare: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    prepare(tmp_path / "corpus")
    with pytest.raises(CorpusError, match=words):
        detect_format(tmp_path / "corpus")


@pytest.mark.parametrize(("format", "good", "root"), [("i2b2", xml("Ann"), "<deIdi2b2> and hold <TEXT>"), ("i2b2-2006", RECORDS, "<ROOT>")])
def test_a_stray_xml_file_is_named_and_hides_no_notes(format: str, good: bytes, root: str, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"<project><RECORD/></project>")
    (tmp_path / "b.xml").write_bytes(good)
    assert detect_format(tmp_path).name == format
    with pytest.raises(CorpusError, match=rf"a\.xml.*: the root element must be {root}; take the file out, or name the right format"):
        list(read_corpus(tmp_path))
    faults: list[CorpusError] = []
    assert len(list(read_corpus(tmp_path, quarantine=faults.append))) == 1
    assert len(faults) == 1


def test_an_xml_file_that_may_not_be_read_does_not_hide_what_the_others_are(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.xml")
    (tmp_path / "b.xml").write_bytes(xml("Ann"))
    faults: list[CorpusError] = []
    assert [note.id for note in read_corpus(tmp_path, quarantine=faults.append)] == ["b"]
    assert [fault.path for fault in faults] == [str(tmp_path / "a.xml")]


def test_an_unknown_format_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"format docx is not known; there are: i2b2, .*markup"):
        read_corpus(tmp_path, format="docx")


def test_an_unknown_scheme_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    with pytest.raises(IncognoteError, match="there are: coarse"):
        read_corpus(tmp_path, scheme="icd")


def test_labels_are_checked_against_a_named_scheme(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line('[{"start": 0, "end": 2, "label": "PATIENTS"}]'))
    assert isinstance(next(read_corpus(tmp_path)), Document)
    with pytest.raises(CorpusError, match=r"a\.jsonl, document n1, line 1: label PATIENTS is not in scheme i2b2-2014; nearest: PATIENT"):
        list(read_corpus(tmp_path, scheme="i2b2-2014"))


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.parquet", "a.conll", "a.xml", "a.note"])
def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(CorpusError, match=f"{name}: is a pipe or a device, which cannot be read twice"):
        list(read_corpus(tmp_path))


def test_a_csv_that_is_utf_16_is_called_that_and_not_malformed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("id,text\r\n1,Ann\r\n".encode("utf-16"))
    with pytest.raises(CorpusError, match="line 1, byte 0: not UTF-8"):
        list(read_corpus(tmp_path / "a.csv"))


def test_a_csv_with_old_line_ends_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,text\r1,Ann\r")
    with pytest.raises(CorpusError, match="malformed table: a line ends in CR alone"):
        list(read_corpus(tmp_path / "a.csv"))

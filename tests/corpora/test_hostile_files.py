"""Files made to crash a reader, to fill the memory or to slip something past: one error, or quarantine of the one bad note."""

import base64
import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.corpora import read_corpus
from incognote.corpora.files import open_whole
from incognote.corpora.packed import VARIABLE
from incognote.errors import CorpusError

SECRET = "Kowalczyk"
NOTE = f"<deIdi2b2><TEXT>Mr {SECRET}</TEXT><TAGS/></deIdi2b2>"
MIB = 1 << 20


def xml(encoding: str, content: str = NOTE, *, blanks: int = 1) -> str:
    return f'<?xml version="1.0"{" " * blanks}encoding="{encoding}"?>\n{content}'


def record(content: str) -> bytes:
    return f'<ROOT><RECORD ID="1">{content}</RECORD></ROOT>'.encode()


def row(**keys: str) -> bytes:
    return ("{" + ", ".join(f'"{key}": {value}' for key, value in keys.items()) + "}\n").encode()


def tag(attributes: str) -> bytes:
    return f"<deIdi2b2><TEXT>Mr {SECRET}</TEXT><TAGS><NAME {attributes}/></TAGS></deIdi2b2>".encode()


# Format, name and content of the bad file, and what the error says. The file holds one note, so the others of its folder are read.
ONE_NOTE: dict[str, tuple[str, str, bytes, str]] = {
    "XML in UTF-7": ("i2b2", "a.xml", xml("utf-7", NOTE.replace("Mr", "+AE0-r")).encode(), "is in utf-7"),
    "XML in EBCDIC": ("i2b2", "a.xml", xml("cp037").encode("cp037"), "UTF-8"),
    "XML that says EBCDIC": ("i2b2", "a.xml", xml("cp500").encode(), "is in cp500"),
    "XML in UTF-16 with a mark": ("i2b2", "a.xml", xml("utf-16").encode("utf-16"), "UTF-8"),
    "XML in UTF-16 without a mark": ("i2b2", "a.xml", xml("utf-16").encode("utf-16-le"), "NUL bytes; it may be in UTF-16"),
    "XML in UTF-16, other order": ("i2b2", "a.xml", xml("utf-16").encode("utf-16-be"), "NUL bytes; it may be in UTF-16"),
    "XML in UTF-32": ("i2b2", "a.xml", xml("utf-32").encode("utf-32-le"), "NUL bytes"),
    "XML that says UTF-16": ("i2b2", "a.xml", xml("UTF-16").encode(), "is in UTF-16"),
    "XML in a multibyte encoding": ("i2b2", "a.xml", xml("shift_jis").encode(), "is in shift_jis"),
    "XML in an encoding of Python's own": ("i2b2", "a.xml", xml("rot13").encode(), "is in rot13"),
    "XML in an unknown encoding": ("i2b2", "a.xml", xml(f"x-{SECRET}").encode(), "is in an encoding that is not known"),
    "XML in an encoding with odd letters": ("i2b2", "a.xml", xml(f"{SECRET} 7\x1b[2J").encode(), "is in an encoding that is not known"),
    "XML encoding declared late": ("i2b2", "a.xml", xml("latin-1", blanks=5000).encode(), "is in latin-1"),
    "XML encoding declared later still": ("i2b2", "a.xml", xml("utf-7", blanks=100_000).encode(), "is in utf-7"),
    "XML encoding in single quotes": ("i2b2", "a.xml", xml("cp1252").replace('"', "'").encode(), "is in cp1252"),
    "a second TEXT": ("i2b2", "a.xml", NOTE.replace("<TAGS/>", f"<TEXT>{SECRET}</TEXT><TAGS/>").encode(), "more than one <TEXT>"),
    "a second TEXT, empty": ("i2b2", "a.xml", NOTE.replace("<TEXT>", "<TEXT/><TEXT>").encode(), "more than one <TEXT>"),
    "a second TEXT, MEDDOCAN": (
        "meddocan",
        "a.xml",
        f"<MEDDOCAN><TEXT>{SECRET}</TEXT><TAGS/><TEXT>b</TEXT></MEDDOCAN>".encode(),
        "more than one <TEXT>",
    ),
    "an attribute of 20 MB": ("i2b2", "a.xml", tag(f'id="P1" start="{SECRET * 2_000_000}" end="4" TYPE="DATE"'), "whole numbers"),
    "a text of an annotation of 20 MB": ("i2b2", "a.xml", tag(f'start="0" end="2" TYPE="DATE" text="{SECRET * 2_000_000}"'), "offsets"),
    "an annotation id that is text": ("i2b2", "a.xml", tag(f'id="{SECRET}" start="x" end="4"'), "annotation 0: start and end"),
    "an annotation id with a number": ("i2b2", "a.xml", tag('id="MRN4471923" start="x" end="4"'), "annotation 0: start and end"),
    "a label that is text": ("i2b2", "a.xml", tag(f'start="0" end="2" TYPE="{SECRET}"'), "a label is not in scheme i2b2-2014"),
    "an offset of 5000 digits": ("i2b2", "a.xml", tag(f'start="{"9" * 5000}" end="4"'), "whole numbers"),
    "a bomb of entities": (
        "i2b2",
        "a.xml",
        b'<!DOCTYPE d [<!ENTITY a "Kowalczyk"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
        b"<deIdi2b2><TEXT>&c;</TEXT><TAGS/></deIdi2b2>",
        "an entity",
    ),
    "an entity of parameters": ("i2b2", "a.xml", b'<!DOCTYPE d [<!ENTITY % a "x">%a;]>' + NOTE.encode(), "an entity"),
    "an external document type": ("i2b2", "a.xml", b'<!DOCTYPE d SYSTEM "file:///etc/passwd">' + NOTE.encode(), ""),
    "NUL in XML": ("i2b2", "a.xml", NOTE.replace("Mr", "Mr\0").encode(), "NUL bytes"),
    "NUL late in XML": ("i2b2", "a.xml", NOTE.replace("Mr", "x" * 70_000 + "\0").encode(), "malformed XML"),
    "markup never closed": ("markup", "a.note", f"Mr <{SECRET.upper()}>{SECRET}".encode(), "character 3: a tag is never closed"),
    "markup closed twice": ("markup", "a.note", f"Mr </{SECRET.upper()}>".encode(), "character 3: a tag closes nothing"),
    "markup nested": ("markup", "a.note", f"<DATE>Mr <{SECRET.upper()}>x".encode(), "a tag opens inside <DATE>"),
    "annotations out of order": ("brat", "a.ann", f"{SECRET}\tT1 0 4\tDATE\n".encode(), "line 1: not a brat annotation"),
    "an annotation whose label is text": ("brat", "a.ann", f"T1\t{SECRET} 3 9\tx\n".encode(), "span [3, 9) is empty or outside"),
    "brat offsets of 5000 digits": ("brat", "a.ann", f"T1\tDATE 0 {'9' * 5000}\tx\n".encode(), "not a brat annotation"),
}  # fmt: skip


def put(folder: Path, format: str, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    if name.endswith(".ann"):
        (folder / name).with_suffix(".txt").write_bytes(b"Mr X")
    suffix = {"brat": ".txt", "markup": ".note"}.get(format, ".xml")
    good = {"i2b2": b"<deIdi2b2><TEXT>good</TEXT><TAGS/></deIdi2b2>", "meddocan": b"<MEDDOCAN><TEXT>good</TEXT><TAGS/></MEDDOCAN>"}
    (folder / f"z{suffix}").write_bytes(good.get(format, b"good"))


@pytest.mark.parametrize("case", ONE_NOTE)
def test_a_bad_note_is_one_error_or_is_set_aside(case: str, tmp_path: Path) -> None:
    format, name, content, words = ONE_NOTE[case]
    put(tmp_path, format, name, content)
    if case == "an external document type":  # nothing external is read; a parser need not mind the declaration
        assert [note.text for note in read_corpus(tmp_path, format=format)] == [f"Mr {SECRET}", "good"]
        return
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(tmp_path, format=format))
    check(str(caught.value), f"{tmp_path / name}", words)
    aside: list[CorpusError] = []
    assert [note.text for note in read_corpus(tmp_path, format=format, quarantine=aside.append)] == ["good"]
    assert [str(error) for error in aside] == [str(caught.value)]


def check(message: str, *words: str) -> None:
    assert all(word in message for word in words), message
    assert SECRET.lower() not in message.lower()
    assert "4471923" not in message
    assert message.isprintable()
    assert len(message) < 700


GOOD = row(id='"z"', text='"good"')
# Name and content of a file with several notes, the good ones among them, and what the errors of the others say.
SEVERAL: dict[str, tuple[str, bytes, list[str], list[str]]] = {
    "duplicate JSON keys": ("a.jsonl", b'{"id": "1", "text": "Kowalczyk", "text": ""}\n' + GOOD, ["z"], ["1: an object has one"]),
    "duplicate keys beside": ("a.jsonl", row(id='"1"', text='""', x='{"a": "Kowalczyk", "a": 2}') + GOOD, ["z"], ["one key twice"]),
    "duplicate keys in a span": (
        "a.jsonl",
        row(id='"1"', text='"Mr"', spans='[{"start": 0, "start": 1, "end": 2, "label": "DATE"}]') + GOOD,
        ["z"],
        ["one key twice"],
    ),
    "duplicate ids": ("a.jsonl", GOOD + row(id='"z"', text='"Kowalczyk"'), ["z"], ["a second document has this id"]),
    "a lone surrogate in JSON": ("a.jsonl", row(id='"1"', text='"Kowalczyk \\ud83d"') + GOOD, ["z"], ["lone surrogate"]),
    "a lone surrogate in a key": ("a.jsonl", row(id='"1"', text='""', **{"Kowalczyk\\uDE00": "1"}) + GOOD, ["z"], ["lone surrogate"]),
    "a lone surrogate in an id": ("a.jsonl", row(id='"Kowalczyk\\udfff"', text='""') + GOOD, ["z"], ["lone surrogate"]),
    "surrogates in bytes": ("a.jsonl", row(id='"1"', text='"Kowalczyk"').replace(b"czyk", b"\xed\xa0\x80") + GOOD, ["z"], ["not UTF-8"]),
    "a key that begins with NUL": ("a.jsonl", row(id='"1"', text='""', **{"\\u0000header": '"Kowalczyk"'}) + GOOD, ["z"], ["NUL"]),
    "a deep value": ("a.jsonl", row(id='"1"', text='""', x="[" * 100_000 + "]" * 100_000) + GOOD, ["z"], ["nested too deeply"]),
    "a number of 5000 digits": ("a.jsonl", row(id="9" * 5000, text='""') + GOOD, ["z"], ["a number too long"]),
    "a note as id": ("a.jsonl", row(id='"' + "Mr Kowalczyk " * 200 + '"', text='""') + GOOD, ["z"], ["its id has 2,600 characters"]),
    "a patient that is a note": (
        "a.jsonl",
        row(id='"1"', text='""', patient='"' + "Mr Kowalczyk " * 200 + '"') + GOOD,
        ["z"],
        ["its patient has 2,600 characters"],
    ),
    "a JSON object cut short": ("a.jsonl", b'{"id": "1", "text": "Kowalczyk\n' + GOOD, ["z"], ["line 1, character"]),
    "an escape that JSON lacks": ("a.jsonl", row(id='"1"', text='"\\Kowalczyk"') + GOOD, ["z"], ["malformed JSON: Invalid"]),
    "surrogates in a cell": ("a.csv", b"id,text\n1,Kowalczyk\xed\xa0\x80\nz,good\n", ["z"], ["line 2, byte 19: not UTF-8"]),
    "a bad byte in an id": ("a.csv", b"id,text\nKowalczyk\xff,a\nz,good\n", ["z"], ["line 2, byte 17: not UTF-8"]),
    "a cell too many": ("a.csv", b"id,text\n1,Kowalczyk,came\nz,good\n", ["z"], ["3 fields where the header has 2"]),
    "a surrogate in spans": (
        "a.csv",
        b'id,text,spans\n1,Kowalczyk,"[{""start"": 0, ""end"": 1, ""label"": ""\\ud800""}]"\nz,good,\n',
        ["z"],
        ["line 2, column spans, character 1: a lone surrogate"],
    ),
    "deep spans": ("a.csv", b"id,text,spans\n1,Kowalczyk," + b"[" * 99_999 + b"\nz,good,\n", ["z"], ["column spans"]),
    "CoNLL offsets of 5000 digits": (
        "a.conll",
        b"-DOCSTART-\t1\t\nKowalczyk\t0\t" + b"9" * 5000 + b"\tO\n\n-DOCSTART-\tz\t\ngood\t0\t4\tO\n",
        ["z"],
        ["line 2: start and end do not fit"],
    ),
    "a CoNLL id that is a note": (
        "a.conll",
        b"-DOCSTART-\tMr Kowalczyk came\t\nbad\n\n-DOCSTART-\tz\t\ngood\t0\t4\tO\n",
        ["z"],
        ["line 2: a line is token"],
    ),
    "two TEXT in a record": (
        "a.xml",
        b'<ROOT><RECORD ID="1"><TEXT>a</TEXT><TEXT>Kowalczyk</TEXT></RECORD><RECORD ID="z"><TEXT>good</TEXT></RECORD></ROOT>',
        ["z"],
        ["record 1: a record needs an ID and one TEXT"],
    ),
    "an id of 20 MB": (
        "a.xml",
        b'<ROOT><RECORD ID="' + b"Kowalczyk " * 2_000_000 + b'"><TEXT>a</TEXT></RECORD><RECORD ID="z"><TEXT>good</TEXT></RECORD></ROOT>',
        ["z"],
        ["its id has 20,000,000 characters"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SEVERAL)
def test_a_bad_note_of_a_file_is_one_error_or_is_set_aside(case: str, tmp_path: Path) -> None:
    name, content, kept, words = SEVERAL[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    check(str(caught.value), str(path), *words)
    aside: list[CorpusError] = []
    assert [note.id for note in read_corpus(path, quarantine=aside.append)] == kept
    assert [str(error) for error in aside] == [str(caught.value)]


# Name and content of a file that is bad as a whole, and what the error says.
WHOLE: dict[str, tuple[str, bytes, str]] = {
    "a first row for a header": ("a.csv", b"Kowalczyk,Anna\nNowak,Jan\n", "is there a header"),
    "a first row of words": ("a.csv", b"17,Kowalczyk came today\n", "is there a header"),
    "a first row of a name and a number": ("a.csv", b"4471923,Kowalczyk,Mr Kowalczyk came\n", "is there a header"),
    "a first row with one name of a column": ("a.csv", b"text,Kowalczyk\na,b\n", "no id column id"),
    "columns that repeat": ("a.csv", b"id,text,Kowalczyk,Kowalczyk\n", "two columns have the same name"),
    "control characters in a header": ("a.csv", b"id,\x1b[2JKowalczyk\x07\n", "no note column text"),
    "NUL in a header": ("a.csv", b"id,text,\x00header\n1,a,Kowalczyk\n", "the character NUL"),
    "a quote never closed": ("a.csv", b'id,text\n1,"Kowalczyk\n', "line 2: malformed table"),
    "letters after a quote": ("a.csv", b'id,text\n1,"a"Kowalczyk\n', "line 2: malformed table"),
    "UTF-16": ("a.csv", "id,text\n1,Kowalczyk\n".encode("utf-16-le"), ""),
    "streamed XML in an encoding declared late": (
        "a.xml", xml("latin-1", record("<TEXT>Kowalczyk</TEXT>").decode(), blanks=3000).encode(), "is in latin-1"
    ),
    "streamed XML in UTF-16 without a mark": ("a.xml", xml("utf-16", "<ROOT></ROOT>").encode("utf-16-le"), "NUL bytes"),
    "streamed XML with an entity": ("a.xml", b'<!DOCTYPE d [<!ENTITY a "Kowalczyk">]>' + record("<TEXT>&a;</TEXT>"), "an entity"),
    "a gzip file cut short": ("a.jsonl.gz", gzip.compress(row(id='"1"', text='"Kowalczyk"') * 50)[:-30], "damaged or cut short"),
    "a gzip file with a bad sum": ("a.jsonl.gz", gzip.compress(GOOD)[:-8] + b"12345678", "damaged or cut short"),
    "no gzip file": ("a.jsonl.gz", zlib.compress(b"Kowalczyk"), "not gzip"),
    "no Parquet file": ("a.parquet", b"PAR1Kowalczyk", "not a Parquet file"),
}  # fmt: skip


@pytest.mark.parametrize("case", WHOLE)
def test_a_file_that_is_bad_as_a_whole_is_one_error(case: str, tmp_path: Path) -> None:
    name, content, words = WHOLE[case]
    path = tmp_path / name
    path.write_bytes(content)
    format = {"csv": "csv", "xml": "i2b2-2006", "gz": "jsonl", "parquet": "parquet"}[name.rpartition(".")[2]]
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path, format=format))
    check(str(caught.value), str(path), words)


def write_parquet(path: Path, *, field: str = "id", **columns: object) -> Path:
    pq.write_table(pa.table({field: pa.array(["1"]), "text": pa.array(["Mr Kowalczyk"]), **columns}), path, store_schema=False)
    return path


def test_a_parquet_column_whose_name_is_not_utf8_is_named_as_that(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", wardward=pa.array(["x"]))
    path.write_bytes(path.read_bytes().replace(b"wardward", b"ward\xff\xfe\xfdd"))
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    check(str(caught.value), "a.parquet: the name of a column is not UTF-8")


@pytest.mark.parametrize("name", ["Mr Kowalczyk came", "Kowalczyk", "a\x1b[2JKowalczyk", "KOWALCZYK", "4471923"])
def test_a_parquet_column_named_by_a_cell_is_not_shown(name: str, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", field=name)
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    check(str(caught.value), "no id column id", "number 1")


@pytest.mark.parametrize("type", [pa.struct([("Kowalczyk", pa.int64())]), pa.list_(pa.field("Kowalczyk", pa.int8()))])
def test_the_fields_of_a_parquet_type_are_not_shown(type: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": pa.array(["1"]), "text": pa.array([None], type)}), path)
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    check(str(caught.value), "column text is", "not text")


def one_line(path: Path) -> Path:
    path.write_bytes(gzip.compress(row(id='"1"', text='"' + "Kowalczyk " * 800_000 + '"')))
    return path


def many_lines(path: Path) -> Path:
    path.write_bytes(gzip.compress(b"".join(row(id=f'"{number}"', text='"' + "Kowalczyk " * 8000 + '"') for number in range(100))))
    return path


def one_cell(path: Path) -> Path:
    pq.write_table(pa.table({"id": ["1"], "text": ["Kowalczyk " * 800_000]}), path, compression="zstd")
    return path


def one_dictionary(path: Path) -> Path:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array(["Kowalczyk " * 800]))
    pq.write_table(pa.table({"id": [str(number) for number in range(1000)], "text": texts}), path, compression="zstd")
    return path


BOMBS = {"one_line": ".jsonl.gz", "many_lines": ".jsonl.gz", "one_cell": ".parquet", "one_dictionary": ".parquet"}


@pytest.mark.parametrize("make", [one_line, many_lines, one_cell, one_dictionary])
def test_a_small_file_does_not_fill_the_memory(make: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / f"a{BOMBS[make.__name__]}")
    assert path.stat().st_size < 60_000
    assert list(read_corpus(path))
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    check(str(caught.value), str(path), "unpacks to more than", VARIABLE)


def test_a_large_packed_file_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    noise = base64.b64encode(os.urandom(20_000)).decode()
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"".join(row(id=f'"{at}"', text=f'"{noise}"') for at in range(80))))
    assert len(list(read_corpus(tmp_path / "a.jsonl.gz"))) == 80


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_a_limit_that_is_no_number_is_refused(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(Exception, match=f"{VARIABLE}: must be a whole number"):
        list(read_corpus(many_lines(tmp_path / "a.jsonl.gz")))


@pytest.mark.parametrize("change", [10, -10])
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.conll"])
def test_a_file_that_changes_while_it_is_read_is_refused(name: str, change: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"Kowalczyk came.\n" * 3)
    with pytest.raises(CorpusError, match="changed while it was read"):
        _read_as_it_changes(path, 48 + change)


def _read_as_it_changes(path: Path, size: int) -> None:
    with open_whole(path) as file:
        os.truncate(path, size)
        assert SECRET.encode() in file.read()


def link_to_itself(folder: Path) -> None:
    (folder / "a.txt").symlink_to(folder / "a.txt")


def links_to_each_other(folder: Path) -> None:
    (folder / "a.txt").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a.txt")


def link_to_nowhere(folder: Path) -> None:
    (folder / "a.txt").symlink_to(folder / "none")


def link_to_a_device(folder: Path) -> None:
    (folder / "a.txt").symlink_to("/dev/zero")


def fifo(folder: Path) -> None:
    os.mkfifo(folder / "a.txt")


@pytest.mark.parametrize("make", [link_to_itself, links_to_each_other, link_to_nowhere, link_to_a_device, fifo])
@pytest.mark.parametrize("extra", [[], ["--keep-going"]])
def test_what_is_no_file_stops_a_run_or_is_set_aside(make: Callable[[Path], None], extra: list[str], tmp_path: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    (notes / "z.txt").write_text("Seen today.")
    make(notes)
    done = CliRunner().invoke(app, ["scrub", str(notes), "-o", str(tmp_path / "clean"), "--model", "none", *extra])
    assert (done.exit_code if extra else type(done.exception).__name__) == (3 if extra else "CorpusError")
    assert (tmp_path / "clean" / "z.txt").exists() is bool(extra)
    if extra:
        assert str(notes / "a.txt") in done.output


def test_a_link_to_a_folder_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Mr Kowalczyk")
    (tmp_path / "loop").symlink_to(tmp_path)
    with pytest.raises(CorpusError, match="loop: is a link to a folder, which is not followed"):
        list(read_corpus(tmp_path))


def test_control_characters_of_a_file_name_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\x1b]0;x\x07.txt").write_bytes(b"Kowalczyk\xff")
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(tmp_path))
    check(str(caught.value), "a\\x1b]0;x\\x07.txt", "byte 9: not UTF-8")


def test_a_quarantine_list_holds_no_text_of_the_file(tmp_path: Path) -> None:
    bad = row(id='"Mr Kowalczyk came"', text="1") + row(id='"7"', text='""', spans='[{"start": "Kowalczyk"}]')
    (tmp_path / "a.jsonl").write_bytes(bad + GOOD)
    target = tmp_path / "q.json"
    arguments = ["convert", str(tmp_path / "a.jsonl"), str(tmp_path / "b.csv"), "--to", "csv", "--keep-going", "--quarantine", str(target)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 3
    assert SECRET not in done.output + target.read_text()
    assert "line 1: no note" in target.read_text()


def test_a_key_that_is_text_is_not_shown_as_an_extra_column(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(row(id='"1"', text='"Seen today."', ward='"B3"', **{"Mr Kowalczyk came": "1"}))
    arguments = ["scrub", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "b.jsonl"), "--model", "none"]
    done = CliRunner().invoke(app, [*arguments, "--json", str(tmp_path / "c.json")])
    assert "ward, (not shown)" in done.output
    assert SECRET not in done.output + (tmp_path / "c.json").read_text()

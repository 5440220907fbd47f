"""CSV tables come back as they were written: quotes, line ends, byte order mark; only the notes differ."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.corpora import FORMATS, WriteOptions, read_corpus
from incognote.corpora.format import Columns
from incognote.corpora.headers import read_header
from tests.fakes import run_by_rules

CSV = FORMATS["csv"]
TABLES = {
    "LF": b'id,text,ward\n1,"Mr. Kowalczyk, left",B\n2,Well.,\n',
    "CRLF": b'id,text,ward\r\n1,"Mr. Kowalczyk, left",B\r\n2,"one\ntwo",\r\n',
    "all in quotes": b'"id","text","ward"\n"1","Mr. Kowalczyk, left","B ""2"""\n"2","Well.",""\n',
    "text in quotes, numbers not, an empty text and no text": b'"id","text","ward"\n1,"Mr. Kowalczyk, left",""\n2,"Well.",\n',
    "names without quotes": b'id,text,ward\n"1","Mr. Kowalczyk, left","B"\n',
    "byte order mark": b'\xef\xbb\xbf"id",text,ward\r\n1,"Mr. Kowalczyk, left",B\r\n',
    "no newline at the end": b'id,text,ward\n1,"Mr. Kowalczyk, left",B\n2,Well.,"C"',
    "line ends of both kinds": b'id,text,ward\r\n1,"Mr. Kowalczyk, left",B\n2,Well.,C\r\n3,Ill.,C\n',
    "more than one chunk": b'id,text,ward\n1,"Mr. Kowalczyk, left",B\n'
    + b"".join(b'%d,Well.,"C"\n' % n for n in range(2, 150))
    + b"0,Ill.,C",
    "a header alone": b'"id",text,ward',
}


@pytest.mark.parametrize("name", TABLES)
def test_a_scrubbed_table_differs_in_its_notes_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_bytes(TABLES[name])
    code, said = run_by_rules("scrub", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--mode", "tag", "--workers", "1")
    assert code == 0, said
    assert (tmp_path / "b.csv").read_bytes() == TABLES[name].replace(b"Kowalczyk", b"[PATIENT-1]")


def test_a_tagged_table_differs_in_its_spans_alone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbfid,"text",spans\n"1",Well.,\n2,"Ill.",[]')
    assert run_by_rules("tag", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--to", "csv")[0] == 0
    assert (tmp_path / "b.csv").read_bytes() == b'\xef\xbb\xbfid,"text",spans\n"1",Well.,[]\n2,"Ill.",[]'


def test_a_part_without_a_newline_at_its_end_does_not_run_into_the_next(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.csv").write_bytes(b"id,text\n" + b"\n".join(b"%d,Well." % n for n in range(100)))
    (tmp_path / "parts" / "b.csv").write_bytes(b"id,text\n100,Ill.")
    (tmp_path / "parts" / "c.csv").write_bytes(b"id,text\n101,Ill.\n")
    assert run_by_rules("scrub", tmp_path / "parts", "-o", tmp_path / "clean.csv", "--mode", "tag", "--workers", "1")[0] == 0
    lines = (tmp_path / "clean.csv").read_bytes().split(b"\n")
    assert lines[99:] == [b"98,Well.", b"99,Well.", b"100,Ill.", b"101,Ill.", b""]


CELL = st.tuples(st.text(st.characters(exclude_categories=["Cs"], exclude_characters='"'), max_size=8), st.booleans())
ROWS = st.lists(st.tuples(CELL, CELL, st.sampled_from(["\n", "\r\n"])), max_size=5)


@given(rows=ROWS, marked=st.booleans(), ended=st.booleans())
def test_any_table_comes_back_to_the_byte(tmp_path_factory: pytest.TempPathFactory, rows: list, marked: bool, ended: bool) -> None:
    def quote(cell: tuple[str, bool]) -> str:
        text, quoted = cell
        return f'"{text}"' if quoted or any(sign in text for sign in ",\r\n") else text

    lines = [f"{number},{quote(note)},{quote(other)}{end}" for number, (note, other, end) in enumerate(rows)]
    content = "\ufeff" * marked + "id,text,ward\n" + "".join(lines)
    folder = tmp_path_factory.mktemp("table")
    (folder / "a.csv").write_bytes((content if ended else content.removesuffix("\n").removesuffix("\r")).encode())
    options = WriteOptions(spans=False, header=read_header(folder / "a.csv", CSV, Columns()))
    CSV.write(read_corpus(folder / "a.csv"), folder / "b.csv", options)
    assert (folder / "b.csv").read_bytes() == (folder / "a.csv").read_bytes()

import gzip
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from incognote.corpora.rows import read_rows
from incognote.errors import CorpusError

CELLS = [{"text": 'two\nlines, "quoted"', "label": "ä"}, {"text": "one\ttab", "label": "b"}]


def write_tables(folder: Path) -> list[Path]:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in CELLS)
    (folder / "a.jsonl").write_text(lines, encoding="utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "c.csv").write_text('text,label\n"two\nlines, ""quoted""",ä\none\ttab,b\n', encoding="utf-8-sig")
    (folder / "d.tsv").write_text('text\tlabel\n"two\nlines, ""quoted"""\tä\n"one\ttab"\tb\n', encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(CELLS), folder / "e.parquet")
    return sorted(folder.iterdir())


def test_every_format_gives_the_same_rows(tmp_path: Path) -> None:
    for path in write_tables(tmp_path):
        assert [row.cells for row in read_rows(path)] == CELLS, path.name


def test_a_folder_gives_the_rows_of_its_files_in_order(tmp_path: Path) -> None:
    paths = write_tables(tmp_path)
    assert [row.path for row in read_rows(tmp_path)] == [path for path in paths for _ in CELLS]


def test_places_are_lines_and_rows(tmp_path: Path) -> None:
    places = {path.name: [row.place for row in read_rows(path)] for path in write_tables(tmp_path)}
    assert places["a.jsonl"] == ["line 1", "line 2"]
    assert places["c.csv"] == ["line 2", "line 4"]
    assert places["e.parquet"] == ["row 1", "row 2"]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.csv", b"", "give it a header"),
        ("a.csv", b"text,text\n", "same name"),
        ("a.csv", b"text,label\nx\n", "line 2: 1 fields where the header has 2"),
        ("a.csv", b"text,label\nsecret \xff,b\n", "line 2, byte 18: not UTF-8"),
        ("a.tsv", b'text\tlabel\n"open\tb\n', "malformed table"),
        ("a.jsonl", b"[1]\n", "not a JSON object"),
        ("a.parquet", b"nothing", "not a Parquet file"),
        ("a.txt", b"nothing", "not a table"),
    ],
)
def test_a_fault_names_its_place_and_no_text(name: str, content: bytes, fault: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=fault) as error:
        list(read_rows(tmp_path / name))
    assert "secret" not in str(error.value)


def test_a_row_does_not_show_its_cells(tmp_path: Path) -> None:
    assert "lines" not in repr(next(read_rows(write_tables(tmp_path)[0])))

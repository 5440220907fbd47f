"""CSV and Parquet: other columns keep their order and types, notes keep their newlines."""

import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incognote.corpora import FORMATS, Columns, WriteOptions, read_corpus, write_corpus
from incognote.document import Document, Span
from incognote.errors import ConfigError, CorpusError, MissingExtraError, OutputError


def test_csv_columns_stay_in_order_and_notes_exact(tmp_path: Path) -> None:
    source = b'\xef\xbb\xbfward,nr,note,mrn,author\r\nB,1,"a ""b"",\r\nc\rd",007,\r\n,2,,x,"\xc3\xa9\n"\r\n'
    (tmp_path / "a.csv").write_bytes(source)
    columns = Columns(note="note", id="nr", patient="mrn")
    notes = list(read_corpus(tmp_path / "a.csv", columns=columns))
    assert [(note.id, note.patient, note.text) for note in notes] == [("1", "007", 'a "b",\r\nc\rd'), ("2", "x", "")]
    FORMATS["csv"].write(notes, tmp_path / "b.csv", WriteOptions(columns, spans=False))
    assert (tmp_path / "b.csv").read_bytes() == source


def test_csv_gets_a_spans_column_last(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,text,ward\r\n1,Ann,B\r\n")
    notes = [note.with_spans([Span(0, 3, "PATIENT")]) for note in read_corpus(tmp_path / "a.csv")]
    write_corpus(notes, tmp_path / "b.csv", format="csv")
    lines = (tmp_path / "b.csv").read_bytes().decode().splitlines()
    assert lines == ["id,text,ward,spans", '1,Ann,B,"[{""start"": 0, ""end"": 3, ""label"": ""PATIENT""}]"']
    assert next(read_corpus(tmp_path / "b.csv")).spans == (Span(0, 3, "PATIENT"),)


def test_notes_longer_than_the_csv_limit_are_read(tmp_path: Path) -> None:
    write_corpus([Document("1", "x" * 200_000)], tmp_path / "a.csv", format="csv")
    assert len(next(read_corpus(tmp_path / "a.csv")).text) == 200_000


def test_a_second_column_of_the_same_meaning_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,note,text\r\n1,Ann,other\r\n")
    with pytest.raises(CorpusError, match="document 1: it carries a second text"):
        write_corpus(read_corpus(tmp_path / "a.csv", columns=Columns(note="note")), tmp_path / "b.jsonl", format="jsonl")


def test_a_column_that_the_first_document_lacks_is_refused(tmp_path: Path) -> None:
    notes = [Document("1", "a"), Document("2", "b", meta={"ward": "B"})]
    for format in ("csv", "parquet"):
        with pytest.raises(CorpusError, match="document 2: it has a column ward that the first document lacks"):
            write_corpus(notes, tmp_path / "out", format=format)
    assert list(tmp_path.iterdir()) == []


def table(rows: int = 3) -> pa.Table:
    moment = datetime.datetime(2067, 5, 3, 1, 2, 3, 4)
    columns = {
        "when": pa.array([moment] * rows, pa.timestamp("us", tz="UTC")),
        "nr": pa.array(range(rows), pa.int32()),
        "exact": pa.array([2**60 + 1, None, *[1] * (rows - 2)], pa.int64()).cast(pa.timestamp("ns")),
        "note": pa.array(["a\r\n"] * rows, pa.large_string()),
        "ward": pa.array(["B"] * rows).dictionary_encode(),
        "cost": pa.array([Decimal("1.50")] * rows, pa.decimal128(10, 2)),
        "codes": pa.array([[1, None]] * rows, pa.list_(pa.int16())),
        "seen": pa.array([None] * rows, pa.bool_()),
        "spans": pa.array(
            [[{"start": 0, "end": 1, "label": "DATE"}]] * rows,
            pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())])),
        ),
    }
    return pa.table(columns).replace_schema_metadata({"made": "by hand"})


def test_parquet_columns_keep_order_types_and_metadata(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "a.parquet")
    columns = Columns(note="note", id="nr")
    notes = list(read_corpus(tmp_path / "a.parquet", columns=columns))
    assert [(note.id, note.text, note.spans) for note in notes] == [(str(at), "a\r\n", (Span(0, 1, "DATE"),)) for at in range(3)]
    write_corpus(notes, tmp_path / "b.parquet", format="parquet", columns=columns)
    back = pq.read_table(tmp_path / "b.parquet")
    assert back.equals(pq.read_table(tmp_path / "a.parquet"), check_metadata=True)


def test_parquet_reads_and_writes_row_groups_of_a_fixed_size(tmp_path: Path) -> None:
    pq.write_table(table(2500), tmp_path / "a.parquet", row_group_size=100)
    columns = Columns(note="note", id="nr")
    notes = read_corpus(tmp_path / "a.parquet", columns=columns)
    assert write_corpus(notes, tmp_path / "b.parquet", format="parquet", columns=columns) == 2500
    groups = pq.ParquetFile(tmp_path / "b.parquet").metadata
    assert [groups.row_group(at).num_rows for at in range(groups.num_row_groups)] == [1024, 1024, 452]


def test_parquet_types_follow_the_first_document(tmp_path: Path) -> None:
    notes = [Document("1", "a", meta={"age": 3, "share": 0.5, "codes": [1]}), Document("2", "b", meta={"age": None})]
    write_corpus(notes, tmp_path / "a.parquet", format="parquet")
    kinds = {item.name: str(item.type) for item in pq.read_schema(tmp_path / "a.parquet")}
    assert kinds == dict.fromkeys(["id", "patient", "text", "codes", "spans"], "string") | {"age": "int64", "share": "double"}
    with pytest.raises(CorpusError, match="document 2: column age is int64"):
        write_corpus([notes[0], Document("2", "b", meta={"age": "old"})], tmp_path / "b.parquet", format="parquet")
    assert not (tmp_path / "b.parquet").exists()


def test_new_ids_that_are_no_numbers_make_the_id_column_text(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "a.parquet")
    columns = Columns(note="note", id="nr")
    notes = [Document(f"x{note.id}", note.text, meta=note.meta) for note in read_corpus(tmp_path / "a.parquet", columns=columns)]
    write_corpus(notes, tmp_path / "b.parquet", format="parquet", columns=columns)
    assert pq.read_table(tmp_path / "b.parquet")["nr"].to_pylist() == ["x0", "x1", "x2"]


def test_dates_of_a_table_become_text_in_json_and_csv(tmp_path: Path) -> None:
    pq.write_table(table().drop_columns(["exact"]), tmp_path / "a.parquet")
    columns = Columns(note="note", id="nr")
    write_corpus(read_corpus(tmp_path / "a.parquet", columns=columns), tmp_path / "b.jsonl", format="jsonl")
    meta = next(read_corpus(tmp_path / "b.jsonl")).meta
    assert meta == {"when": "2067-05-03T01:02:03.000004+00:00", "ward": "B", "cost": "1.50", "codes": [1, None], "seen": None}
    write_corpus(read_corpus(tmp_path / "a.parquet", columns=columns), tmp_path / "b.csv", format="csv", columns=columns)
    row = next(read_corpus(tmp_path / "b.csv", columns=columns)).meta
    assert (row["when"], row["cost"], row["codes"], row["seen"]) == ("2067-05-03T01:02:03.000004+00:00", "1.50", "[1, null]", "")


def test_parts_with_other_columns_cannot_be_joined(tmp_path: Path) -> None:
    for name in ("csv", "parquet"):
        format = FORMATS[name]
        format.write([Document("1", "a")], tmp_path / "one", WriteOptions())
        format.write([Document("2", "a", meta={"ward": "B"})], tmp_path / "two", WriteOptions())
        assert format.join is not None
        with pytest.raises(OutputError, match="same columns"):
            format.join([tmp_path / "one", tmp_path / "two"], tmp_path / "joined")
        assert not (tmp_path / "joined").exists()


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"incognote\[parquet\]"):
        write_corpus([], tmp_path / "a.parquet", format="parquet")


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.decimal128(38, 0)], ids=str)
def test_ids_that_are_numbers_stay_numbers_of_their_type(kind: pa.DataType, tmp_path: Path) -> None:
    ids, patients = pa.array([17, 18, 19]).cast(kind), pa.array([7, None, 7]).cast(kind)
    pq.write_table(pa.table({"id": ids, "patient": patients, "text": ["a", "b", "c"]}), tmp_path / "a.parquet")
    notes = list(read_corpus(tmp_path / "a.parquet"))
    assert [(note.id, note.patient) for note in notes] == [("17", "7"), ("18", ""), ("19", "7")]
    FORMATS["parquet"].write(notes, tmp_path / "b.parquet", WriteOptions(spans=False))
    assert pq.read_table(tmp_path / "b.parquet").equals(pq.read_table(tmp_path / "a.parquet"))


def test_a_patient_that_is_not_a_number_is_no_patient(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "patient": [7.0, float("nan")], "text": ["a", "b"]}), tmp_path / "a.parquet")
    assert [note.patient for note in read_corpus(tmp_path / "a.parquet")] == ["7", ""]


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_a_column_may_be_called_header(format: str, tmp_path: Path) -> None:
    write_corpus([Document("1", "a", meta={"header": "H7"})], tmp_path / f"a.{format}", format=format)
    write_corpus(read_corpus(tmp_path / f"a.{format}"), tmp_path / f"b.{format}", format=format)
    assert next(read_corpus(tmp_path / f"b.{format}")).meta["header"] == "H7"


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_one_column_may_hold_the_ids_and_the_patients(format: str, tmp_path: Path) -> None:
    columns = Columns(id="patient")
    write_corpus([Document("p7", "Ann", patient="p7")], tmp_path / f"a.{format}", format=format, columns=columns)
    notes = list(read_corpus(tmp_path / f"a.{format}", columns=columns))
    assert [(note.id, note.patient, note.text) for note in notes] == [("p7", "p7", "Ann")]
    write_corpus(notes, tmp_path / f"b.{format}", format=format, columns=columns)
    assert (tmp_path / f"b.{format}").read_bytes() == (tmp_path / f"a.{format}").read_bytes()


@pytest.mark.parametrize("names", [("id", "id", "patient"), ("patient", "id", "patient"), ("text", "spans", "patient")])
def test_columns_that_cannot_be_told_apart_are_refused(names: tuple[str, str, str]) -> None:
    with pytest.raises(ConfigError, match=f"{names[0]} cannot hold the notes and|spans is where annotations go"):
        Columns(*names)

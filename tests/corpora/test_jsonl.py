"""JSON lines: other people's lines, keys that are kept, and memory that stays flat."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from incognote.corpora import read_corpus, write_corpus
from incognote.document import Document, Span
from incognote.errors import CorpusError, OutputError


def write_lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_other_keys_are_kept_and_written_back(tmp_path: Path) -> None:
    record = {"id": "n1", "patient": "p", "text": "é", "spans": [], "ward": "B", "visit": {"n": [1, None, 1.5]}}
    source = write_lines(tmp_path / "a.jsonl", record)
    write_corpus(read_corpus(source), tmp_path / "b.jsonl", format="jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text(encoding="utf-8")) == record


def test_lines_of_obi_and_prodigy_are_read(tmp_path: Path) -> None:
    record = {
        "text": "Ann came",
        "meta": {"note_id": "n7", "patient_id": 3},
        "spans": [{"id": "x", "start": 0, "end": 3, "label": "PATIENT", "text": "Ann", "token_start": 0}],
    }
    note = next(read_corpus(write_lines(tmp_path / "a.jsonl", record)))
    assert (note.id, note.patient, note.spans) == ("n7", "3", (Span(0, 3, "PATIENT"),))
    assert note.meta["meta"] == {"note_id": "n7", "patient_id": 3}


def test_whole_number_ids_become_text(tmp_path: Path) -> None:
    assert next(read_corpus(write_lines(tmp_path / "a.jsonl", {"id": 12, "text": ""}))).id == "12"


def test_score_and_source_of_a_span_are_kept(tmp_path: Path) -> None:
    spans = (Span(0, 3, "PATIENT", score=0.25, source="rules.names"),)
    write_corpus([Document("n1", "Ann", spans=spans)], tmp_path / "a.jsonl", format="jsonl")
    back = next(read_corpus(tmp_path / "a.jsonl")).spans[0]
    assert (back.score, back.source) == (0.25, "rules.names")


def test_gzip_byte_order_mark_and_blank_lines_are_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.jsonl.gz", "wb") as file:
        file.write(b'\xef\xbb\xbf{"id": "1", "text": "a"}\r\n\r\n{"id": "2", "text": "b"}')
    assert [note.id for note in read_corpus(tmp_path / "a.jsonl.gz")] == ["1", "2"]


def test_a_folder_of_parts_is_one_corpus(tmp_path: Path) -> None:
    write_lines(tmp_path / "part-1.jsonl", {"id": "b", "text": ""})
    write_lines(tmp_path / "part-0.jsonl", {"id": "a", "text": ""})
    assert [note.id for note in read_corpus(tmp_path)] == ["a", "b"]


def test_a_gzip_name_is_refused_for_output(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="written plain"):
        write_corpus([], tmp_path / "a.jsonl.gz", format="jsonl")


def test_a_value_that_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="document n1: a value beside the note"):
        write_corpus([Document("n1", "", meta={"photo": b"x"})], tmp_path / "a.jsonl", format="jsonl")


def test_a_large_file_is_read_and_written_in_flat_memory(tmp_path: Path) -> None:
    line = '{"id": "%d", "text": "' + "word " * 2000 + '", "spans": [{"start": 0, "end": 4, "label": "DATE"}]}\n'
    with (tmp_path / "a.jsonl").open("w", encoding="utf-8") as file:
        for number in range(3000):
            file.write(line % number)
    assert (tmp_path / "a.jsonl").stat().st_size > 30_000_000
    tracemalloc.start()
    assert write_corpus(read_corpus(tmp_path / "a.jsonl"), tmp_path / "b.jsonl", format="jsonl") == 3000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000

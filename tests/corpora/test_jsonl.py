"""JSON lines: other people's lines, keys that are kept, and memory that stays flat."""

import gzip
import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.corpora import Columns, read_corpus, write_corpus
from incognote.corpora.extra_columns import list_extra_columns
from incognote.document import Document, Span
from incognote.errors import CorpusError, OutputError
from tests.fakes import run_by_rules, run_command


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


def test_whole_numbers_that_pandas_made_fractions_are_whole_again(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 17.0, "patient": 7.0, "text": "x"}\n{"id": 18.0, "patient": null, "text": "y"}\n')
    assert [(note.id, note.patient) for note in read_corpus(tmp_path / "a.jsonl")] == [("17", "7"), ("18", "")]


@pytest.mark.parametrize("value", ["true", "[1]", "{}"])
def test_a_patient_that_is_neither_text_nor_number_is_refused(tmp_path: Path, value: str) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"id": "n1", "patient": {value}, "text": "x"}}\n')
    with pytest.raises(CorpusError, match='document n1, line 1: "patient" must be a string or a number'):
        list(read_corpus(tmp_path / "a.jsonl"))


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


def test_a_line_has_its_note_under_the_named_keys_or_else_the_standard_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"nr": 1, "note_text": "Ann", "mrn": "p", "text": "short"}\n{"id": 2, "text": "Bob", "patient": "q"}\n')
    columns = Columns(note="note_text", id="nr", patient="mrn")
    notes = list(read_corpus(path, columns=columns))
    assert [(note.id, note.patient, note.text, list_extra_columns(note)) for note in notes] == [
        ("1", "p", "Ann", ["text"]),
        ("2", "q", "Bob", []),
    ]
    write_corpus(notes, tmp_path / "b.jsonl", format="jsonl", columns=columns)
    first, second = map(json.loads, (tmp_path / "b.jsonl").read_text().splitlines())
    assert first == {"nr": 1, "mrn": "p", "note_text": "Ann", "spans": [], "text": "short"}
    assert second == {"nr": 2, "mrn": "q", "note_text": "Bob", "spans": []}


@pytest.mark.parametrize("command", [("scrub", "-o", "--mode=tag"), ("tag", "-o"), ("convert", "--to=jsonl")])
def test_ids_come_back_as_they_were_read(tmp_path: Path, command: tuple[str, ...]) -> None:
    ids = [(17, 5), (18.0, None), (2**70, "p"), ("19", ""), (1.5, 0)]
    source = write_lines(tmp_path / "a.jsonl", *({"id": id, "patient": patient, "text": "Well."} for id, patient in ids))
    name, *options = command
    code, said = (run_command if name == "convert" else run_by_rules)(name, source, *options[:1], tmp_path / "b.jsonl", *options[1:])[:2]
    assert code == 0, said
    lines = (tmp_path / "b.jsonl").read_text().splitlines()
    assert [(line["id"], line["patient"]) for line in map(json.loads, lines)] == ids
    assert '"id": 18.0,' in lines[1]


def test_an_id_that_is_no_more_the_one_read_is_written(tmp_path: Path) -> None:
    (note,) = read_corpus(write_lines(tmp_path / "a.jsonl", {"id": 17, "text": "", "patient": 5}))
    write_corpus([replace(note, id="n18")], tmp_path / "b.jsonl", format="jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text()) == {"id": "n18", "patient": 5, "text": "", "spans": []}


def test_the_named_key_is_the_one_that_is_scrubbed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "none", "note_text": "Mr. Kowalczyk left."}\n')
    arguments = ["scrub", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "b.jsonl"), "--note-column", "note_text"]
    assert CliRunner().invoke(app, [*arguments, "--mode", "tag", "--model", "none"]).exception is None
    assert json.loads((tmp_path / "b.jsonl").read_text())["note_text"] == "Mr. [PATIENT-1] left."


def test_json_lines_of_another_format_have_the_standard_keys(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,note_text\n1,Mr. Kowalczyk left.\n")
    for command in (
        ["convert", "{}/a.csv", "{}/convert.jsonl", "--to", "jsonl"],
        ["tag", "{}/a.csv", "-o", "{}/tag.jsonl", "--model", "none"],
    ):
        arguments = [part.format(tmp_path) for part in command]
        assert CliRunner().invoke(app, [*arguments, "--note-column", "note_text"]).exception is None
        assert json.loads((tmp_path / f"{command[0]}.jsonl").read_text())["text"] == "Mr. Kowalczyk left."


def test_numbers_that_json_lacks_become_null_or_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "text": "a", "score": {"of": [NaN, 1.5]}}\n')
    write_corpus(read_corpus(path), tmp_path / "b.jsonl", format="jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text(), parse_constant=pytest.fail)["score"] == {"of": [None, 1.5]}
    path.write_text('{"id": 1, "text": "a", "score": 1e999}\n')
    with pytest.raises(CorpusError, match="document 1: a value beside the note is one that JSON cannot hold"):
        write_corpus(read_corpus(path), tmp_path / "c.jsonl", format="jsonl")


def test_a_packed_file_may_have_its_name_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "A.JSONL.GZ").write_bytes(gzip.compress(b'{"id": 1, "text": "Ann"}\n'))
    assert [note.text for note in read_corpus(tmp_path / "A.JSONL.GZ")] == ["Ann"]


def test_a_null_note_is_an_empty_one_and_comes_back_clean(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "a.jsonl", {"id": "n1", "text": None, "ward": "B"}, {"id": "n2", "text": "Ann"})
    assert [note.text for note in read_corpus(source)] == ["", "Ann"]
    clean = tmp_path / "clean.jsonl"
    assert CliRunner().invoke(app, ["scrub", str(source), "-o", str(clean), "--mode", "tag", "--model", "none"]).exit_code == 0
    first = next(read_corpus(clean))
    assert (first.id, first.text, first.meta) == ("n1", "", {"ward": "B"})

"""What stays beside a note must not name its patient: ids, paths, patient ids and columns are checked, or replaced."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from incognote.batch.ids import Pseudonyms, _holds
from incognote.cli.main import app
from incognote.corpora import read_corpus
from incognote.document import Document
from incognote.errors import IncognoteError

TEXT = "Patient: William Harrington\nMRN: 4471923\nMr. Harrington called from 617-555-0142."
NAMES = frozenset({"harrington", "william", "nunez"})
NUMBERS = frozenset({"4471923", "123456789"})


@pytest.mark.parametrize(
    "value",
    [
        "Harrington_William_MRN4471923", "HARRINGTON", "harrington-2", "williamharrington", "HarringtonW", "ward3/william", "Núñez.1",
        "NUNEZ 2",        "4471923", "0004471923", "MRN4471923", "447-19-23", "2061/4471923", "x_4471923_y", "123-45-6789", "12345 6789",
    ],
)  # fmt: skip
def test_a_name_or_number_is_seen_in_an_id(value: str) -> None:
    assert _holds(value, NAMES, NUMBERS)


@pytest.mark.parametrize("value", ["n1", "220-01", "44719230", "94471923", "note", "Will", "p101.1-discharge", "", "2061-05-03", "Willi_7"])
def test_other_ids_are_free(value: str) -> None:
    assert not _holds(value, NAMES, NUMBERS)


def scrub(folder: Path, files: Mapping[str, str], *options: str) -> Result:
    for name, content in files.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(content)
    source = folder / "in" if len(files) > 1 else folder / "in" / next(iter(files))
    (folder / "key").write_text("qT7vXr2LmZ9bKd4WnPs6HyJf3GaCe8Ru")
    (folder / "key").chmod(0o600)
    target = folder / ("out" if next(iter(files)).endswith((".txt", ".note")) else "out" + Path(next(iter(files))).suffix)
    arguments = ["scrub", str(source), "-o", str(target), "--model", "none", "--key-file", str(folder / "key"), "--workers", "1", *options]
    return CliRunner().invoke(app, arguments)


def table(**cells: str) -> str:
    row = {"id": "n1", "patient": "p1", "text": TEXT, **cells}
    return json.dumps(row) + "\n"


EXPOSING: dict[str, tuple[dict[str, str], str]] = {
    "file name": ({"a.txt": "Seen today.", "Harrington_William_MRN4471923.txt": TEXT}, "its id or path"),
    "folder": ({"a.txt": "Seen today.", "harrington/1.txt": TEXT}, "its id or path"),
    "id": ({"a.jsonl": table(id="MRN 4471923")}, "its id or path"),
    "patient": ({"a.jsonl": table(patient="4471923")}, "its patient id"),
    "patient as a number": ({"a.jsonl": table().replace('"p1"', "4471923")}, "its patient id"),
    "column": ({"a.jsonl": table(author="Harrington, W.")}, "extra column author"),
    "phone in a column": ({"a.jsonl": table(contact="(617) 555 0142")}, "extra column contact"),
    "list in a column": ({"a.jsonl": json.dumps({"id": "n1", "text": TEXT, "names": ["x", "WILLIAM"]})}, "extra column names"),
}


@pytest.mark.parametrize("case", EXPOSING)
def test_a_run_stops_where_what_stays_names_the_patient(case: str, tmp_path: Path) -> None:
    files, place = EXPOSING[case]
    done = scrub(tmp_path, files)
    assert isinstance(done.exception, IncognoteError)
    message = str(done.exception)
    assert place in message
    assert "in reading order" in message
    assert not any(word in message for word in ("Harrington", "HARRINGTON", "4471923", "William", "0142"))
    assert "harrington" not in message.replace(str(tmp_path), "")


@pytest.mark.parametrize("case", EXPOSING)
def test_with_keep_going_the_note_is_set_aside_by_number(case: str, tmp_path: Path) -> None:
    files, place = EXPOSING[case]
    done = scrub(tmp_path, files, "--keep-going", "--json", str(tmp_path / "counts.json"))
    assert done.exit_code == 3
    quarantine = json.loads((tmp_path / "counts.json").read_text())["quarantine"]
    assert [place in row["reason"] for row in quarantine] == [True]
    assert not any(word in json.dumps(quarantine) + done.output for word in ("Harrington", "4471923", "WILLIAM"))


def test_a_value_of_a_known_patient_stops_the_run_though_no_note_holds_it(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("patient_id,name,mrn\np1,Ada Okonkwo,99887766\n")
    done = scrub(tmp_path, {"a.jsonl": table(id="99887766-1", text="Seen today.")}, "--patients", str(tmp_path / "patients.csv"))
    assert "its id or path" in str(done.exception)


def test_a_column_that_is_left_out_stops_nothing(tmp_path: Path) -> None:
    assert scrub(tmp_path, {"a.jsonl": table(author="Harrington, W.")}, "--drop-columns", "author").exit_code == 0


def test_ids_that_name_no_one_stop_nothing(tmp_path: Path) -> None:
    assert scrub(tmp_path, {"a.jsonl": table(ward="B3", author="Dr. Okafor-Lindqvist")}).exit_code == 0


@pytest.mark.parametrize("case", ["file name", "folder", "id", "patient", "patient as a number"])
def test_pseudonyms_take_the_place_of_ids(case: str, tmp_path: Path) -> None:
    files, _ = EXPOSING[case]
    done = scrub(tmp_path, files, "--pseudonymize-ids", "--report", str(tmp_path / "report.html"), "--json", str(tmp_path / "counts.json"))
    assert done.exception is None, done.output
    out = tmp_path / ("out" if len(files) > 1 else "out.jsonl")
    notes = list(read_corpus(out))
    assert len(notes) == len(files)
    written = [path.relative_to(tmp_path).as_posix() for path in (out.rglob("*") if out.is_dir() else [out])]
    shown = [
        *written,
        *(repr(note) + note.text for note in notes),
        (tmp_path / "report.html").read_text(),
        (tmp_path / "counts.json").read_text(),
    ]
    assert not any(word in each for each in shown for word in ("Harrington", "harrington", "4471923", "William"))


def test_notes_of_one_patient_share_a_pseudonym_and_known_patients_are_found(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("patient_id,name\n4471923,Ada Okonkwo\n")
    rows = table(patient="4471923", text="okonkwo slept well.") + table(id="n2", patient="4471923") + table(id="n3")
    done = scrub(tmp_path, {"a.jsonl": rows}, "--pseudonymize-ids", "--patients", str(tmp_path / "patients.csv"))
    assert done.exception is None, done.output
    one, two, three = read_corpus(tmp_path / "out.jsonl")
    assert one.patient == two.patient != three.patient
    assert "okonkwo" not in one.text.lower()


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_the_vault_gives_the_ids_back(name: str, tmp_path: Path) -> None:
    rows = {"a.jsonl": table(patient="4471923") + table(id="MRN4471923", text="Seen today.")}
    files = rows if name == "a.jsonl" else {"Harrington.txt": TEXT, "b/2.txt": "Seen today."}
    vault = ["--vault", str(tmp_path / "vault")]
    done = scrub(tmp_path, files, "--pseudonymize-ids", *vault)
    assert done.exception is None, done.output
    assert b"4471923" not in (tmp_path / "vault").read_bytes()
    clean, back = (tmp_path / "out.jsonl", tmp_path / "back.jsonl") if name == "a.jsonl" else (tmp_path / "out", tmp_path / "back")
    again = CliRunner().invoke(app, ["reidentify", str(clean), "-o", str(back), *vault, "--key-file", str(tmp_path / "key")])
    assert again.exception is None, again.output
    before = {(note.id, note.patient, note.text) for note in read_corpus(tmp_path / "in")}
    assert {(note.id, note.patient, note.text) for note in read_corpus(back)} == before


def test_pseudonyms_are_of_the_key() -> None:
    one, two = Pseudonyms(b"k" * 32), Pseudonyms(b"l" * 32)
    assert one.name("n1") == one.name("n1") != two.name("n1")
    note = Document("n1", "text", patient="p1", meta={"meta": {"note_id": "n1", "patient_id": "p1", "ward": "n"}, "n": ["n1", 1, True]})
    renamed = one.rename(note)
    assert renamed.meta == {"meta": {"note_id": one.name("n1"), "patient_id": one.name("p1"), "ward": "n"}, "n": [one.name("n1"), 1, True]}

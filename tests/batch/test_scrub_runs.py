"""Whole runs of scrub over small corpora: what is written, what is set aside, and what never leaks."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from incognote.batch import Job, scrub_corpus
from incognote.cli.main import app
from incognote.corpora import FORMATS
from incognote.deidentifier import Deidentifier
from incognote.document import parse_markup
from incognote.errors import OutputError
from tests.fakes import run_by_rules

EXAMPLES = Path(__file__).parents[2] / "examples" / "gold"


scrub = partial(run_by_rules, "scrub")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("Mr. Kowalczyk was seen on 03/04/2065.\r\nBP 128/84.\r\n", newline="")
    (folder / "deep" / "b.txt").write_text("Nothing to hide. Foley removed.")
    return folder


def test_folder_keeps_its_tree_and_every_byte_outside_phi(notes: Path, tmp_path: Path) -> None:
    code, _ = scrub(notes, "-o", tmp_path / "clean", "--mode", "redact")
    assert code == 0
    assert (tmp_path / "clean" / "a.txt").read_bytes() == b"Mr. *** was seen on ***.\r\nBP 128/84.\r\n"
    assert (tmp_path / "clean" / "deep" / "b.txt").read_text() == "Nothing to hide. Foley removed."


def test_empty_notes_and_notes_of_only_phi_are_written(tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text('{"id": "1", "text": ""}\n{"id": "2", "text": "03/04/2065"}\n')
    code, _ = scrub(source, "-o", tmp_path / "clean.jsonl", "--mode", "tag")
    assert code == 0
    assert [json.loads(line)["text"] for line in (tmp_path / "clean.jsonl").read_text().splitlines()] == ["", "[DATE-1]"]


@pytest.mark.parametrize(("beside", "number"), [("His son", 2), ("Mr.", 1)])
def test_who_is_called_for_short_is_told_by_what_stands_beside_in_another_note(beside: str, number: int, tmp_path: Path) -> None:
    texts = ["Patient: William Kowalczyk", f"{beside} Bill Kowalczyk drives.", "Mr. Bill Kowalczyk came."]
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps({"id": str(at), "patient": "p1", "text": text}) + "\n" for at, text in enumerate(texts)))
    assert scrub(source, "-o", tmp_path / "clean.jsonl", "--mode", "tag")[0] == 0
    clean = [json.loads(line)["text"] for line in (tmp_path / "clean.jsonl").read_text().splitlines()]
    assert clean == ["Patient: [PATIENT-1]", f"{beside} [PATIENT-{number}] drives.", f"Mr. [PATIENT-{number}] came."]


def test_binary_note_stops_the_run_and_nothing_is_written(notes: Path, tmp_path: Path) -> None:
    (notes / "z.txt").write_bytes(b"\x00\x01\x02 Mr. Kowalczyk")
    code, said = scrub(notes, "-o", tmp_path / "clean")
    assert code == 2
    assert "NUL" in said
    assert "z" in said
    assert "Kowalczyk" not in said


def test_keep_going_sets_bad_notes_aside_and_exits_with_3(notes: Path, tmp_path: Path) -> None:
    (notes / "nul.txt").write_bytes(b"a\x00b Mr. Kowalczyk")
    (notes / "latin.txt").write_bytes("Señor Kowalczyk".encode("latin-1"))
    code, said = scrub(
        notes, "-o", tmp_path / "clean", "--keep-going", "--report", tmp_path / "report.html", "--json", tmp_path / "run.json"
    )
    assert code == 3
    assert sorted(path.name for path in (tmp_path / "clean").rglob("*.txt")) == ["a.txt", "b.txt"]
    assert len(json.loads((tmp_path / "run.json").read_text())["quarantine"]) == 2
    assert "latin.txt" in said
    assert "Kowalczyk" not in said
    assert "Kowalczyk" not in (tmp_path / "report.html").read_text()


def test_log_and_report_hold_no_original_phi(tmp_path: Path) -> None:
    code, said = scrub(EXAMPLES, "-o", tmp_path / "clean", "--report", tmp_path / "report.html")
    assert code == 0
    report = (tmp_path / "report.html").read_text()
    clean = {path.name: path.read_text() for path in (tmp_path / "clean").iterdir()}
    for path in EXAMPLES.glob("*.note"):
        gold = parse_markup(path.read_text(encoding="utf-8"), id=path.stem)
        # A value that is also an ordinary word of the clean notes (a month, a two-digit age) proves nothing.
        values = [gold.value(span) for span in gold.spans if span.label in ("PATIENT", "DOCTOR", "MEDICALRECORD", "PHONE", "EMAIL", "SSN")]
        telling = [value for value in values if len(value) > 3]  # a folder of the test may be number 143
        for value in telling:
            assert value not in said
            if len(value) > 4 and not any(value in text for text in clean.values()):
                assert value not in report


def test_report_and_counts_say_that_the_names_of_clinicians_were_kept(notes: Path, tmp_path: Path) -> None:
    places = ("--report", tmp_path / "r.html", "--json", tmp_path / "r.json")
    scrub(notes, "-o", tmp_path / "one", "--policy", "safe-harbor", "--clinicians", "keep", *places)
    assert json.loads((tmp_path / "r.json").read_text())["settings"]["clinicians"] == "keep"
    assert "<td>clinicians</td><td><code>keep</code></td>" in (tmp_path / "r.html").read_text()


def test_report_shows_phi_only_when_asked(notes: Path, tmp_path: Path) -> None:
    scrub(notes, "-o", tmp_path / "one", "--report", tmp_path / "one.html")
    scrub(notes, "-o", tmp_path / "two", "--report", tmp_path / "two.html", "--show-phi")
    assert "Kowalczyk" not in (tmp_path / "one.html").read_text()
    assert "Kowalczyk" in (tmp_path / "two.html").read_text()
    assert (tmp_path / "two.html").stat().st_mode & 0o077 == 0


def test_same_key_gives_the_same_notes_whatever_the_format_order_or_workers(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("9f86d081884c7d659a2feaa0c55ad015")
    key.chmod(0o600)
    rows = [
        {"id": f"n{n}", "patient": f"p{n % 3}", "text": f"Mr. Kowalczyk{n % 3} saw Dr. Ana Reyes on 03/{n + 1:02d}/2065."} for n in range(9)
    ]
    (tmp_path / "forward.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "backward.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))
    (tmp_path / "table.csv").write_text("id,patient,text\n" + "".join(f'{r["id"]},{r["patient"]},"{r["text"]}"\n' for r in rows))
    outcomes = []
    for source, workers in (("forward.jsonl", 1), ("forward.jsonl", 2), ("backward.jsonl", 1), ("table.csv", 1)):
        target = tmp_path / f"clean-{workers}-{source}"
        assert scrub(tmp_path / source, "-o", target, "--key-file", key, "--workers", workers)[0] == 0
        from incognote.corpora import read_corpus

        outcomes.append({document.id: document.text for document in read_corpus(target)})
    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_other_columns_are_kept(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('id,ward,text,patient\n1,W3,"Mr. Kowalczyk left.",p\n')
    scrub(tmp_path / "t.csv", "-o", tmp_path / "c.csv", "--mode", "tag")
    assert (tmp_path / "c.csv").read_text().splitlines() == ["id,ward,text,patient", '1,W3,"Mr. [PATIENT-1] left.",p']


def test_columns_kept_unread_are_named_and_can_be_dropped(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('id,ward,name,text,patient\n1,W3,Lindqvist,"Mr. Kowalczyk left.",p\n')
    _, said = scrub(tmp_path / "t.csv", "-o", tmp_path / "all.csv", "--mode", "tag", "--report", tmp_path / "r.html")
    assert "ward, name" in said
    assert "ward, name" in (tmp_path / "r.html").read_text()
    _, said = scrub(tmp_path / "t.csv", "-o", tmp_path / "some.csv", "--mode", "tag", "--drop-columns", "name")
    assert (tmp_path / "some.csv").read_text().splitlines() == ["id,ward,text,patient", '1,W3,"Mr. [PATIENT-1] left.",p']
    _, said = scrub(tmp_path / "t.csv", "-o", tmp_path / "none.csv", "--mode", "tag", "--drop-columns", "all")
    assert (tmp_path / "none.csv").read_text().splitlines() == ["id,text,patient", '1,"Mr. [PATIENT-1] left.",p']
    assert "warning" not in said
    code, said = scrub(tmp_path / "t.csv", "-o", tmp_path / "typo.csv", "--drop-columns", "nmae")
    assert code == 2
    assert "ward" in said
    assert not (tmp_path / "typo.csv").exists()


def test_what_a_parquet_file_says_about_itself_goes(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [pa.field(name, pa.string(), metadata={"seen": "Kowalczyk"}) for name in ("id", "text", "ward")]
    schema = pa.schema(fields, metadata={"title": "Kowalczyk"})
    pq.write_table(pa.table([["1"], ["Mr. Kowalczyk left."], ["W3"]], schema=schema), tmp_path / "t.parquet")
    scrub(tmp_path / "t.parquet", "-o", tmp_path / "c.parquet", "--mode", "tag")
    assert b"Kowalczyk" not in (tmp_path / "c.parquet").read_bytes()
    clean = pq.read_table(tmp_path / "c.parquet")
    assert (clean.column_names, clean.schema.metadata) == (["id", "text", "ward"], None)
    assert all(field.metadata is None for field in clean.schema)


def test_the_note_that_prodigy_repeats_token_by_token_goes(tmp_path: Path) -> None:
    row = {
        "text": "Mr. Kowalczyk left.",
        "tokens": [{"text": "Kowalczyk", "start": 4, "end": 13}],
        "meta": {"note_id": "1", "patient_id": "p"},
    }
    (tmp_path / "t.jsonl").write_text(json.dumps(row) + "\n")
    assert scrub(tmp_path / "t.jsonl", "-o", tmp_path / "c.jsonl")[0] == 0
    assert "Kowalczyk" not in (tmp_path / "c.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--mode", "erase"], "surrogate"),
        (["--policy", "safe-harbour"], "safe-harbor"),
        (["--patients", "nobody.csv"], "nobody.csv"),
        (["--format", "xlsx"], "jsonl"),
    ],
)
def test_mistyped_options_say_what_would_work(notes: Path, tmp_path: Path, arguments: list[str], hint: str) -> None:
    code, said = scrub(notes, "-o", tmp_path / "clean", *arguments)
    assert code == 2
    assert hint in said
    assert not (tmp_path / "clean").exists()


def test_key_file_readable_by_others_is_refused_with_the_fix(notes: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("9f86d081884c7d659a2feaa0c55ad015")
    key.chmod(0o644)
    code, said = scrub(notes, "-o", tmp_path / "clean", "--key-file", key)
    assert code == 2
    assert "chmod 600" in said


def test_output_that_is_not_empty_or_lies_in_the_input_is_refused(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "old.txt").write_text("old")
    assert scrub(notes, "-o", tmp_path / "full")[0] == 2
    assert scrub(notes, "-o", notes / "clean")[0] == 2
    assert (tmp_path / "full" / "old.txt").read_text() == "old"


def test_overwrite_removes_old_notes_but_never_other_files(notes: Path, tmp_path: Path) -> None:
    target = tmp_path / "full"
    target.mkdir()
    (target / "old.txt").write_text("Mr. Kowalczyk")
    assert scrub(notes, "-o", target, "--overwrite")[0] == 0
    assert not (target / "old.txt").exists()
    (target / "thesis.docx").write_text("precious")
    assert scrub(notes, "-o", target, "--overwrite")[0] == 2
    assert (target / "thesis.docx").read_text() == "precious"


def test_missing_input_is_named(tmp_path: Path) -> None:
    code, said = scrub(tmp_path / "nowhere", "-o", tmp_path / "clean")
    assert code == 2
    assert "nowhere" in said


def test_standard_input_goes_to_standard_output() -> None:
    result = CliRunner().invoke(app, ["scrub", "-", "--mode", "tag"], input="Mr. Kowalczyk left.")
    assert result.stdout == "Mr. [PATIENT-1] left."


def test_a_note_from_standard_input_that_is_closed_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    code, said = scrub("-", "--mode", "tag")
    assert (code, said) == (2, "error: standard input or standard output is closed\n")


@pytest.mark.parametrize("option", [["-o", "x"], ["--report", "r.html"], ["--keep-going"], ["--json", "-"]])
def test_standard_input_takes_no_options_of_files(option: list[str]) -> None:
    code, said = scrub("-", "--mode", "tag", *option)
    assert code == 2
    assert option[0] in said


def test_standard_input_with_nul_characters_is_refused_like_a_file() -> None:
    result = CliRunner().invoke(app, ["scrub", "-", "--mode", "tag"], input="Mr. John\0 Kowalczyk left.")
    assert "NUL" in str(result.exception)
    assert result.stdout == ""


def test_a_run_that_fails_before_its_first_note_leaves_nothing_and_keeps_the_old_output(notes: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean"
    assert scrub(notes, "-o", clean, "--mode", "tag")[0] == 0
    (tmp_path / "patients.csv").write_text("name\nAnn\n")
    assert scrub(notes, "-o", clean, "--mode", "tag", "--overwrite", "--patients", tmp_path / "patients.csv")[0] == 2
    assert (clean / "a.txt").exists()
    assert scrub(notes, "-o", tmp_path / "new", "--patients", tmp_path / "patients.csv")[0] == 2
    (notes / "b.txt").write_bytes(b"\xff")
    assert scrub(notes, "-o", tmp_path / "new")[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean", "notes", "patients.csv"]


def test_a_table_is_never_written_over_a_folder(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,text\n1,Mr. Kowalczyk left.\n")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "other.csv").write_text("precious")
    code, said = scrub(tmp_path / "t.csv", "-o", tmp_path / "tables", "--overwrite", "--mode", "tag")
    assert code == 2
    assert "is a folder" in said
    assert (tmp_path / "tables" / "other.csv").read_text() == "precious"


def test_a_report_that_cannot_be_written_is_said_before_the_work(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, said = scrub(notes, "-o", tmp_path / "clean", "--report", tmp_path / "file" / "report.html")
    assert code == 2
    assert "report.html" in said
    assert not (tmp_path / "clean").exists()


@pytest.mark.parametrize(("blocks", "advice"), [(64, "choose another place for the output"), (300, "continue with --resume")])
def test_a_full_disk_is_one_clear_error_and_nothing_half_clean(tmp_path: Path, blocks: int, advice: str) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps({"id": f"n{n}", "text": f"Mr. Kowalczyk{n} left. " * 40}) + "\n" for n in range(300)))
    arguments = [
        sys.executable,
        "-m",
        "incognote",
        "scrub",
        str(source),
        "-o",
        str(tmp_path / "clean.jsonl"),
        "--workers",
        "1",
        "--model",
        "none",
    ]
    # A file may not grow past so many blocks of 1 KiB, which the system tells like a disk that is full.
    limited = ["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash", *arguments]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert advice in done.stderr
    assert ("--resume" in done.stderr) == (tmp_path / "clean.jsonl.incognote-work").exists() == (blocks > 64)
    assert "Kowalczyk" not in done.stderr
    assert not (tmp_path / "clean.jsonl").exists()


@pytest.mark.parametrize(("name", "change"), [("key", {"key": b"another key of 24 bytes."}), ("keep-spans", {"keep_spans": True})])
def test_a_stopped_run_is_not_gone_on_with_under_another_setting(tmp_path: Path, name: str, change: dict[str, Any]) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps({"id": f"n{n}", "text": "Mr. Kowalczyk left."}) + "\n" for n in range(150)))
    job = Job(source, tmp_path / "clean.jsonl", FORMATS["jsonl"])
    key = b"one key of twenty bytes."

    def run(job: Job, key: bytes, progress: Callable[[str, int, int | None], None]) -> None:
        scrub_corpus(job, lambda secret: Deidentifier.default(key=secret, models=()), key=key, settings={}, progress=progress)

    def stop(stage: str, _notes: int, _total: int | None) -> None:
        if stage == "replace":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(job, key, stop)
    assert job.work.exists()
    with pytest.raises(OutputError, match=f"cannot resume: {name} "):
        run(replace(job, resume=True, keep_spans=change.get("keep_spans", False)), change.get("key", key), lambda *_: None)
    run(replace(job, resume=True), key, lambda *_: None)
    assert len((tmp_path / "clean.jsonl").read_text().splitlines()) == 150
    assert not job.work.exists()

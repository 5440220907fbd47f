"""incognote reidentify: the originals, byte for byte, or a clear error and nothing written."""

from pathlib import Path

import pytest

from incognote.corpora import Columns, format_named, read_corpus, write_corpus
from incognote.corpora.headers import read_header
from incognote.document import Document, parse_markup
from incognote.facts import gather_facts
from incognote.replace import load_policy, make_replacer, open_vault, rewrite
from tests.fakes import run_command

KEY = b"9f86d081884c7d659a2feaa0c55ad015"


def run(*arguments: object) -> tuple[int, str]:
    done = run_command("reidentify", *arguments)
    return done.returncode, done.stderr


@pytest.fixture
def scrubbed(tmp_path: Path) -> Path:
    """A folder with the original corpus, the clean one, the vault and the key."""
    notes = [
        parse_markup("<PATIENT>Mirela Kaczmarek</PATIENT> came <DATE>7/22/2061</DATE>\r\nto <CITY>Boston</CITY> é😀", id=f"n{at}")
        for at in range(5)
    ]
    replacer = make_replacer("surrogate", policy=load_policy("i2b2"), key=KEY)
    vault = open_vault(tmp_path / "notes.vault", KEY, create=True)
    clean: list[Document] = []
    for note, facts in zip(notes, gather_facts(notes).values(), strict=True):
        document, edits = rewrite(note, replacer.replace(note, facts))
        vault.append(document, edits)
        clean.append(document)
    write_corpus(notes, tmp_path / "original.jsonl", format="jsonl")
    write_corpus(clean, tmp_path / "clean.jsonl", format="jsonl")
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "key").chmod(0o600)
    return tmp_path


def test_the_originals_come_back_byte_for_byte(scrubbed: Path) -> None:
    assert "Kaczmarek" not in (scrubbed / "clean.jsonl").read_text()
    code, err = run(
        scrubbed / "clean.jsonl", "-o", scrubbed / "back.jsonl", "--vault", scrubbed / "notes.vault", "--key-file", scrubbed / "key"
    )
    assert (code, "Kaczmarek" in err) == (0, False)
    assert (scrubbed / "back.jsonl").read_bytes() == (scrubbed / "original.jsonl").read_bytes()


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006", "meddocan", "brat", "conll", "csv", "parquet", "text", "markup"])
def test_every_format_with_spans_in_it_comes_back(scrubbed: Path, format: str) -> None:
    clean = read_corpus(scrubbed / "clean.jsonl")
    write_corpus(clean, scrubbed / "clean", format=format, scheme="i2b2-2014")
    options = ("--from", format, "--vault", scrubbed / "notes.vault", "--key-file", scrubbed / "key")
    assert run(scrubbed / "clean", "-o", scrubbed / "back", *options)[0] == 0
    back = [note.text.split() for note in read_corpus(scrubbed / "back", format=format, scheme="i2b2-2014")]
    assert back == [note.text.split() for note in read_corpus(scrubbed / "original.jsonl")]


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("spans", [True, False])
def test_a_table_gets_back_the_columns_it_had(scrubbed: Path, format: str, spans: bool) -> None:
    for name in ("clean", "original"):
        write_corpus(read_corpus(scrubbed / f"{name}.jsonl"), scrubbed / f"{name}.{format}", format=format, spans=spans)
    options = ("--vault", scrubbed / "notes.vault", "--key-file", scrubbed / "key")
    assert run(scrubbed / f"clean.{format}", "-o", scrubbed / f"back.{format}", *options)[0] == 0
    assert (scrubbed / f"back.{format}").read_bytes() == (scrubbed / f"original.{format}").read_bytes()


def test_the_key_may_come_from_the_environment(scrubbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCOGNOTE_KEY", KEY.decode())
    assert run(scrubbed / "clean.jsonl", "-o", scrubbed / "back.jsonl", "--vault", scrubbed / "notes.vault")[0] == 0


def test_a_wrong_key_or_none_is_refused_and_nothing_is_written(scrubbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCOGNOTE_KEY", raising=False)
    arguments = (scrubbed / "clean.jsonl", "-o", scrubbed / "back.jsonl", "--vault", scrubbed / "notes.vault")
    code, err = run(*arguments)
    assert code == 2
    assert "--key-file" in err
    (scrubbed / "key").write_bytes(KEY[::-1])
    code, err = run(*arguments, "--key-file", scrubbed / "key")
    assert code == 2
    assert "another key" in err
    (scrubbed / "key").chmod(0o644)
    code, err = run(*arguments, "--key-file", scrubbed / "key")
    assert code == 2
    assert "chmod 600" in err
    assert not (scrubbed / "back.jsonl").exists()


def test_a_note_that_was_changed_stops_the_run_whole(scrubbed: Path) -> None:
    notes = list(read_corpus(scrubbed / "clean.jsonl"))
    notes[3] = Document("n3", "x" + notes[3].text)
    write_corpus(notes, scrubbed / "clean.jsonl", format="jsonl", overwrite=True)
    code, err = run(
        scrubbed / "clean.jsonl", "-o", scrubbed / "back.jsonl", "--vault", scrubbed / "notes.vault", "--key-file", scrubbed / "key"
    )
    assert code == 2
    assert "document n3" in err
    assert not (scrubbed / "back.jsonl").exists()


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_table_without_rows_comes_back_with_its_columns(tmp_path: Path, format: str) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "key").chmod(0o600)
    open_vault(tmp_path / "notes.vault", KEY, create=True)
    (tmp_path / "one.jsonl").write_text('{"id": "n", "text": "", "ward": "B"}')
    clean, back = tmp_path / f"clean.{format}", tmp_path / f"back.{format}"
    write_corpus(read_corpus(tmp_path / "one.jsonl"), tmp_path / f"one.{format}", format=format, spans=False)
    header = read_header(tmp_path / f"one.{format}", format_named(format), Columns())
    write_corpus([], clean, format=format, spans=False, header=header)
    code, err = run(clean, "-o", back, "--vault", tmp_path / "notes.vault", "--key-file", tmp_path / "key")
    assert (code, "0 notes restored" in err) == (0, True)
    assert back.read_bytes() == clean.read_bytes()
    assert b"ward" in back.read_bytes()

"""A byte that changed in the journal of a stopped run: it is found and named without its content, or makes no difference."""

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from incognote.batch import Job, scrub_corpus
from incognote.corpora import FORMATS
from incognote.deidentifier import Deidentifier
from incognote.errors import IncognoteError, OutputError

KEY = b"an example of a key: 73 cats, 4 dogs"
FLIPS = 40


@pytest.fixture(scope="module")
def deidentifier() -> Deidentifier:
    return Deidentifier.default(mode="surrogate", key=KEY, models=())


def write_notes(folder: Path) -> Path:
    texts = [f"Mr. Kowalczyk{n % 30} seen on 03/{n % 27 + 1:02d}/2065 by Dr. Ana Reyes, MRN 40{n:05d}." for n in range(200)]
    rows = [{"id": f"n{n}", "patient": f"p{n % 30}", "text": text} for n, text in enumerate(texts)]
    (folder / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "notes.jsonl"


def run(job: Job, deidentifier: Deidentifier, *, stop: bool = False) -> None:
    def progress(stage: str, _notes: int, _total: int | None) -> None:
        if stop and stage == "replace":
            raise KeyboardInterrupt

    scrub_corpus(job, lambda _: deidentifier, key=KEY, settings={}, progress=progress)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory, deidentifier: Deidentifier) -> tuple[Path, bytes]:
    """The folder of a run that was stopped in its second pass, and what it would have written."""
    folder = tmp_path_factory.mktemp("stopped")
    source = write_notes(folder)
    run(Job(source, folder / "whole.jsonl", FORMATS["jsonl"]), deidentifier)
    with pytest.raises(KeyboardInterrupt):
        run(Job(source, folder / "clean.jsonl", FORMATS["jsonl"]), deidentifier, stop=True)
    whole = (folder / "whole.jsonl").read_bytes()
    (folder / "whole.jsonl").unlink()
    return folder, whole


def resume(stopped: Path, place: Path, deidentifier: Deidentifier) -> bytes:
    """What a resumed run writes from the work folder in ``place``, or nothing after an error that says so."""
    job = Job(stopped / "notes.jsonl", place / "clean.jsonl", FORMATS["jsonl"], resume=True)
    said = ""
    try:
        run(job, deidentifier)
    except IncognoteError as error:
        said = str(error)
    assert not any(word in said for word in ("Kowalczyk", "Reyes", "03/", "4000", "cats"))
    assert bool(said) != job.target.exists()
    return b"" if said else job.target.read_bytes()


@pytest.mark.parametrize("name", ["journal.sqlite", "parts", "lock"])
def test_a_changed_byte_is_found_or_makes_no_difference(
    tmp_path: Path, stopped: tuple[Path, bytes], deidentifier: Deidentifier, name: str
) -> None:
    folder, whole = stopped
    draw, refused = random.Random(name), 0
    for flip in range(FLIPS if name == "journal.sqlite" else 5):
        place = tmp_path / str(flip)
        shutil.copytree(folder / "clean.jsonl.incognote-work", place / "clean.jsonl.incognote-work")
        file = place / "clean.jsonl.incognote-work" / name
        file = min(file.iterdir()) if file.is_dir() else file
        content = bytearray(file.read_bytes() or b"x")
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        file.write_bytes(content)
        written = resume(folder, place, deidentifier)
        assert written in (b"", whole), f"flip {flip} changed the output"
        refused += not written
        shutil.rmtree(place)
    assert refused or name != "journal.sqlite"


@pytest.mark.parametrize("table", ["settings", "found", "chunk", "fact"])
def test_a_changed_record_is_named_by_its_number(
    tmp_path: Path, stopped: tuple[Path, bytes], deidentifier: Deidentifier, table: str
) -> None:
    folder, _ = stopped
    shutil.copytree(folder / "clean.jsonl.incognote-work", tmp_path / "clean.jsonl.incognote-work")
    journal = tmp_path / "clean.jsonl.incognote-work" / "journal.sqlite"
    with closing(sqlite3.connect(journal)) as database, database:
        columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
        number = database.execute(f"select max(rowid) from {table}").fetchone()[0]
        database.create_function("record_checksum", -1, lambda *_: b"")
        database.execute(f"update {table} set {columns[-1]} = ? where rowid = ?", ("Kowalczyk", number))
    job = Job(folder / "notes.jsonl", tmp_path / "clean.jsonl", FORMATS["jsonl"], resume=True)
    with pytest.raises(
        OutputError, match=rf"incognote-work: .* is damaged \(record {number} of {table}\).*start again with overwrite"
    ) as caught:
        run(job, deidentifier)
    assert "Kowalczyk" not in str(caught.value)
    assert journal.exists()


def test_a_one_time_key_that_was_damaged_is_refused(tmp_path: Path) -> None:
    source, target = write_notes(tmp_path), tmp_path / "clean.jsonl"

    def go(*, resume: bool) -> None:
        def progress(stage: str, _notes: int, _total: int | None) -> None:
            if not resume and stage == "replace":
                raise KeyboardInterrupt

        job = Job(source, target, FORMATS["jsonl"], resume=resume)
        make = lambda key: Deidentifier.default(mode="surrogate", key=key, models=())  # noqa: E731
        scrub_corpus(job, make, key=None, settings={}, progress=progress)

    with pytest.raises(KeyboardInterrupt):
        go(resume=False)
    key = tmp_path / "clean.jsonl.incognote-work" / "key"
    content = key.read_bytes()
    for damaged in (bytes([content[0] ^ 1]) + content[1:], content[:-1], b""):
        key.write_bytes(damaged)
        with pytest.raises(OutputError, match="cannot resume: key not as in the run that was stopped"):
            go(resume=True)
    key.write_bytes(content)
    go(resume=True)

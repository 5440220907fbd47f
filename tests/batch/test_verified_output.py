"""A run that says it is finished has compared what is on the disk with what it wrote; what somebody took away or changed is missed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from incognote.batch import Job, Summary, scrub_corpus
from incognote.corpora import FORMATS
from incognote.deidentifier import Deidentifier
from incognote.errors import IncognoteError, OutputError, VaultError
from incognote.replace import open_vault, random_key

NOTES = 100
Meddle = Callable[[Path], None]


def write_notes(folder: Path, format: str) -> Path:
    if FORMATS[format].layout == "folder":
        (folder / "notes").mkdir()
        for number in range(NOTES):
            name = f"ward{number % 3}/n{number:03d}" if number % 2 else f"n{number:03d}"
            path = folder / "notes" / f"{name}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"Mr. Kowalczyk took {number} tablets.")
            if format == "brat":
                path.with_suffix(".ann").touch()
        return folder / "notes"
    path = folder / f"notes.{format}"
    rows = [{"id": f"n{number:03d}", "text": f"Mr. Kowalczyk took {number} tablets."} for number in range(NOTES)]
    if format == "csv":
        path.write_text("id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in rows))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(job: Job, meddle: Meddle | None = None, after: int = 1) -> Summary:
    """Scrub; ``meddle`` gets the place of the output when so many chunks were written."""
    chunks = 0

    def progress(stage: str, _notes: int, _total: int | None) -> None:
        nonlocal chunks
        chunks += stage == "replace"
        if meddle and stage == "replace" and chunks == after:
            meddle(job.target if job.format.layout == "folder" else job.work / "parts")

    make = lambda key: Deidentifier.default(mode="placeholder", key=key, models=())  # noqa: E731
    return scrub_corpus(job, make, key=None, settings={}, progress=progress)


def read_all(target: Path) -> dict[str, bytes]:
    files = [target] if target.is_file() else [path for path in target.rglob("*") if path.is_file()]
    return {str(path.relative_to(target)): path.read_bytes() for path in files}


def first(place: Path) -> Path:
    return min(path for path in place.rglob("*") if path.is_file() and path.stat().st_size)


def remove_all(place: Path) -> None:
    shutil.rmtree(place)


def remove_content(place: Path) -> None:
    for path in place.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def remove_one(place: Path) -> None:
    first(place).unlink()


def empty_one(place: Path) -> None:
    first(place).write_bytes(b"")


def cut_one(place: Path) -> None:
    first(place).write_bytes(first(place).read_bytes()[:-1])


def change_one_byte(place: Path) -> None:
    content = bytearray(first(place).read_bytes())
    content[len(content) // 2] ^= 1
    first(place).write_bytes(content)


def exchange_two(place: Path) -> None:
    one, two = sorted(path for path in place.rglob("*.txt"))[:2]
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)


def replace_by_a_folder(place: Path) -> None:
    path = first(place)
    path.unlink()
    path.mkdir()


MEDDLERS = [remove_all, remove_content, remove_one, empty_one, cut_one, change_one_byte]


@pytest.mark.parametrize(
    ("format", "meddle"),
    [("text", each) for each in MEDDLERS] + [("csv", remove_all), ("jsonl", remove_one), ("csv", change_one_byte), ("brat", remove_one)],
)
@pytest.mark.parametrize("after", [2, 3], ids=["early", "late"])
def test_what_was_taken_away_or_changed_is_missed(tmp_path: Path, format: str, meddle: Meddle, after: int) -> None:
    source = write_notes(tmp_path, format)
    job = Job(source, tmp_path / f"clean{source.suffix}", FORMATS[format])
    with pytest.raises(IncognoteError) as caught:
        run(job, meddle, after)
    assert "Kowalczyk" not in str(caught.value)
    assert job.work.exists()
    assert not job.target.is_file()
    summary = run(Job(source, job.target, job.format, resume=True))
    assert summary.notes == NOTES
    assert not job.work.exists()
    whole = Job(source, tmp_path / f"whole{source.suffix}", job.format)
    run(whole)
    assert read_all(job.target) == read_all(whole.target)


def test_a_folder_in_the_place_of_a_note_is_missed(tmp_path: Path) -> None:
    job = Job(write_notes(tmp_path, "text"), tmp_path / "clean", FORMATS["text"])
    with pytest.raises(OutputError, match="1 of 100 files that this run wrote are missing"):
        run(job, replace_by_a_folder)


def test_notes_that_were_exchanged_are_missed(tmp_path: Path) -> None:
    job = Job(write_notes(tmp_path, "text"), tmp_path / "clean", FORMATS["text"])
    with pytest.raises(OutputError, match=r"2 of 100 files that this run wrote are missing or were changed \(n000.txt\)"):
        run(job, exchange_two)


def test_a_note_that_somebody_put_there_does_not_pass_for_clean(tmp_path: Path) -> None:
    job = Job(write_notes(tmp_path, "text"), tmp_path / "clean", FORMATS["text"])
    with pytest.raises(OutputError, match=r"1 files in it are not from this run \(new.txt\)"):
        run(job, lambda place: (place / "new.txt").write_text("Mr. Kowalczyk") and None)
    (job.target / "new.txt").unlink()
    assert run(Job(job.source, job.target, job.format, resume=True)).notes == NOTES


def test_a_work_folder_that_was_removed_ends_in_an_error(tmp_path: Path) -> None:
    job = Job(write_notes(tmp_path, "jsonl"), tmp_path / "clean.jsonl", FORMATS["jsonl"])
    with pytest.raises(OutputError):
        run(job, lambda place: shutil.rmtree(place.parent))
    assert not job.target.exists()


def test_a_vault_that_lost_records_during_the_run_is_missed(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault", random_key(), create=True)
    title = vault.path.read_bytes()
    job = Job(write_notes(tmp_path, "jsonl"), tmp_path / "clean.jsonl", FORMATS["jsonl"], vault=vault)
    with pytest.raises(VaultError, match="lacks 80 records that this run added; resume adds them again"):
        run(job, lambda _: vault.path.write_bytes(title) and None, after=2)
    assert job.work.exists()

"""Notes that change while they are scrubbed: what was found in one text is never used on another."""

from collections.abc import Callable
from pathlib import Path

import pytest

from incognote.batch import Job, scrub_corpus
from incognote.corpora import FORMATS
from incognote.deidentifier import Deidentifier
from incognote.errors import CorpusError


def add_before(folder: Path) -> None:
    (folder / "a.txt").write_text("Nothing to hide, and more of it than in the next note.")


def add_behind(folder: Path) -> None:
    (folder / "z.txt").write_text("Mr. Kowalczyk came back.")


def take_away(folder: Path) -> None:
    (folder / "b.txt").unlink()


def take_away_the_last(folder: Path) -> None:
    (folder / "c.txt").unlink()


def write_anew(folder: Path) -> None:
    (folder / "b.txt").write_text("Today Mr. Kowalczyk left.")


@pytest.mark.parametrize("change", [add_before, add_behind, take_away, take_away_the_last, write_anew])
def test_an_input_that_changes_between_the_passes_stops_the_run(tmp_path: Path, change: Callable[[Path], None]) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "b.txt").write_text("Mr. Kowalczyk left today.")
    (notes / "c.txt").write_text("He is well. Mr. Wojciechowski is not.")
    job = Job(notes, tmp_path / "clean", FORMATS["text"])

    def progress(stage: str, _notes: int, _total: int | None) -> None:
        if stage == "find":
            change(notes)

    with pytest.raises(CorpusError, match=r"changed while it was scrubbed.*overwrite") as error:
        scrub_corpus(
            job, lambda key: Deidentifier.default(mode="placeholder", key=key, models=()), key=None, settings={}, progress=progress
        )
    assert "Kowalczyk" not in str(error.value)
    assert not any("Kowalczyk" in path.read_text() or "Wojciech" in path.read_text() for path in job.target.rglob("*.txt"))

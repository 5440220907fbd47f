"""A folder that a kill left half put in place is not read as a whole one, and what a kill left unfinished goes with the next run."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from incognote.corpora import detect_format, read_corpus, write_corpus
from incognote.corpora.files import name_draft
from incognote.document import Document
from incognote.errors import CorpusError, OutputError

# Kills itself in the middle of the renames that put the files of the new corpus in the place of the old ones.
KILLED = """
import os, signal, sys
from pathlib import Path
from incognote.corpora import write_corpus
from incognote.document import Document

rename, done = Path.rename, []

def rename_or_die(path, target):
    done.append(path)
    if len(done) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(path, target)

Path.rename = rename_or_die
write_corpus([Document(f"ward/n{number}", "new") for number in range(5)], sys.argv[1], format="text", overwrite=True)
"""


@pytest.mark.parametrize("step", [1, 2, 4])
def test_a_kill_leaves_the_old_notes_or_a_folder_that_no_reader_takes(tmp_path: Path, step: int) -> None:
    target = tmp_path / "notes"
    write_corpus([Document(f"n{number}", "old") for number in range(3)], target, format="text")
    (target / "readme.md").write_text("mine")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(target), str(step)], capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    if step == 1:
        assert [note.text for note in read_corpus(target)] == ["old"] * 3
    else:
        for read in (detect_format, lambda path: list(read_corpus(path, format="text"))):
            with pytest.raises(CorpusError, match=r"some are missing; write them again with overwrite"):
                read(target)
    write_corpus([Document("n7", "newest")], target, format="text", overwrite=True)
    assert [note.text for note in read_corpus(target, format="text")] == ["newest"]
    assert sorted(path.name for path in target.rglob("*") if path.is_file()) == ["n7.txt", "readme.md"]


# Kills itself when the first of its documents are written.
UNFINISHED = """
import os, signal, sys
from incognote.corpora import write_corpus
from incognote.document import Document

def read_or_die():
    yield Document("n1", "new")
    os.kill(os.getpid(), signal.SIGKILL)

write_corpus(read_or_die(), sys.argv[1], format=sys.argv[2], overwrite=True)
"""


@pytest.mark.parametrize(
    ("name", "format"), [("notes", "text"), ("notes.jsonl", "jsonl"), ("notes.csv", "csv"), ("notes.parquet", "parquet")]
)
def test_what_a_kill_left_unfinished_goes_with_the_next_run(tmp_path: Path, name: str, format: str) -> None:
    ended = subprocess.run([sys.executable, "-c", UNFINISHED, str(tmp_path / name), format], capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(f".{name}.*.draft"))) == 1
    others = {f".{name}.old.4711.draft", f".{name}.draft"}
    for other in others:
        (tmp_path / other).write_text("of another output")
    write_corpus([Document("n7", "newest")], tmp_path / name, format=format)
    assert {path.name for path in tmp_path.iterdir()} == {name} | others


def test_a_draft_of_a_killed_run_with_the_same_process_id_is_in_nobodys_way(tmp_path: Path) -> None:
    name_draft(tmp_path / "notes").mkdir()
    write_corpus([Document("n7", "newest")], tmp_path / "notes", format="text")
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_two_runs_never_write_one_output_at_once(tmp_path: Path) -> None:
    def read_and_start_another() -> Iterator[Document]:
        with pytest.raises(OutputError, match=r"notes\.jsonl: another run is at work on this output"):
            write_corpus([Document("n2", "second")], tmp_path / "notes.jsonl", format="jsonl")
        yield Document("n1", "first")

    write_corpus(read_and_start_another(), tmp_path / "notes.jsonl", format="jsonl")
    assert [note.text for note in read_corpus(tmp_path / "notes.jsonl")] == ["first"]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]

"""A folder that a kill left half put in place is not read as a whole one."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from incognote.corpora import detect_format, read_corpus, write_corpus
from incognote.document import Document
from incognote.errors import CorpusError

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
            with pytest.raises(CorpusError, match=r"some are missing: write them again with --overwrite"):
                read(target)
    write_corpus([Document("n7", "newest")], target, format="text", overwrite=True)
    assert [note.text for note in read_corpus(target, format="text")] == ["newest"]
    assert sorted(path.name for path in target.rglob("*") if path.is_file()) == ["n7.txt", "readme.md"]

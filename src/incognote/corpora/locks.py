"""A lock on an output, so that two runs never write it at once: SQLite's, which works on every system and ends with its process."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from incognote.corpora.files import hide
from incognote.corpora.output import check_free, place_of
from incognote.errors import OutputError

_WAIT = 1.0  # seconds: a run that only looks whether another is at work has the lock for a moment


def take_lock(file: Path, output: Path) -> sqlite3.Connection:
    """The lock in this file, held until it is closed or the process ends, even by a kill; raises when another run on ``output`` has it.

    The file must be there: whoever only looks must not make it in a folder that its owner is about to remove.
    """
    lock, fault = None, "SQLITE_BUSY"
    try:
        before = file.stat().st_ino
        lock = sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None)
        lock.execute("pragma journal_mode=memory")  # no second file beside it
        lock.execute("begin exclusive")
        if file.stat().st_ino == before:
            return lock
    except FileNotFoundError:
        pass  # the run that had the lock has just removed it
    except sqlite3.Error as error:
        fault = error.sqlite_errorname if file.exists() else fault
    if lock is not None:
        lock.close()
    if fault == "SQLITE_BUSY":
        raise OutputError("another run is at work on this output", where=output, fix="wait until it has ended, or stop it")
    raise OutputError(f"cannot be locked ({fault})", where=file, fix="choose another output")


@contextmanager
def writing_alone(target: Path, *, folder: bool = True, inside: bool = False) -> Iterator[None]:
    """Keep other runs from writing the folder or file. The lock is a hidden file beside it, or ``inside``, and is removed afterwards.

    Raises where nothing can be written, before any work is done.
    """
    check_free(target, folder=folder, overwrite=True)
    place = place_of(target).resolve()
    file = place / ".lock" if inside else hide(place, "lock")
    check_free(file, folder=False, overwrite=True)
    made = [parent for parent in file.parents if not parent.exists()]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=target, fix="choose another output") from None
    lock = take_lock(file, target)
    try:
        yield
    finally:
        with closing(lock), suppress(OSError):
            file.unlink()  # before the lock is let go: the next run must not take one that is about to vanish
            for parent in made:
                parent.rmdir()

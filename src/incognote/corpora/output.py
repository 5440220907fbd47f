"""Where output may go: never into the input, never over something unasked."""

import os
from pathlib import Path

from incognote.errors import OutputError

_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def check_output(source: Path | str, target: Path | str, *, folder: bool | None = None, overwrite: bool = False) -> None:
    """Raise when the target is the source, holds it or lies in it, or is not free as :func:`check_free` has it."""
    if str(target) == "-":
        raise OutputError("-: notes are written to files; name one")
    here, there = Path(source).resolve(), Path(target).resolve()
    if here == there:
        raise OutputError(f"{target}: input and output are the same; choose another output")
    if there.is_relative_to(here):
        raise OutputError(f"{target}: the output lies inside the input {source}; choose a place outside it")
    if here.is_relative_to(there):
        raise OutputError(f"{target}: the input {source} lies inside the output; choose another output")
    check_free(there, folder=folder, overwrite=overwrite)
    beside = place_of(target).absolute().parent
    if there.is_dir() and not os.access(beside, os.W_OK | os.X_OK):
        raise OutputError(f"{target}: {beside}, where unfinished work goes, is not writable; choose a new folder in {target}")


def place_of(target: Path | str) -> Path:
    """The target by a name that others can stand beside: ``.`` and ``..`` are resolved, links are not."""
    path = Path(target)
    place = path if path.name not in ("", "..") else path.resolve()
    if not place.name:
        raise OutputError(f"{target}: is the root of the file system; choose another output")
    return place


def check_free(target: Path, *, folder: bool | None = None, overwrite: bool = False) -> None:
    """Raise when the target is not empty or cannot be written; ``folder`` says what it must be, where that is known."""
    if target.is_dir():
        if folder is False:
            raise OutputError(f"{target}: is a folder, but this format is one file; name a file in it")
        if not overwrite and any(target.iterdir()):
            raise OutputError(f"{target}: the output folder is not empty; choose another, or allow it with --overwrite")
    elif target.exists():
        if folder:
            raise OutputError(f"{target}: is a file, but this format is a folder; choose another output")
        if not target.is_file():
            # A finished file takes its name by a rename, which would put it in the place of /dev/null itself.
            raise OutputError(f"{target}: is a device or a pipe; name a plain file")
        if not overwrite:
            raise OutputError(f"{target}: the output file exists; choose another, or allow it with --overwrite")
    if folder is False and target.suffix.lower() in _PACKED:
        raise OutputError(f"{target}: files are written plain; name it without {target.suffix}, and pack it afterwards")
    _check_writable(target)


def _check_writable(target: Path) -> None:
    place = target if target.is_dir() else target.absolute().parent
    while not place.exists():
        place = place.parent
    if not place.is_dir():
        raise OutputError(f"{target}: {place} is a file, not a folder; choose another output")
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(f"{target}: {place} is not writable; choose another output")

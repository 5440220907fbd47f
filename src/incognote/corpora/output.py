"""Where output may go: never into the input, and over existing files only when asked."""

import os
from pathlib import Path

from incognote.errors import OutputError
from incognote.shown import show_text

_ANOTHER, _OVERWRITE = "choose another output", "choose another, or allow it with {overwrite}"
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def check_output(source: Path | str, target: Path | str, *, folder: bool | None = None, overwrite: bool = False) -> None:
    """Raise when the target is the source, holds it or lies in it, or is not free as :func:`check_free` has it."""
    if str(target) == "-":
        raise OutputError("notes are written to files", where="-", fix="name one")
    here, there = Path(source).resolve(), Path(target).resolve()
    if here == there:
        raise OutputError("input and output are the same", where=target, fix=_ANOTHER)
    if there.is_relative_to(here):
        raise OutputError(f"the output lies inside the input {show_text(source)}", where=target, fix="choose a place outside it")
    if here.is_relative_to(there):
        raise OutputError(f"the input {show_text(source)} lies inside the output", where=target, fix=_ANOTHER)
    check_free(there, folder=folder, overwrite=overwrite)
    beside = place_of(target).absolute().parent
    if there.is_dir() and not os.access(beside, os.W_OK | os.X_OK):
        what = f"{show_text(beside)}, where unfinished work goes, is not writable"
        raise OutputError(what, where=target, fix=f"choose a new folder in {show_text(target)}")


def place_of(target: Path | str) -> Path:
    """The target by a name that others can stand beside: ``.`` and ``..`` are resolved, links are not."""
    path = Path(target)
    place = path if path.name not in ("", "..") else path.resolve()
    if not place.name:
        raise OutputError("is the root of the file system", where=target, fix=_ANOTHER)
    return place


def check_free(target: Path, *, folder: bool | None = None, overwrite: bool = False) -> None:
    """Raise when the target is not empty or cannot be written; ``folder`` says what it must be, where that is known."""
    if target.is_dir():
        if folder is False:
            raise OutputError("is a folder, but this format is one file", where=target, fix="name a file in it")
        if not overwrite and any(target.iterdir()):
            raise OutputError("the output folder is not empty", where=target, fix=_OVERWRITE)
    elif target.exists():
        if folder:
            raise OutputError("is a file, but this format is a folder", where=target, fix=_ANOTHER)
        if not target.is_file():
            # A finished file takes its name by a rename, which would put it in the place of /dev/null itself.
            raise OutputError("is a device or a pipe", where=target, fix="name a plain file")
        if not overwrite:
            raise OutputError("the output file exists", where=target, fix=_OVERWRITE)
    if folder is False and target.suffix.lower() in _PACKED:
        fix = f"name it without {show_text(target.suffix)}, and pack it afterwards"
        raise OutputError("files are written plain", where=target, fix=fix)
    _check_writable(target)


def _check_writable(target: Path) -> None:
    place = target if target.is_dir() else target.absolute().parent
    while not place.exists():
        place = place.parent
    if not place.is_dir():
        raise OutputError(f"{show_text(place)} is a file, not a folder", where=target, fix=_ANOTHER)
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(f"{show_text(place)} is not writable", where=target, fix=_ANOTHER)

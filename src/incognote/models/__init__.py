"""The models that ship with the package: folders of weights, checked against their checksums before they are used."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from incognote.errors import CheckpointError, ConfigError

__all__ = ["DEFAULT", "NONE", "STANDARD", "SUMS", "check_sums", "choose_models", "digest_model", "find_model", "is_shipped", "write_sums"]

DEFAULT = "default"
NONE = "none"
STANDARD: tuple[str, ...] = (DEFAULT,)
"""The models that are used when the user names none."""

SUMS = "SHA256SUMS"

_FOLDER = Path(__file__).parent


def choose_models(named: Sequence[str] | None) -> tuple[str, ...]:
    """The models to tag with: those named, the standard ones when none is, and nothing for ``none``.

    >>> choose_models(["none"]), choose_models(["here/model"])
    ((), ('here/model',))
    """
    if named and NONE in named:
        if len(named) > 1:
            raise ConfigError("model", [f"{{models}} {NONE} means rules alone; it cannot stand beside other models"])
        return ()
    return tuple(named or STANDARD)


def find_model(name: str = DEFAULT, *, folder: Path = _FOLDER) -> Path:
    """The folder of a shipped model, every file of it as it was shipped; a damaged or missing one is an error that names it."""
    return check_sums(folder / name)


def is_shipped(folder: Path) -> bool:
    """Whether this is the folder of a model that ships with the package, whatever others are called."""
    return folder.resolve().parent == _FOLDER.resolve()


def digest_model(folder: Path) -> str:
    """A digest of all files of a model folder; that of the shipped one is the digest of its list of checksums."""
    if (folder / SUMS).is_file():
        return hashlib.sha256((folder / SUMS).read_bytes()).hexdigest()
    whole = hashlib.sha256()
    for name in _names(folder):
        with (folder / name).open("rb") as stream:
            whole.update(f"{name}\0{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()


def check_sums(folder: Path) -> Path:
    """The folder itself, when its files are those that its ``SHA256SUMS`` lists, with these sums; all faults are named."""
    try:
        lines = (folder / SUMS).read_bytes().splitlines()
    except OSError:
        raise CheckpointError(f"{SUMS} is missing, so the model cannot be checked", where=str(folder), fix=_FIX) from None
    listed = {match["name"].decode(): match["sum"].decode() for line in lines if (match := _LINE.fullmatch(line))}
    faults = [fault for name, wanted in listed.items() if (fault := _fault(folder / name, wanted))]
    faults += [f"{name} is not in {SUMS}" for name in _names(folder) if name not in listed]
    if faults or not listed:
        raise CheckpointError(f"the shipped model is damaged ({'; '.join(faults) or f'{SUMS} lists nothing'})", where=str(folder), fix=_FIX)
    return folder


_LINE = re.compile(rb"(?P<sum>[0-9a-f]{64})  (?P<name>[\w.-]+)")
_FIX = "install the package again, set {models} to a model of your own, or to none for rules alone"


def _fault(file: Path, wanted: str) -> str:
    try:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return f"{file.name} is missing or cannot be read, its sha256 should be {wanted}"
    return "" if found == wanted else f"{file.name} has sha256 {found} and should have {wanted}"


def write_sums(folder: Path) -> None:
    """List every file of a model folder with its sum, for :func:`check_sums`."""
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in _names(folder)]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.is_file() and file.name != SUMS and not file.name.startswith("."))

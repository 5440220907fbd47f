"""The files of a corpus: listed in a fixed order, decoded with the place of a bad byte, written whole or not at all."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from incognote.corpora.format import Format, ReadOptions, WriteOptions, make_each
from incognote.document import Document
from incognote.errors import CorpusError, OutputError
from incognote.shown import show_text

# The bytes of a file name. That of a draft is longer than the file's own; a character takes up to 4.
_LONGEST, _LONG, _SHORT = 255, 230, 50
_DRAFT = re.compile(r"\..+\.\d+\.draft")
# In a folder, what is yet to be moved into it.
MOVING = ".incognote-moving"

Parse = Callable[[str, Path, ReadOptions], Document]
Render = Callable[[Document, WriteOptions], Mapping[str, str]]


def list_files(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """Id and path of each file with one of the suffixes, sorted by id; the id is the path in the folder, without the suffix.

    Hidden files and folders (their name begins with a dot) are passed over.
    """
    check_there(path)
    if path.is_file():
        return iter([(_without(path.name, suffixes), path)])
    # Names alone are held, for millions of paths would take gigabytes.
    names = sorted((name for name in walk_names(path) if _has(name, suffixes)), key=lambda name: _without(name, suffixes))
    if not names:
        raise CorpusError(f"the folder is empty: it holds no {show_text(' or '.join('*' + suffix for suffix in suffixes))} file", path=path)
    for one, two in pairwise(names):
        if (id := _without(two, suffixes)) == _without(one, suffixes):
            raise CorpusError("a second file has the same document id", path=path / two, document=id, fix="rename one")
    return ((_without(name, suffixes), path / name) for name in names)


def check_there(path: Path) -> None:
    """Raise where there is no file or folder of notes; a pipe does not do, as notes may be read more than once."""
    if not path.exists():
        raise CorpusError("there is no such file or folder", path=path)
    if not path.is_dir():
        check_plain(path)


def check_plain(path: Path) -> None:
    """Raise for a pipe or a device: opening it might wait for ever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # opening it will say why
    if not stat.S_ISREG(mode):
        raise CorpusError("is a pipe or a device, which cannot be read twice", path=path, fix="save what it gives in a file")


def walk(folder: Path) -> Iterator[Path]:
    """Every file below the folder that is not hidden, always in the same order."""
    return (folder / name for name in walk_names(folder))


def walk_names(folder: Path) -> Iterator[str]:
    """The names of these files, with the folders between. A folder that was only half moved into place is refused."""
    for place, folders, names in os.walk(folder, onerror=_raise_unreadable):
        if MOVING in folders:
            fault = "a run was killed, or is still at work, as it put its files here, and some are missing"
            raise CorpusError(fault, path=place, fix="write them again with {overwrite}")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if link := next((name for name in folders if Path(place, name).is_symlink()), ""):
            fix = "give the folder itself, or copy it here"
            raise CorpusError("is a link to a folder, which is not followed, as it may lead back", path=Path(place, link), fix=fix)
        between = "" if Path(place) == folder else f"{Path(place).relative_to(folder).as_posix()}/"
        yield from (between + name for name in sorted(names) if not name.startswith("."))


def _raise_unreadable(error: OSError) -> None:
    raise CorpusError(f"the folder cannot be read: {error.strerror}", path=error.filename)


def _has(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.lower().endswith(suffixes)


def _without(name: str, suffixes: tuple[str, ...]) -> str:
    """The name less its suffix.

    >>> _without("notes.jsonl.gz", (".jsonl", ".jsonl.gz"))
    'notes'
    """
    return next((name[: -len(suffix)] for suffix in suffixes if name.lower().endswith(suffix)), name)


def open_plain(path: Path) -> BinaryIO:
    """The file, open to be read."""
    check_plain(path)
    try:
        return path.open("rb")
    except OSError as error:
        raise CorpusError(f"the file cannot be read: {error.strerror}", path=path) from None


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """The file, open to be read; raises where its end was reached at another size than it had at first, or it cannot be read."""
    try:
        with open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            yield file
            if not file.read(1) and file.tell() != size:
                raise CorpusError("the file changed while it was read", path=path, fix="wait until nothing writes it, and start again")
    except OSError as error:
        raise CorpusError(f"the file cannot be read: {error.strerror}", path=path) from None


def read_bytes(path: Path) -> bytes:
    with open_whole(path) as file:
        return file.read()


def decode(data: bytes, *, path: Path, document: str = "", offset: int = 0) -> str:
    """The text of UTF-8 bytes that begin ``offset`` bytes into the file; every character stays, a byte order mark too."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {offset + error.start:d}"
    raise CorpusError("not UTF-8", path=path, document=document, place=place, fix="save the file as UTF-8")


def read_text(path: Path, *, document: str = "") -> str:
    """The file's characters exactly: no newline is translated and no byte order mark is taken off."""
    return decode(read_bytes(path), path=path, document=document)


def read_each(path: Path, options: ReadOptions, suffixes: tuple[str, ...], parse: Parse) -> Iterator[Document]:
    """One document per file."""

    def make(named: tuple[str, Path]) -> Document:
        id, file = named
        # A name in another encoding, as old file shares have them, comes with lone surrogates, which no report or table could hold.
        if not id.isascii() and any("\ud800" <= character <= "\udfff" for character in id):
            raise CorpusError("the file name is not UTF-8, so the note can have no id", path=file, fix="rename the file")
        return parse(id, file, options)

    return make_each(list_files(path, suffixes), make, options.quarantine)


def write_each(documents: Iterable[Document], folder: Path, options: WriteOptions, render: Render) -> int:
    """Each document's files, named by its id; ``render`` gives their content by suffix."""

    def name_files(document: Document) -> dict[Path, str]:
        return {file_of(document.id, folder, suffix): text for suffix, text in render(document, options).items()}

    written = 0
    for contents in make_each(documents, name_files, options.quarantine):
        for path, text in contents.items():
            write_whole(path, text.encode("utf-8"))
        written += 1
    return written


def folder_format(name: str, suffixes: tuple[str, ...], parse: Parse, render: Render, *, scheme: str = "") -> Format:
    """A format with a file, or several, for each document."""
    return Format(
        name, "folder", suffixes, partial(read_each, suffixes=suffixes, parse=parse), partial(write_each, render=render), scheme=scheme
    )


def write_parts(
    documents: Iterable[Document],
    path: Path,
    options: WriteOptions,
    render: Callable[[Document], str],
    *,
    head: bytes = b"",
    tail: bytes = b"",
) -> int:
    """One file with the text that ``render`` gives of each document."""
    written = 0
    with draft(path) as file:
        file.write(head)
        for part in make_each(documents, render, options.quarantine):
            file.write(part.encode("utf-8"))
            written += 1
        file.write(tail)
    return written


def file_of(id: str, folder: Path, suffix: str) -> Path:
    """The file of a document. The id may name subfolders, but never leaves the folder, is never hidden, and fits into a name.

    >>> file_of("ward/n1", Path("out"), ".txt").as_posix()
    'out/ward/n1.txt'
    """
    if "\0" in id or any(not part or part.startswith(".") for part in id.split("/")):
        fix = "give ids without empty, hidden or .. parts, or write jsonl"
        raise CorpusError("this id cannot name a file", document=id, fix=fix)
    if any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST for part in (id + suffix).split("/")):
        what = f"this id is too long to name a file ({_LONGEST:d} bytes at most)"
        raise CorpusError(what, document=id, fix="give shorter ids, or write jsonl")
    return folder / (id + suffix)


def hide(path: Path, ending: str) -> Path:
    """A hidden name beside the path."""
    name = path.name if len(os.fsencode(path.name)) < _LONG else path.name[:_SHORT]
    return path.with_name(f".{name}.{ending}")


def name_draft(path: Path) -> Path:
    """The hidden name of a file or folder of this process until it is finished."""
    return hide(path, f"{os.getpid()}.draft")


def list_drafts(path: Path) -> list[Path]:
    """The drafts of this file or folder by any process; without a running one, killed runs left them."""
    named = re.compile(re.escape(hide(path, "").name) + r"\d+\.draft")
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    return [file for file in beside if named.fullmatch(file.name)]


def is_draft(name: str) -> bool:
    """Whether :func:`name_draft` gave this name; such a file stays where a process was killed while writing.

    >>> is_draft(".n1.txt.4711.draft"), is_draft("n1.draft")
    (True, False)
    """
    return _DRAFT.fullmatch(name) is not None


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Bytes to a file that appears whole or not at all; a ``private`` one is for its owner alone."""
    with draft(path, private=private) as file:
        file.write(content)


@contextmanager
def draft(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """A file to write that takes its name only when all of it is there; after an error nothing is left."""
    hidden = name_draft(path)
    create = partial(os.open, mode=0o600 if private else 0o666)
    try:
        if not path.parent.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
        with open(hidden, "wb", opener=create) as file:
            yield file
        hidden.replace(path)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=path) from None
    finally:
        with suppress(OSError):  # where the parent is no folder there is nothing to remove, and the first error must stand
            hidden.unlink(missing_ok=True)

"""A corpus read document by document, and written so that it is there whole or not at all."""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import getpid
from pathlib import Path

from incognote.corpora.files import list_files
from incognote.corpora.format import Columns, Format, Header, Quarantine, ReadOptions, WriteOptions
from incognote.corpora.formats import check_name, detect_format, format_named
from incognote.corpora.output import check_free, place_of
from incognote.document import Document, LabelScheme, scheme
from incognote.errors import CorpusError, OutputError


def read_corpus(
    path: Path | str,
    *,
    format: str | None = None,
    columns: Columns = Columns(),
    scheme: str | LabelScheme | None = None,
    spans: bool = True,
    quarantine: Quarantine | None = None,
    unread: frozenset[str] = frozenset(),
) -> Iterator[Document]:
    """The documents, streaming and always in the same order.

    The format is detected where none is named. Labels are checked against ``scheme``, else against the one that belongs to
    the format, if any. Without ``spans`` the documents have none, for those who find their own: what the files have may be of any labels
    and overlap. The first bad document raises; with ``quarantine`` its error goes there instead and reading goes on.
    The values of columns in ``unread`` may be missing.
    """
    kind = format_named(format) if format else detect_format(path)
    options = ReadOptions(columns, find_scheme(scheme, kind), quarantine, unread, spans)
    documents = kind.read(Path(path), options)
    # The files of a folder have names that differ, and so have their notes: no need to hold millions of ids.
    return documents if kind.layout == "folder" else _without_repeats(documents, path, options)


def find_scheme(name: str | LabelScheme | None, format: Format) -> LabelScheme | None:
    """The scheme named, else the one that belongs to the format, else none."""
    if isinstance(name, LabelScheme):
        return name
    wanted = name or format.scheme
    return scheme(wanted) if wanted else None


def _without_repeats(documents: Iterable[Document], path: Path | str, options: ReadOptions | WriteOptions) -> Iterator[Document]:
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            fault = "a second document has this id; ids must be unique"
            options.refuse(CorpusError(fault, path=str(path), document=document.id))
            continue
        seen.add(document.id)
        yield document


def write_corpus(
    documents: Iterable[Document],
    path: Path | str,
    *,
    format: str,
    columns: Columns = Columns(),
    scheme: str | LabelScheme | None = None,
    quarantine: Quarantine | None = None,
    overwrite: bool = False,
    spans: bool = True,
    header: Header | None = None,
) -> int:
    """Write the documents and return how many; on any error, nothing has changed at ``path``.

    ``spans`` says whether a table gets a column for them, ``header`` what its columns are, also where there is no document to tell.
    ``overwrite`` takes the place of an older file, or of the files of this format in an older folder; others there stay.
    """
    kind, target = format_named(format), place_of(path)
    options = WriteOptions(columns, find_scheme(scheme, kind), quarantine, spans, header=header)
    check_name(target, kind)
    check_free(target, folder=kind.layout == "folder", overwrite=overwrite)
    documents = _without_repeats(documents, "", options)
    if kind.layout == "file":
        return kind.write(documents, target, replace(options, metadata=True))
    staged = target.parent / f".{target.name}.{getpid()}.draft"
    try:
        staged.mkdir(parents=True)
        written = kind.write(documents, staged, options)
        publish(staged, target, kind)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror}") from None
    except OutputError as error:
        raise OutputError(str(error).replace(str(staged), str(target))) from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return written


def publish(staged: Path, target: Path, format: Format) -> None:
    """Move a finished folder into place; files of this format that an older run left in the target go."""
    if not target.exists():
        staged.rename(target)
        return
    if any(target.iterdir()):
        for file in _files_of(format, target):
            file.unlink()
    for file in _files_of(format, staged):
        place = target / file.relative_to(staged)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.rename(place)


def _files_of(format: Format, folder: Path) -> list[Path]:
    return [file for suffix in format.suffixes for file in _list_or_none(folder, suffix)]


def _list_or_none(folder: Path, suffix: str) -> list[Path]:
    try:
        return [file for _, file in list_files(folder, (suffix,))]
    except CorpusError:
        return []

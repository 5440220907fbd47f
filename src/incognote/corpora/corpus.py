"""Reads a corpus document by document, and writes one atomically: whole or not at all."""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from incognote.corpora.files import MOVING, list_drafts, name_draft, walk
from incognote.corpora.format import Columns, Format, Header, Quarantine, ReadOptions, WriteOptions, refuse
from incognote.corpora.formats import check_name, detect_format, format_named
from incognote.corpora.ids import Ids
from incognote.corpora.locks import writing_alone
from incognote.corpora.output import check_free, place_of
from incognote.document import Document, LabelScheme, scheme
from incognote.errors import ConfigError, CorpusError, OutputError


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

    The format is detected unless named. Labels are checked against ``scheme``, else against the scheme of the format, if any.
    With ``spans=False`` the spans in the files are ignored, and so may have any label and overlap. The first bad document raises; with
    ``quarantine`` its error goes there instead and reading continues. The values of columns in ``unread`` may be missing.
    """
    kind = format_named(format) if format else detect_format(path)
    options = ReadOptions(columns, find_scheme(scheme, kind), quarantine, unread, spans)
    documents = kind.read(Path(path), options)
    if columns.patient_from:
        if kind.layout != "folder":
            raise ConfigError("columns", ["{patient_from} is for folders of notes; a table has a patient column"])
        documents = _with_patients(documents, columns.patient_from, path, quarantine)
    # Files of a folder have different names, so their notes have different ids: no need to remember millions of ids.
    return documents if kind.layout == "folder" else _without_repeats(documents, path, quarantine)


def find_scheme(name: str | LabelScheme | None, format: Format) -> LabelScheme | None:
    """The scheme named, else the one of the format, if any."""
    if isinstance(name, LabelScheme):
        return name
    wanted = name or format.scheme
    return scheme(wanted) if wanted else None


def _with_patients(documents: Iterable[Document], expression: str, path: Path | str, quarantine: Quarantine | None) -> Iterator[Document]:
    """Documents of no patient with the patient that the expression finds in their ids."""
    for document in documents:
        if document.patient:
            yield document
        elif found := re.search(expression, document.id):
            yield replace(document, patient=found[1] if found.re.groups else found[0])
        else:
            error = CorpusError("the expression finds no patient in this id", path=path, document=document.id, fix="change {patient_from}")
            refuse(error, quarantine)


def _without_repeats(documents: Iterable[Document], path: Path | str, quarantine: Quarantine | None) -> Iterator[Document]:
    seen = Ids()
    for document in documents:
        if seen.add(document.id):
            yield document
        else:
            error = CorpusError("a second document has this id", path=path, document=document.id, fix="give each its own")
            refuse(error, quarantine)


def write_corpus(
    documents: Iterable[Document],
    path: Path | str,
    *,
    format: str,
    columns: Columns = Columns(),
    scheme: str | LabelScheme | None = None,
    aside: list[CorpusError] | None = None,
    overwrite: bool = False,
    spans: bool = True,
    header: Header | None = None,
) -> int:
    """Write the documents and return how many; on any error, nothing has changed at ``path``.

    One run at a time writes there; unfinished files of a killed run are removed.
    ``aside`` collects the errors of documents that the format cannot represent, so that writing continues; if there are only errors,
    nothing is written. ``spans`` says whether a table gets a column for them; ``header`` names its columns, even without documents.
    ``overwrite`` replaces an older file, or the files of this format in an older folder; other files there stay.
    """
    kind, target = format_named(format), place_of(path)
    options = WriteOptions(columns, find_scheme(scheme, kind), None if aside is None else aside.append, spans, True, header)
    folder = kind.layout == "folder"
    check_name(target, kind)
    check_free(target, folder=folder, overwrite=overwrite)
    draft = name_draft(target)
    staged = draft if folder else draft / target.name
    with writing_alone(target, folder=folder):
        try:
            for left in list_drafts(target):
                _remove(left)
            draft.mkdir()
            written = kind.write(_without_repeats(documents, "", options.quarantine), staged, options)
            if written or not aside:
                check_free(target, folder=folder, overwrite=overwrite)  # again: writing may have taken hours
                _publish(staged, target, kind)
        except OSError as error:
            raise OutputError(f"cannot be written: {error.strerror}", where=target) from None
        except OutputError as error:
            raise OutputError(error.what, where=error.where.replace(str(staged), str(target)), fix=error.fix) from None
        finally:
            _remove(draft)
    return written


def _remove(path: Path) -> None:
    """Remove a file or folder if it exists. Its own errors are ignored, so that they do not hide the one that led here."""
    with suppress(OSError):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _publish(staged: Path, target: Path, format: Format) -> None:
    """Move a finished file or folder into place; files of this format that an older run left in the folder go.

    While files are moved one by one, the rest lies in the folder under a name that readers refuse.
    """
    if format.layout == "file" or not target.exists():
        staged.replace(target)
        return
    _remove(target / MOVING)
    old = _files_of(format, target)
    rest = staged.rename(target / MOVING)
    for file in old:
        file.unlink()
    for file in _files_of(format, rest):
        place = target / file.relative_to(rest)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.rename(place)
    _remove(rest)


def _files_of(format: Format, folder: Path) -> list[Path]:
    return [path for path in walk(folder) if path.name.lower().endswith(format.suffixes)]

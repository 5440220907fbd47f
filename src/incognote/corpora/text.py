"""Plain text notes, one ``.txt`` file each in a folder and its subfolders; the path without ``.txt`` is the id.

The format holds no spans and no patient.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from incognote.corpora.files import read_each, read_text, write_each
from incognote.corpora.format import Format, ReadOptions, WriteOptions
from incognote.document import Document

SUFFIXES = (".txt",)


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    return read_each(path, options, SUFFIXES, lambda id, file, _: Document(id, read_text(file, document=id)))


def write(documents: Iterable[Document], folder: Path, options: WriteOptions) -> int:
    return write_each(documents, folder, options, lambda document, _: {".txt": document.text})


TEXT = Format("text", "folder", SUFFIXES, read, write)

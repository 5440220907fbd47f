"""The table of formats, and how the format of a corpus is detected."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from incognote.corpora.brat import BRAT
from incognote.corpora.conll import CONLL
from incognote.corpora.csv import CSV
from incognote.corpora.files import check_there, open_plain, walk
from incognote.corpora.format import Columns, Format
from incognote.corpora.i2b2 import I2B2, MEDDOCAN
from incognote.corpora.i2b2_2006 import I2B2_2006
from incognote.corpora.jsonl import JSONL
from incognote.corpora.markup import MARKUP
from incognote.corpora.parquet import PARQUET
from incognote.corpora.text import TEXT
from incognote.errors import CorpusError, OutputError
from incognote.shown import show_text

FORMATS: Mapping[str, Format] = {
    format.name: format for format in (I2B2, I2B2_2006, MEDDOCAN, BRAT, JSONL, CONLL, CSV, PARQUET, TEXT, MARKUP)
}
_XML_ROOTS = {b"<deIdi2b2": I2B2, b"<MEDDOCAN": MEDDOCAN, b"<ROOT": I2B2_2006}
_BY_SUFFIX = (
    (".ann", BRAT),
    (".txt", TEXT),
    (".note", MARKUP),
    *((suffix, format) for format in (JSONL, CSV, PARQUET, CONLL) for suffix in format.suffixes),
)


def format_named(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise CorpusError(f"format {show_text(name)} is not known; there are: {', '.join(FORMATS)}")
    return FORMATS[name]


def keep_columns(columns: Columns, source: Format, target: Format) -> Columns:
    """The names of the columns in the output; JSON lines made of another format get the standard ones."""
    return Columns() if target is JSONL and source is not JSONL else columns


def check_name(target: Path, format: Format) -> None:
    """Raise when the name of the output has the suffix of another format than the one that is written."""
    name = target.name.lower()
    known = any(name.endswith(other.suffixes) for other in FORMATS.values())
    if format.layout == "folder" and known and not target.is_dir():
        raise OutputError(f"{show_text(format.name)} notes go into a folder, a file for each", where=target, fix="name a folder")
    if format.layout == "file" and known and not name.endswith(format.suffixes):
        fix = f"name it {show_text(target.stem + format.suffixes[0])}, or get another format with {{to}} or incognote convert"
        fault = f"what is written is {show_text(format.name)}, but the name ends in {show_text(target.suffix)}"
        raise OutputError(fault, where=target, fix=fix)


def detect_format(path: Path | str) -> Format:
    """The format, by file names and, for XML, root elements; an error when no format or several fit."""
    path = Path(path)
    check_there(path)
    found = _detect_all([path] if path.is_file() else walk(path))
    if path.is_file() and list(found) == [TEXT.name] and path.with_suffix(".ann").exists():
        return BRAT
    if len(found) == 1:
        return format_named(next(iter(found)))
    if path.is_dir() and not found and not any(walk(path)):
        raise CorpusError("the folder is empty", path=path)
    fix = f"name it with {{format}}, one of: {', '.join(FORMATS)}"
    if not found:
        raise CorpusError("cannot tell the format of these files", path=path, fix=fix)
    seen = f"the files could be {show_text(' and '.join(found))}, as {show_text(' and '.join(file.name for file in found.values()))} are"
    raise CorpusError(seen, path=path, fix=f"give each format a folder of its own, or {fix}")


def _detect_all(files: Iterable[Path]) -> dict[str, Path]:
    """The formats that fit some file, each with the first such file. An unreadable XML file raises only if no format fits."""
    found: dict[str, Path] = {}
    fault: CorpusError | None = None
    for file in files:
        name = file.name.lower()
        told = [format for suffix, format in _BY_SUFFIX if name.endswith(suffix)]
        if name.endswith(".xml"):
            try:
                told = _sniff_xml(file)
            except CorpusError as error:
                fault = fault or error
        for format in told:
            found.setdefault(format.name, file)
    if fault and not found:
        raise fault
    if BRAT.name in found:
        found.pop(TEXT.name, None)
    return found


def _sniff_xml(file: Path) -> list[Format]:
    with open_plain(file) as handle:
        head = handle.read(4096)
    return [format for root, format in _XML_ROOTS.items() if root in head]

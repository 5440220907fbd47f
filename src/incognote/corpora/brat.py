"""brat standoff: ``.txt`` with the note, ``.ann`` with its spans.

A discontinuous annotation (``12 15;20 25``) becomes one span of its label for each fragment. Relations, events, attributes,
normalisations and comments are read over: a Document has no place for them. A ``.txt`` without ``.ann`` has no spans; an ``.ann``
without ``.txt`` is an error. The format holds no patient.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from incognote.corpora.files import list_files, read_each, read_text, walk, write_each
from incognote.corpora.format import Format, ReadOptions, WriteOptions, refuse
from incognote.corpora.gold import Mark, choose_reading, make_document, mark_spans
from incognote.document import Document
from incognote.errors import CorpusError

SUFFIXES = (".txt",)
_BOUND = re.compile(r"T\d+\t(\S+) (\d{1,18} \d{1,18}(?:;\d{1,18} \d{1,18})*)(?:\t(.*))?", re.DOTALL)
_OTHER = re.compile(r"(?:[REAMN]\d+|#\d*|\*)\t")
_BREAKS = str.maketrans("\r\n\t", "   ")


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    if path.is_dir():
        notes = {file.with_suffix("") for _, file in list_files(path, SUFFIXES)}
        for file in walk(path):
            if file.suffix == ".ann" and file.with_suffix("") not in notes:
                refuse(CorpusError("there is no .txt beside this .ann file", path=file), options.quarantine)
    return read_each(path, options, SUFFIXES, _parse)


def _parse(id: str, path: Path, options: ReadOptions) -> Document:
    text = read_text(path, document=id)
    annotations = path.with_suffix(".ann")
    marks = _parse_marks(read_text(annotations, document=id), annotations, id) if annotations.exists() else []
    # brat counts a CRLF as two characters; tools that open files with newlines translated count one.
    readings = [text, text.replace("\r\n", "\n").replace("\r", "\n")] if "\r" in text else [text]
    text = choose_reading(readings, marks, path=annotations, id=id)
    return make_document(id, text, mark_spans(marks), path=annotations, options=options)


def _parse_marks(content: str, path: Path, id: str) -> list[Mark]:
    marks = []
    for number, line in _annotation_lines(content.removeprefix("\ufeff")):
        if _OTHER.match(line):
            continue
        match = _BOUND.fullmatch(line)
        if match is None:
            fix = "a span reads T1<tab>LABEL start end<tab>text"
            raise CorpusError("not a brat annotation", path=path, document=id, place=f"line {number:d}", fix=fix)
        label, ranges, text = match.groups()
        pairs = (pair.split(" ") for pair in ranges.split(";"))
        marks.append(Mark(tuple((int(start), int(end)) for start, end in pairs), label, text, f"line {number:d}"))
    return marks


def _annotation_lines(content: str) -> Iterator[tuple[int, str]]:
    """The number and content of each annotation; some tools break the line where the text of a span breaks."""
    begun, number = "", 0
    for at, line in enumerate(content.split("\n"), 1):
        line = line.removesuffix("\r")
        if _wants_more(begun) and not _BOUND.match(line) and not _OTHER.match(line):
            begun += "\n" + line
            continue
        if begun:
            yield number, begun
        begun, number = line, at
    if begun:
        yield number, begun


def _wants_more(annotation: str) -> bool:
    """Whether the text stated is shorter than the ranges it stands for."""
    match = _BOUND.fullmatch(annotation)
    if match is None or match[3] is None:
        return False
    edges = [int(edge) for edge in re.split("[ ;]", match[2])]
    return len(match[3]) < sum(edges[1::2]) - sum(edges[::2]) + len(edges) // 2 - 1


def _render(document: Document, _: WriteOptions) -> dict[str, str]:
    lines = []
    for number, span in enumerate(document.spans, 1):
        if not re.fullmatch(r"\S+", span.label):
            raise CorpusError("brat labels hold no white space", document=document.id, fix="rename the label")
        # brat keeps an annotation on one line, so it shows breaks in the text as blanks.
        lines.append(f"T{number}\t{span.label} {span.start} {span.end}\t{document.value(span).translate(_BREAKS)}\n")
    return {".txt": document.text, ".ann": "".join(lines)}


BRAT = Format("brat", "folder", (".txt", ".ann"), read, partial(write_each, render=_render))

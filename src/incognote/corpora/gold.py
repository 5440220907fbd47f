"""Annotated spans checked against their note, so that no misaligned gold ever becomes a Document."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.corpora.format import ReadOptions
from incognote.document import Document, LabelScheme, Span, scheme, scheme_names
from incognote.document.document import CODE_POINTS
from incognote.errors import CorpusError, LabelError, SpanError
from incognote.shown import show_text

_BLANK = re.compile(r"\s+")
_LONGEST_NAME = 1000


@dataclass(frozen=True, slots=True, repr=False)
class Mark:
    """A span as a file states it: its ranges (several when discontinuous), and its text where the file repeats it."""

    ranges: tuple[tuple[int, int], ...]
    label: str
    text: str | None
    place: str

    def fits(self, reading: str) -> bool:
        """Whether the ranges hold the text stated. White space may differ: an XML attribute cannot keep a newline."""
        if self.outside(reading):
            return False
        return self.text is None or _flatten(" ".join(reading[start:end] for start, end in self.ranges)) == _flatten(self.text)

    def outside(self, reading: str) -> bool:
        return any(not 0 <= start < end <= len(reading) for start, end in self.ranges)


def _flatten(text: str) -> str:
    return _BLANK.sub(" ", text)


def choose_reading(readings: Sequence[str], marks: Sequence[Mark], *, path: Path, id: str) -> str:
    """The first reading of the note that fits all marks; an annotator may have counted CRLF as one character or as two."""
    for reading in readings:
        if all(mark.fits(reading) for mark in marks):
            return reading
    reading = readings[0]
    mark = next(mark for mark in marks if not mark.fits(reading))
    ranges = " ".join(f"[{start:d}, {end:d})" for start, end in mark.ranges)
    if mark.outside(reading):
        what, fix = f"span {show_text(ranges)} is empty or outside the text of {len(reading):d} characters", CODE_POINTS
    else:
        what, fix = f"the text stated for span {show_text(ranges)} is not the text at its offsets", "correct the offsets"
    raise CorpusError(what, path=path, document=id, place=mark.place, fix=fix)


def make_document(
    id: str,
    text: str,
    spans: Iterable[Span],
    *,
    path: Path,
    options: ReadOptions,
    patient: str = "",
    place: str = "",
    meta: Mapping[str, object] | None = None,
) -> Document:
    """The Document, with its labels checked against the scheme; any fault becomes a CorpusError that says where."""
    _check_names(id, patient, path, place)
    try:
        spans = tuple(spans) if options.spans else ()
        if options.scheme is not None:
            for span in spans:
                options.scheme.check(span.label)
        return Document(id, text, patient=patient, spans=spans, meta=meta or {})
    except (SpanError, LabelError) as error:
        what, fix = error.what, error.fix
    raise CorpusError(what, path=path, document=id, place=place, fix=fix)


def _check_names(id: str, patient: str, path: Path, place: str) -> None:
    """Raise where no file could hold the id or the patient, or a note stands in their place."""
    for what, name in (("id", id), ("patient", patient)):
        if len(name) > _LONGEST_NAME:
            fault = f"its {show_text(what)} has {len(name):,} characters, {_LONGEST_NAME:,} are the most"
            raise CorpusError(fault, path=path, place=place, fix="give a shorter one")
        if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
            raise CorpusError(f"its {show_text(what)} is not UTF-8", path=path, place=place, fix="rename it")


def mark_spans(marks: Iterable[Mark]) -> list[Span]:
    """The spans of the marks; a discontinuous one becomes a span for each of its ranges."""
    return [Span(start, end, mark.label) for mark in marks for start, end in mark.ranges]


def check_label(label: str, labels: LabelScheme, *, document: str) -> str:
    """The label, if the format has it: others could not be read again."""
    try:
        return labels.check(label)
    except LabelError as error:
        mapped = any(labels.name in scheme(name).maps for name in scheme_names())
        what = error.render()
    fix = (f"map the labels with {{map_to}} {show_text(labels.name)}, or " if mapped else "") + "name their scheme with {scheme}"
    raise CorpusError(what, document=document, fix=fix)

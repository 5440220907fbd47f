"""Cells of tables, labelled by the head of their column: a lone "12" or "LF" is PHI under "Bed" or "Nurse".

A table has its cells between bars, tabs or commas. Its head is a line without figures in which two cells or more name a column of the
table in ``columns.toml``; its rows are the lines that follow with as many cells.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_common, is_never_name
from incognote.lexicon.word_lists import read_word_lists

_COMMAS = lazy(r"^[A-Za-z_ /#.\"]+(?:,[A-Za-z_ /#.\"]+){3,}$", re.MULTILINE)
_NOT_HEAD = lazy(r"\d")
_MARKS = lazy(r"[^a-z]+")
_RULE = lazy(r"[\s|:+=-]*")
_ROOM = lazy(r"[A-Za-z]{0,4}[ -]?\d{1,4}[A-Za-z]?(?:[-/]\w{1,2})?")
_AGE = lazy(r"(?P<phi>\d{1,3})(?: ?(?:y|yrs?|yo|y/o|years?|m|mo|mths?|months?|w|wks?|d))?(?: ?/? ?[MFmf])?")
_NUMBER = lazy(r"(?=[A-Za-z/.-]{0,6}\d)[\w/. -]{3,24}")
_LETTER = r"(?:[^\W\d_]|['’.-])"
_PERSON = lazy(rf"(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof|Sr)\.? )?(?P<phi>[^\W\d_a-z]{_LETTER}*(?:,? [^\W\d_]{_LETTER}*){{0,3}})")
_SHAPES = {
    "ROOM": _ROOM,
    "AGE": _AGE,
    "MEDICALRECORD": _NUMBER,
    "PHONE": _NUMBER,
    "DEPARTMENT": _ROOM,
    "PATIENT": _PERSON,
    "DOCTOR": _PERSON,
}
_PEOPLE = frozenset({"PATIENT", "DOCTOR"})
_SHORT = 3

Cells = Sequence[tuple[int, int]]


def find_columns(reading: Reading) -> Iterator[Span]:
    """Spans of cells under a head that says what they are.

    >>> text = "| Bed | Name | Age | Plan |" + chr(10) + "|---|---|---|---|" + chr(10) + "| 12 | Begum, R | 47 | 3/7 abx |"
    >>> [(text[span.start : span.end], span.label) for span in find_columns(Reading(text))]
    [('12', 'ROOM'), ('Begum, R', 'PATIENT'), ('47', 'AGE')]
    """
    written = reading.text
    for mark in "|\t":
        if written.count(mark) > _SHORT:
            yield from _find_tables(written, mark)
    if "," in written and _COMMAS.search(written):
        yield from _find_tables(written, ",")


def _find_tables(text: str, mark: str) -> Iterator[Span]:
    head: dict[int, str] = {}
    width = start = 0
    for line in text.splitlines(keepends=True):
        stop = start + len(line.rstrip("\r\n"))
        cells = _cut(text, start, stop, mark) if mark in line else ()
        found = _read_head(text, cells)
        if found:
            head, width = found, len(cells)
        elif head and len(cells) >= width - 1:
            yield from (span for at, label in head.items() if at < len(cells) for span in _read_cell(text, *cells[at], label))
        elif head and not _RULE.fullmatch(line):
            head = {}
        start += len(line)


def _cut(text: str, start: int, stop: int, mark: str) -> Cells:
    """Where the cells of a line stand, less the blanks and quotes around them."""
    cells, begin = [], start
    while begin <= stop:
        end = text.find(mark, begin, stop)
        end = stop if end < 0 else end
        left, right = begin, end
        while left < right and text[left] in ' \t"':
            left += 1
        while right > left and text[right - 1] in ' \t"':
            right -= 1
        cells.append((left, right))
        begin = end + 1
    return cells


def _read_head(text: str, cells: Cells) -> dict[int, str]:
    """The labels of the columns that a line names, when it names two at least and holds no figure."""
    if len(cells) < _SHORT or _NOT_HEAD.search(text, cells[0][0], cells[-1][1]):
        return {}
    names = _names()
    found = {at: names[key] for at, (start, end) in enumerate(cells) if (key := _MARKS.sub(" ", text[start:end].lower()).strip()) in names}
    return found if len(found) > 1 or (found and len(cells) > _SHORT + 2) else {}


@cache
def _names() -> Mapping[str, str]:
    return {name: label for label, names in read_word_lists("columns").items() for name in names.split("|")}


def _read_cell(text: str, start: int, end: int, label: str) -> Iterator[Span]:
    match = _SHAPES[label].fullmatch(text, start, end)
    if match is None or (label in _PEOPLE and not _is_person(match["phi"], text, start, end)):
        return
    phi = match.span("phi") if "phi" in match.groupdict() else match.span()
    yield Span(*phi, label, 0.75, f"rules.columns.{label.lower()}")


def _is_person(value: str, text: str, start: int, end: int) -> bool:
    """Whether a cell for people holds a name or initials, and not "empty", "day team" or a drug."""
    words = value.replace(",", " ").split()
    if all(is_common(word) or is_never_name(word) for word in words) and "," not in value:
        return False
    return not (len(words) == 1 and is_capital_word(words[0])) and not is_clinical(text, start, end)

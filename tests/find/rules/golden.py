"""Golden lines: one example of a rule family per line, in inline markup, with known failures declared.

A file of ``tests/golden`` holds one example per line::

    # a comment; blank lines count for nothing
    Seen <DATE>7/22</DATE> for BP 128/84        what must be found, exactly, and nothing else
    BP 128/84, pain 7/10                        a line without markup: nothing must be found
    ! Back <DATE>the Tuesday after</DATE>       a known failure: must fail today, so that a fix is noticed

``\\n`` stands for a line break. Found spans go through :func:`incognote.merge.merge` first, as they do in use.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from incognote.document import Document, Span, format_markup, parse_markup
from incognote.find.rules.engine.reading import Reading
from incognote.merge import merge

FOLDER = Path(__file__).parents[2] / "golden"


@dataclass(frozen=True, slots=True)
class GoldenLine:
    """One example: what the line says, and whether it is declared to fail today."""

    place: str
    document: Document
    fails: bool

    @property
    def positive(self) -> bool:
        return bool(self.document.spans)


def read_golden(name: str) -> list[GoldenLine]:
    """The examples of ``tests/golden/NAME.txt``, in order."""
    lines = []
    for number, line in enumerate((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        place = f"{name}:{number}"
        marked = line.removeprefix("!").strip().replace("\\n", "\n")
        lines.append(GoldenLine(place, parse_markup(marked, id=place), fails=line.startswith("!")))
    return lines


def golden_params(name: str) -> list[object]:
    """The examples as pytest parameters, named by file and line."""
    return [pytest.param(line, id=line.place) for line in read_golden(name)]


def check_golden(line: GoldenLine, find: Callable[[Reading], Iterable[Span]]) -> None:
    """Assert that the finder gives exactly the marked spans, or, for a declared failure, that it does not."""
    text = line.document.text
    found = format_markup(Document(line.place, text, spans=merge([tuple(find(Reading(text)))], text)))
    wanted = format_markup(line.document)
    if line.fails:
        assert found != wanted, f"{line.place} passes now: take its ! away"
    else:
        assert found == wanted, f"{line.place}\n found  {found}\n wanted {wanted}"


def count_golden(name: str) -> tuple[int, int]:
    """How many lines of the file hold PHI and how many hold none, declared failures left out."""
    lines = [line for line in read_golden(name) if not line.fails]
    positive = sum(line.positive for line in lines)
    return positive, len(lines) - positive

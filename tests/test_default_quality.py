"""The product as shipped: golden lines and notes pass through the default Deidentifier, and its recall and precision have a floor.

The tokens are counted here, without the package's own scores.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from incognote import Deidentifier, Document
from incognote.corpora import read_corpus
from tests.find.rules.golden import FOLDER, GoldenLine, read_golden

NOTES = Path(__file__).parent / "golden" / "notes"
RECALL, PRECISION = 0.987, 0.970
TOUCHED = 0.165
TOKEN = re.compile("[A-Za-z0-9]+")
LINES = [line for file in sorted(FOLDER.glob("*.txt")) for line in read_golden(file.stem) if not line.fails]


@cache
def default() -> Deidentifier:
    return Deidentifier.default(mode="redact", runtime="onnx")


@cache
def hidden_lines() -> dict[str, Document]:
    return {found.id: found for found in default().tag([line.document.with_spans(()) for line in LINES])}


def cover(document: Document) -> bytearray:
    covered = bytearray(len(document.text))
    for span in document.spans:
        covered[span.start : span.end] = b"\x01" * (span.end - span.start)
    return covered


@pytest.mark.parametrize("line", [pytest.param(line, id=line.place) for line in LINES if line.positive])
def test_the_default_hides_all_that_a_golden_line_marks(line: GoldenLine) -> None:
    text, covered = line.document.text, cover(hidden_lines()[line.place])
    left = [span for span in line.document.spans if any(text[at].isalnum() and not covered[at] for at in range(span.start, span.end))]
    assert not left


def test_the_default_leaves_most_lines_without_phi_alone() -> None:
    plain = [line for line in LINES if not line.positive]
    touched = sum(bool(hidden_lines()[line.place].spans) for line in plain)
    assert touched / len(plain) <= TOUCHED


def test_the_default_keeps_its_recall_and_precision_on_the_notes_written_by_hand() -> None:
    gold = list(read_corpus(NOTES))
    counts = Counter[tuple[bool, bool]]()
    for true, found in zip(gold, default().tag([note.with_spans(()) for note in gold]), strict=True):
        marked, covered = cover(true), cover(found)
        for token in TOKEN.finditer(true.text):
            place = slice(token.start(), token.end())
            counts[1 in marked[place], 1 in covered[place]] += 1
    right = counts[True, True]
    assert right / (right + counts[True, False]) >= RECALL
    assert right / (right + counts[False, True]) >= PRECISION

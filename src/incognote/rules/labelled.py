"""Identifiers that carry their name before them (``MRN: 00482-71-9``, ``member ID CMX449021873``): the table is identifiers.toml.

A value is a token with digits; what it is, the words right before it say. Values are found first and their left side is read
then, so the cost follows the numbers in a note and not its length.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from incognote.document import Span
from incognote.rules.reading import NUMBER, Reading, read
from incognote.rules.units import is_quantity
from incognote.rules.word_lists import read_word_lists

_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(?:\d{2,4}(?: \d{2,4}){2,4}(?![A-Za-z0-9/-]|\.\d)|"
    r"(?:[A-Za-z]{1,5}-?)?\d[A-Za-z0-9]*(?:[-./][A-Za-z0-9]+){0,5}(?![A-Za-z0-9]))"
)
_DATE = re.compile(
    r"\d{1,2}[/.]\d{1,2}(?:[/.](?:\d{4}|\d{2}))?|(?:19|20|21)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}-\d{1,2}-(?:19|20|21)\d\d|\d+\.\d+"
)
_PHONE = re.compile(r"[2-9]\d\d[-.]\d{3}[-.]\d{4}")
_MARK = r"\s?\(?(?:numbers?|no\.?|num\.?|nbr\.?|nr\.?|#s?|id(?:entifier)?s?|code|:)"
_LINK = r"(?:\s?(?:numbers?|no\.?|num\.?|nbr\.?|nr\.?|#|id|is|was|:|=|\.|-|–|\(|of))*"
# The letters of a state or a plan may stand before the digits: "Lic# MA 12345", "plate ABC 1234".
_LETTERS = r"\s?(?<=[\s#:])(?P<letters>[a-z]{2,4}) "
_TAIL = r"(?:[:#]\s{0,3}|[ \t(]{0,3})$"
_LETTERED = frozenset({"LICENSE", "VEHICLE", "HEALTHPLAN"})
_REACH = 48
_VACCINE = re.compile(read_word_lists("vaccines")["vaccines"])
_CLAUSE = re.compile(r"[;\n]|\. ")


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of identifiers.toml."""

    name: str
    label: str
    digits: int
    words: str
    marked: bool = False


def _read_rows() -> dict[str, _Row]:
    text = resources.files("incognote.rules").joinpath("identifiers.toml").read_text(encoding="utf-8")
    rows = [_Row(**{**row, "words": row["words"].strip().replace("\n", "|")}) for row in tomllib.loads(text)["labelled"]]
    return {row.name.replace("-", "_"): row for row in rows}


_ROWS = _read_rows()
_NAMES = re.compile(
    r"(?<![a-z0-9])(?:"
    + "|".join(rf"(?P<{key}>(?:{row.words}){_MARK if row.marked else ''})" for key, row in _ROWS.items())
    + rf")(?![a-z]){_LINK}(?:{_TAIL}|{_LETTERS}$)"
)


def find_labelled(text: str | Reading) -> Iterator[Span]:
    """Spans of identifiers that are named right before their value."""
    reading = read(text)
    text = reading.text
    for match in reading.matches(_VALUE, (NUMBER,)):
        digits = sum(character.isdigit() for character in match[0])
        if digits < 2 or _DATE.fullmatch(match[0]):
            continue
        before = reading.lower[max(0, match.start() - _REACH) : match.start()]
        named = _NAMES.search(before)
        if not named or is_quantity(text, match.end()):
            continue
        row = _ROWS[str(next(key for key in _ROWS if named[key]))]
        if digits >= row.digits and not (row.marked and _PHONE.fullmatch(match[0])):
            start = match.start() - _letters_before(row, named, text, match)
            yield Span(start, match.end(), _label(row, text, match), 0.93, f"rules.identifiers.{row.name}")


def _letters_before(row: _Row, named: re.Match[str], text: str, match: re.Match[str]) -> int:
    """How many characters of the letters before the digits, and the blank after them, belong to the value."""
    if not named["letters"]:
        return 0
    reach = len(named["letters"]) + 1
    return reach if row.label in _LETTERED and text[match.start() - reach : match.start() - 1].isupper() else 0


def _label(row: _Row, text: str, match: re.Match[str]) -> str:
    """The lot of a vaccine or a drug is an identifying number; that of anything implanted or used is a device's."""
    if row.name != "lot":
        return row.label
    before = _CLAUSE.split(text[max(0, match.start() - 70) : match.start()].lower())[-1]
    after = _CLAUSE.split(text[match.end() : match.end() + 20].lower())[0]
    return "IDNUM" if _VACCINE.search(before) or _VACCINE.search(after) else row.label

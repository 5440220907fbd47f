"""National and health numbers outside the United States, checked by python-stdnum: the table is foreign_ids.toml.

A number whose word stands before it is taken even when its check digit is wrong (a typing error is still the patient's number),
with a lower score. Without a word only telling formats with a right check digit are taken. Health plan numbers are HEALTHPLAN, the
numbers by which a health service knows a patient (NHS, CHI) MEDICALRECORD, social security numbers SSN, national identity and tax
numbers IDNUM.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module, resources

from incognote.document import Span
from incognote.rules.reading import Reading, read

_LINK = r"\b(?:[ .:#=(-]{0,3}(?:numbers?|no|nr|num|nummer|n[úu]mero|id|is)?[ .:#=(º°-]{0,3}){1,2}$"


@dataclass(frozen=True, slots=True)
class _Number:
    """One row of the table, ready for use."""

    name: str
    label: str
    regex: re.Pattern[str]
    words: re.Pattern[str]
    is_valid: Callable[[str], bool]
    standalone: bool


def _read_numbers() -> tuple[_Number, ...]:
    text = resources.files("incognote.rules").joinpath("foreign_ids.toml").read_text(encoding="utf-8")
    return tuple(
        _Number(
            row["name"],
            row["label"],
            re.compile(rf"(?<![A-Za-z0-9.-])(?:{row['format']})(?![A-Za-z0-9-]|\.\d)"),
            re.compile(rf"\b(?:{row['words']}){_LINK}"),
            import_module(f"stdnum.{row['module']}").is_valid,
            row.get("standalone", False),
        )
        for row in tomllib.loads(text)["ids"]
    )


_NUMBERS = _read_numbers()
# Few numbers of a note are that long: one cheap look saves twenty.
_LONG = re.compile(r"[0-9A-Za-z][0-9A-Za-z .+-]{0,3}(?:\d[ .+-]?){5}|[A-Za-z]{6}\d\d|[A-Za-z]{4}\d{6}")
_ANY_WORD = re.compile("|".join(number.words.pattern.removesuffix(_LINK) + r"\b" for number in _NUMBERS))


def find_foreign_ids(text: str | Reading) -> Iterator[Span]:
    """Spans of checked national numbers."""
    reading = read(text)
    places = [place for place in reading.numbers if _LONG.match(reading.text, place)]
    if not places:
        return
    worded = _ANY_WORD.search(reading.lower) is not None
    for number in _NUMBERS:
        if worded or number.standalone:
            yield from _find_number(number, reading, places)


def _find_number(number: _Number, reading: Reading, places: Sequence[int]) -> Iterator[Span]:
    source = f"rules.identifiers.{number.name}"
    for match in reading.matches_at(number.regex, places):
        named = number.words.search(reading.lower[max(0, match.start() - 40) : match.start()])
        if not named and not number.standalone:
            continue
        valid = number.is_valid(match[0])
        if named or valid:
            yield Span(match.start(), match.end(), number.label, 0.98 if named and valid else 0.9, source)

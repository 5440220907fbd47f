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
from functools import cache
from importlib import import_module
from pathlib import Path

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.lazy import lazy

_LINK = r"\b(?:[ .:#=(-]{0,3}(?:numbers?|no|nr|num|nummer|n[úu]mero|id|is)?[ .:#=(º°-]{0,3}){1,2}$"


@dataclass(frozen=True, slots=True)
class _Number:
    """One row of the table; its expressions are compiled when first needed."""

    name: str
    label: str
    format: str
    words: str
    module: str
    standalone: bool

    @property
    def regex(self) -> re.Pattern[str]:
        return _compile(rf"(?<![A-Za-z0-9.-])(?:{self.format})(?![A-Za-z0-9-]|\.\d)")

    @property
    def named(self) -> re.Pattern[str]:
        return _compile(rf"\b(?:{self.words}){_LINK}")

    def is_valid(self, value: str) -> bool:
        return _check(self.module)(value)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _check(module: str) -> Callable[[str], bool]:
    """The check of one kind of number, loaded when the first such number is met."""
    check: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid
    return check


@cache
def _numbers() -> tuple[_Number, ...]:
    text = (Path(__file__).parent / "foreign_ids.toml").read_text(encoding="utf-8")
    return tuple(
        _Number(
            row["name"],
            row["label"],
            row["format"],
            row["words"],
            row["module"],
            row.get("standalone", False),
        )
        for row in tomllib.loads(text)["ids"]
    )


# Few numbers of a note are that long: one cheap look saves twenty.
_LONG = lazy(r"[0-9A-Za-z][0-9A-Za-z .+-]{0,3}(?:\d[ .+-]?){5}|[A-Za-z]{6}\d\d|[A-Za-z]{4}\d{6}")


@cache
def _any_word() -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{number.words})\b" for number in _numbers()))


def find_foreign_ids(reading: Reading) -> Iterator[Span]:
    """Spans of checked national numbers."""
    places = [place for place in reading.numbers if _LONG.match(reading.text, place)]
    if not places:
        return
    worded = _any_word().search(reading.lower) is not None
    for number in _numbers():
        if worded or number.standalone:
            yield from _find_number(number, reading, places)


def _find_number(number: _Number, reading: Reading, places: Sequence[int]) -> Iterator[Span]:
    source = f"rules.identifiers.{number.name}"
    for match in reading.matches_at(number.regex, places):
        named = number.named.search(reading.lower[max(0, match.start() - 40) : match.start()])
        if not named and not number.standalone:
            continue
        valid = number.is_valid(match[0])
        if named or valid:
            yield Span(match.start(), match.end(), number.label, 0.98 if named and valid else 0.9, source)

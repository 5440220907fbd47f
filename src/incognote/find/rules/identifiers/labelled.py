"""Identifiers after a label (``MRN: 00482-71-9``, ``member ID CMX449021873``): the table is identifiers.toml.

Names are looked up in the words of the note, so the cost follows the names a note holds and not its length. What stands between a
name and its value is a link (``no.``, ``#``, ``:``, ``is``, a tab or the bar of a table); the value is a code with digits, with its
groups where it is written in groups (``W1288 23 004182 00``). A second value of the same shape may follow (``and``, ``to``, a comma).
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.identifiers.codes import count_digits, is_mixed, is_telling, read_code, reads_as_other
from incognote.find.rules.identifiers.files import FILE
from incognote.lexicon.lazy import lazy

_LINK = lazy(
    r"(?:[ \t]{0,3}(?:(?:numbers?|nos?|num|nbr|nr|id|identifiers?|code|card|is|was|were|are|temp|pending|ending|in|of|captured|taken"
    r"|uploaded|issued|reinstated)(?![a-z])\.?|\n?#(?:s(?![a-z]))?|[–-](?![a-z])|\([a-z][a-z ]{1,18}\)|\((?!\d+\)\S)|[:=.|^])){0,5}"
    r"(?:(?<=[:#])\s{0,3}|[ \t]{0,12})"
)
_MARK = lazy(r"(?:numbers?|nos?|num|nbr|nr|id|identifiers?|card)(?![a-z])|[#:=|\t]")
_STRICT_MARK = lazy(r"(?:numbers?|nos?|num|nbr|nr|id|identifiers?)(?![a-z])|#")
_FINDING = lazy(r"[A-Za-z]{1,5} \d")
_NEXT = lazy(r"(?:,|;| ?/| and| &| to| or|,? and| ?[–-])[ \t]?#?")
_BLOOD_UNIT = lazy(r"[A-Z]\d{4} ?\d\d ?\d{6}")
_BESIDE = lazy(r"\b(?:lifeline|nmes|tens|cpap|empi|alaris|pump|device|monitor|infusion|scanner)\b[^.;\n]{0,25}$")


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of identifiers.toml."""

    name: str
    label: str
    digits: int
    words: str
    marked: bool = False


def _phrase_regex(phrase: str) -> str:
    words = (re.escape(word).replace("'", "['’]?") for word in phrase.split())
    return r"[ .-]{0,2}".join(words) + ("" if phrase.endswith("#") else r"(?:['’]?s)?(?![a-z])")


@cache
def _phrases() -> Mapping[str, list[tuple[str, _Row]]]:
    """The phrases of the table, each with its row, by their first word."""
    text = (Path(__file__).parent / "identifiers.toml").read_text(encoding="utf-8")
    phrases: dict[str, list[tuple[str, _Row]]] = {}
    for row in (_Row(**row) for row in tomllib.loads(text)["labelled"]):
        for phrase in row.words.strip().replace("\n", "|").split("|"):
            first = re.match("[a-z]+", phrase)
            if first is None:
                raise ValueError(f"identifiers.toml: a phrase of {row.name!r} does not start with a letter")
            phrases.setdefault(first[0], []).append((phrase, row))
            if " " not in phrase and phrase == first[0]:
                phrases.setdefault(f"{phrase}s", []).append((phrase, row))
    return phrases


@cache
def _names(first: str) -> tuple[re.Pattern[str], tuple[_Row, ...]]:
    """An expression with a group for each phrase that starts with the word, longest first, and the rows they are of.

    There are five hundred of them; a note needs a few.
    """
    # Stable: where two rows share a phrase, the first in the table has it.
    listed = sorted(_phrases()[first], key=lambda pair: -len(pair[0]))
    regex = "|".join(f"({_phrase_regex(phrase)})" for phrase, _ in listed)
    return re.compile(rf"(?<![a-z0-9/])(?:{regex})"), tuple(row for _, row in listed)


def find_labelled(reading: Reading) -> Iterator[Span]:
    """Spans of identifiers that are named before their value.

    >>> text = "Unit No 12-34-567; plates C3-C5; Hosp No - KNH/2061/44182"
    >>> [text[span.start : span.end] for span in find_labelled(Reading(text))]
    ['12-34-567', 'KNH/2061/44182']
    """
    places = sorted((place, word) for word in reading.held(_phrases().keys()) for place in reading.places(word))
    for place, word in places:
        regex, rows = _names(word)
        named = regex.match(reading.lower, place)
        if named and named.lastindex:
            yield from _find_values(reading, named, rows[named.lastindex - 1])


def _find_values(reading: Reading, named: re.Match[str], row: _Row) -> Iterator[Span]:
    """The value after a name, and the ones of its shape that follow it in a list."""
    link = _LINK.match(reading.lower, named.end())
    # The RX of RX7719283 is part of the value.
    if link is None or (row.marked and not link[0]):
        return
    text, joint = reading.text, named[0] + link[0]
    found = read_code(text, link.end(), plate=row.label == "VEHICLE")
    # "file oduya_grace.dcm" is the name of a file: the rules for files read it.
    if found and row.name == "mrn-marked" and FILE.match(text, found[0]):
        return
    if (
        found is None
        or not _is_value(row, text[slice(*found)], joint)
        or reads_as_other(text, found, strict=bool(_STRICT_MARK.search(joint)))
    ):
        return
    # The longer name knows better: a "media card" is no card.
    score = min(0.97, 0.92 + 0.01 * (named[0].count(" ") + named[0].count("-")))
    label, source = _label(row, text, found), f"rules.identifiers.{row.name}"
    yield Span(*found, label, score, source)
    value, beside = text[slice(*found)], _NEXT.match(reading.lower, found[1])
    while beside:
        found = read_code(text, beside.end(), plate=False)
        if found is None or not _is_alike(value, text[slice(*found)]) or reads_as_other(text, found, strict=False):
            return
        yield Span(*found, label, score - 0.1, source)
        beside = _NEXT.match(reading.lower, found[1])


def _is_value(row: _Row, value: str, joint: str) -> bool:
    digits = count_digits(value)
    # "Units 97162 x1": what is billed.
    if joint.startswith("units") and not _STRICT_MARK.search(joint):
        return False
    if row.marked and (joint.rstrip().endswith(".") and not _STRICT_MARK.search(joint)):
        return False
    # "Labs: CK 188", "Exam: FF 130": what was found, and how much.
    if row.marked and digits < 5 and _FINDING.match(value) and not _STRICT_MARK.search(joint):
        return False
    if row.label == "VEHICLE" and row.marked and len(value) < 6:
        return False
    if row.marked and not _MARK.search(joint):
        return digits >= min(row.digits, 2 if is_mixed(value) else row.digits) and is_telling(value)
    if re.fullmatch(r"(?:19|20|21)\d\d", value) and not _STRICT_MARK.search(joint):
        return False
    if row.name == "lot" and digits == 1:
        return len(value) > 4 and value.isupper()
    return digits >= row.digits or (digits >= 3 and digits == row.digits - 1 and is_telling(value))


def _is_alike(first: str, second: str) -> bool:
    """Whether two values look like two of a kind: as many digits, give or take one, after the same letters."""
    letters = [re.match("[A-Za-z]*", value) for value in (first, second)]
    same = letters[0] and letters[1] and letters[0][0] == letters[1][0]
    counts = count_digits(first), count_digits(second)
    return bool(same) and abs(counts[0] - counts[1]) <= 1 and (counts[1] >= 5 or bool(letters[1] and letters[1][0]))


def _label(row: _Row, text: str, found: tuple[int, int]) -> str:
    """A unit of blood is an identifying number, that of what is attached to the patient a device's."""
    if row.name == "mrn-marked" and _BLOOD_UNIT.match(text, found[0]):
        return "IDNUM"
    beside = row.name == "mrn-marked" and _BESIDE.search(text[max(0, found[0] - 60) : found[0]].lower())
    return "DEVICE" if beside else row.label

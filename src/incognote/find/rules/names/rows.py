"""Names in rows: lists of patients (``9-204 Chen W 91M``), cells of tables, the carets of HL7, a name beside an age or a birth date."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import INNER, SHORT, THREE, Reading
from incognote.find.rules.names.shape import Range, is_place, name_before, read_name, words_of
from incognote.lexicon.calendar import MONTH_STARTS
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_capital_word,
    is_city,
    is_common,
    is_foreign_to_names,
    is_frequent_given,
    is_frequent_surname,
    is_given,
    is_name,
    is_never_name,
    is_surname,
)

SOURCE = "rules.name.row"

_CARET = lazy(r"(?<![A-Za-z])(?P<family>[A-Z][A-Za-z'’-]+)\^(?P<given>[A-Z][A-Za-z'’-]+)(?:\^[A-Z][A-Za-z]*)?(?![A-Za-z\d])")
_CLINICIAN_LINE = lazy(
    r"^(?:PV1|OBR|ORC|ROL|TXA)\||\b(?:referring|attending|ordering|physician|provider|surgeon|doctor|md|dr)\b", re.IGNORECASE
)
# How far back a line is read: a note may be one line of megabytes.
_LINE = 400
_CELL = lazy(
    r"(?:^|[\t|])[ ]{0,3}(?P<name>[A-Z][A-Za-z'’-]+(?: [A-Z][A-Za-z'’-]+)?, ?[A-Z][A-Za-z'’-]*(?: [A-Z][A-Za-z]*\.?){0,3}"
    r"|[A-Z]\. ?[A-Z][a-z'’-]+|[A-Z][a-z]+ [A-Z]\.?)[ ]{0,3}(?=[\t|]|$)",
    re.MULTILINE,
)
# What opens a line of a list: a bed or a room, a number; then the name, then an age.
_OPENING = lazy(
    r"^[ \t]*(?:[-*•][ \t]*)?(?:(?P<code>(?:[Bb]e?d|[Rr]m|[Rr]oom|BED|RM)[ \t]?\w{1,4}[:\t ]+|\d{1,2}[.)][ \t]+|"
    r"[A-Z\d]{0,4}-?\d{1,4}[A-Za-z]?[ \t:]+)"
    r"(?:\([a-z]+\)[ \t]*)?)?(?=[A-Z])",
    re.MULTILINE,
)
_AGED = lazy(
    r",?[ \t]{1,4}(?:\([a-z/]{2,12}\)[ \t]*)?(?:\d{1,3}[ -]?(?:y/?o|yo?|yrs?|years?|[MFmf]|/[MF]|y[MF]|mo|wks?)\b|"
    rf"\d{{1,3}}[ ]?[-–][ ])|,? \d{{2}}[ ](?=[A-Z]{{2}})(?!{MONTH_STARTS.upper()})"
)
_AGE = lazy(r"\d{1,3}[ -]?(?:y/?o|yo|y|yrs?|years?|[MF]|/[MF]|y[MF]|mo)\b")
_BORN = lazy(r"(?:d\.?o\.?b\b|born\b|mrn\b|nhs\b|date of birth)", re.IGNORECASE)
_GAP = lazy(r"(?:,?[ \t]{1,4}\(?|[ ]?\()$")
_SMALL = lazy(r"(?:^|[\s:;])(?P<name>(?P<family>[a-z][a-z'’-]{2,}), ?(?P<given>[a-z][a-z'’-]{2,}))$")
# A surname in capitals after given names that are not: British and French letters write it so.
_MIXED = lazy(
    r"(?P<given>[A-ZÀ-Þ][a-zà-ÿ]+)(?P<middle> [A-ZÀ-Þ][a-zà-ÿ]+)? (?P<family>(?:[A-ZÀ-Þ]{2,3} )?[A-ZÀ-Þ]{3,}(?:-[A-ZÀ-Þ]{2,})?)(?![\w'’-])"
)


def find_in_rows(reading: Reading) -> Iterator[Span]:
    """Names by their place in a row or a table, or by an age or a birth date that follows.

    >>> text = "9-204 Chen W 91M PNA, DNR"
    >>> [text[span.start : span.end] for span in find_in_rows(Reading(text))]
    ['Chen W']
    """
    text = reading.text
    if "^" in text:
        yield from _find_carets(text)
    if "\t" in text or "|" in text:
        yield from (Span(*found, "PATIENT", 0.7, SOURCE) for found in _find_cells(text))
    for opening in _OPENING.finditer(text):
        found = read_name(text, opening.end())
        if found and _AGED.match(text, found[1]) and _may_be_listed(text, found, coded=bool(opening["code"])):
            yield Span(*found, "PATIENT", 0.75, SOURCE)
    ages = (match.start() for match in reading.matches(_AGE, (SHORT, INNER, THREE)))
    births = (match.start() for match in reading.matches(_BORN, ("d", "dob", "born", "mrn", "nhs", "date")))
    for place in (*ages, *births):
        yield from _find_before(text, place)
    for match in reading.matches_at(_MIXED, reading.pairs):
        family = match["family"].split()[-1]
        if (
            is_given(match["given"])
            and not is_common(match["given"])
            and is_surname(family)
            and not is_capital_word(family)
            and not is_common(family)
        ):
            yield Span(*match.span(), "PATIENT", 0.7, SOURCE)


def _find_carets(text: str) -> Iterator[Span]:
    for match in _CARET.finditer(text):
        if len(match["given"]) > 2 and (is_surname(match["family"]) or is_given(match["given"])) and not is_never_name(match["family"]):
            floor = max(0, match.start() - _LINE)
            line = text[max(floor, text.rfind("\n", floor, match.start()) + 1) : match.start()]
            yield Span(*match.span(), "DOCTOR" if _CLINICIAN_LINE.search(line) else "PATIENT", 0.85, SOURCE)


def _find_cells(text: str) -> Iterator[Range]:
    for match in _CELL.finditer(text):
        words = words_of(text, match.span("name"))
        plain = [word for word in words if is_never_name(word) or is_capital_word(word)]
        if plain or not any(is_name(word) or is_frequent_surname(word) for word in words):
            continue
        if not is_clinical(text, *match.span("name")):
            yield match.span("name")


def _may_be_listed(text: str, found: Range, *, coded: bool) -> bool:
    words = words_of(text, found)
    if any(is_never_name(word) or is_foreign_to_names(word) for word in words) or is_place(text, found[1]):
        return False
    if len(words) > 1:
        return (any(is_name(word) for word in words) or (coded and not is_common(words[-1]))) and not is_capital_word(words[0])
    if is_common(words[0]) or is_clinical(text, *found):
        return coded and is_frequent_surname(words[0])
    return (coded or is_name(words[0])) and not is_capital_word(words[0]) and len(words[0]) > 2


def _find_before(text: str, place: int) -> Iterator[Span]:
    """The full name just before an age or a birth date."""
    gap = _GAP.search(text, max(0, place - 6), place)
    if gap is None:
        return
    if small := _SMALL.search(text, max(0, gap.start() - 50), gap.start()):
        if is_given(small["given"]) and not is_common(small["given"]) and not is_common(small["family"]):
            yield Span(*small.span("name"), "PATIENT", 0.7, SOURCE)
        return
    found = name_before(text, gap.start())
    if found is None or is_clinical(text, *found) or is_city(text[slice(*found)]):
        return
    words = words_of(text, found)
    if len(words) < 2 or any(is_never_name(word) or is_capital_word(word) or is_foreign_to_names(word) for word in words):
        return
    if (is_given(words[0]) or is_given(words[-1])) and any(is_name(word) for word in words):
        yield Span(*found, "PATIENT", 0.75 if is_frequent_given(words[0]) else 0.65, SOURCE)
    elif not any(is_common(word) for word in words) and not text[slice(*found)].isupper():
        yield Span(*found, "PATIENT", 0.6, SOURCE)

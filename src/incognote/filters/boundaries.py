"""Corrects the boundaries of spans: cuts off titles, degrees, the word "room" and common words that are not part of the PHI.

Annotators disagree about boundaries, so a model is inexact there. The convention is that of i2b2 2014: titles and degrees are outside a
name, the word "room" outside a room's number, "the week of" outside a date, and a name ends with its line where a field follows.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.filters.date_boundaries import cut_date
from incognote.filters.decision import Decision, Layer, Note, keep
from incognote.filters.outer_marks import cut_marks
from incognote.lexicon import word_list
from incognote.lexicon.degrees import DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_common, is_surname
from incognote.lexicon.person import PARTICLES, TITLES, fold
from incognote.lexicon.titles import is_name_too, is_title
from incognote.lexicon.word_lists import read_words
from incognote.merge import Role

_PEOPLE = frozenset({"PATIENT", "DOCTOR", "NAME"})
_BODIES = frozenset({"HOSPITAL", "ORGANIZATION", "DEPARTMENT", "LOCATION-OTHER", "CITY", "STREET"})
# Titles, ranks, roles and kinship words that stand before a name and are no part of it.
_LEADS = TITLES | read_words("titles-and-roles")
_BODY_LEADS = TITLES | frozenset("dist distt tal vill site insurer payer payor the coach judge elder shri smt officer".split())
_SHORT_LEADS = frozenset({"BB", "BG", "MA", "CO", "NP", "PA", "CM", "SW", "PT", "OT", "MD", "RN", "FN", "HV"})
_COURTEOUS = frozenset("señor señora señorita senor senora señores don doña sr sra srta mme mlle herr frau".split())
_FIRST = lazy(r"((?:[^\W\d_]+-in-law|C\.O|P\.O|[^\W\d_]+))(?:\.?[ \t]+|[:/][ \t]?)(?=\w)")
_BEFORE = lazy(r"(?<![^\W_])([A-Z][^\W\d_]+) \Z")
_LAST = lazy(r"[ \t]+([a-z]+)$")
_SHOUTED_LAST = lazy(r"\S[ \t]+\S+([ \t]+([A-Z]{4,}))$")
_TAIL = lazy(rf"(?:{DEGREES}|[ \t]+(?:SW|NF|sw|nf))+$")
_ROOM = lazy(
    r"(?:theat(?:re|er)|room|rm|suite|ste|bay|bed|apt|apartment|chair|lane|cubicle|preop|op|bedroom|side ?room)"
    r"\.?[ \t]{1,2}#?(?=[\w-]{1,6}$)",
    re.IGNORECASE,
)
_SEX, _SEX_NEXT = lazy(r"(?:,| {2,}|\t)[MF]$"), lazy(r"[,|\t]|[ ]\d{1,3}\b|[ ]{2,}")
_FIELD_NEXT = lazy(r"[ \t]{0,2}[:=]")
_NAME_NEXT = lazy(r"\.?[ \t]{1,2}\(?[A-Z]")
# The number of the next item of a list.
_ITEM = lazy(r"[ ,;]+\d{1,2}$")
_PLAN = lazy(r"(?<=\w) (?:PPO|HMO|EPO|PFFS|HDHP)$")
_TWIN = lazy(r"\b[Tt]win [A-D] $")
_COUPLE = lazy(r"(?<=\w)[ \t]+(?:and|&|\+|v|vs)[ \t]+(?=\w)")
_PARTED = lazy(r"(?<=\w)\.?;[ \t]*(?=\w)|(?<=\w)[ \t]+\((?=\w)(?=[^()]*$)")
_COLUMN = lazy(r"(?<=\w)[ ]{3,}(?=\w)")
_CALLS = lazy(r"(?:x ?\d|\(?[a-z]\)?)[ \t]+(?=[(+\d])", re.IGNORECASE)
_HASH = lazy(r"#[ ]?(?=\d|$)")
# A year of birth is no age.
_YEAR = lazy(r"(?:18|19|20|21)\d\d")
# A line shorter than this was not broken to fit the page.
_PAGE = 45


def trim_boundaries(layer: Layer, note: Note) -> list[Decision]:
    """Cuts off what is not part of the PHI from spans of a model, and titles, roles and degrees from names that rules found."""
    if layer.role is Role.KNOWN:
        return [keep(span) for span in layer.spans]
    trim = trim_span if layer.role is Role.LEARNED else trim_name
    return [_decide(span, trim(span, note.text)) for span in layer.spans]


def _decide(span: Span, became: tuple[Span, ...]) -> Decision:
    if became == (span,):
        return keep(span)
    reason = "nothing but a title, a letter or punctuation" if not became else "split" if len(became) > 1 else "not part of the value"
    return Decision(span, became, "boundaries", reason)


def trim_span(span: Span, text: str) -> tuple[Span, ...]:
    """The PHI in a model's span: none, one or several spans.

    >>> text = "Trooper D. Mulvaney in Bay 4 of the Asda cafeteria"
    >>> found = [Span(0, 19, "DOCTOR"), Span(23, 28, "DEPARTMENT"), Span(32, 50, "ORGANIZATION")]
    >>> [text[part.start : part.end] for span in found for part in trim_span(span, text)]
    ['D. Mulvaney', '4', 'Asda']
    """
    return tuple(trimmed for part in _split(span, text) if (trimmed := _trim(part, text)))


def trim_name(span: Span, text: str) -> tuple[Span, ...]:
    """A name without leading titles and roles and trailing degrees; any other span unchanged."""
    if span.label not in _PEOPLE:
        return (span,)
    start = _skip_twin(text, _find_start(text, span.start, span.end), span.end)
    end = _drop_sex(text, start, _cut_degrees(text, start, span.end))
    return (span,) if (start, end) == (span.start, span.end) else (replace(span, start=start, end=end),)


def _split(span: Span, text: str) -> Iterator[Span]:
    """Split a span at the end of a short line, between the full names of a couple, and at a semicolon or an unclosed bracket."""
    if span.label not in _PEOPLE and span.label not in _BODIES:
        yield span
        return
    start = span.start
    for before, after in _marks(span, text):
        if start < before:  # a mark may open the span, and another close it
            yield replace(span, start=start, end=before)
        start = after
    if start < span.end:
        yield replace(span, start=start) if start > span.start else span


def _marks(span: Span, text: str) -> Iterator[tuple[int, int]]:
    """The separators between the parts of a span."""
    line = text.find("\n", span.start, span.end)
    if line > span.start and ("\n" in text[max(0, line - _PAGE) : line] or line < _PAGE or _starts_anew(text, line, span)):
        after = text[line : span.end]
        yield span.start + len(text[span.start : line].rstrip()), span.end - len(after.lstrip())
    elif span.label in _BODIES and (gap := _COLUMN.search(text, span.start, span.end)):
        yield gap.span()
    elif span.label in _PEOPLE and _PARTED.search(text, span.start, span.end):
        yield from (mark.span() for mark in _PARTED.finditer(text, span.start, span.end))
    elif span.label in _PEOPLE and (couple := _COUPLE.search(text, span.start, span.end)) and " " in text[span.start : couple.start()]:
        yield couple.span()


def _starts_anew(text: str, line: int, span: Span) -> bool:
    """Whether one plain word opens the next line, and no name and no kind of place: ``PCI at Kasota General / Depression``."""
    word = text[line : span.end].strip()
    if not word.isalpha() or not (is_common(word) or is_capital_word(word)):
        return False
    return not is_surname(word) if span.label in _PEOPLE else not _is_head(word.lower())


def _trim(span: Span, text: str) -> Span | None:
    start, end = span.start, span.end
    if span.label != "URL":
        start, end = cut_marks(text, start, end, stops=span.label != "DATE")
    if span.label in _PEOPLE or span.label in _BODIES:
        end = _end_of_line(text, start, end)
        start = _find_start(text, start, end) if span.label in _PEOPLE else _skip_leads(text, start, end, _BODY_LEADS)
        start = _skip_twin(text, start, end)
        end = _cut_bracket(text, start, end)
    if span.label in _PEOPLE:
        end = _drop_sex(text, start, _drop_last(text, start, _cut_degrees(text, start, end)))
    if span.label == "AGE" and _YEAR.fullmatch(text, start, end):
        return replace(span, start=start, end=end, label="DATE")
    if span.label == "DATE":
        start, end = cut_date(text, start, end)
    if span.label in _BODIES:
        start, end = _cut_body(text, start, end)
    if span.label == "CITY" and (city := _read_city(text[start:end])):
        end = start + len(city)
    if span.label == "EMAIL" and text.startswith("mailto:", start):
        start += len("mailto:")
    if span.label in ("PHONE", "FAX"):
        start = _skip_calls(text, start, end)
    if not any(map(str.isalnum, text[start:end])) or (
        span.label in _PEOPLE and (_is_title(text, start, end) or _is_letter(text, start, end))
    ):
        return None
    return span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end)


def _cut_degrees(text: str, start: int, end: int) -> int:
    """Before the degrees after a full name, or after any name where they are no surname."""
    tail = _TAIL.search(text[start:end])
    cut = tail and (
        " " in text[start : start + tail.start()].strip() or _is_long(tail[0]) or _is_role(text, start, start + tail.start(), tail[0])
    )
    return start + tail.start() if tail and cut else end


def _is_long(degree: str) -> bool:
    """Whether a degree is no surname: ``WOCN``, not ``Do`` or ``Ng``."""
    return len(degree.strip(" ,.()")) > 3 and degree.isupper()


def _is_role(text: str, start: int, end: int, degree: str) -> bool:
    """Whether a degree stands in capitals after a name that does not, or is no degree: ``Wilburn RN``, ``kelly nf``."""
    bare, name = degree.strip(" ,.()"), text[start:end].strip()
    return bool(name) and ((bare.isupper() and not name.isupper() and not is_surname(bare)) or bare in ("sw", "nf"))


def _is_title(text: str, start: int, end: int) -> bool:
    """Whether a span is only a title: it is no name itself, or a name follows."""
    word = text[start:end].rstrip(".")
    if is_name_too(word) and not is_title(text, start, start + len(word)):
        return False
    return _is_lead(word, _LEADS) and ((not is_surname(word) and len(word) > 2) or _NAME_NEXT.match(text, end) is not None)


def _is_letter(text: str, start: int, end: int) -> bool:
    """Whether a span is the one letter that heads a part of a note (``S  Slept well``) or tells the sex in a cell."""
    if end - start == 1 and text[start - 1 : start] == text[end : end + 1] == ",":
        return True
    return end - start == 1 and text[start - 1 : start] in ("", "\n") and text[end : end + 2] in ("  ", ": ", " -", "\t")


def _drop_last(text: str, start: int, end: int) -> int:
    """Less words in small letters after a name with capitals: findings and verbs (``Roman nad``, ``JOHN SMITH STABLE``)."""
    if text[start:end].isupper():
        last = _SHOUTED_LAST.search(text[start:end])
        return start + last.start(1) if last and is_common(last[2]) and not is_surname(last[2]) else end
    if not text[start].isupper():
        return end
    while (last := _LAST.search(text[start:end])) and last[1] not in PARTICLES and (is_common(last[1]) or is_capital_word(last[1])):
        end = start + last.start()
    return end


def _cut_bracket(text: str, start: int, end: int) -> int:
    """Before a bracket that closes what the value did not open: ``(pt M.T.).``"""
    shut = text.find(")", start, end)
    return shut if shut > start and "(" not in text[start:shut] else end


def _drop_sex(text: str, start: int, end: int) -> int:
    """Less the sex in the next cell or before an age (``Bruno,M,1957``, ``Ana N.  F 36``)."""
    sex = _SEX.search(text[start:end])
    return start + sex.start() if sex and _SEX_NEXT.match(text, end) else end


def _skip_calls(text: str, start: int, end: int) -> int:
    """Past how often a phone was called, and the mark before its number."""
    start = calls.end() if (calls := _CALLS.match(text, start, end)) else start
    return mark.end() if (mark := _HASH.match(text, start, end)) else start


def _end_of_line(text: str, start: int, end: int) -> int:
    """The end of a name that runs over its line into the name of a field."""
    line = text.find("\n", start, end)
    return start + len(text[start:line].rstrip()) if line > start and _FIELD_NEXT.match(text, end) else end


def _find_start(text: str, start: int, end: int) -> int:
    """Where a name starts: past its titles, but with a first name before it that is a title elsewhere (``Reg Hollis``)."""
    skipped = _skip_leads(text, start, end, _LEADS)
    before = _BEFORE.search(text[max(0, skipped - 20) : skipped])
    if before is None or not is_name_too(before[1]) or not _is_lead(before[1], _LEADS):
        return skipped
    first = skipped - len(before[0])
    return skipped if is_title(text, first, first + len(before[1])) else first


def _skip_leads(text: str, start: int, end: int, leads: frozenset[str]) -> int:
    """Past the titles, ranks and kinship words that open a name."""
    while (first := _FIRST.match(text, start, end)) and _is_lead(first[1], leads):
        if leads is _LEADS and not is_title(text, *first.span(1)):
            break
        start = first.end()
    return start


def _skip_twin(text: str, start: int, end: int) -> int:
    """Past the letter of ``Twin B Amaya``."""
    return start + 2 if _TWIN.search(text, max(0, start - 6), start + 2) and end - start > 3 else start


def _is_lead(word: str, leads: frozenset[str]) -> bool:
    if word in _SHORT_LEADS and leads is _LEADS:
        return True
    return word != "The" and (fold(word) in leads or word.casefold() in _COURTEOUS)


def _cut_body(text: str, start: int, end: int) -> tuple[int, int]:
    """Less the word before a room's number, and less nouns in small letters after a name with capitals."""
    if text[end : end + 1] == ")" and (item := _ITEM.search(text[start:end])):
        end = start + item.start()
    if room := _ROOM.match(text, start, end):
        return room.end(), end
    if plan := _PLAN.search(text[start:end]):
        end = start + plan.start()
    if not text[start].isupper():
        return start, end
    while (last := _LAST.search(text[start:end])) and not _is_head(last[1]):
        end = start + last.start()
    return start, end


def _read_city(value: str) -> str:
    """The city that a value in capitals starts with, where common words follow that are in no city's name: ``LONG BEACH APARTMENT``."""
    words = value.split(" ") if value.isupper() else []
    for count in range(len(words) - 1, 0, -1):
        city = " ".join(words[:count])
        if city.casefold() in word_list("cities"):
            return city if all(is_common(word) and not _is_head(word.casefold()) for word in words[count:]) else ""
    return ""


def _is_head(word: str) -> bool:
    return word in word_list("place-heads") or word in word_list("street-suffixes")

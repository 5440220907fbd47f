"""Where a model's span starts and ends too early or late: titles, degrees, room words and common words that are no part of the PHI go.

A model learns from many hands what belongs to a span, and is loose at its edges. The convention is that of the i2b2 notes: titles and
degrees stand outside a name, the word "room" outside a room's number, "the week of" outside a date, and a name is not longer than its
line where a field follows.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.lexicon import word_list
from incognote.rules.names.degrees import DEGREES
from incognote.tagging.person import TITLES, fold

_PEOPLE = frozenset({"PATIENT", "DOCTOR", "NAME"})
_BODIES = frozenset({"HOSPITAL", "ORGANIZATION", "DEPARTMENT", "LOCATION-OTHER", "CITY", "STREET"})
_LEADS = TITLES | frozenset(
    "trooper officer ofc ofcr deputy dep det detective pc wpc constable sheriff cpl sfc ssgt bro revd advocate atty attorney smt shri "
    "sri kum chaplain aide cna lpn sw aunt aunty auntie uncle nana nan gran granny grandma grandpa cousin hijo hija dist distt tal vill "
    "the sister coach teacher principal mister doctor rph pharm matron rabbi judge justice rev sr handover".split()
)
_AROUND_DATES = re.compile(
    r"(?:(?:the|late|early|mid|around|about|approx|week|wk|beg|beginning|of|on|by|since|until)\b[. \t-]{1,2})+", re.IGNORECASE
)
_AFTER_DATES = re.compile(r"(?:[ \t](?:week|weekend))+$", re.IGNORECASE)
_FIRST = re.compile(r"([^\W\d_]+)\.?[ \t]+(?=\w)")
_LAST = re.compile(r"[ \t]+([a-z]+)$")
_TAIL = re.compile(rf"{DEGREES}+$")
_ROOM = re.compile(
    r"(?:room|rm|suite|ste|bay|bed|apt|apartment|chair|cubicle|preop|op|bedroom|side ?room)\.?[ \t]{1,2}#?(?=[\w-]{1,6}$)", re.IGNORECASE
)
_FIELD_NEXT = re.compile(r"[ \t]{0,2}[:=]")


def trim_spans(spans: Iterable[Span], text: str) -> list[Span]:
    """The spans with what is not part of them cut off.

    >>> text = "Trooper D. Mulvaney in Bay 4 of the Asda cafeteria"
    >>> found = [Span(0, 19, "DOCTOR"), Span(23, 28, "DEPARTMENT"), Span(32, 50, "ORGANIZATION")]
    >>> [text[span.start : span.end] for span in trim_spans(found, text)]
    ['D. Mulvaney', '4', 'Asda']
    """
    return list(_trim(spans, text))


def _trim(spans: Iterable[Span], text: str) -> Iterator[Span]:
    for span in spans:
        start, end = span.start, span.end
        if span.label in _PEOPLE or span.label in _BODIES:
            end = _end_of_line(text, start, end)
            start = _skip_leads(text, start, end)
        if span.label in _PEOPLE:
            tail = _TAIL.search(text[start:end])
            end = start + tail.start() if tail and " " in text[start : start + tail.start()].strip() else end
        if span.label == "DATE":
            start, end = _cut_date(text, start, end)
        if span.label in _BODIES:
            start, end = _cut_body(text, start, end)
        yield span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end)


def _end_of_line(text: str, start: int, end: int) -> int:
    """The end of a name that runs over its line into the name of a field."""
    line = text.find("\n", start, end)
    return len(text[:line].rstrip()) if line > start and _FIELD_NEXT.match(text, end) else end


def _skip_leads(text: str, start: int, end: int) -> int:
    """Past the titles, ranks and kinship words that open a name."""
    while (first := _FIRST.match(text, start, end)) and fold(first[1]) in _LEADS and first[1] != "The":
        start = first.end()
    return start


def _cut_date(text: str, start: int, end: int) -> tuple[int, int]:
    """Less the words before and after it that say about when."""
    around, after = _AROUND_DATES.match(text, start, end), _AFTER_DATES.search(text[start:end])
    start = around.end() if around and around.end() < end else start
    return start, end - len(after[0]) if after and end - len(after[0]) > start else end


def _cut_body(text: str, start: int, end: int) -> tuple[int, int]:
    """Less the word before a room's number, and less nouns in small letters after a name with capitals."""
    if room := _ROOM.match(text, start, end):
        return room.end(), end
    if not text[start].isupper():
        return start, end
    while (last := _LAST.search(text[start:end])) and not _is_head(last[1]):
        end = start + last.start()
    return start, end


def _is_head(word: str) -> bool:
    return word in word_list("place-heads") or word in word_list("street-suffixes")

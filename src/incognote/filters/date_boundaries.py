"""Corrects the boundaries of a model's date: without the time after it, the words around it and the number of the next list item."""

import re

from incognote.lexicon.calendar import WEEKDAY, start_of_month
from incognote.lexicon.lazy import lazy

_AROUND_DATES = lazy(
    r"(?:(?:the|late|early|mid|around|about|approx|week|wk|beg|beginning|start|middle|end|of|on|by|since|until"
    r"|(?:first|second|third|fourth|fifth|last) falls?(?= since)"
    rf"|(?:first|second|third|fourth|last|1st|2nd|3rd|4th)(?= {WEEKDAY})"
    r"|(?:first|second|third|fourth|last|latter|1st|2nd|3rd|4th) (?:week|weekend|wk|half|part|days?))\b[. \t-]{1,2})+",
    re.IGNORECASE,
)
_AFTER_DATES = lazy(r"(?:[ \t](?:week|weekend))+$", re.IGNORECASE)
# "14 Mar 1620", "14.11.24 10.10": no year is before 1800, and a whole date has its year.
_LATE_CLOCK = lazy(r"(?<=[a-z.])[ ]+(?:0\d|1[0-7])[0-5]\d$|(?<=[./-]\d\d)[ ]+(?:[01]?\d|2[0-3])[.:][0-5]\d$", re.IGNORECASE)
# The number of the next item, which is a year at the end of a sentence where it has two figures ("17 May 25."); small words after a day.
_NEXT_ITEM = lazy(r"\s*\n\s*\d{1,2}$|(?<=\d [A-Za-z]{3}) \d$")
_TRAILING = lazy(r"(?<=[a-z\d])[ ](?:bc|of|end of|end|at|in|and|to|for|with|w|the|or)$", re.IGNORECASE)


def cut_date(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a date is, less the words that say about when, the hour after it and the number of the next item of a list.

    >>> text = "Presented Sat 14 Mar 1620 with mother"
    >>> text[slice(*cut_date(text, 10, 25))]
    'Sat 14 Mar'
    """
    if text[end : end + 1] in (".", ")") and (item := _NEXT_ITEM.search(text[start:end])):
        end = start + item.start()
    for cut in (_LATE_CLOCK, _TRAILING):
        late = cut.search(text[start:end])
        end = start + late.start() if late else end
    around, after = _AROUND_DATES.match(text, start, end), _AFTER_DATES.search(text[start:end])
    start = around.end() if around and around.end() < end else start
    start = start_of_month(text, start)
    return start, end - len(after[0]) if after and end - len(after[0]) > start else end

"""Where the date that a model found starts and ends: without the hour beside it, the words around it and the number of the next item."""

import re

from incognote.rules.date_lookalikes import SHIFT, is_calendar
from incognote.rules.lazy import lazy
from incognote.rules.months import start_of_month
from incognote.rules.names.vocabulary import is_common

_AROUND_DATES = lazy(
    r"(?:(?:the|late|early|mid|around|about|approx|week|wk|beg|beginning|of|on|by|since|until"
    r"|(?:first|second|third|fourth|fifth|last) falls?(?= since)"
    r"|(?:first|second|third|fourth|last|1st|2nd|3rd|4th) (?:week|weekend|half|part|days?))\b[. \t-]{1,2})+",
    re.IGNORECASE,
)
_AFTER_DATES = lazy(r"(?:[ \t](?:week|weekend))+$", re.IGNORECASE)
# A word or a ratio before a date, and a time after a weekday or a day in digits: "GAVE 1963", "Fri 1500".
_WORD_LEAD = lazy(r"(?P<word>[^\W\d_]{3,})[ \t]+(?=\w)")
_DATE_CLOCK = lazy(
    r"(?:^(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)[a-z]*\.?|\d[/-]\d{1,2}(?:[/-]\d{2,4})?)(?P<clock>,?[ ]+(?:[01]\d|2[0-3]):?[0-5]\d)$",
    re.IGNORECASE,
)
# "14 Mar 1620", "14.11.24 10.10": no year is before 1800, and a whole date has its year.
_LATE_CLOCK = lazy(r"(?<=[a-z.])[ ]+(?:0\d|1[0-7])[0-5]\d$|(?<=[./-]\d\d)[ ]+(?:[01]?\d|2[0-3])[.:][0-5]\d$", re.IGNORECASE)
# "0130 2/19", "03:20 10 Feb": the hour before the day.
_EARLY_CLOCK = lazy(r"(?:(?:[01]\d|2[0-3])[:.]?)?[0-5]\d,? (?=\d{1,2}(?:/| [A-Z][a-z]{2}))")
# "Sep 12/10/2021" is a separation; "Mon 161/99" a pressure.
_MONTH_LEAD = lazy(r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\.? +(?=\d{1,2}/\d{1,2}/\d{2})", re.IGNORECASE)
# "HeartMate 3, September 1990", "surg 22 3/12/97", "s/p fall 7/29": what stands before the date is no part of it.
_NUMBER_LEAD = lazy(r"\d{1,2}, +(?=[A-Z][a-z]{2,8}\.? \d)|\d{1,3} +(?=\d{1,2}[/-]\d{1,2}[/-]\d)|fall +(?=\d{1,2}/)")
_LAST_SHIFT = lazy(rf"(?<=[a-z.]) +{SHIFT.pattern}$", re.IGNORECASE)
_PRESSURE = lazy(r"(?<=[a-z])[ ]\d{3}/\d{2,3}$", re.IGNORECASE)
# The number of the next item, and small words after a day.
_NEXT_ITEM = lazy(r"\s*\n\s*\d{1,2}$|(?<=\d [A-Za-z]{3}) \d{1,2}$")
_TRAILING = lazy(r"(?<=[a-z\d])[ ](?:bc|of|end of|end|at|in|and|to|for|with|w|the|or)$", re.IGNORECASE)
_RATIO = lazy(r"\d{1,3}:\d{1,4},?[ \t]+(?=\w)")


def cut_date(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a date is, less the words that say about when and the hours before and after it.

    >>> text = "Presented Sat 14 Mar 1620 with mother"
    >>> text[slice(*cut_date(text, 10, 25))]
    'Sat 14 Mar'
    """
    while (lead := _WORD_LEAD.match(text, start, end)) and is_common(lead["word"]) and not is_calendar(lead["word"]):
        start = lead.end()
    ratio = _RATIO.match(text, start, end)
    start = ratio.end() if ratio else start
    start, end = _cut_clocks(text, start, end)
    clock = _DATE_CLOCK.search(text[start:end])
    end = start + clock.start("clock") if clock else end
    around, after = _AROUND_DATES.match(text, start, end), _AFTER_DATES.search(text[start:end])
    start = around.end() if around and around.end() < end else start
    start = start_of_month(text, start)
    return start, end - len(after[0]) if after and end - len(after[0]) > start else end


def _cut_clocks(text: str, start: int, end: int) -> tuple[int, int]:
    """Less the hour before or after it, the number of the next item of a list, and small words."""
    if (early := _EARLY_CLOCK.match(text, start, end)) and (text[start - 1 : start] == ":" or len(early[0]) > 4):
        start = early.end()
    if text[end : end + 1] in (".", ")") and (item := _NEXT_ITEM.search(text[start:end])):
        end = start + item.start()
    start = month.end() if (month := _MONTH_LEAD.match(text, start, end)) else start
    start = number.end() if (number := _NUMBER_LEAD.match(text, start, end)) else start
    # One shift of several: "friday 7-3 jenny, sunday 3-11 reeva".
    if len(SHIFT.findall(text[max(0, start - 60) : end + 60])) > 1 and (shift := _LAST_SHIFT.search(text[start:end])):
        end = start + shift.start()
    for cut in (_LATE_CLOCK, _TRAILING, _PRESSURE):
        late = cut.search(text[start:end])
        end = start + late.start() if late else end
    return start, end

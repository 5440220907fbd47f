"""Calendar words, each spelled out once: months, weekdays and ordinals, and the expressions that find them."""

import re

from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

MONTHS = tuple("january february march april may june july august september october november december".split())
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
ORDINALS = tuple(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth "
    "twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first".split()
)
SHORT_MONTHS = (*(month[:3] for month in MONTHS), "sept")
SHORT_WEEKDAYS = tuple("mon tue tues wed weds thu thur thurs fri sat sun".split())

# Alternatives to stand inside a group: how the names start, and the months of other languages.
MONTH_STARTS = "|".join(month[:3] for month in MONTHS)
FOREIGN_MONTHS = read_word_lists("dates")["foreign_months"]
# A month, long or short.
MONTH = "(?=[adfjmnos])(?:" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS).replace("(?:tember)?", "(?:t(?:ember)?)?") + ")"
WEEKDAY = "(?:" + "|".join(day.removesuffix("day") for day in WEEKDAYS) + ")day"
SHORT_WEEKDAY = "(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)"

_MONTH = lazy(rf"{MONTH}\b", re.IGNORECASE)
_PART = lazy(r"\b(?:early|mid|late)(?:[ -]|[ ]?\n[ ]{0,8})$", re.IGNORECASE)


def start_of_month(text: str, start: int) -> int:
    """Where a date that starts here starts, with the part of the month before it; that of a year or a season stays out.

    >>> [start_of_month(text, 4) for text in ("mid-June", "mid 2061", "the June")]
    [0, 4, 4]
    """
    part = _PART.search(text, max(0, start - 14), start) if _MONTH.match(text, start) else None
    return part.start() if part else start

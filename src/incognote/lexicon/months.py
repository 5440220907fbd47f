"""The part of a month that is told before it (early June, mid-June, late June) belongs to the date; that of a year or a season does not."""

import re

from incognote.lexicon.lazy import lazy

_MONTH = lazy(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?)\b",
    re.IGNORECASE,
)
_PART = lazy(r"\b(?:early|mid|late)(?:[ -]|[ ]?\n[ ]{0,8})$", re.IGNORECASE)


def start_of_month(text: str, start: int) -> int:
    """Where a date that starts here starts, with the part of the month before it.

    >>> [start_of_month(text, 4) for text in ("mid-June", "mid 2061", "the June")]
    [0, 4, 4]
    """
    part = _PART.search(text, max(0, start - 14), start) if _MONTH.match(text, start) else None
    return part.start() if part else start

"""Ambiguous forms of rooms and wards: operating theatres (OT is also a therapy), and the numbered districts of Dublin."""

import re

from incognote.lexicon.context import line_around
from incognote.lexicon.lazy import lazy

_THERAPIES = lazy(r"\b(?:PT|SLP|ST|physio|visits|units)\b")
_OPERATED = lazy(r"\b(?:surgeon|anaes\w*|scrub|operation|date of (?:op|surgery)|theatre (?:list|staff)|operating list)\b", re.IGNORECASE)
DISTRICT_NUMBER = r"(?:6[Ww]|[1-9]|1\d|2[0-4])(?![A-Za-z0-9/%:-]|[.,]\d)"
DISTRICT = lazy(rf"\b(?:Dublin|DUBLIN) (?P<phi>{DISTRICT_NUMBER})")


def is_operated(text: str, at: int) -> bool:
    """Whether the lines around tell of an operation.

    >>> is_operated("Date of op: today   OT 11", 20), is_operated("PT 3, OT 11", 6)
    (True, False)
    """
    therapies = _THERAPIES.search(text, *line_around(text, at))
    return therapies is None and _OPERATED.search(text, max(0, at - 150), at + 150) is not None

"""Codes that rooms have too: vitamin B12, by its level, its dose or the tests beside it, and vertebrae, by what befell them."""

import re

from incognote.rules.context import left_of, right_of
from incognote.rules.lazy import lazy

_VITAMIN = lazy(r"b-?12", re.IGNORECASE)
_LEVEL = lazy(r"b-?12[ :=\t-]{1,3}[<>]?\d{2,4}", re.IGNORECASE)
_LEVEL_BEFORE = lazy(r"\bb-?12(?: level)?[ :=\t-]{1,3}[<>]?$")
_LEVEL_NEXT = lazy(r"[ :=\t-]{1,3}[<>]?\d{2,4}\b(?![/-]\d| ?[mf]\b)")
_GIVEN_NEXT = lazy(
    r",? (?:levels?|inj\w*|shots?|def\w*|low|normal|high|im|po|given|due|today|monthly|weekly|yearly|q\d|supplement\w*|tabs?"
    r"|(?:and |& )?folate)\b"
)
_TESTED_BEFORE = lazy(
    r"\b(?:vit|vitamins?|serum|due for|check|needs?|next|low|im|d|b6|iron|folate|tsh|ferritin|mma|labs|visit|on)[ ,:/+&]{1,2}(?:and )?$"
)
_VERTEBRA = lazy(r"[CTLS]\d{1,2}(?:-[CTLS]?\d{1,2})?")
_SPINE_BEFORE = lazy(
    r"\b(?:fx|fractures?|mets|metasta\w+|compression|lesions?|level|epidural|fusion|\w+plasty|\w+ectomy|disc|cord|stenosis)\b[^.;]{0,12}$"
)
_SPINE_NEXT = lazy(r"(?: and |[,/&-] ?)[ctls]\d|,? (?:fx|fractures?|compression|burst|lesions?|radiculopathy|level|vertebra\w*|nerve)\b")
# Where somebody lies is a room.
_LIES = lazy(r"\b(?:bed|room|rm|bay|ward|unit|pod|cubicle|chair|in)[ :#]{1,2}$")


def is_body_code(text: str, start: int, end: int) -> bool:
    """Whether a code is the vitamin, its level, or a vertebra.

    >>> is_body_code("B12 350 today", 0, 3), is_body_code("moved to bed B12 today", 13, 16), is_body_code("mets to T12 and L2", 8, 11)
    (True, False, True)
    """
    before, after = left_of(text, start), right_of(text, end)
    if _LIES.search(before):
        return False
    if _VITAMIN.fullmatch(text, start, end):
        return bool(_LEVEL_NEXT.match(after) or _GIVEN_NEXT.match(after) or _TESTED_BEFORE.search(before))
    if _VERTEBRA.fullmatch(text, start, end):
        return bool(_SPINE_BEFORE.search(before) or _SPINE_NEXT.match(after))
    level = text[start:end].isdecimal() and _LEVEL_BEFORE.search(before)
    return bool(level) or _LEVEL.fullmatch(text, start, end) is not None

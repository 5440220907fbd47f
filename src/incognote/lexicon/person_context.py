"""Person context: where people are named: after "agreed with" or "Dear", before "aware" or "(PCP)", alone on its line as a signature."""

import re

from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names, surnames

# For eponyms borne by people, which only the model finds: "d/w Gowers", "Conradi notified", "Babinski (PCP)".
_PERSON_BEFORE = lazy(
    r"\b(?:with|w|c|per|dear|d/w|adk|asked|asks|asking for|asked for|told|saw|sees|called|calls|drs?|hi|hello|thanks|thx|handoff|cc|"
    r"primary|epid)\b"
    r"[.:,]?\s+$|[^\W\d_]\s?/\s?$|[\"“]$",
    re.IGNORECASE,
)
_PERSON_AFTER = lazy(
    r"[.,]?\s(?:says?|said|aware|notified|informed|called|calls|agrees?d?|wants?|will|asks?|asked|ok'?d?|okayed|recs?|pgy-?\d?|md|rn|np|pa|do|"
    r"fixed|operated|turned|is \d)\b|[ ]\((?:pcp|hcp|md|rn|np|sw|gp|medicine|surgery|cards|onc|attending|resident)\b|[ ]\d{5,}",
    re.IGNORECASE,
)
# The end of a line, a date before it or not; and a sentence that ends, with a dash or not, before the one who signs.
_SIGNED = lazy(r"[ ]{0,3}(?:\d{1,2}[/.-]\d{1,2}\S{0,5}|\d{4}h?)?[ ]{0,2}(?:\n|$)")
_CLOSED = lazy(r"[.!?)]['’]?[ ]{1,2}(?:[-–—]{1,2}[ ]?)?$")


def is_among_people(text: str, start: int, end: int) -> bool:
    """Whether a known name stands among people, though the word is a clinical term too.

    >>> [is_among_people(text, 0, 7) for text in ("Conradi aware.", "Conradi rods seen")]
    [True, False]
    """
    value = text[start:end].casefold()
    if value not in surnames() and value not in given_names():
        return False
    before, after = text[max(0, start - 24) : start], text[end : end + 16]
    opens, ends = not before or before.endswith("\n"), _SIGNED.match(after) is not None
    return (ends and (opens or _CLOSED.search(before) is not None)) or bool(_PERSON_BEFORE.search(before) or _PERSON_AFTER.match(after))

"""The units that make the number before them a quantity, so that it is no date, year, phone or identifier."""

import re

from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

_UNIT_NEXT = lazy(rf"\$|[ ]?-?(?:(?:{read_word_lists('units')['units']})\b|%|°|/(?!\d{{1,2}}/))", re.IGNORECASE)


def is_quantity(text: str, end: int) -> bool:
    """Whether a unit follows the number that ends at ``end``.

    >>> is_quantity("gave 2000 mL NS", 9), is_quantity("since 2058, she", 10)
    (True, False)
    """
    return _UNIT_NEXT.match(text, end) is not None

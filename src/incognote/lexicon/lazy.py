"""Regular expressions that are compiled when they are first used.

There are hundreds of them, and compiling all takes a fifth of the time of a scrub of one note, which uses a few.
"""

import re
from typing import Any, cast

_PARTS = "search match fullmatch finditer findall sub split pattern flags groups groupindex".split()


class _Lazy:
    """What a pattern has, from its first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._written = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._written)
        # From here on the parts are found without coming through here again.
        vars(self).update({part: getattr(compiled, part) for part in _PARTS})
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, but a fault in the pattern shows at its first use.

    >>> word = lazy(r"b+", re.IGNORECASE)
    >>> word.search("aBba")[0], word.pattern
    ('Bb', 'b+')
    """
    return cast("re.Pattern[str]", _Lazy(pattern, flags))

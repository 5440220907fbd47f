"""ZIP codes and the postcodes of Britain and Canada.

Five digits are a ZIP code after a state whose area they lie in (``MA 02114``), after the word, or at the end of a street address;
a wrong area after a two-letter word (``OR 10000``) tells a quantity from an address.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from incognote.document import Span
from incognote.lexicon import word_rows
from incognote.rules.context import left_of
from incognote.rules.pattern import Pattern, find_patterns
from incognote.rules.reading import NUMBER, Reading
from incognote.rules.units import is_quantity

_ZIP = re.compile(r"(?<![A-Za-z0-9.,#$/-])(?P<phi>\d{5}(?:-\d{4})?)(?![A-Za-z0-9%-]|[.,/]\d)")
_WORD = re.compile(r"\bzip(?: ?code)?\W{0,4}(?:is |of )?$|\bpostal code\W{0,4}$")
_SUFFIX = "st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd|boulevard|way|ct|court|pl|place|ter|terrace|pkwy|hwy|cir|circle"
_STREET = re.compile(rf"\b\d{{1,5}} [^\n\d]{{3,40}}\b(?:{_SUFFIX})\b[^\n\d]{{0,40}}$")
_UK_AREA = (
    "A[BL]|B[ABDHLNRST]?|C[ABFHMORTVW]|D[ADEGHLNTY]|E[CHNX]?|F[KY]|G[LUY]?|H[ADGPRSUX]|I[GMPV]|JE|K[ATWY]|L[ADELNSU]?|M[EKL]?|N[EGNPRW]?|O[LX]|"
    "P[AEHLOR]|R[GHM]|S[AEGKLMNOPRSTWY]?|T[ADFNQRSW]|UB|W[ACDFNRSV]?|YO|ZE"
)
_UK = re.compile(rf"(?<![A-Za-z0-9])(?:{_UK_AREA})\d[A-Z0-9]? \d[ABD-HJLNP-UW-Z]{{2}}(?![A-Za-z0-9])|(?<![A-Za-z0-9])GIR 0AA\b")
_CANADA = re.compile(r"(?<![A-Za-z0-9])[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]\d[ABCEGHJ-NPRSTV-Z]\d(?![A-Za-z0-9])")


@cache
def _states() -> Mapping[str, str]:
    """Every way to write a state of the ZIP system, in lower case without marks, and its code."""
    written = {row[0]: row[1] for row in (*word_rows("states"), *word_rows("state-abbreviations"))}
    codes = {code: code for code in written.values()}
    return {name.lower().replace(".", ""): code for name, code in {**written, **codes, "D.C.": "DC"}.items()}


@cache
def _areas() -> Mapping[str, str]:
    return {row[0]: row[1] for row in word_rows("zip3")}


def _is_zip(match: re.Match[str]) -> bool:
    before = left_of(match.string, match.start(), reach=90)
    if _WORD.search(before):
        return True
    if is_quantity(match.string, match.end()):
        return False
    return _follows_its_state(match["phi"], before) or bool(_STREET.search(before) and match["phi"][:3] in _areas())


def _follows_its_state(value: str, before: str) -> bool:
    """Whether one, two or three words right before name the state that the ZIP code lies in."""
    code = _areas().get(value[:3])
    words = re.findall(r"[a-z.]+", re.sub(r"[,\s]{1,5}$", "", before)[-30:])
    names = (" ".join(words[-count:]).replace(".", "") for count in (1, 2, 3) if len(words) >= count)
    return code is not None and any(_states().get(name) == code for name in names)


_PATTERNS = (
    Pattern("postcodes.zip", "ZIP", _ZIP, 0.93, _is_zip, starts=(NUMBER,)),
    Pattern("postcodes.uk", "ZIP", _UK, 0.8, starts=(NUMBER, "gir")),
    Pattern("postcodes.canada", "ZIP", _CANADA, 0.85, starts=(NUMBER,)),
)


def find_postcodes(text: str | Reading) -> Iterator[Span]:
    """Spans of ZIP in the text.

    >>> [(s.start, s.end) for s in find_postcodes("Boston, MA 02114-2696; gave IN 10000 once")]
    [(11, 21)]
    """
    return find_patterns(_PATTERNS, text)

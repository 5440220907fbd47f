"""ZIP codes and the postcodes of Britain, Canada, Ireland, Australia, New Zealand, South Africa and India.

Five digits are a ZIP code after a state whose area they lie in (``MA 02114``), after the word, or at the end of a street address;
a wrong area after a two-letter word (``OR 10000``) tells a quantity from an address. Four or six digits elsewhere need a state of
Australia or a street before them, or the end of an address line.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.pattern import Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import FOUR, LETTERED, LONG, THREE, Reading
from incognote.lexicon import word_rows
from incognote.lexicon.context import left_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.wards import DISTRICT, DISTRICT_NUMBER

_ZIP = lazy(r"(?<![A-Za-z0-9.,#$/-])(?P<phi>\d{5}(?:-\d{4})?)(?![A-Za-z0-9%-]|[.,/]\d)")
_WORD = lazy(r"\bzip(?: ?code)?\W{0,4}(?:is |of )?$|\bpostal code\W{0,4}$")
_SUFFIX = "st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd|boulevard|way|ct|court|pl|place|ter|terrace|pkwy|hwy|cir|circle"
_STREET = lazy(rf"\b\d{{1,5}} [^\n\d]{{3,40}}\b(?:{_SUFFIX})\b[^\n\d]{{0,40}}$")
_UK_AREA = (
    "A[BL]|B[ABDHLNRST]?|C[ABFHMORTVW]|D[ADEGHLNTY]|E[CHNX]?|F[KY]|G[LUY]?|H[ADGPRSUX]|I[GMPV]|JE|K[ATWY]|L[ADELNSU]?|M[EKL]?|N[EGNPRW]?|O[LX]|"
    "P[AEHLOR]|R[GHM]|S[AEGKLMNOPRSTWY]?|T[ADFNQRSW]|UB|W[ACDFNRSV]?|YO|ZE"
)
_UK = lazy(rf"(?<![A-Za-z0-9])(?:{_UK_AREA})\d[A-Z0-9]? \d[ABD-HJLNP-UW-Z]{{2}}(?![A-Za-z0-9])|(?<![A-Za-z0-9])GIR 0AA\b")
_CANADA = lazy(r"(?<![A-Za-z0-9])[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]\d[ABCEGHJ-NPRSTV-Z]\d(?![A-Za-z0-9])")

_EIRCODE = lazy(r"(?<![A-Za-z0-9])(?:[AC-FHKNPRTV-Y]\d{2}|D6W) [0-9AC-FHKNPRTV-Y]{4}(?![A-Za-z0-9])")
# A district of Dublin; no other city of which English notes tell is written so.
_DISTRICT_CITY = lazy(rf"\b(?:Dublin|DUBLIN)(?= {DISTRICT_NUMBER})")
_AUSTRALIA = lazy(r"\b(?:NSW|QLD|Qld|VIC|Vic|TAS|Tas|SA|WA|NT|ACT),? (?P<phi>[0-8]\d{3})(?![A-Za-z0-9%/:-]|[.,]\d)")
_FOUR = lazy(r"(?<![A-Za-z0-9.,#$/:-])(?P<phi>\d{4})(?=[ \t]*$)", re.MULTILINE)
_SIX = lazy(r"(?<![A-Za-z0-9.,#$/:])(?P<phi>[1-8]\d{2} ?\d{3})(?![A-Za-z0-9%/:-]|[.,]\d| \d)")
# "Boston, MA 03601": the code is another state's, but a town and a state before it say what it is.
_CITY_STATE = lazy(
    r"[A-Z][A-Za-z.'’-]+,[ ]?(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|"
    r"W[AIVY]),?[ ]{1,2}$"
)
_INDIAN = lazy(
    r"\b(?:road|rd|street|st|nagar|marg|colony|puram|dist|district|tal|taluka|village|cross|chowk|opp|layout|sector|pin(?: ?code)?)\b\.?"
    r"[^\n\d;]{0,40}(?:- ?|[, ] ?)$"
)
_ADDRESS_LINE = lazy(rf"\b\d{{1,5}}[A-Za-z]?[ ,][^\n\d]{{0,40}}\b(?:{_SUFFIX}|tce|cres|crescent|close|grove)\b[^\n\d]{{2,40}}[a-z] $")
_STRAAT = lazy(r"[a-z](?:straat|weg|laan) \d{1,4}[a-z]?, [a-z -]{3,25} $")


def _ends_address(match: re.Match[str]) -> bool:
    """``22 Pelican St Tewantin 4565`` at the end of its line."""
    before = left_of(match.string, match.start(), reach=90)
    if not re.search(r"\b[A-Z][A-Za-z'’-]+ $", match.string[max(0, match.start() - 25) : match.start()]):
        return False
    return bool(_ADDRESS_LINE.search(before) or _STRAAT.search(before) or re.search(r"\b(?:postcode|post code)\W{0,3}$", before))


def _is_no_quantity(match: re.Match[str]) -> bool:
    return not is_quantity(match.string, match.end())


def _is_pin(match: re.Match[str]) -> bool:
    return bool(_INDIAN.search(left_of(match.string, match.start(), reach=90))) and not is_quantity(match.string, match.end())


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
    if _follows_its_state(match["phi"], before) or (_STREET.search(before) and match["phi"][:3] in _areas()):
        return True
    return bool(_CITY_STATE.search(match.string[max(0, match.start() - 40) : match.start()]))


def _follows_its_state(value: str, before: str) -> bool:
    """Whether one, two or three words right before name the state that the ZIP code lies in."""
    code = _areas().get(value[:3])
    words = re.findall(r"[a-z.]+", re.sub(r"[,\s]{1,5}$", "", before)[-30:])
    names = (" ".join(words[-count:]).replace(".", "") for count in (1, 2, 3) if len(words) >= count)
    return code is not None and any(_states().get(name) == code for name in names)


PATTERNS = PatternTable(
    Pattern("postcodes.zip", "ZIP", _ZIP, 0.93, _is_zip, starts=(LONG,)),
    Pattern("postcodes.uk", "ZIP", _UK, 0.8, starts=(LETTERED, "gir")),
    Pattern("postcodes.canada", "ZIP", _CANADA, 0.85, starts=(LETTERED,)),
    Pattern("postcodes.ireland", "ZIP", _EIRCODE, 0.85, starts=(LETTERED,)),
    Pattern("postcodes.dublin", "ZIP", DISTRICT, 0.85, starts=("dublin",)),
    Pattern("postcodes.dublin-city", "CITY", _DISTRICT_CITY, 0.85, starts=("dublin",)),
    Pattern("postcodes.australia", "ZIP", _AUSTRALIA, 0.85, _is_no_quantity, starts=("nsw", "qld", "vic", "tas", "sa", "wa", "nt", "act")),
    Pattern("postcodes.line-end", "ZIP", _FOUR, 0.75, _ends_address, starts=(FOUR,)),
    Pattern("postcodes.india", "ZIP", _SIX, 0.8, _is_pin, starts=(THREE, LONG)),
)


def find_postcodes(reading: Reading) -> Iterator[Span]:
    """Spans of ZIP in the text, and of the city whose district is one.

    >>> [(s.start, s.end) for s in find_postcodes(Reading("Boston, MA 02114-2696; gave IN 10000 once"))]
    [(11, 21)]
    """
    return find_patterns(PATTERNS, reading)

"""Ages: read in figures or words, and capped at 90+."""

import re

from incognote.lexicon.number_words import ONES, TENS

OLDEST = 89
CAPPED = "90+"
# A higher number is no age, but a year or a code that was taken for one.
LIFETIME = 130
_DECADES = {"teens": 10, "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
            "nineties": 90, "quadragenarian": 40, "quinquagenarian": 50, "sexagenarian": 60, "septuagenarian": 70, "octogenarian": 80,
            "nonagenarian": 90, "centenarian": 100, "hundreds": 100, "ninetieth": 90, "hundredth": 100}  # fmt: skip
# Years in one of each unit; what has no unit is years.
_YEARS_EACH = {"m": 1 / 12, "w": 1 / 52, "d": 1 / 365, "h": 1 / 8760}
_NUMBER_WORDS = {word: number for number, word in enumerate(ONES)} | {word: 10 * at for at, word in enumerate(TENS) if at > 1}
_BELOW_100 = rf"(?:{'|'.join(TENS[2:])})(?:[\s-]?(?:{'|'.join(ONES[1:10])}))?|{'|'.join(reversed(ONES))}"
SPELLED = rf"(?:one\s+)?hundred(?:\s+(?:and\s+)?(?:{_BELOW_100}))?|{_BELOW_100}"
_AGE = re.compile(
    r"(?P<figure>\d+(?:\.\d+)?)(?P<part>[\s-](?:and\s)?(?:a\s)?\d{1,2}/\d{1,2}(?!\d))?(?P<suffix>(?:st|nd|rd|th)\b)?(?P<decade>['’]?s\b)?"
    rf"|\b(?P<word>{SPELLED})\b|\b(?P<group>{'|'.join(_DECADES)})s?\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"[\s-]*(months?|mos?\b|weeks?|wks?\b|days?|hours?|hrs?\b|m/o|w/o|d/o|m\.?o\.?\b)", re.IGNORECASE)
_LIFE_DAY = re.compile(r"\b(?:dol|day of life)[\s#:]*$", re.IGNORECASE)
_SHORT_UNIT = re.compile(r"(?<=\d)\s?[mwdh](?:[\s/.-]?o(?:ld)?)\b", re.IGNORECASE)
_OVER = re.compile(r"(?:>|≥|over|above|older than|more than|past)\s*$", re.IGNORECASE)
_TAIL = re.compile(r"[\s-]*(?P<unit>(?:years?|yrs?|y)\b[\s./-]*(?:of[\s-]age|olds?\b|o\b\.?)?|yo[mf]?\b|[mf]\b)", re.IGNORECASE)
_LEAD = re.compile(r"(?:at\s+)?age[ds]?(?:\s+of)?[\s:]*$", re.IGNORECASE)


def _number(match: re.Match[str]) -> float:
    if match["figure"]:
        return float(match["figure"])
    if match["group"]:
        return _DECADES[match["group"].lower()]
    words = re.findall(r"[a-z]+", match["word"].lower())
    hundred = 100 if "hundred" in words else 0
    after = words[words.index("hundred") + 1 :] if hundred else words
    return hundred + sum(_NUMBER_WORDS.get(word, 0) for word in after)


def _years(value: str, match: re.Match[str]) -> float:
    if _LIFE_DAY.search(value[: match.start()]):
        return _number(match) * _YEARS_EACH["d"]
    unit = _UNIT.match(value, match.end()) or _SHORT_UNIT.match(value, match.end())
    each = _YEARS_EACH[unit[0].strip(" -\t\n").lower()[0]] if unit else 1.0
    return _number(match) * each


def _is_over(value: str, match: re.Match[str]) -> bool:
    years = _years(value, match)
    said_over = bool(_OVER.search(value[: match.start()])) or value[match.end() :].startswith("+")
    return years > OLDEST or (said_over and years >= OLDEST)


def cap_age(value: str) -> str | None:
    """The age itself up to 89, and 90+ above; None where no age can be read, as in 1985.

    >>> [cap_age(age) for age in ("89", "90", "91-year-old", "in her 90s", "ninety-four", "94 months", "91yo", "aged 102", "ninetieth")]
    ['89', '90+', '90+ year old', '90+', '90+', '94 months', '90+ yo', 'aged 90+', '90+']
    """
    ages = list(_AGE.finditer(value))
    if not ages or any(_years(value, match) > LIFETIME for match in ages):
        return None
    over = [match for match in ages if _is_over(value, match)]
    if not over:
        return value
    lead, tail = _LEAD.search(value[: over[0].start()]), _TAIL.match(value, over[-1].end())
    return (lead[0] if lead else "") + CAPPED + (" " + tail["unit"].replace("-", " ") if tail else "")


def read_years(value: str) -> float | None:
    """The age in years, of several the highest; None where no age can be read.

    >>> read_years("90th"), read_years("18 months"), read_years("old")
    (90.0, 1.5, None)
    """
    return max((float(_years(value, match)) for match in _AGE.finditer(value)), default=None)


def shows_over_89(value: str) -> bool:
    """Whether the value is an age over 89."""
    return any(_is_over(value, match) and _years(value, match) <= LIFETIME for match in _AGE.finditer(value))

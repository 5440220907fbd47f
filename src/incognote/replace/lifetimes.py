"""How old a person was on a date, or is by now, by the words around it: with later years, that can show an age over 89."""

import re
from collections.abc import Collection

from incognote.document import Document, Span, normalize_value
from incognote.replace.ages import SPELLED, read_years

_BIRTH = re.compile(
    r"(?:\b(?:[dy][./]?\s?o[./]?\s?b\b[./]?|b\.\s?d\.|birth\w*(?:\s+date|\s+year)?|b\.)(?:\s*\([^()\d]{0,20}\))?\W*"
    r"(?:(?:is|was|of|in|on|the|date|year)\W+){0,3}|\bborn\b[^.;\d\n]*\W*)$",
    re.IGNORECASE,
)
_BIRTH_HEAD = re.compile(r"(?=.*(?:[|\t,;]|  ))\D*\b(?:d\.?o\.?b|y\.?o\.?b|birth\w*|born)\b\D*", re.IGNORECASE)
_BIRTH_NEXT = re.compile(r"[- ]?(?:born|baby|babies|birth cohort|birth)\b", re.IGNORECASE)
# The source of spans from the roster of known patients.
_KNOWN_BIRTH = "patients.birth"
_REACH, _REACH_OF_HEAD = 80, 400

# What adults do, and the age below which few do it.
_GROWN_UP = 16
_EVENT = re.compile(
    r"\b(?:married|marriage|wedding|honeymoon|engaged|enlisted|enrolled|drafted|conscripted|served|fought|stationed|deployed|commissioned|graduat\w+"
    r"|discharged from the (?:army|navy|marines|service)|class of|degree|diploma|college|university|(?:high|medical|nursing|law) school"
    r"|(?:first|started|began) (?:job|work\w*|teaching)|hired|employed|worked|retired|retirement|divorced|widow(?:ed|er)?|veteran|vet"
    r"|ww ?(?:2|ii)|world war (?:2|two|ii)|pearl harbor|emigrated|immigrated)\b[^.;:\n]{0,60}$",
    re.IGNORECASE,
)
_COUNT = rf"(?P<count>\d{{1,2}}|{SPELLED})"
# "65, 28 years ago", "at 60, on insulin for 30 years"; and the other way round: "30 years ago at (age) 62".
_THEN_FOR = re.compile(rf"[^.;\n\d]{{0,40}}?\b{_COUNT}[\s-]*(?:years?|yrs?)\b", re.IGNORECASE)
_FOR_THEN = re.compile(rf"\b{_COUNT}[\s-]*(?:years?|yrs?)\s+(?:ago|back|earlier)\b[^.;\n\d]{{0,40}}$", re.IGNORECASE)
_AT_AGE = re.compile(r"\b(?:at|since|from|when|by)\b[^.;,\n\d]{0,20}$", re.IGNORECASE)
# "Retired in 1972 after 30 years".
_SERVED = re.compile(rf"\W{{0,3}}(?:after|with|having (?:worked|served))\W+(?:\w+\W+)?{_COUNT}\s+(?:years|yrs)\b", re.IGNORECASE)
# "Married (for) 75 years": what adults do, so many years ago; the age span is the number of years.
_LASTING = re.compile(r"\b(?:married|together|retired|widow(?:ed|er)?|wife|husband|spouse)\b[^.;:\n\d]{0,25}$", re.IGNORECASE)
_YEARS_NEXT = re.compile(r"[\s-]*(?:years|yrs)\b(?![\s-]*(?:old|of age))", re.IGNORECASE)
_UNIT = r"[\s-]*(?:birthday|b-?day|y\.?/?o\.?|years?[\s-]old|years? of age|yrs?(?:[\s-]old)?|th)?"
_PART = r"(?:(?:the|early|late|mid|about|around)[\s-]+){0,2}"
# "88 in 2019", "90th birthday on 2 May 2016", "86 when her husband died in 2012".
_AGE_FIRST = re.compile(
    rf"{_UNIT}(?:\s+(?:was|is|party|celebration|celebrated|fell))*[\s,]*"
    rf"(?:\(|in|on|as of|by|during|when\b[^.;\d\n]{{0,40}}\b(?:in|on))\s*{_PART}",
    re.IGNORECASE,
)
# "1990 at age 60", "in 2019 (aged 88)", "2019, when she was 88".
_DATE_FIRST = re.compile(
    r"[\s,(]*(?:(?:at|when|while)\b\s*)?(?:(?:he|she|they|pt|patient)\s+(?:was|turned)\b\s*)?(?:(?:the\s+)?age[ds]?\b(?:\s+of\b)?[\s:]*)?",
    re.IGNORECASE,
)
_TELLS = re.compile(r"\b(?:at|age[ds]?|was|turned)\b", re.IGNORECASE)
# The dead grow no older.
_DEAD = re.compile(r"\b(?:(?:died|dead|deceased|passed|death|expired|killed)\b|d\.)[^.;\n]{0,40}$", re.IGNORECASE)


def age_then(document: Document, at: int, *, age_labels: Collection[str] = ("AGE",)) -> float | None:
    """How old a person was on the date that is span ``at``, in years: 0 for a date of birth, None where unknown.

    >>> from incognote.document import parse_markup
    >>> [age_then(parse_markup(text), at) for at, text in (
    ...     (0, "DOB <DATE>1931</DATE>"), (1, "turned <AGE>90</AGE> in <DATE>2019</DATE>"), (0, "served <DATE>1943</DATE>"),
    ...     (0, "retired in <DATE>1990</DATE> at age <AGE>60</AGE>"), (0, "seen <DATE>2061</DATE>, <AGE>60</AGE>"))]
    [0.0, 90.0, 16.0, 60.0, None]
    """
    span = document.spans[at]
    before, after = (tell(document, at, age_labels) for tell in (_told_before, _told_after))
    if before is None and is_birth(document, span):
        return 0.0
    if before is not None or after is not None:
        return max(before or 0, after or 0)
    if not _EVENT.search(_before(document, span, _REACH)):
        return None
    served = _SERVED.match(normalize_value(document.text[span.end : span.end + _REACH]))
    return _GROWN_UP + ((read_years(served["count"]) or 0.0) if served else 0.0)


def age_now(document: Document, at: int) -> float | None:
    """How old a person is by now whom span ``at``, an age, says to have been so old a number of years ago; None where it does not.

    >>> from incognote.document import parse_markup
    >>> [age_now(parse_markup(text), 0) for text in ("retired at <AGE>65</AGE>, 28 years ago", "twenty years ago, at <AGE>72</AGE>",
    ...     "married <AGE>75</AGE> years", "<AGE>70</AGE> yo, DM for 30 years")]
    [93.0, 92.0, 91.0, None]
    """
    age = document.spans[at]
    years = read_years(normalize_value(document.value(age)))
    if years is None:
        return None
    before, after = _before(document, age, _REACH), normalize_value(document.text[age.end : age.end + _REACH])
    if _YEARS_NEXT.match(after) and _LASTING.search(before):
        return years + _GROWN_UP
    match = _FOR_THEN.search(before) or (_THEN_FOR.match(after) if _AT_AGE.search(before) else None)
    return years + (read_years(match["count"]) or 0) if match else None


def is_birth(document: Document, span: Span) -> bool:
    """Whether a date is known to be one of birth, or the words beside it or at the head of its column say so."""
    if span.source == _KNOWN_BIRTH or _BIRTH.search(_before(document, span, _REACH)) or _BIRTH_NEXT.match(document.text, span.end):
        return True
    # A head stands right above its row, or above a line that rules it off.
    above = _before(document, span, _REACH_OF_HEAD).split("\n")[-3:-1]
    return any(map(_BIRTH_HEAD.fullmatch, above))


def _told_before(document: Document, at: int, labels: Collection[str]) -> float | None:
    """The age that stands before a date and belongs to it."""
    if not at or document.spans[at - 1].label not in labels:
        return None
    age, day = document.spans[at - 1], document.spans[at]
    if not _AGE_FIRST.fullmatch(document.text, age.end, day.start) or _DEAD.search(_before(document, age, _REACH)):
        return None
    return read_years(normalize_value(document.value(age)))


def _told_after(document: Document, at: int, labels: Collection[str]) -> float | None:
    """The age that stands after a date and belongs to it."""
    if at + 1 == len(document.spans) or document.spans[at + 1].label not in labels:
        return None
    day, age = document.spans[at], document.spans[at + 1]
    gap = document.text[day.end : age.start]
    if not _DATE_FIRST.fullmatch(gap) or not _TELLS.search(gap) or _DEAD.search(_before(document, day, _REACH)):
        return None
    return read_years(normalize_value(document.value(age)))


def _before(document: Document, span: Span, reach: int) -> str:
    return normalize_value(document.text[max(0, span.start - reach) : span.start])

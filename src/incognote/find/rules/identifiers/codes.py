"""The shape of identifying codes: letters and digits in one piece or in groups; and the dates and amounts that look like one."""

import re

from incognote.find.rules.engine.tokens import is_common
from incognote.lexicon.calendar import MONTH_STARTS
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity

_CODE = r"(?:\(\d{2,5}\)[ -]?)?[A-Za-z0-9]{1,24}(?:(?:[-./_]|–(?=\d))[A-Za-z0-9]{1,24}){0,6}(?![A-Za-z0-9])"
# The letters of a state or a plan may stand before the digits: "Lic# MA 12345"; they are capitals, or the code is a British licence.
_VALUE = lazy(rf"(?:(?P<letters>[A-Z]{{1,6}}) (?=[0-9]|[A-Z]-?\d))?(?P<code>{_CODE})")
_END = r"(?![A-Za-z0-9:%/-]|\.\d)"
_GROUPS = lazy(rf"(?: (?:\d{{1,6}}|[A-Z]\d{{2}}[A-Z]{{2}}){_END}){{1,5}}(?: [A-Z]{{1,2}}(?![A-Za-z0-9'’]|\.[A-Za-z]))?")
_LETTER = lazy(r" [A-Z](?![A-Za-z0-9'’]|\.[A-Za-z])")
_PLATE = lazy(r"(?:[A-Z]{2} )?[A-Z0-9]{1,17}(?:[ -][A-Z0-9]{1,4}){0,2}(?![A-Za-z0-9])")
_MONTH = f"(?:{MONTH_STARTS})[a-z]*"
_DATE = lazy(
    r"\d{1,3}/\d{1,3}|(?-i:[a-z]{5,})\d.*|\d{1,2}[/.]\d{1,2}(?:[/.](?:\d{4}|\d{2}))?|"
    r"(?:19|20|21)\d\d[-/.]\d{1,2}[-/.]\d{1,2}(?:T[0-9:]+)?|\d{1,2}-\d{1,2}-(?:19|20|21)\d\d|\d+\.\d+|"
    rf"(?:19|20|21)\d\d[-–/]\d\d|\d{{1,2}}[-/]?{_MONTH}[-/]?(?:\d{{2}}|\d{{4}})|{_MONTH}[-/]?\d{{1,4}}|(?:19|20|21)\d\d-{_MONTH}-\d\d",
    re.IGNORECASE,
)
_PHONE = lazy(r"(?:1[-.])?[2-9]\d\d[-.]\d{3}[-.]\d{4}|[2-9]\d\d-\d{4}")
_AMOUNT = lazy(
    r"\d+(?:\.\d+)?(?:mg|mcg|g|kg|ml|l|cc|cm|mm|h|hr|hrs|am|pm|a|p|th|st|nd|rd|yo|y|yr|m|mo|d|w|wk|x|f|fr|gy|u|k)|x\d+|q\d+h?|"
    r"[ctls]\d{1,2}-[ctls]?\d{1,2}",
    re.IGNORECASE,
)
_RANGE = lazy(r"([1-9]\d{0,3})[-–]([1-9]\d{0,3})")
_MIXED = lazy(r"(?=[A-Z0-9]{6,12}$)[A-Z]*\d+[A-Z]+\d+[A-Z0-9]*")
# Short words that name something else, before its number.
_OTHER_LETTERS = frozenset(
    "mac sn ip dob dos doa exp tel fax ph cpt icd drg hcpcs ndc pos bp hr rr va ssn zip am pm rm ct mri mr us ekg ecg wbc hgb hct plt na "
    "cl bun inr egfr ser ref lot id no nr num mrn acct moca mmse phq gad gcs cd il hla ef bmi wt ht icu ed er or t l c s".split()
)


def count_digits(value: str) -> int:
    return sum(map(str.isdigit, value))


def is_telling(value: str) -> bool:
    """Whether a value can hardly be anything but a code: five digits, or capitals and digits with a mark between or four digits.

    >>> [is_telling(value) for value in ("S-68-10442", "WOJ-50217", "2281", "C3", "14-mm")]
    [True, True, False, False, False]
    """
    digits = count_digits(value)
    capital = any(map(str.isupper, value))
    return digits >= 5 or is_mixed(value) or (capital and digits >= 2 and (digits >= 4 or re.search("[-./_]", value) is not None))


def is_mixed(value: str) -> bool:
    """Whether capitals and digits take turns, as in a booking's code.

    >>> is_mixed("K4VX2T"), is_mixed("COVID19"), is_mixed("T12L1")
    (True, False, False)
    """
    return _MIXED.fullmatch(value) is not None


def read_code(text: str, at: int, *, plate: bool) -> tuple[int, int] | None:
    """Where the code that starts at ``at`` stands, with its groups; None when what stands there has no digits.

    >>> [read_code(text, 0, plate=False) for text in ("W1288 23 004182 00", "MA 12345 on", "on 5/6", "4471239 12 visits")]
    [(0, 18), (0, 8), None, (0, 7)]
    """
    match = (_PLATE if plate else _VALUE).match(text, at)
    if match is None or not count_digits(match[0]):
        return None
    if plate:
        return match.span()
    letters, code = match["letters"], match["code"]
    groups = _GROUPS.match(text, match.end())
    if letters and _is_word(letters, code + (groups[0] if groups else "")):
        return None
    end, digits = match.end(), count_digits(code)
    if groups and (letters or digits <= 5) and (letters or digits + count_digits(groups[0]) >= 8) and not is_quantity(text, groups.end()):
        return match.start(), groups.end()
    tail = _LETTER.match(text, end) if letters and digits >= 5 else None
    return match.start(), tail.end() if tail else end


def _is_word(letters: str, value: str) -> bool:
    """Whether the capitals before the digits are a word or the name of another number; one letter needs four digits after it. Three that
    are a word in small letters (``EMP 30442``) are none before five digits."""
    if letters.lower() in _OTHER_LETTERS:
        return len(letters) > 1 or count_digits(value) < 4
    if len(letters) == 3 and count_digits(value.partition(" ")[0]) >= 5:
        return False
    return count_digits(value) < 4 if len(letters) == 1 else is_common(letters.lower())


def reads_as_other(text: str, found: tuple[int, int], *, strict: bool) -> bool:
    """Whether the value is a date, a phone or an amount; a strict mark before it (``no.``, ``#``) speaks against some."""
    value = text[slice(*found)]
    if _DATE.fullmatch(value.rpartition(" ")[2]) or (value[-1].isdigit() and is_quantity(text, found[1])):
        return True
    ranged = _RANGE.fullmatch(value)
    if ranged and not strict and int(ranged[1]) < int(ranged[2]):
        return True
    return not strict and bool(_PHONE.fullmatch(value) or _AMOUNT.fullmatch(value))

"""Checks of dates in words against what reads like one: ``may first try``, ``2 mar``, ``her last fall``, Christmas disease."""

import re

from incognote.lexicon.calendar import MONTH, MONTHS
from incognote.lexicon.context import left_of, right_of, starts_line
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

YEAR = r"(?:(?:18|19|20|21)\d\d|['’]\d\d)"
_DIGIT = "(?:one|two|three|four|five|six|seven|eight|nine)"
SPELLED_YEAR = (
    r"(?:(?:nineteen|twenty)[ -](?:oh|ten|eleven|twelve|\w{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    rf"(?:[ -]{_DIGIT})?|two thousand(?: and)? (?:{_DIGIT}|ten|eleven|twelve|\w{{3,5}}teen|twenty(?:[ -]{_DIGIT})?))\b(?! hundred)"
)
_ENDS_IN_YEAR = lazy(rf"(?:{YEAR}|{SPELLED_YEAR})$", re.IGNORECASE)
_WORDS = read_word_lists("dates")
_CUE = lazy(rf"\b(?:{_WORDS['cues']})(?:\s|-|:\s?)(?:the\s)?$")
_MONTH_CUE = lazy(
    r"\b(?:in|since|until|till|through|thru|by|from|of|during|between|before|after|around|last|this|next|past|each"
    r"|early|mid|late|to|due|f/u|or)[ -]$"
)
_MONTH_NEXT = lazy(r" (?:a1c|labs?|bloods|echo|mri|ct|scan|visit|appt|appointment|admission|surgery|mammo|colonoscopy)\b")
_MAY_VERB = lazy(rf"\s(?:{_WORDS['may_verbs']})\b")
_OWN_MONTH, _OWN_DAY = lazy(rf"\b{MONTH}\.?\s$", re.IGNORECASE), lazy(r"\.?\s\d{1,2}(?!\d)")
_SLIPPERY = frozenset({"may", "mar", "march", "dec", "sep", "jan", "jun", "april", "june", "august", "apr", "aug"})
# As written: OCT is also a scan, dec and mar are also words.
_SHORT_MONTHS = frozenset({"Feb", "Jul", "Sept", "Oct", "Nov"})
_NAMED_MONTHS = frozenset(MONTHS) - _SLIPPERY
_DAY_BEFORE = lazy(r"(?<![\d/.:-])(?:[12]?\d|3[01]) $")
_ITEM_NEXT = lazy(r"[.)](?!\d)")


def reads_as_month(match: re.Match[str]) -> bool:
    """Whether ``may 5`` or ``2 Mar`` is a month: a year settles it; else no unit or verb may follow, and lower case needs a cue."""
    month, text = match["month"], match.string
    # "2. Oct 2061" at the head of a line is the second item of a list.
    if re.match(r"\d{1,2}\. ", match[0]) and starts_line(text, match.start()):
        return False
    # The days of "Nov 30-Dec 2" stand after their months.
    if match[0][0].isdigit() and _OWN_MONTH.search(text, max(0, match.start() - 12), match.start()) and _OWN_DAY.match(text, match.end()):
        return False
    if re.search(r"(?:18|19|20|21)\d\d$|['’]\d\d$", match[0]):
        return True
    # "26 AUG 3. PT": the number of the next item of a list, after a day with its month.
    if (
        match[0][-1].isdigit()
        and _DAY_BEFORE.search(text, max(0, match.start() - 4), match.start())
        and _ITEM_NEXT.match(text, match.end())
    ):
        return False
    if "\n" in match[0] and re.match(r"[.)]|  ", text[match.end() : match.end() + 2]):
        return False
    if is_quantity(text, match.end()) or re.match(r":\d|\.\d|-\d", text[match.end() : match.end() + 2]):
        return False
    if month.lower() != "may":
        return month[0].isupper() or month.lower() not in _SLIPPERY or bool(_CUE.search(left_of(text, match.start())))
    return month == "May" or bool(re.search(r"\d(?:st|nd|rd|th)\b", match[0])) or bool(_CUE.search(left_of(text, match.start())))


def stands_alone(match: re.Match[str]) -> bool:
    """Whether a month alone is one: July is; May, April and short forms need a cue, and may not begin a name or a verb phrase."""
    month, text = match["month"], match.string
    if month.lower() in _NAMED_MONTHS or month in _SHORT_MONTHS:
        return True
    before = left_of(text, match.start())
    if not _MONTH_CUE.search(before):
        if month[0].isupper() and month.lower() != "may" and _MONTH_NEXT.match(right_of(text, match.end())):
            return True
        other = re.match(r"(?:\.? ?[-–/] ?|\.? to )(" + MONTH + r")\b", right_of(text, match.end()))
        # Jun-jun is a man of the Philippines.
        return other is not None and month.lower() not in ("may", other[1])
    if month.lower() == "may" and _MAY_VERB.match(right_of(text, match.end())):
        return False
    if month.lower() in ("mar", "dec", "may", "march") and month.islower():
        return bool(re.search(r"\b(?:in|since|until|last|of|during|early|mid|late)[ -]$", before))
    return not re.match(r" (?!Dr\b)[A-Z][a-z]", text[match.end() : match.end() + 4]) or month.lower() not in _SLIPPERY


def is_year_two_digits(match: re.Match[str]) -> bool:
    return (
        not is_quantity(match.string, match.end())
        and not re.match(r"[\s-]*(?:y|%|:\d|\.\d)", right_of(match.string, match.end()))
        and reads_as_month(match)
    )


def is_capital_or_cued(match: re.Match[str]) -> bool:
    """Spelled ordinals: ``May first`` and ``on may first``, not ``may first try``."""
    return match["month"][0].isupper() or bool(_CUE.search(left_of(match.string, match.start())))


def is_dictated_or_cued(match: re.Match[str]) -> bool:
    """``january nineteenth`` needs no capital: only the months that are words too do."""
    return match["month"].lower() not in _SLIPPERY or is_capital_or_cued(match) or _ENDS_IN_YEAR.search(match[0]) is not None


def is_season(match: re.Match[str]) -> bool:
    """``fall`` beside a year is an event after ``a``, ``her`` or ``s/p``."""
    return not match[0].lower().startswith("fall") or not re.search(
        r"\b(?:a|an|her|his|their|s/p|after|had|from|recurrent|mechanical|unwitnessed|witnessed|with|of|due to)\s$",
        left_of(match.string, match.start()),
    )


def is_holiday(match: re.Match[str]) -> bool:
    """Christmas disease, Christmas factor and a Christmas-tree rash are no holidays, nor is EID among small letters."""
    if match[0] == "EID" and not match.string[max(0, match.start() - 40) : match.end() + 40].isupper():
        return False
    if match[0].lower() == "lent":
        return match[0] == "Lent" and bool(
            re.search(r"\b(?:in|during|for|before|after|until|since|of) $", left_of(match.string, match.start()))
        )
    return not re.match(r"[ -](?:disease|factor|tree)", right_of(match.string, match.end()))


def is_autumn(match: re.Match[str]) -> bool:
    """``Moved here last fall.`` is a season; ``her last fall`` and ``the last fall`` are falls."""
    return not re.search(r"\b(?:her|his|their|the|since|a|any|no|first|with|pt[’']s|patient[’']s) $", left_of(match.string, match.start()))

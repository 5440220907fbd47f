"""Fractions that are not dates: six weeks (6/52), a share (9/13), a pain out of ten, a cause (2/2), a day no month has.

A note has one order of days and months: where 21/03/1949 stands, 4/24 is every four hours.
"""

import re
from functools import lru_cache

from incognote.lexicon import word_list
from incognote.lexicon.context import left_of, right_of, starts_line
from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

FRACTION = lazy(r"(\d{1,3})\s?/\s?(\d{1,3})")
_WORDS = read_word_lists("dates")
TOLD = lazy(rf"\b(?:{_WORDS['evidence']})[.:,;)(@~–-]{{0,2}}\s{{0,3}}(?:the\s)?[(~]?$")
DAY_TOLD = lazy(
    r"\b(?:on|since|until|til|till|from|by|before|after|dated|seen|admitted|\w{3,6}day|mon|tues?|wed|thurs?|fri|sat|sun)"
    r"[ ,(]{1,2}$|\d/\d{1,2} ?(?:-|–|to|and|&) ?$"
)
_SCORE_NEXT = lazy(rf"[\s-]*(?:{_WORDS['score_next']})")
MAXIMA = frozenset((10, 12, 14, 15, 20, 21, 22, 23, 24, 27, 28, 30))
_ACUITIES = frozenset("4 5 6 7 9 12 15 18 24 30 36 60".split())
_SIXTHS = lazy(r"(?<![\d/.])6/(\d{1,2})(?![\d/])")
_PRESSED = lazy(r"\b(?:bi-?pap|bilevel|niv|ipap(?:/epap)?)(?::| (?:is|at|of|set|to|now|settings?|still))*(?:(?<=is|ll|ow) on)? $")
_INSULINS = frozenset("nph insulin isophane mixtard novomix ryzodeg".split())
_SUPPLY = frozenset("script scripts supply course repeats rev".split())
_NEAR = lazy(r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?![\d/.%])")
_BARE = lazy(r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?![\d/%]|\.\d)")
_YEARS, _STAGED = lazy(r"[a-z:] \d{1,2} $"), lazy(r"\bp?n[0-3][abc]?(?:mi)? ?\($")
_LAST_WORD = lazy(r"([^\W\d_]+) $")
_FULL = lazy(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})/(?:(?:19|20|21)\d\d|\d\d)(?![\d/-])")
_PAINED = lazy(r"\b(?:pain\w*|nrs|vas|ache)\b|(?<!on )(?<!since )\d/10\b")
_CAUSE_NEXT = lazy(r" (?!(?:at|in|by|to|with|w|for|and|from|on|am|pm|labs?|visit|was|is|showed|per|or|but|then)\b)[a-z]{2,}", re.IGNORECASE)
_CAUSED = lazy(r"[a-z)]{2,} $")
# A pressure is higher than twelve: 118/52 is no number of weeks.
_WEEKS = lazy(r"(?<![\d/.])(?:[1-9]|1[0-2])/52(?![\d/.])")
# "Unit 3/27 Bourke St", "Flat 2/1, 48 Byres Road", "lives at 4/12 Grey Street": a flat and its house.
_FLAT = lazy(r"\b(?:unit|flat|apt|apartment|shop|suite|villa|(?:liv(?:es?|ing)|resid(?:es?|ing))(?: at|:)|address:?)[ .#]{1,2}$")
_DOOR = lazy(r"\b(?:door|house|plot|flat|shop|h|d)\b[. ]{0,2}no\b[.: ]{0,3}$")
_STREET_NEXT = lazy(rf",? (?:\d{{1,5}}[a-z]? )?(?:[a-z'’-]+ ){{1,3}}(?:{_WORDS['street_ends']})\b")
# Words of a hand that writes weeks and months as fractions.
_BRITISH = lazy(rf"\b(?:{_WORDS['british']})\b", re.IGNORECASE)


@lru_cache(16)
def read_order(text: str) -> str:
    """The order in which the whole dates of a note are written, where one of them proves it and none the other.

    >>> read_order("DOB 21/03/1949, seen 7/10/2021"), read_order("DOB 03/21/1949"), read_order("seen 7/10/2021")
    ('day first', 'month first', '')
    """
    pairs = [(int(match[1]), int(match[2])) for match in _FULL.finditer(text)]
    day, month = any(first > 12 >= second for first, second in pairs), any(second > 12 >= first for first, second in pairs)
    return "day first" if day and not month else "month first" if month and not day else ""


@lru_cache(16)
def is_british(text: str) -> bool:
    """Whether a note is of a hand that writes six weeks as 6/52: it does so, or two words of such a hand stand in it and no date speaks
    against it.

    >>> is_british("Amox 500 tds, r/v by GP"), is_british("amoxicillin tid, see PCP"), is_british("rev 6/52"), is_british("BP 98/52")
    (True, False, True, False)
    """
    if _WEEKS.search(text):
        return True
    return len({match[0].lower() for match in _BRITISH.finditer(text)}) > 1 and read_order(text) != "month first"


def is_no_day(text: str, start: int, end: int) -> bool:
    """Whether the fraction is no day of a year: no month is in it, or not at the place where this note writes it.

    >>> is_no_day("resumed 24/26", 8, 13), is_no_day("DOB 21/03/1949, r/v GP, attended 4/24", 33, 37), is_no_day("seen 4/24", 5, 9)
    (True, True, False)
    """
    parts = FRACTION.fullmatch(text, start, end)
    if parts is None:
        return False
    first, second = int(parts[1]), int(parts[2])
    if not first or not second or min(first, second) > 12 or len(parts[1]) > 2 or len(parts[2]) > 2:
        return True
    # 04/20 is April 2020.
    if 31 >= second > 12 and not parts[1].startswith("0"):
        return read_order(text) == "day first" and is_british(text)
    return first > 12 and read_order(text) == "month first"


def may_be_day(value: str) -> bool:
    """Whether the fraction can be a day of a year in some order.

    >>> may_be_day("3/12"), may_be_day("24/26"), may_be_day("128/84")
    (True, False, False)
    """
    parts = FRACTION.fullmatch(value)
    if parts is None:
        return False
    low, high = sorted((int(parts[1]), int(parts[2])))
    return 0 < low <= 12 and high <= 31


def is_pain(text: str, start: int, end: int) -> bool:
    """Whether the fraction is a share of ten after a pain or another such share: ``pain 6/10, given Tylenol, recheck 4/10``.

    >>> is_pain("pain 6/10, given Tylenol, recheck 4/10", 34, 38), is_pain("seen 4/10", 5, 9), is_pain("pain since 4/10", 11, 15)
    (True, False, False)
    """
    parts = FRACTION.fullmatch(text, start, end)
    if parts is None or parts[2] != "10" or int(parts[1]) > 10 or parts[1].startswith("0"):
        return False
    # What stands first in its line may be the day of an entry, whatever the line before says.
    before = "" if starts_line(text, start) else text[max(0, start - 90) : start].lower().replace("\n", " ")
    return _PAINED.search(before) is not None and not DAY_TOLD.search(before)


def is_score(text: str, start: int, end: int) -> bool:
    """Whether a word right after the fraction says that it is a share of the most that can be had.

    >>> is_score("took 9/13 doses", 5, 9), is_score("seen 9/13", 5, 9)
    (True, False)
    """
    parts = FRACTION.fullmatch(text, start, end)
    if parts is None or int(parts[1]) > int(parts[2]) or "0" in (parts[1][0], parts[2][0]):
        return False
    return _SCORE_NEXT.match(right_of(text, end)) is not None


def is_measured(text: str, start: int, end: int) -> bool:
    """Whether the fraction is what an eye reads at six metres, beside another such (``6/9, 6/60``), two pressures of a ventilator, or the
    doses of a morning and an evening.

    >>> is_measured("6/6 to 6/60", 7, 11), is_measured("BiPAP still on 12/5", 15, 19), is_measured("BiPAP from 12/5", 11, 15)
    (True, True, False)
    >>> is_measured("on NPH 20/10", 7, 12), is_measured("NPH 10/20", 4, 9)
    (True, False)
    """
    parts = FRACTION.fullmatch(text, start, end)
    if parts is None:
        return False
    if _PRESSED.search(left_of(text, start)):
        return int(parts[1]) > int(parts[2])
    word = _LAST_WORD.search(left_of(text, start))
    if int(parts[1]) > 12 and word and (word[1] in _INSULINS or word[1] in word_list("drugs")):
        return read_order(text) != "day first" and not is_british(text)
    near = _SIXTHS.findall(text[max(0, start - 24) : end + 24])
    return parts[1] == "6" and len(near) > 1 and _ACUITIES.issuperset(near) and not {"36", "60"}.isdisjoint(near)


def is_among_shares(text: str, start: int, end: int) -> bool:
    """Whether a fraction that can be no day stands in the same row, a little before or after: ``beds 22/24, icu 11/12``.

    >>> is_among_shares("beds 22/24, icu 11/12, met", 16, 21), is_among_shares("BP 128/84, labs 11/12", 16, 21)
    (True, False)
    """
    near = f"{left_of(text, start)} {right_of(text, end, reach=40)}"
    pairs = ((int(first), int(second)) for first, second in _NEAR.findall(near))
    return any(not first or not second or min(first, second) > 12 or 31 < second < 50 for first, second in pairs)


def is_months(text: str, start: int, end: int) -> bool:
    """Whether the fraction is the months of an age (``11 6/12``) or the nodes of a stage (``N1a (1/19)``).

    >>> is_months("bone age 11 6/12", 12, 16), is_months("pT3 N1a (1/19)", 9, 13), is_months("seen 6/12", 5, 9)
    (True, True, False)
    """
    before = left_of(text, start)
    return (text.endswith("/12", start, end) and _YEARS.search(before) is not None) or _STAGED.search(before) is not None


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether the fraction is all of all, alone in brackets (``clotted (2/2)``), or a part of a tablet after a drug (``Unisom 1/2``).

    >>> is_whole("clotted (2/2)", 9, 12), is_whole("took Unisom 1/2", 12, 15), is_whole("seen (2/2)", 6, 9)
    (True, True, False)
    """
    parts = FRACTION.fullmatch(text, start, end)
    if parts is None:
        return False
    before = left_of(text, start)
    if parts[1] == parts[2] and text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        return not TOLD.search(before)
    word = _LAST_WORD.search(before)
    return parts[0] in ("1/2", "1/4", "1/3", "3/4", "2/3") and word is not None and word[1] in word_list("drugs")


def is_flat(text: str, start: int, end: int) -> bool:
    """Whether the fraction is the number of a door, or of a flat before its house or street.

    >>> is_flat("Unit 3/27 Bourke St", 5, 9), is_flat("moved to the unit 3/27 with fever", 18, 22)
    (True, False)
    """
    before = left_of(text, start)
    if _DOOR.search(before):
        return True
    return _FLAT.search(before) is not None and _STREET_NEXT.match(right_of(text, end, reach=50)) is not None


def is_cause(text: str, start: int, end: int) -> bool:
    """Whether 2/2 stands for "secondary to": between what is and what it comes from.

    >>> is_cause("DKA 2/2 missed Lantus", 4, 7), is_cause("labs 2/2 show", 5, 8), is_cause("done 2/2.", 5, 8)
    (True, False, False)
    """
    before = left_of(text, start)
    told = _CAUSED.search(before) and _CAUSE_NEXT.match(text, end) and not TOLD.search(before)
    return text[start:end] == "2/2" and bool(told)


def is_span_of_time(text: str, start: int, end: int) -> bool:
    """Whether the fraction is a number of days, weeks, months or hours, in the hand of a note that writes them so.

    The drug before it says that ``5/7`` is five days of it.

    >>> is_span_of_time("Amox 500 tds 5/7, r/v GP", 13, 16), is_span_of_time("Mum seen by GP on 5/7", 18, 21)
    (True, False)
    """
    parts = FRACTION.fullmatch(text, start, end)
    if parts is None or parts[2] not in ("7", "12", "52", "24", "60") or parts[1].startswith("0"):
        return False
    before = left_of(text, start)
    if int(parts[1]) > 24 or not (is_british(text) or (parts[2] in ("7", "12", "52") and _is_dosed(before, text))):
        return False
    return not (DAY_TOLD.search(before) or TOLD.search(before)) and not right_of(text, end).startswith((" at ", " @"))


def _is_dosed(before: str, text: str) -> bool:
    """``fragmin 5/7``, ``next script 6/12``, in a note that does not write its months first, whole dates or not."""
    word = _LAST_WORD.search(before)
    if word is None or not (word[1] in word_list("drugs") or word[1] in _SUPPLY):
        return False
    return read_order(text) != "month first" and not _tells_months_first(text)


@lru_cache(16)
def _tells_months_first(text: str) -> bool:
    """Whether a day without a year that a word tells, as ``PET 2/28``, has its month first."""
    return any(
        int(match[1]) <= 12 < int(match[2]) <= 31 and TOLD.search(left_of(text, match.start())) is not None
        for match in _BARE.finditer(text)
    )

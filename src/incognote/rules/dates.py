"""Dates as clinicians write them: in digits (numeric_dates), years alone (years), and in words, which are here.

What a DATE span covers, after the i2b2-2014 guidelines: the date itself with its weekday when they stand side by side (``Mon 11/16``)
and the part of a month before it (``mid-July``); never a time of day, an article, the part of a year (``early 2061`` gives ``2061``) or
words that count or point (``second week of July``, ``end of July`` and ``week of July 4`` give the month or the day).
Each end of a range is a span of its own where each can stand alone (``7/2-7/5/61``, ``2059-2061``), else the range is one span
(``July 2-5``). An ISO time stamp is one span.
``MWF`` (dialysis days) is left.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.rules.context import left_of, right_of, starts_line
from incognote.rules.lazy import lazy
from incognote.rules.months import start_of_month
from incognote.rules.numeric_dates import find_numeric_dates
from incognote.rules.pattern import Check, Pattern, PatternTable, find_patterns
from incognote.rules.reading import FOUR, INNER, LETTERED, SHORT, Reading, read
from incognote.rules.units import is_quantity
from incognote.rules.weekdays import PATTERNS as WEEKDAYS
from incognote.rules.weekdays import join_weekdays
from incognote.rules.word_lists import read_word_lists
from incognote.rules.years import find_years

_M = (
    r"(?=[adfjmnos])(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_D = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_Y = r"(?:(?:18|19|20|21)\d\d|['’]\d\d)"
_ORDINAL = (
    r"(?:(?:twenty|thirty)[- ])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|tenth|eleventh|twelfth|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth"
)
_DIGIT = "(?:one|two|three|four|five|six|seven|eight|nine)"
_SPELLED_YEAR = (
    r"(?:(?:nineteen|twenty)[ -](?:oh|ten|eleven|twelve|\w{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    rf"(?:[ -]{_DIGIT})?|two thousand(?: and)? (?:{_DIGIT}|ten|eleven|twelve|\w{{3,5}}teen|twenty(?:[ -]{_DIGIT})?))\b(?! hundred)"
)
_ENDS_IN_YEAR = lazy(rf"(?:{_Y}|{_SPELLED_YEAR})$", re.IGNORECASE)
_TO = r"\s?(?:-|–|to|through|thru|and|&|or|/)\s?(?:the\s)?"


_WORDS = read_word_lists("dates")
_CUE = lazy(rf"\b(?:{_WORDS['cues']})(?:\s|-|:\s?)(?:the\s)?$")
_MONTH_CUE = lazy(
    r"\b(?:in|since|until|till|through|thru|by|from|of|during|between|before|after|around|last|this|next|past|each"
    r"|early|mid|late|to|due|f/u|or)[ -]$"
)
_MONTH_NEXT = lazy(r" (?:a1c|labs?|bloods|echo|mri|ct|scan|visit|appt|appointment|admission|surgery|mammo|colonoscopy)\b")
_MAY_VERB = lazy(rf"\s(?:{_WORDS['may_verbs']})\b")
_OWN_MONTH, _OWN_DAY = lazy(rf"\b{_M}\.?\s$", re.IGNORECASE), lazy(r"\.?\s\d{1,2}(?!\d)")
_SLIPPERY = frozenset({"may", "mar", "march", "dec", "sep", "jan", "jun", "april", "june", "august", "apr", "aug"})
# As written: OCT is also a scan, dec and mar are also words.
_SHORT_MONTHS = frozenset({"Feb", "Jul", "Sept", "Oct", "Nov"})
_NAMED_MONTHS = frozenset({"january", "february", "july", "september", "october", "november", "december"})


_DAY_BEFORE = lazy(r"(?<![\d/.:-])(?:[12]?\d|3[01]) $")
_ITEM_NEXT = lazy(r"[.)](?!\d)")


def _reads_as_month(match: re.Match[str]) -> bool:
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
    if _MAY_VERB.match(right_of(text, match.end())):
        return False
    return month == "May" or bool(re.search(r"\d(?:st|nd|rd|th)\b", match[0])) or bool(_CUE.search(left_of(text, match.start())))


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a month alone is one: July is; May, April and short forms need a cue, and may not begin a name or a verb phrase."""
    month, text = match["month"], match.string
    if month.lower() in _NAMED_MONTHS or month in _SHORT_MONTHS:
        return True
    before = left_of(text, match.start())
    if not _MONTH_CUE.search(before):
        if month[0].isupper() and month.lower() != "may" and _MONTH_NEXT.match(right_of(text, match.end())):
            return True
        other = re.match(r"(?:\.? ?[-–/] ?|\.? to )(" + _M + r")\b", right_of(text, match.end()))
        # Jun-jun is a man of the Philippines.
        return other is not None and month.lower() not in ("may", other[1])
    if month.lower() == "may" and _MAY_VERB.match(right_of(text, match.end())):
        return False
    if month.lower() in ("mar", "dec", "may", "march") and month.islower():
        return bool(re.search(r"\b(?:in|since|until|last|of|during|early|mid|late)[ -]$", before))
    return not re.match(r" (?!Dr\b)[A-Z][a-z]", text[match.end() : match.end() + 4]) or month.lower() not in _SLIPPERY


def _is_year_two_digits(match: re.Match[str]) -> bool:
    return (
        not is_quantity(match.string, match.end())
        and not re.match(r"[\s-]*(?:y|%|:\d|\.\d)", right_of(match.string, match.end()))
        and _reads_as_month(match)
    )


def _is_capital_or_cued(match: re.Match[str]) -> bool:
    """Spelled ordinals: ``May first`` and ``on may first``, not ``may first try``."""
    return match["month"][0].isupper() or bool(_CUE.search(left_of(match.string, match.start())))


def _is_dictated_or_cued(match: re.Match[str]) -> bool:
    """``january nineteenth`` needs no capital: only the months that are words too do."""
    return match["month"].lower() not in _SLIPPERY or _is_capital_or_cued(match) or _ENDS_IN_YEAR.search(match[0]) is not None


def _is_season(match: re.Match[str]) -> bool:
    """``fall`` beside a year is an event after ``a``, ``her`` or ``s/p``."""
    return not match[0].lower().startswith("fall") or not re.search(
        r"\b(?:a|an|her|his|their|s/p|after|had|from|recurrent|mechanical|unwitnessed|witnessed|with|of|due to)\s$",
        left_of(match.string, match.start()),
    )


def _is_holiday(match: re.Match[str]) -> bool:
    """Christmas disease, Christmas factor and a Christmas-tree rash are no holidays, nor is EID among small letters."""
    if match[0] == "EID" and not match.string[max(0, match.start() - 40) : match.end() + 40].isupper():
        return False
    if match[0].lower() == "lent":
        return match[0] == "Lent" and bool(
            re.search(r"\b(?:in|during|for|before|after|until|since|of) $", left_of(match.string, match.start()))
        )
    return not re.match(r"[ -](?:disease|factor|tree)", right_of(match.string, match.end()))


def _is_autumn(match: re.Match[str]) -> bool:
    """``Moved here last fall.`` is a season; ``her last fall`` and ``the last fall`` are falls."""
    return not re.search(r"\b(?:her|his|their|the|since|a|any|no|first|with|pt[’']s|patient[’']s) $", left_of(match.string, match.start()))


def _row(
    name: str, regex: str, score: float, check: Check | None = None, *, starts: tuple[str, ...], look: re.Pattern[str] | None = None
) -> Pattern:
    return Pattern(f"dates.{name}", "DATE", lazy(regex, re.IGNORECASE), score, check, starts=starts, look=look)


_MONTHS = tuple(
    "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec "
    "december".split()
)
_SEASONS = ("spring", "summer", "autumn", "fall", "winter")
_HOLIDAYS = (SHORT, INNER, *_WORDS["holiday_starts"].split("|"))
_ORDINALS = tuple(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twenty twentieth thirty thirtieth".split()
)
_PATTERNS = PatternTable(
    _row(
        "month-day",
        rf"(?<!\d-)\b(?P<month>{_M})(?:\.?\s{{1,2}}|[.-])(?:the\s)?{_D}(?![\d]|/\d{{1,2}}/\d)(?:(?:,\s{_D}(?!\d)){{0,4}}{_TO}{_D}(?![\d/]))?(?:(?:\s?[,/-]\s?|\s)(?:of\s)?{_Y}(?!\d))?",
        0.92,
        _reads_as_month,
        starts=_MONTHS,
    ),
    # The end of "Nov 30-Dec 2"; in 30-Dec-2061 the day stands before its month.
    _row(
        "month-day-last",
        rf"\b{_M}\.?\s{_D}\s?[-–]\s?(?P<phi>(?P<month>{_M})\.?\s{_D}(?!\d|/\d)(?:(?:\s?,\s?|\s)(?:of\s)?{_Y}(?!\d))?)",
        0.95,
        _reads_as_month,
        starts=_MONTHS,
    ),
    _row(
        "day-month",
        rf"(?<![A-Za-z0-9/.,#-]){_D}(?:{_TO}{_D})?[\s./-]{{0,2}}(?:day\s)?(?:of\s)?(?P<month>{_M})\b(?:\.?[\s,./-]{{0,2}}(?:of\s)?{_Y}(?!\d))?",
        0.92,
        _reads_as_month,
        starts=(SHORT,),
    ),
    _row(
        "day-month-glued",
        rf"(?<![A-Za-z0-9]){_D}[ -]?(?P<month>{_M})[ -]?(?:(?:19|20|21)?\d\d)(?![A-Za-z0-9:]|\.\d)",
        0.93,
        _is_year_two_digits,
        starts=(SHORT, INNER),
    ),
    _row("month-day-short-year", rf"\b(?P<month>{_M})\.?\s{_D}(?:,\s?|/)\d\d(?![\dA-Za-z:.-])", 0.85, _is_year_two_digits, starts=_MONTHS),
    _row(
        "month-year",
        rf"\b(?P<month>{_M})\.?(?:\s?[,/-]\s?|\s)?(?:of\s)?(?:{_Y}|(?<=[-/ ])[4-9]\d)(?![\dA-Za-z%]|[.:]\d)",
        0.9,
        _reads_as_month,
        starts=_MONTHS,
    ),
    _row("month", rf"\b(?P<month>{_M})\b", 0.75, _stands_alone, starts=_MONTHS),
    _row(
        "spelled-day",
        rf"\b(?=[efnst])(?:{_ORDINAL})(?:\sday)?\s(?:of\s)?(?P<month>{_M})\b(?:,?\s(?:{_Y}|(?:in\s)?{_SPELLED_YEAR}))?",
        0.85,
        _is_capital_or_cued,
        starts=_ORDINALS,
    ),
    _row(
        "month-spelled-day",
        rf"\b(?P<month>{_M})\s(?:the\s)?(?:{_ORDINAL})\b(?:,?\s(?:{_Y}|{_SPELLED_YEAR}))?",
        0.8,
        _is_dictated_or_cued,
        starts=_MONTHS,
    ),
    _row("year-month-day", rf"(?<![A-Za-z0-9/.,-])(?:18|19|20|21)\d\d[ /-](?P<month>{_M})[ /-]{_D}(?![A-Za-z0-9])", 0.95, starts=(FOUR,)),
    _row(
        "day-of-this-month",
        r"\b(?:(?:on|by|until|till?|since|from|actually|or|before|after) (?:or about )?the|on|until|till?|since) "
        r"(?P<phi>(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th))(?=\s*(?:[,.;)]|$)|\s(?:at|and|for|when|to|she|he|w/|with)\b)",
        0.7,
        starts=("on", "by", "until", "till", "til", "since", "from", "actually", "or", "before", "after"),
    ),
    _row(
        "day-of-told-month",
        rf"\b(?:(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)|{_ORDINAL})(?= of (?:this|last|next|the same) month\b)",
        0.7,
        starts=(SHORT, *_ORDINALS),
    ),
    _row("season", rf"\b(?:spring|summer|autumn|fall|winter)(?: of(?: the year)?|,)?\s{_Y}(?![\d%])", 0.85, _is_season, starts=_SEASONS),
    _row(
        "season-told",
        r"\b(?:last|next|this|by|until)(?: past| coming)? (?P<phi>spring|summer|autumn|winter)\b",
        0.7,
        starts=("last", "next", "this", "by", "until"),
    ),
    _row(
        "season-fall",
        r"\b(?:last|by|in|until|flu|this|next|this past|this coming) (?P<phi>fall)(?=\s*(?:[,.;)]|$))",
        0.65,
        _is_autumn,
        starts=("last", "by", "in", "until", "flu", "this", "next"),
    ),
    _row("season-in", r"\bin the (?P<phi>spring|summer|autumn|winter)\b(?! of \d)", 0.6, starts=("in",)),
    _row(
        "spelled-year",
        rf"\b(?:in|since|from|until|of|year|no,|it[’']s) (?P<phi>{_SPELLED_YEAR})",
        0.75,
        lambda match: not is_quantity(match.string, match.end()),
        starts=("in", "since", "from", "until", "of", "year", "no", "it"),
    ),
    _row(
        "quarter",
        rf"\bQ[1-4](?: of|,)? ?{_Y}(?!\d)|\b(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter(?: of|,)? {_Y}(?!\d)",
        0.9,
        starts=(SHORT, INNER, LETTERED, "first", "second", "third", "fourth"),
    ),
    _row(
        "quarter-bare",
        r"\b(?:in|by|for|during|end of|late|early|until|since) (?P<phi>Q[1-4])\b(?! ?(?:h|hr|hours|days?|wk|weeks?|months?)\b)",
        0.75,
        starts=("in", "by", "for", "during", "end", "late", "early", "until", "since"),
    ),
    _row(
        "holiday",
        rf"\b(?:{_WORDS['holidays']})\b(?: weekend\b)?(?:,?\s{_Y}(?!\d))?",
        0.85,
        _is_holiday,
        starts=_HOLIDAYS,
        look=lazy(r"4t|[^\W\d_]", re.IGNORECASE),  # the only number that one starts with is 4th
    ),
    _row(
        "foreign",
        rf"(?<![\w/.-])(?:0?[1-9]|[12]\d|3[01])(?:er|\.)?\s(?:de\s)?(?:{_WORDS['foreign_months']})\b(?:,?\s(?:del?\s)?(?:19|20|21)\d\d(?!\d))?",
        0.9,
        starts=(SHORT,),
    ),
)


def find_dates(text: str | Reading) -> Iterator[Span]:
    """Spans of DATE in the text; they may overlap.

    >>> sorted((s.start, s.end) for s in find_dates("Mon 11/16: BP 128/84, MI '58"))
    [(0, 3), (0, 9), (4, 9), (25, 28)]
    """
    reading = read(text)
    spans = [*find_numeric_dates(reading), *find_years(reading), *find_patterns(_PATTERNS, reading), *find_patterns(WEEKDAYS, reading)]
    yield from (_with_part(span, reading.text) for span in spans)
    yield from join_weekdays(spans, reading.text)


def _with_part(span: Span, text: str) -> Span:
    start = start_of_month(text, span.start) if span.source.startswith("rules.dates.month") else span.start
    return span if start == span.start else replace(span, start=start)

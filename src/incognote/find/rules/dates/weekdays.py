"""Weekdays, alone (``held Mon``), with the day of the month (``tues the 4th``), and beside a date, which they join."""

import re
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable
from incognote.lexicon.calendar import MONTH, MONTH_STARTS, SHORT_WEEKDAY, SHORT_WEEKDAYS, WEEKDAY, WEEKDAYS
from incognote.lexicon.context import left_of, right_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity

_M = rf"(?:{MONTH_STARTS})[a-z]*"
_DAY_CUE = lazy(
    r"\b(?:on|this|last|next|since|until|till|by|thru|every|each|q|f/u|appt|visit|due|for|from|again|(?:pt/)?ot|bmp|cbc|labs)[ :]$"
)
# Short weekdays that are nothing else, in any case; as written with a capital; and the rest, which need a cue.
_SURE_DAYS = frozenset({"tue", "tues", "weds", "thur", "thurs", "fri"})
_CAPITAL_DAYS = frozenset({"Mon", "Wed", "Thu"})
_BESIDE = lazy(r"\.?,? (?:the |(?P<of>(?:of|in) ))?")
_MONTH_NAME = lazy(rf"{MONTH}\b", re.IGNORECASE)
_CLAUSE_END = lazy(r"\s*(?:$|[,;)]|\.(?:\s|$)|\t)")


def _is_short_day(match: re.Match[str]) -> bool:
    """``Sat`` may be a saturation and ``sun`` a star: a short weekday needs a cue before it or a date or a time after it."""
    text, word = match.string, match["phi"].lower().rstrip(".")
    before, after = left_of(text, match.start()), right_of(text, match.end())
    if word == "sat" and re.match(r"[.:]? ?(?:\d\d\b(?!/)|%|of|was|is|on|in|probe|monitor|drop|up\b|down|at)", after):
        return False
    # "VSI 96 FRI 97 WMI 72": an index among others.
    if match["phi"].isupper() and re.search(r"\d $", before) and re.match(r" \d{2,3} [a-z]{2,5}\b", after):
        return False
    if match["phi"] == "sat" and re.search(r"\b(?:then|and|he|she|pt|patient|who|they|just|has|had) $", before):
        return False
    if word in _SURE_DAYS or match["phi"] in _CAPITAL_DAYS:
        return True
    if re.match(rf"\.?,? ?(?:\d{{1,2}}[/-]\d|{_M}\b|at \d|\d{{1,2}}(?::\d\d)? ?[ap]\.?m|am\b|pm\b|morning|night|evening|afternoon)", after):
        return True
    # "Sun 158/97, Mon 161/99": the day of a pressure.
    if match["phi"][0].isupper() and re.match(r",? \d{3}/\d{2,3}\b", after):
        return True
    if re.match(rf"\.? ?(?:[,/&–-]|and|or|to|thru) ?{SHORT_WEEKDAY}\b", after) or re.search(
        rf"\b{SHORT_WEEKDAY}\.? ?(?:[,/&–-]|and|or|to|thru) ?$", before
    ):
        return True
    if word == "sun" and re.search(r"\b(?:on|last|this|next|since|until) $", before):
        return not after.startswith((" exp", "-"))
    ended = _CLAUSE_END.match(after) and re.search(
        r"(?:\b(?:tx|dispo|recheck|held|hold|mtg|re-?see|restart|resume|start)|\d{4}|#\d) $", before
    )
    return bool(ended) or (word != "sun" and bool(_DAY_CUE.search(before)))


def _is_bare_day(match: re.Match[str]) -> bool:
    return not is_quantity(match.string, match.end("phi"))


def _row(name: str, regex: str, score: float, check: Check | None = None, *, starts: tuple[str, ...]) -> Pattern:
    return Pattern(f"dates.{name}", "DATE", lazy(regex, re.IGNORECASE), score, check, starts=starts)


_DAYS = (*WEEKDAYS, *(f"{day}s" for day in WEEKDAYS))
WEEKDAY_PATTERNS = PatternTable(
    _row(
        "weekday-day",
        rf"\b(?P<phi>(?:{WEEKDAY}|{SHORT_WEEKDAY})\.?,? (?:the )?(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th))(?! (?:of )?{_M}\b)(?![A-Za-z0-9])",
        0.9,
        starts=(*_DAYS, *SHORT_WEEKDAYS),
    ),
    _row(
        "weekday-number",
        rf"\b(?P<phi>(?:{WEEKDAY}|mon|tues?|weds?|thu(?:rs?)?|fri) (?:3[01]|[12]\d|[1-9]))(?=[,.;)]|\s\d{{4}}\b|\s?$)(?!\.\d)",
        0.75,
        _is_bare_day,
        starts=(*_DAYS, *SHORT_WEEKDAYS),
    ),
    _row("weekday", rf"\b{WEEKDAY}s?\b(?![- ]night (?:palsy|retinopathy))", 0.95, starts=_DAYS),
    _row("weekday-short", rf"\b(?P<phi>{SHORT_WEEKDAY})\b", 0.7, _is_short_day, starts=SHORT_WEEKDAYS),
)


def join_weekdays(weekdays: Iterable[Span], dates: Iterable[Span], text: str) -> Iterator[Span]:
    """A weekday and the date beside it are one date: ``Mon 11/16``, ``Tuesday, July 2nd``, ``Monday of May``."""
    starts = {span.start: span for span in sorted(dates, key=len)}
    for span in weekdays:
        gap = _BESIDE.match(text, span.end)
        date = starts.get(gap.end()) if gap else None
        if gap and date and (not gap["of"] or _MONTH_NAME.match(text, date.start)):
            yield Span(span.start, date.end, "DATE", date.score, "rules.dates.weekday-date")

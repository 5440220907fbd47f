"""Calendar years that stand alone (``since 2066``, ``CABG '58``, ``the 1990s``): taken only where the context reads as a year.

A number is never a year by itself (``WBC 2050``, ``2000 mL``). Each four-digit candidate is found once and weighed by
what stands left and right of it, so that the cost follows the candidates and not the length of the note.
"""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import FOUR, LETTERED, MARKED, SHORT, Reading
from incognote.lexicon.context import left_of, line_around, right_of, starts_line
from incognote.lexicon.hours import is_hour
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

_Y = r"(?:19|20|21)\d\d"
_YEARS = lazy(rf"(?<![A-Za-z0-9/.$#+])(?:{_Y}|['’]\d\d)(?![A-Za-z0-9%'’\"]|[.,:]\d|/(?!{_Y}))")
_SHORT_RANGE = lazy(rf"(?<![A-Za-z0-9/.,$#+-])({_Y})[-–/](\d\d)(?![\d/%]|-\d)")
_DECADE = lazy(r"(?<![A-Za-z0-9$.,'’-])(?:(?:19|20|21)\d0['’]?s|['’]\d0s)\b")
_SHORT_DECADE = lazy(r"(?<![A-Za-z0-9$.,'’])[2-9]0['’]?s\b")

_ABOUT = r"(?:(?:about|approximately|around|approx\.?|early|mid|late|the year|the|or) ){0,2}(?:early-|mid-|late-)?(?:~ ?)?$"
_IN = lazy(
    r"(?:\b(?:in|since|during|circa|ca\.?|years?|early|mid|late|(?:as|fall|autumn|class|end|start|beginning|middle) of)[ :]"
    rf"|\b(?:mid|early|late|pre|post)-){_ABOUT}"
)
_AROUND = lazy(rf"\b(?:until|till|before|after|by|around|from|between|through|thru|prior to|sometime|says) {_ABOUT}")
_RANGE_BEFORE = lazy(rf"(?<![a-z0-9/.$#+])({_Y})\s?(?:-|–|/|to|through|thru|until|and|&)\s?$")
_LIST_BEFORE = lazy(rf"\b(?:in|since) {_Y}(?:, {_Y}){{0,4}}(?:,? (?:and|&|or)|,) $")
_RANGE_NEXT = lazy(rf"\s?(?:-|–|/|to|through|thru|until|and|&)\s?({_Y})(?![a-z0-9/%]|[.,:]\d)")
_LIST_GAP = lazy(r"(?:,|;|/)? ?(?:and |& )?")
_CLAUSE_END = lazy(r"\s?(?:$|[,;)]|\.(?:\s|$))| (?:at|by|with|for|in|and)\b")
_WORD_BEFORE = lazy(r"[a-z)]{2} $")
_HISTORY_LINE = lazy(r"\b(?:pmhx?|pshx?|hx|history|surger(?:y|ies)|s/p|immuni[sz]ations|imms|fhx?|last)\b")
_FOUR = lazy(r"(?<![\w/.:,-])\d{4}(?![\w/%:]|[.,]\d)")
_VISIT = lazy(r"\b(?:seen|review|reviewed|clinic|visit|follow-?up)[ :]{1,2}$")
_BRACKET = lazy(r"[(\[](?:[^()\[\]]{0,30}[ ,])?$")
# A decade of the past (``since the 80s``), and not the range of a vital sign (``sats in the 80s``).
_THE_DECADE = lazy(
    r"\b(?:since|back in|from|during|of|(?:in|by|until) the (?:early|mid|late)) (?:the )?(?:early |mid |late |early-|mid-|late-)?$"
)
_HISTORY = lazy(
    r"\b(?:diagnosed|surger(?:y|ies)|smok(?:ed|ing|er)|quit|born|divorced|married|hospitali[sz]ed|underwent|smear|moved|worked|used|drank|\w+ectomy)\b"
    r"[^.;]{0,40} in the $"
)
_WORDS = read_word_lists("dates")
_VITAL = lazy(rf"\b(?:{_WORDS['vitals']})\b[^.;]{{0,50}}$")
_MEASURE = lazy(rf"\b(?:{_WORDS['measures']})\W{{0,3}}(?:of |is |was )?$")
# "NPO after 2000".
_CLOCK = lazy(rf"\b(?:{_WORDS['clock']})\b")
_BIRTH_BEFORE = lazy(r"\b(?:y\.?o\.?b\.?|birth year|year of birth)[ :]{1,3}$")
# The year of the budget; an FY2 is a young doctor.
_FISCAL = lazy(r"(?<![A-Za-z0-9])(?:Q[1-4][ ,/-]{0,2})?FY ?['’]?(?:(?:19|20|21)\d\d|[0-4]\d)(?:[ ,/-]{0,2}Q[1-4])?(?![\dA-Za-z%]|\.\d)")
_EVENT_BEFORE = lazy(rf"(?<![\w/])(?:{_WORDS['events']})(?: in| x\d|,|:| -| \()? ?$")
_EVENT_NEXT = lazy(rf"(?:,|:| -)? (?:s/p )?(?:{_WORDS['events']})\b")


def find_fiscal_years(reading: Reading) -> Iterator[Span]:
    """Spans of fiscal years, with their quarter: ``Q3 FY23``."""
    for match in reading.matches(_FISCAL, (LETTERED, "fy")):
        yield _span(match, 0.8, "year-fiscal")


def find_years(reading: Reading) -> Iterator[Span]:
    """Spans of calendar years without a month: single years, both ends of a range, decades."""
    text = reading.text
    taken = -1
    for match in reading.matches(_YEARS, (FOUR, MARKED)):
        if not is_quantity(text, match.end()):
            score, name = _weigh(match, text)
            if not score and taken > 0 and match.start() - taken < 7 and _LIST_GAP.fullmatch(text, taken, match.start()):
                score, name = 0.65, "year-list"
            if score:
                taken = match.end()
                yield _span(match, score, name)
    for match in reading.matches(_SHORT_RANGE, (FOUR,)):
        if int(match[1]) % 100 < int(match[2]) and not is_quantity(text, match.end()) and not _MEASURE.search(left_of(text, match.start())):
            yield _span(match, 0.65, "year-range")
    for match in reading.matches(_DECADE, (FOUR, MARKED)):
        yield _span(match, 0.9, "decade")
    for match in reading.matches(_SHORT_DECADE, (SHORT,)):
        before = left_of(text, match.start(), reach=70)
        if (_THE_DECADE.search(before) or _HISTORY.search(before)) and not _VITAL.search(before):
            yield _span(match, 0.6, "decade-short")


def _span(match: re.Match[str], score: float, name: str) -> Span:
    return Span(match.start(), match.end(), "DATE", score, f"rules.dates.{name}")


def _weigh(match: re.Match[str], text: str) -> tuple[float, str]:
    """How sure it is that the candidate is a year, and by which evidence; 0 when there is none."""
    before, after = left_of(text, match.start(), reach=60), right_of(text, match.end())
    if _BIRTH_BEFORE.search(before):
        return 0.9, "year-of-birth"
    if _EVENT_BEFORE.search(before):
        return 0.8, "year-of-event"
    if _EVENT_NEXT.match(after) and (starts_line(text, match.start()) or re.search(r"[,;:.(]\s?$|- $", before)):
        return 0.75, "year-before-event"
    if not match[0].isdigit():
        return (0.75, "year-apostrophe") if not before or before[-1] in " (-/,;:~\t" else (0.0, "")
    if _is_in_range(int(match[0]), before, after):
        return 0.8, "year-range"
    if _IN.search(before) or _LIST_BEFORE.search(before):
        return 0.85, "year-in"
    if _AROUND.search(before) and (int(match[0]) % 100 >= 60 or (int(match[0]) < 2036 and not _CLOCK.search(before))):
        return 0.65, "year-around"
    if _BRACKET.search(before) and after[:1] in (")", "]", ",") and not _MEASURE.search(before):
        return 0.75, "year-bracketed"
    if starts_line(text, match.start()) and re.match(r" ?[:–-] ?[a-z]", after):
        return 0.7, "year-heads-line"
    if _WORD_BEFORE.search(before) and _CLAUSE_END.match(after) and not _MEASURE.search(before) and _is_told_by_line(match, text):
        return 0.6, "year-ends-clause"
    return 0.0, ""


def _is_told_by_line(match: re.Match[str], text: str) -> bool:
    """Whether a year at the end of a clause is one: no clock shows 1987, and a line of past events holds few other numbers."""
    year, before = int(match[0]), left_of(text, match.start(), reach=120)
    # "Seen 2024." is twenty past eight only where the note writes its hours so.
    visited = _VISIT.search(before) is not None and not _has_hours(text, match)
    return 1940 <= year < 2040 and (year % 100 >= 60 or visited or _HISTORY_LINE.search(before) is not None)


def _has_hours(text: str, match: re.Match[str]) -> bool:
    """Whether another number on the line is a time of day in four figures."""
    others = _FOUR.finditer(text, *line_around(text, match.start()))
    return any(other.start() != match.start() and is_hour(text, *other.span()) for other in others)


def _is_in_range(year: int, before: str, after: str) -> bool:
    """Whether another year stands beside this one, in order, within a lifetime, and not on the quarter hours of a clock."""
    earlier, later = _RANGE_BEFORE.search(before), _RANGE_NEXT.match(after)
    pairs = [(int(earlier[1]), year)] if earlier else []
    pairs += [(year, int(later[1]))] if later else []
    return any(first < last <= first + 90 and not (_on_clock(first) and _on_clock(last)) for first, last in pairs)


def _on_clock(year: int) -> bool:
    return year % 100 < 60 and year % 5 == 0 and year % 100 % 15 == 0

"""Ages of people, in figures and in words, whatever the age: a policy decides later which are kept.

What an AGE span covers, after the i2b2-2014 guidelines: the number alone, without its unit (``67`` of ``67yo`` and of
``67-year-old``, ``18`` of ``18-month-old``, ``sixty-seven`` of ``sixty-seven-year-old``, ``2 1/2`` of ``2 1/2 year old``), and the decade
with its ending (``90s`` of ``in her 90s``, ``forties``). A word that is an age (``nonagenarian``) is covered whole. Not ages of a person:
durations, pack-years, gestational ages, and the age of a wound, a graft or a device. From 90 on, days, weeks and months keep their unit.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.find.rules.ages.checks import (
    is_after_birth,
    is_after_sex,
    is_bare_age,
    is_beside_birth,
    is_kin_age,
    is_no_advice,
    is_no_temperature,
    is_of_person,
    is_of_relative,
    is_small_child,
)
from incognote.find.rules.ages.named import find_named_ages
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import FOUR, INNER, MARKED, SHORT, THREE, Reading
from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

_WORDS = read_word_lists("ages")
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_SPELLED = rf"(?=[efhnost])(?:(?:one[ -])?hundred(?:(?: and)? (?:{_ONES}|{_TEENS}))?|(?:{_TENS})(?:[ -](?:{_ONES}))?|{_TEENS}|{_ONES})"
_N = r"(?:1[0-2]\d|\d{1,2})"
_FIGURE = rf"(?<![A-Za-z0-9/.,:$+]){_N}"
_DONE = r"(?![\d/%]|[.:]\d)"
_PART = r"(?:\.\d|[ -](?:and )?(?:a )?\d{1,2}/\d{1,2}|½|¼|¾| ½)?"
_GAP = r"[ -]{0,3}"
_YEAR = r"(?:years?|yrs?\.?|y\.?)"
_SMALL = r"(?:months?|mos?\.?|mths?|weeks?|wks?\.?|days?|hours?)"
_OLD = rf"{_GAP}(?:old\b|of age\b|in age\b|olds\b)"
_YO = rf"(?:y\.? ?/? ?o\b\.?|y\.? ?o\.|yo(?:[mfwb]|[wb][mf]|aa[mf])?\b|yr-?old|{_YEAR}{_OLD}|year-?old)"
_IS = r"(?: of|:| at (?:death|onset|diagnosis|accident|injury|visit|time of \w+):?| is| was| \(years\):?| ?/ ?sex ?:?|/gender ?:?)?"
_ABOUT = r"(?:about |approximately |around )?"
_WHOSE = r"(?:his|her|their|my|pt[’']?s|patient[’']s)"
_PHASE = r"(?:early|mid|middle|late|upper)?[ -]?(?:to late |to mid )?"
_PERSON = rf"(?:{_WORDS['people']})"


def _row(name: str, regex: str, score: float, check: Check | None = None, *, starts: tuple[str, ...] = (SHORT, THREE)) -> Pattern:
    return Pattern(f"ages.{name}", "AGE", lazy(regex, re.IGNORECASE), score, check, starts=starts)


# A figure, and after it what may begin a unit, a sex or a second figure.
_UNIT_NEXT = lazy(rf"{_FIGURE}{_PART}{_GAP}[abdfhlmortwy,/–-]", re.IGNORECASE)


def _figure_row(name: str, regex: str, score: float, check: Check | None = None) -> Pattern:
    return replace(_row(name, regex, score, check), look=_UNIT_NEXT)


_SPELLED_STARTS = tuple(f"hundred|{_TENS}|{_TEENS}|{_ONES}".split("|"))
_OLD_AGES = (*(f"{tens}genarian" for tens in ("quadra", "quinqua", "sexa", "septua", "octo", "nona")), "centenarian")
_TENTH = "(?:twen|thir|for|fif|six|seven|eigh|nine)tieth|hundredth"
_BIRTHDAY_STARTS = (*_TENS.split("|"), *(f"{tens}tieth" for tens in "twen thir for fif six seven eigh nine".split()), "hundredth")
# The words leave no doubt: a word that is an age, or the age of a milestone.
SURE_PATTERNS = PatternTable(
    _row("word", r"\b(?:quadra|quinqua|sexa|septua|octo|nona)genarian\b|\bcentenarian\b", 0.9, starts=_OLD_AGES),
    _row(
        "done-at",
        rf"\b(?:{_WORDS['milestones']})(?: by)? (?:at|@|by)(?: age)? (?P<phi>{_N}|{_SPELLED})\b{_DONE}"
        r"(?!:|[ -](?:am|pm|h|weeks|hours|days|times)\b)",
        0.75,
        starts=tuple(_WORDS["milestones"].split("|")),
    ),
    # An age and the years since, or a marriage as long as that, add up to an age over 89.
    _row(
        "then-ago",
        rf"\b(?:at|since)(?: age| the age of)? (?P<phi>[1-9]\d)(?:,| \(| -)? ?{_ABOUT}(?:{_N}|{_SPELLED}) (?:years?|yrs?) (?:ago|back)\b",
        0.75,
        starts=("at", "since"),
    ),
    _row(
        "ago-then",
        rf"\b(?:{_N}|{_SPELLED}) (?:years?|yrs?) ago,? (?:at|when (?:he|she) was)(?: age| the age of)? (?P<phi>[1-9]\d){_DONE}"
        rf"(?! ?(?:{_SMALL}|mm|cm|mg)\b)",
        0.75,
        starts=(SHORT, THREE, *_SPELLED_STARTS),
    ),
    _row(
        "lasting",
        r"\b(?:married|together)(?:,| to [\w ]{2,20}| x| for| about| over| almost| nearly| more than){0,3} (?P<phi>7[4-9]|8\d)"
        r" ?(?:years|yrs)\b(?! ?(?:old|of age))",
        0.75,
        starts=("married", "together"),
    ),
)
PATTERNS = PatternTable(
    _figure_row("years-old", rf"(?P<phi>{_FIGURE}{_PART}){_GAP}{_YO}", 0.97, is_of_person),
    _figure_row(
        "years-old-first", rf"(?P<phi>{_FIGURE}){_GAP}(?:-|–|to|or|and|,)(?: and)?{_GAP}{_N}{_PART}{_GAP}{_YO}", 0.85, is_of_person
    ),
    _figure_row(
        "small-old", rf"(?P<phi>{_FIGURE}{_PART}){_GAP}(?:{_SMALL}{_OLD}|[mdw]\.?/?o\.?\b(?= ?(?:{_PERSON}|[mf]\b)))", 0.95, is_of_person
    ),
    _figure_row(
        "small-person", rf"(?P<phi>{_FIGURE}{_PART}){_GAP}(?:mo|wk|week|month|day)s?\.? (?:{_PERSON}|[mf])\b", 0.85, is_small_child
    ),
    _figure_row(
        "years-and-months", rf"(?P<phi>{_FIGURE}){_GAP}(?:{_YEAR}|{_SMALL}),?(?: and)? ?\d{{1,2}}{_GAP}{_SMALL}{_OLD}", 0.9, is_of_person
    ),
    _figure_row("years-person", rf"(?P<phi>{_FIGURE}){_GAP}(?:{_YEAR}),? (?:\w+ ){{0,2}}?(?:{_PERSON})\b", 0.8, is_of_person),
    _row(
        "spelled-old",
        rf"\b(?P<phi>{_SPELLED}(?: and (?:a|one) half)?)[ -]{{1,3}}(?:(?:{_YEAR}|{_SMALL}){_OLD}|years? of age)",
        0.95,
        is_of_person,
        starts=_SPELLED_STARTS,
    ),
    _figure_row("sex-glued", rf"(?P<phi>{_FIGURE}) ?(?:y ?)?(?-i:[WBH]|AA)?(?-i:[MF])\b(?=[ ,.;?]|$)", 0.75, is_no_temperature),
    _figure_row(
        "sex-glued-small",
        rf"(?P<phi>{_FIGURE})[mf] (?=(?:{_WORDS['sex_next']})\b)",
        0.7,
        is_no_temperature,
    ),
    _figure_row("sex-race", rf"(?P<phi>{_FIGURE}) ?(?:y/?o )?(?:WM|WF|BM|BF|HM|HF|AAM|AAF|RHM|RHF|LHM|LHF)\b(?!/)", 0.85),
    _figure_row("sex-slash", rf"(?P<phi>{_FIGURE}) ?/ ?[MF]\b", 0.8),
    _row("sex-slash-last", rf"\b[MF] ?/ ?(?P<phi>{_N}){_DONE}", 0.75, is_after_sex, starts=("m", "f")),
    _row(
        "aged",
        rf"\b(?:aged?|ages){_IS}[ :=\t|]{{1,3}}{_ABOUT}(?P<phi>{_N}{_PART}){_DONE}(?!-?year)",
        0.9,
        is_bare_age,
        starts=("age", "aged", "ages"),
    ),
    _row(
        "aged-next",
        rf"\b(?:ages {_N}(?:, ?{_N}){{0,6}}(?:, ?|,? and | & )|ages? {_N}(?:-| to | and ))(?P<phi>{_N}){_DONE}",
        0.85,
        is_no_advice,
        starts=("age", "aged", "ages"),
    ),
    _row("aged-semicolon", r"\bage(?:d|\b[^\n;]{0,20}?)[ :=(]{1,2}(?P<phi>\d{1,2};(?:1[01]|\d))(?![\d;])", 0.85, starts=("age", "aged")),
    _row("aged-middle", rf"\bages {_N}(?:, ?{_N}){{0,5}}, ?(?P<phi>{_N})(?=,| and )", 0.85, starts=("age", "aged", "ages")),
    _row("aged-spelled", rf"\b(?:aged?|age of) (?P<phi>{_SPELLED})\b", 0.85, starts=("age", "aged", "ages")),
    _row("decade", rf"\bin {_WHOSE} {_PHASE}[-’']?(?P<phi>[1-9]0[’']?s)\b", 0.95, starts=("in",)),
    _row(
        "decade-spelled", rf"\bin {_WHOSE} {_PHASE}(?P<phi>teens|twenties|(?:thir|for|fif|six|seven|eigh|nine)ties)\b", 0.95, starts=("in",)
    ),
    _row(
        "turned",
        rf"\b(?:turned|turns|turning|just turned|will turn|to turn) (?P<phi>{_N}|{_SPELLED}\b){_DONE}",
        0.8,
        is_bare_age,
        starts=("turned", "turns", "turning", "just", "will", "to"),
    ),
    _row(
        "will-be",
        r"\b(?:(?:he|she|who|mom|mum|dad|mother|father|wife|husband|patient|pt|baby) will|(?:he|she)[’']ll) be "
        rf"(?P<phi>{_N}|{_SPELLED}\b){_DONE}"
        r"(?= (?:in|on|this|next|tomorrow|soon|years|yrs)\b|[,.;]|$)(?! (?:in|on) (?:\d|a |an |the (?:chair|ward|icu)))",
        0.8,
        is_bare_age,
        starts=("he", "she", "who", "mom", "mum", "dad", "mother", "father", "wife", "husband", "patient", "pt", "baby"),
    ),
    _row("birthday", r"\b(?P<phi>(?:1[0-2]\d|\d{1,2})(?:st|nd|rd|th)) b(?:irth|-)?day\b", 0.9, starts=(SHORT, INNER, THREE)),
    # Dictated: an age in words may be over 89, too.
    _row(
        "birthday-spelled",
        rf"\b(?P<phi>{_TENTH}|(?:{_TENS})-(?:first|second|third|[a-z]+th)) b(?:irth|-)?day\b",
        0.9,
        starts=_BIRTHDAY_STARTS,
    ),
    _row(
        "died-at",
        rf"\b(?:died|deceased|passed|passed away|expired|d\.) at {_ABOUT}(?P<phi>{_N}){_DONE}",
        0.85,
        is_bare_age,
        starts=("died", "deceased", "passed", "expired", "d"),
    ),
    _row("day-of-life", r"\b(?:dol|day of life)[ #:]{0,3}(?P<phi>\d{1,3})(?![\d/]|\.\d)", 0.9, starts=("dol", "day")),
    _row("aged-pair", rf"\bages {_N} ?/ ?(?P<phi>{_N}){_DONE}", 0.85, starts=("ages",)),
    _row("aged-pair-first", rf"\bages (?P<phi>{_N})(?= ?/ ?{_N}\b)", 0.85, starts=("ages",)),
    _row("aged-months", rf"\bage\b[^\n]{{0,30}}?\d ?{_YEAR},? (?P<phi>\d{{1,2}}) ?(?:m|mos?|months?)\b", 0.85, starts=("age",)),
    _row("aged-small", rf"\bage: ?(?P<phi>{_N}) ?(?:m|mos?|months?|wks?|weeks?|d|days?)\b", 0.9, starts=("age",)),
    _row("aged-far", rf"\bage ?:[^\n;]{{0,20}}[/ ] ?(?P<phi>{_N}) ?(?:y|yrs?|years?)\b", 0.85, starts=("age",)),
    _row(
        "years-sex",
        rf"(?P<phi>(?<![A-Za-z0-9/.,:$+])0?{_N}) ?(?:y|yrs?|yo)\.?,?[ \t]{{1,4}}(?-i:[MF])\b",
        0.85,
        starts=(SHORT, THREE, FOUR),
    ),
    _row("years-first", rf"(?:(?<![^\n])|(?<=[.!?:] ))(?P<phi>{_N}) ?yrs?(?=[,.;]| [mf]\b)", 0.75),
    _row("small-first", rf"(?<![^\n])(?P<phi>{_N}) ?(?:mo|wk|yr)s? (?:\(\d{{1,2}} ?wks?\) )?(?:ex-|with|w/|here)", 0.8),
    _row("small-second", rf"(?<=mo \()(?P<phi>{_N}) ?wks?\)", 0.7),
    _figure_row("well-visit", rf"(?P<phi>{_FIGURE})[ -]?(?:mo(?:nth)?|wk|week|yr|year)s?[ -](?:well|wcc|check|physical|visit|shots)", 0.8),
    _row(
        "well-visit-at",
        rf"\bwell[ -](?:child|baby)[^\n\d]{{0,18}}(?P<phi>{_N})[ -]?(?:mo(?:nth)?|wk|week|yr|year)s?\b",
        0.85,
        starts=("well",),
    ),
    _row("menarche", rf"\bmenarche[ :,]{{1,2}}(?P<phi>{_N}){_DONE}(?! ?days)", 0.8, starts=("menarche",)),
    _row(
        "said",
        r"\b(?:he|she|who) (?:is|was) (?P<phi>(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w{3,5})?)(?=[,.;?]| and\b|$)",
        0.8,
        starts=("he", "she", "who"),
    ),
    _row(
        "decade-of",
        r"(?:(?<=est )|(?<=est\. )|(?<=~)|(?<=early )|(?<=mid )|(?<=late )|(?<=mid-))(?P<phi>[1-9]0s) ?"
        rf"(?=[mf]\b|(?:yo |y/o )?(?:{_PERSON})\b|→)",
        0.8,
        starts=(SHORT,),
    ),
    _row(
        "relative-died",
        r"(?:(?<=d\. )|(?<=@ )|(?<=@)|(?<=ca )|(?<=cancer )|(?<=MI )|(?<=stroke )|(?<=dx )|(?<=\d\d and ))"
        rf"(?P<phi>{_N}){_DONE}(?![A-Za-z-])(?=[,;.)]| and |$)",
        0.7,
        is_of_relative,
    ),
    _row(
        "done-since",
        rf"\b(?:(?:dx|dx[’']d|diagnosed) at|(?:smok(?:ed|ing|es|er)|drinking|drank|cutting|vaping|using|worked|working) (?:since|from|at))"
        rf"(?: age)? (?P<phi>{_N}){_DONE}(?=[,.;)]|$| (?:on|and|with|after|when)\b)",
        0.7,
        starts=tuple("dx diagnosed smoked smoking smokes smoker drinking drank cutting vaping using worked working".split()),
    ),
    _row("now-small", rf"\bnow (?P<phi>{_N}) (?:{_SMALL})(?=[.,;)]|$)", 0.75, is_after_birth, starts=("now",)),
    _row("bracketed", rf"\((?P<phi>{_N}) ?{_YEAR}\)", 0.8, starts=(MARKED,)),
    _row("beside-birth", rf"(?<=[/ -])\d{{2,4}}  ?\((?P<phi>{_N})\)", 0.7, is_beside_birth, starts=(SHORT, THREE, FOUR)),
    _row(
        "beside-birth-years", rf"(?<=[/ -])\d{{2,4}} {{1,4}}(?P<phi>{_N}) ?y(?:rs?)?\b", 0.8, is_beside_birth, starts=(SHORT, THREE, FOUR)
    ),
    _row("kin", rf"(?P<phi>{_FIGURE}){_DONE}(?![A-Za-z-])", 0.65, is_kin_age),
)


def find_sure_ages(reading: Reading) -> Iterator[Span]:
    """Ages that the words themselves prove.

    >>> text = "a frail nonagenarian; walked at 14 months"
    >>> [text[span.start : span.end] for span in find_sure_ages(Reading(text))]
    ['nonagenarian', '14']
    """
    return find_patterns(SURE_PATTERNS, reading)


def find_ages(reading: Reading) -> Iterator[Span]:
    """Spans of AGE in the text; they may overlap.

    >>> [(s.start, s.end, s.source) for s in find_ages(Reading("67yo man, mother died at 91 y/o"))]
    [(0, 2, 'rules.ages.years-old'), (25, 27, 'rules.ages.years-old'), (25, 27, 'rules.ages.died-at')]
    """
    yield from find_sure_ages(reading)
    yield from (_with_unit(span, reading.text) for span in find_patterns(PATTERNS, reading))
    yield from find_named_ages(reading)


_SMALL_NEXT = lazy(rf"{_GAP}{_SMALL}(?![a-z])", re.IGNORECASE)
_LIFE_BEFORE = lazy(r"\b(?:dol|day of life)[ #:]{0,3}$", re.IGNORECASE)


def _with_unit(span: Span, text: str) -> Span:
    """The span with the unit of 95 days or the DOL before them: alone, the number would be the age of somebody very old."""
    value = text[span.start : span.end]
    if not value.isdigit() or int(value) < 90:
        return span
    unit, life = _SMALL_NEXT.match(text, span.end), _LIFE_BEFORE.search(text, max(0, span.start - 14), span.start)
    return replace(span, start=life.start() if life else span.start, end=unit.end() if unit else span.end)

"""Checks of ages: a thing, a temperature, a tube or a guideline is no person; a relative or a birth date is evidence for one."""

import re

from incognote.lexicon.context import left_of, right_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

_WORDS = read_word_lists("ages")

_THING_NEXT = lazy(rf"[ -](?:[a-z]+[ -])?(?:{_WORDS['things']})\b")
_NOT_AGE_BEFORE = lazy(r"\b(?:temp|temperature|t|tmax|tm|lead|vitals)\b\W{0,3}$")
_KIN = lazy(
    rf"\b(?:{_WORDS['kin']})(?:,|:| -| is| was| died| deceased| passed(?: away)?| alive| living| healthy)?(?: at)?(?: age)?[ ,(]{{1,2}}"
    rf"(?:\d{{1,2}}(?:,| and|, and|,? &) ?){{0,5}}$|"
    rf"\b(?:{_WORDS['kin']}) [\w'’-]+(?: [\w'’-]+)?(?:,| \() ?$|\b(?:{_WORDS['kin']})\b[^.;:]{{0,25}} at $"
)
_KIN_NEXT = lazy(r"\s?(?:$|[,.;):&]|(?:and|with|w/|alive|healthy|died|who|a&w|living|well|of|d/c|dm2?|htn|cad)\b)")
_TUBE_NEXT = lazy(
    r"\s?(?:catheter|sheath|foley|storz|flex|cysto|coud|silicone|tube|dilator|pigtail|guid|scope|stent|drain|chest|french|needle|introducer|system|motor)"
)
_ADVICE = lazy(r"\b(?:risk|nccn|acog|uspstf|acs|aap|guidelines?|recommend\w*|screening|q\d ?y(?:rs?|ears?)?)\b[^.;]{0,25}$")
_NO_PERSON = lazy(r"\b(?:it|which|that) (?:is|was) (?:about |over |greater than |at least )?$")


def is_of_person(match: re.Match[str]) -> bool:
    """``3-day-old wound`` is no age of a person."""
    return not _THING_NEXT.match(right_of(match.string, match.end())) and not _NO_PERSON.search(left_of(match.string, match.start()))


def is_small_child(match: re.Match[str]) -> bool:
    return int(match["phi"].split()[0].split(".")[0].rstrip("½¼¾") or 0) <= 48 and is_of_person(match)


def is_no_temperature(match: re.Match[str]) -> bool:
    """``67F`` is a woman, ``101F`` a fever, ``6F EBU`` a catheter."""
    if len(match["phi"]) == 1 and match[0].endswith("F") and re.match(r" [A-Z]", match.string[match.end() : match.end() + 2]):
        return False
    before = left_of(match.string, match.start())
    told = re.search(r"(?:^|\b(?:a|an|is|this|the|hpi|cc|id|old|pt|patient|ms|mr|mrs)\b\W{0,3}|[:.;|,\t\n]\s*|  )$", before)
    if not told and match["phi"].isdigit() and 15 <= int(match["phi"]) < 96:
        # "Wells 28M", "Dolores 74F": a capitalised word before, and no tube, needle or lens after.
        told = re.search(r"(?<![\w-])[A-Z][a-z'’-]{2,}\"?,? (?:[A-Z] )?$", match.string[max(0, match.start() - 30) : match.start()])
    return bool(told) and not _NOT_AGE_BEFORE.search(before) and not _TUBE_NEXT.match(right_of(match.string, match.end()))


def is_no_advice(match: re.Match[str]) -> bool:
    """``mammogram from age 40 to 74`` is the age of a guideline, not of a person."""
    return not _ADVICE.search(left_of(match.string, match.start()))


def is_bare_age(match: re.Match[str]) -> bool:
    if match[0][:3].lower() == "age" and not is_no_advice(match):
        return False
    return not is_quantity(match.string, match.end("phi")) or bool(
        re.match(r"\s?(?:y|yrs?|years?)\b", right_of(match.string, match.end("phi")))
    )


def is_kin_age(match: re.Match[str]) -> bool:
    """``mother 82``, ``brother, 45``, ``sons (12, 9)``: the age of a relative without any unit."""
    before = left_of(match.string, match.start())
    return bool(_KIN.search(before) and _KIN_NEXT.match(right_of(match.string, match.end())))


def is_of_relative(match: re.Match[str]) -> bool:
    """``brother MI @ 49``, ``father d. 62``: a relative stands a little before."""
    return bool(re.search(rf"\b(?:{_WORDS['kin']})\b[^;\n]{{0,60}}$", left_of(match.string, match.start(), reach=75)))


def is_after_sex(match: re.Match[str]) -> bool:
    return bool(re.search(r"\b(?:sex|age|gender)\b[^.;]{0,12}$", left_of(match.string, match.start())))


def is_beside_birth(match: re.Match[str]) -> bool:
    """``DOB 08/30/2001 (66)``."""
    return bool(re.search(r"\b(?:dob|d\.o\.b\.|born|birth|birthdate)\b[^()]{0,20}$", left_of(match.string, match.start("phi") - 1)))


def is_after_birth(match: re.Match[str]) -> bool:
    """``DOB 02/08/24, now 14 weeks``."""
    return bool(re.search(r"\b(?:dob|d\.o\.b\.|born|birth)\b[^.;]{0,30}$", left_of(match.string, match.start())))

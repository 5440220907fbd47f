"""Occupations: from a list, where the words around them say that someone has that work, or straight after "works as a"."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.engine.tokens import Gazetteer, Tokens, is_common, make_gazetteer
from incognote.lexicon import word_list
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy

# What must stand before an occupation of the list, near by and in the same sentence.
_CUE = lazy(
    r"\b(?:works?|worked|working|employed|employment|jobs?|career|occupation|profession|trade|vocation|retired|former|formerly|ex|"
    r"(?:is|was|are|were|being|become|became|been|as|and) an?|who is|year[- ]old|yo|y/o|y\.o\.|yrs? old|self-employed|trained as|"
    r"semi-?retired|laid off)\b"
)
_KIN = (
    r"mom|mum|mother|dad|father|wife|husband|spouse|partner|son|daughter|dtr|brother|sister|parents?|boyfriend|girlfriend|bf|gf|uncle|aunt|"
    r"niece|nephew|cousin|grand(?:son|daughter|father|mother)|fianc[eé]e?"
)
# What stands straight before an occupation, with or without more words of its name ("a retired court stenographer").
_STRONG = lazy(
    r"(?:\b(?:retired|semi-?retired|former|formerly|ex-?|self-employed|previously|a professional)[ \t]?"
    r"|\b(?:works?|worked|working|employed|hired|job|career|trained|training|nights|days|weekends|time|living|retired|serves?|served)\b"
    r"[^.;\n]{0,40}?\bas[ \t](?:an?[ \t]|the[ \t])?|^as[ \t]an?[ \t]"
    r"|\b(?:occupation|occ|profession|job|job title)[ \t]{0,2}[:\t–-][ \t]{0,2}(?:[A-Z]\w+ ?/ ?)?"
    rf"|\b(?:he|she|pt|patient|they|{_KIN})(?:['’]s|[ \t](?:is|was|now is|is now|works? as|an?))[ \t](?:an?[ \t])?"
    r"|\bnow is an?[ \t])$"
)
_SELF = lazy(r"\b(?:i['’]ve been|i have been|i work(?:ed)? as) an?[ \t]$")
_BRACKET = lazy(r"\((?:[^()\n]{2,38}, )?$")
_NEAR = lazy(
    r"(?:\b(?:is|was|['’]s|being|became|become|been|as) an?[ \t]|\((?:\d{1,3}, )?(?:an? )?|\b(?:year|yr)s?[- ]old[ \t]|"
    rf"\b(?:yo|y/o|y\.o\.|[ym]?[mf]),?[ \t]|\b(?:{_KIN}|pt is|patient is)[ \t](?:is |was )?)$"
)
# A person just named, or an age, then a comma: "Alf, a hill farmer".
_APPOSED = lazy(r"(?:(?P<name>[^\W\d_][\w'’.-]+)|\d[)]?|\)|&W), (?P<article>an? )?$")
_PERSON = lazy(rf"(?:pt|patient|he|she|{_KIN})", re.IGNORECASE)
_BY_TRADE = lazy(r"\sby (?:trade|profession|occupation|training|vocation)\b")
_AFTER = lazy(r"\s(?:(?:at|for|with) (?:the )?|w/ ?)[A-Z][a-z]")
# Outright statements, after which even a role of the care team, or a word that no list knows, is an occupation.
_STATED = lazy(
    r"\b(?:(?:works|worked|working|work|employed|employment|job|career|trained|training|retired|living|nights|days|part[- "
    r"]time|full[- ]time)"
    r"[ \t]as[ \t](?:(?:an?|the)[ \t])?"
    r"|(?:is|was)[ \t]an?[ \t](?:retired|former|self-employed|semi-?retired|disabled|unemployed)[ \t]"
    r"|(?-i:Occ|OCC)[ ]{1,2}(?=[A-Z]{3})"
    r"|(?:occupation|profession|occ|job title|job|work)[ \t]*(?::|\t|[ ]-[ ])[ \t]*(?:(?:retired|former|works as an?)[ \t])?)"
    r"(?P<phi>(?:[A-Za-z]{2,4}\.[ \t](?=(?-i:[a-z])))?[A-Za-z](?:[A-Za-z'’-]|\.(?=[A-Za-z]))*(?:[ \t][A-Za-z][A-Za-z'’-]*){0,4})",
    re.IGNORECASE,
)
_STATED_STARTS = tuple(
    "works worked working work employed employment job career trained training retired living nights days part full is was occupation occ "
    "profession".split()
)
_STOPS = frozenset(
    "at for in with and or who since until from on but of to by the a an is was has had he she they now currently then when while "
    "where that which here there after before due because full part time years year months week per nights days weekends w no not as "
    "employer phone mom mum mother dad father wife husband spouse partner son daughter dtr brother sister".split()
)
_NO_WORK = frozenset(
    "retired unemployed disabled none student homemaker unknown disability smoker patient man woman male female person lady "
    "gentleman child not n/a na result consequence caregiver resident member victim surrogate friend history alcoholic drinker user "
    "tool guide boy girl precaution bridge single married widow widower widowed veteran former light heavy directed needed tolerated "
    "follows above below well if outpatient inpatient poor good fair "
    "difficult reliable unreliable historian".split()
)
# Words about a person that may stand before an occupation and are no part of its name.
_PERSONAL = frozenset(
    "old year-old right-handed left-handed handed male female man woman white black caucasian hispanic married single divorced widowed "
    "twice-divorced retired former disabled unemployed pleasant healthy working full-time part-time local self-employed semi-retired "
    "your applied current currently very active avid young elderly obese professional "
    "y.o yo y/o m f by his her their my our this that ex".split()
)
# Before "hand" they make a part of the body of it.
_SIDES = frozenset("right left dominant non-dominant nondominant other affected injured each either one".split())
_WORD = lazy(r"\S+")
_SURE = "rules.profession.sure"
_ENDINGS = ("er", "or", "ist", "ian", "man", "woman", "ant", "ent", "smith", "wright", "clerk", "tech", "aide", "lady", "hand", "member")


def find_sure_professions(reading: Reading) -> Iterator[Span]:
    """Occupations that the words leave no doubt of: ``I've been a dental hygienist``."""
    return (span for span in find_professions(reading) if span.source == _SURE)


def find_professions(reading: Reading) -> Iterator[Span]:
    """Occupations of the patient and the family.

    >>> text = "Retired seamstress; her son is a bus mechanic. Nurse at bedside."
    >>> [text[span.start : span.end] for span in find_professions(Reading(text))]
    ['seamstress', 'bus mechanic']
    """
    yield from _find_stated(reading)
    tokens, listed = reading.tokens, _listed()
    done = 0
    for at in listed.starts(tokens):
        if at < done or not (length := listed.match(tokens, at)):
            continue
        end = at + length
        first = _read_listed(tokens, at, end - 1, after=done > 0 and at - done == 1 and tokens.keys[done] in ("and", "or"))
        if first is not None:
            done = end
            source = _SURE if _is_sure(tokens, first, end - 1) else "rules.profession.list"
            yield Span(tokens.starts[first], tokens.ends[end - 1], "PROFESSION", 0.8, source)


@cache
def _listed() -> Gazetteer:
    singular = word_list("professions") | word_list("professions-weak")
    plural = {f"{entry}s" for entry in singular if not entry.endswith("s")} | {
        f"{entry[:-3]}men" for entry in singular if entry.endswith("man")
    }
    return make_gazetteer(singular | plural)


def _read_listed(tokens: Tokens, first: int, last: int, *, after: bool) -> int | None:
    """Where the name of a listed occupation starts, or None where nothing says that someone has it; ``after`` another and "and"."""
    phrase = " ".join(tokens.keys[first : last + 1])
    weak = phrase in word_list("professions-weak") or phrase.removesuffix("s") in word_list("professions-weak")
    if phrase in ("hand", "hands") and first > 0 and tokens.keys[first - 1] in _SIDES:
        return None
    opening = _read_left(tokens, first)
    start = tokens.starts[opening]
    before = tokens.text[max(0, start - 70) : start].lower()
    end = tokens.ends[last]
    if _BY_TRADE.match(tokens.text, end) or _STRONG.search(before) or _SELF.search(before):
        return opening if not is_clinical(tokens.text, tokens.starts[first], end) else None
    if _is_apposed(tokens, opening, weak=weak):
        return opening if opening < first or not weak else None
    if weak:
        return None
    if after or _NEAR.search(before) or (opening < first and _AFTER.match(tokens.text, end)):
        return opening
    return first if _has_cue(tokens, first, last) else None


def _is_sure(tokens: Tokens, first: int, last: int) -> bool:
    """Whether the words leave no doubt that somebody has this work: ``I've been a``, ``(dispatcher, Yuma Towing)``."""
    start, end = tokens.starts[first], tokens.ends[last]
    before = tokens.text[max(0, start - 40) : start].lower()
    phrase = " ".join(tokens.keys[first : last + 1])
    inside = _BRACKET.search(tokens.text, max(0, start - 40), start) and tokens.text[start].islower()
    bracketed = inside and tokens.text[end : end + 1] in (",", ")") and phrase not in word_list("professions-weak")
    return bool(bracketed) or _SELF.search(before) is not None


def _read_left(tokens: Tokens, first: int) -> int:
    """The first of up to three words that belong to the occupation: "prawn trawler" before "skipper"."""
    at = first
    while at > 0 and first - at < 3 and tokens.gap(at - 1) == " ":
        key = tokens.keys[at - 1]
        if (
            not key.replace("-", "").replace("'", "").isalpha()
            or key in _STOPS
            or key in _PERSONAL
            or key in _NO_WORK
            or len(key) < 2
            or key[:3] == "ex-"
            or key.endswith(("-old", "-smoking", "-dominant"))
        ):
            break
        if tokens.is_capital(at - 1) and not tokens.is_capital(first) and not tokens.is_upper(at - 1):
            break
        at -= 1
    else:
        return at if at == 0 or tokens.gap(at - 1) != " " or first - at < 3 else first
    return at


def _is_apposed(tokens: Tokens, first: int, *, weak: bool) -> bool:
    """Whether the words stand beside a person: after a name and a comma, with an article where the word may mean another thing."""
    start = tokens.starts[first]
    match = _APPOSED.search(tokens.text, max(0, start - 24), start)
    if match is None or (weak and not match["article"]):
        return False
    name = match["name"]
    return not name or bool(_PERSON.fullmatch(name)) or (name[0].isupper() and not is_common(name.casefold()))


def _has_cue(tokens: Tokens, first: int, last: int) -> bool:
    start = tokens.starts[first]
    before = re.split(r"[.;]\s|\n\s*\n", tokens.text[max(0, start - 60) : start])[-1].lower()
    return bool(_CUE.search(before)) or bool(_AFTER.match(tokens.text, tokens.ends[last]))


def _find_stated(reading: Reading) -> Iterator[Span]:
    for match in reading.matches(_STATED, _STATED_STARTS):
        words = list(_WORD.finditer(reading.text, *match.span("phi")))
        keys = list(takewhile(lambda key: key not in _STOPS, (word[0].casefold().rstrip(".") for word in words)))
        if not keys or keys[0] in _NO_WORK or keys[-1] in _NO_WORK:
            continue
        if found := _trim(keys):
            first, end = found
            last = words[end - 1]
            yield Span(words[first].start(), last.end() - last[0].endswith("."), "PROFESSION", 0.85, "rules.profession.stated")


def _trim(words: list[str]) -> tuple[int, int] | None:
    """The words up to the last that a list knows, less those about the person; else all, when they are few and end like an occupation."""
    listed = _listed().phrases
    opening = next((at for at, word in enumerate(words) if word not in _PERSONAL), 0)
    for length in range(len(words), 0, -1):
        for first in range(len(words) - length + 1):
            if " ".join(words[first : first + length]) in listed:
                return min(first, opening) if first - opening <= 2 else first, first + length
    if len(words) <= 3 and words[-1].endswith(_ENDINGS):
        return opening, len(words)
    return None

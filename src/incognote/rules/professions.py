"""Occupations: from a list, where the words around them say that someone has that work, or straight after "works as a"."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from incognote.document import Span
from incognote.lexicon import word_list
from incognote.rules.reading import Reading, read
from incognote.rules.tokens import Gazetteer, Tokens, make_gazetteer

# What must stand before an occupation of the list, near by and in the same sentence.
_CUE = re.compile(
    r"\b(?:works?|worked|working|employed|employment|jobs?|career|occupation|profession|trade|vocation|retired|former|formerly|ex|"
    r"(?:is|was|are|were|being|become|became|been|as|and) an?|who is|year[- ]old|yo|y/o|y\.o\.|yrs? old|self-employed|trained as|"
    r"semi-?retired|laid off)\b"
)
_BY_TRADE = re.compile(r"\sby (?:trade|profession|occupation|training|vocation)\b")
_AFTER = re.compile(r"\s(?:at|for) (?:the )?[A-Z]")
# Outright statements, after which even a role of the care team, or a word that no list knows, is an occupation.
_STATED = re.compile(
    r"\b(?:(?:works|worked|working|employed|employment|job|career|trained|retired|living|nights|days|part[- ]time|full[- ]time)"
    r"[ \t]as[ \t](?:an?|the)[ \t]"
    r"|(?:is|was)[ \t]an?[ \t](?:retired|former|self-employed|semi-?retired|disabled|unemployed)[ \t]"
    r"|(?:[Oo]ccupation|[Pp]rofession|OCCUPATION|PROFESSION|[Jj]ob|[Ww]ork)[ \t]*:[ \t]*"
    r"(?:(?:[Rr]etired|[Ff]ormer|RETIRED|FORMER|[Ww]orks as an?)[ \t])?)"
    r"(?P<phi>[A-Za-z][A-Za-z'-]*(?:[ \t][A-Za-z][A-Za-z'-]*){0,4})"
)
_STATED_STARTS = tuple(
    "works worked working work employed employment job career trained retired living nights days part full is was occupation "
    "profession".split()
)
_STOPS = frozenset(
    "at for in with and or who since until from on but of to by the a an is was has had he she they now currently then when while "
    "where that which here there after before due because full part time years year months week per".split()
)
_NO_WORK = frozenset(
    "retired unemployed disabled none student homemaker unknown disability smoker patient man woman male female person lady "
    "gentleman child not n/a na result consequence caregiver resident member victim surrogate friend history alcoholic drinker user "
    "tool guide boy girl precaution bridge single married widow widower widowed veteran former light heavy".split()
)
_WORD = re.compile(r"\S+")


def find_professions(text: str | Reading) -> Iterator[Span]:
    """Occupations of the patient and the family.

    >>> text = "Retired seamstress; her son is a bus mechanic. Nurse at bedside."
    >>> [text[span.start : span.end] for span in find_professions(text)]
    ['seamstress', 'bus mechanic']
    """
    reading = read(text)
    yield from _find_stated(reading)
    tokens, listed, weak = reading.tokens, _listed(), word_list("professions-weak")
    done = 0
    for at in listed.starts(tokens):
        if at < done or not (length := listed.match(tokens, at)):
            continue
        done = at + length
        phrase = " ".join(tokens.keys[at:done])
        doubtful = phrase in weak or phrase.removesuffix("s") in weak
        if _BY_TRADE.match(reading.text, tokens.ends[done - 1]) or (not doubtful and _has_cue(tokens, at, done - 1)):
            yield Span(tokens.starts[at], tokens.ends[done - 1], "PROFESSION", 0.8, "rules.profession.list")


@cache
def _listed() -> Gazetteer:
    singular = word_list("professions") | word_list("professions-weak")
    plural = {f"{entry}s" for entry in singular if not entry.endswith("s")} | {
        f"{entry[:-3]}men" for entry in singular if entry.endswith("man")
    }
    return make_gazetteer(singular | plural)


def _has_cue(tokens: Tokens, first: int, last: int) -> bool:
    start = tokens.starts[first]
    before = re.split(r"[.;]\s|\n\s*\n", tokens.text[max(0, start - 60) : start])[-1].lower()
    return bool(_CUE.search(before)) or bool(_AFTER.match(tokens.text, tokens.ends[last]))


def _find_stated(reading: Reading) -> Iterator[Span]:
    for match in reading.matches(_STATED, _STATED_STARTS):
        words = list(_WORD.finditer(reading.text, *match.span("phi")))
        keys = [word[0].casefold() for word in words]
        keys = list(takewhile(lambda key: key not in _STOPS, keys))
        if not keys or keys[0] in _NO_WORK or keys[-1] in _NO_WORK:
            continue
        if found := _trim(keys):
            first, end = found
            yield Span(words[first].start(), words[end - 1].end(), "PROFESSION", 0.85, "rules.profession.stated")


def _trim(words: list[str]) -> tuple[int, int] | None:
    """The longest run of the words that a list knows; else all of them, when they are few and end like an occupation."""
    listed = _listed().phrases
    for length in range(len(words), 0, -1):
        for first in range(len(words) - length + 1):
            if " ".join(words[first : first + length]) in listed:
                return first, first + length
    if len(words) <= 3 and words[-1].endswith(
        ("er", "or", "ist", "ian", "man", "woman", "ant", "ent", "smith", "wright", "clerk", "tech", "aide")
    ):
        return 0, len(words)
    return None

"""Names by title before them (``Dr. Roe``) and by degree after them (``Jane Roe, MD``); neither is part of the name."""

import re
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.rules.names.cues import Cue
from incognote.rules.names.degrees import DEGREE
from incognote.rules.names.shape import name_before, read_name, read_names, words_of
from incognote.rules.names.vocabulary import is_common, is_name, is_surname

SOURCE = "rules.name.title"

_TITLE_WORDS = frozenset({"dr", "drs", "doctor", "prof", "professor", "mr", "mrs", "ms", "miss", "mx", "mister", "mme", "señor", "señora"})
_GAP = re.compile(r"\.?[ \t]{1,3}|\.?[ \t]*\n[ \t]*|\.(?=\S)")
_LONE_INITIAL = re.compile(r"[A-Z](?!\w|['’]\w{2})")
_DRIVE_BEFORE = re.compile(r"\d[\w-]*[ \t]+(?:[A-Z]\.?[ \t]+)?(?:[A-Z][\w'’.]+[ \t]+){1,3}$")
_NUMBER_BEFORE = re.compile(r"\d[ \t]?$")
_AND_TITLE = re.compile(r"[ \t]+(?:and|&|/)[ \t]+(?:Dr|Mr|Mrs|Ms)\b", re.IGNORECASE)
_DEGREE = re.compile(DEGREE)
_BEFORE_DEGREE = re.compile(r"(?P<comma>,)?(?:[ \t]*\n[ \t]*|[ \t]{0,3})\(?$")
# Short degrees that are also states, languages, tests or words: only after a comma and a name that the lists know.
_DOUBTFUL = frozenset({"ms", "ma", "pt", "do", "pa", "rd", "np", "slp", "rn", "mba", "mph"})


def find_titled(text: str, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a title."""
    for cue in cues:
        gap = _GAP.match(text, cue.end)
        if gap is None:
            continue
        title, at = text[cue.start : cue.end], gap.end()
        plain = cue.words[0] in _TITLE_WORDS and len(cue.words) == 1
        if cue.words == ("dr",) and _DRIVE_BEFORE.search(text, max(0, cue.start - 50), cue.start):
            continue
        if title == "ms" and _NUMBER_BEFORE.search(text, max(0, cue.start - 2), cue.start):
            continue
        # MR, MS and DR in capitals are also regurgitation, sclerosis and a projection.
        sure = plain and ("." in gap.group() or not (title.isupper() and len(title) == 2 and cue.words[0] in ("mr", "ms")))
        if sure:
            yield from _sure_names(text, at, cue)
        elif title.islower() and cue.words[0] in ("md", "rn", "sw", "np", "pa", "cna", "nurse"):
            found = read_name(text, at, lower=True, known=True)
            if found and is_surname(words_of(text, found)[-1]):
                yield Span(*found, cue.label, 0.7, SOURCE)
        elif title[0].isupper() and (not title.isupper() or len(title) < 4) and not _AND_TITLE.match(text, cue.end):
            found = read_name(text, at, known=True)
            if found and is_name(words_of(text, found)[0]) and not text[slice(*found)].isupper():
                yield Span(*found, cue.label, 0.8 if plain else 0.7, SOURCE)


def _sure_names(text: str, at: int, cue: Cue) -> Iterator[Span]:
    several = cue.words[0] in ("drs", "doctor")
    found = list(read_names(text, at, lower=True)) if several else [read_name(text, at, lower=True)]
    if found and found[0] is not None:
        for name in found:
            if name is not None:
                yield Span(*name, cue.label, 0.95, SOURCE)
    elif (lone := _LONE_INITIAL.match(text, at)) and lone.group() not in "AI":
        yield Span(*lone.span(), cue.label, 0.8, SOURCE)


def find_degreed(text: str) -> Iterator[Span]:
    """Names before a degree."""
    for match in _DEGREE.finditer(text):
        before = _BEFORE_DEGREE.search(text, max(0, match.start() - 8), match.start())
        if before is None or before.start() == match.start():
            continue
        found = name_before(text, before.start())
        if found is None:
            continue
        words = words_of(text, found)
        if all(len(word) == 1 for word in words):
            continue
        degree = match.group().replace(".", "").replace(" ", "").lower()
        known = any(is_name(word) for word in words)
        if not known and (degree in _DOUBTFUL or not before["comma"] or any(is_common(word) for word in words)):
            continue
        if degree in ("ma", "ms", "do", "pt", "pa") and (not before["comma"] or len(words) < 2 or (degree == "ma" and len(words) < 3)):
            continue
        yield Span(*found, "DOCTOR", 0.9 if known else 0.75, SOURCE)

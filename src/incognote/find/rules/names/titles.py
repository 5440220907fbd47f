"""Names by title before them (``Dr. Roe``) and by degree after them (``Jane Roe, MD``); neither is part of the name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.names.cues import Cue
from incognote.find.rules.names.shape import Range, is_address, is_place, name_before, read_name, read_names, words_of
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.degrees import DEGREE
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_capital_word,
    is_common,
    is_foreign_to_names,
    is_frequent_given,
    is_frequent_surname,
    is_given,
    is_name,
    is_never_name,
    is_sentence_word,
    is_surname,
)

SOURCE = "rules.name.title"
ROLE_SOURCE = "rules.name.role"

_TITLE_WORDS = frozenset(
    {"dr", "drs", "doctor", "prof", "professor", "mr", "mrs", "ms", "miss", "mx", "mister", "mme", "mdm", "frau", "herr", "señor", "señora"}
)
_GAP = lazy(r"\.?[ \t]{1,3}|\.?[ \t]*\n[ \t]*|\.(?=\S)")
_LONE_INITIAL = lazy(r"[A-Z](?!\w|/|['’]\w{2})")
_INITIALS_AFTER = lazy(r"[ ](?P<letters>[A-Z]{2,3})(?=[ ]?[,;/)\n]|$)")
_SMALL_SURNAME = lazy(r"(?P<name>[a-z]{3,})(?=[,.;)\n]|$)")
_DRIVE_BEFORE = lazy(r"(?<![:\d])\d[\w-]*[ ](?:[A-Z]\.?[ ])?(?:[A-Z][\w'’.]+[ ]){1,3}$")
_NUMBER_BEFORE = lazy(r"\d[ \t]?$")
_AND_TITLE = lazy(r"[ \t]+(?:and|&|/)[ \t]+(?:Dr|Mr|Mrs|Ms)\b", re.IGNORECASE)
_DEGREE = lazy(DEGREE)
_BEFORE_DEGREE = lazy(r"(?P<comma>,)?(?:[ \t]*\n[ \t]*|[ \t]{0,3})\(?$")
# "the doctor didn't call"
_NEGATED = frozenset("aren can couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won wouldn".split())
_TITLED_NEXT = lazy(r" (?P<name>[A-Z][a-z]+)\b")
_RANK_BEFORE = lazy(r"\b(?:MAJ|CPT|LTC|COL|CDR|LCDR|LT|CAPT), $")
# Short degrees that are also states, languages, tests or words: only after a comma and a name that the lists know.
_DOUBTFUL = frozenset({"ms", "ma", "pt", "do", "pa", "rd", "np", "slp", "rn", "mba", "mph"})


def find_titled(text: str, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a title."""
    passed: set[Range] = set()
    for cue in cues:
        gap = _GAP.match(text, cue.end)
        if gap is None:
            continue
        title, at = text[cue.start : cue.end], gap.end()
        # "veterinary nurse. DAS28 5.6": the sentence ends with the word.
        if gap[0][0] == "." and (len(title) > 4 or cue.words == ("miss",)):
            continue
        plain = cue.words[0] in _TITLE_WORDS and len(cue.words) == 1
        if cue.words == ("dr",) and _DRIVE_BEFORE.search(text, max(0, cue.start - 50), cue.start):
            continue
        if title == "ms" and _NUMBER_BEFORE.search(text, max(0, cue.start - 2), cue.start):
            continue
        # MR, MS and DR in capitals are also regurgitation, sclerosis and a projection.
        sure = plain and ("." in gap.group() or not (title.isupper() and len(title) == 2 and cue.words[0] in ("mr", "ms")))
        if sure:
            yield from _sure_names(text, at, cue, passed)
        elif title.islower() and cue.words[0] in ("md", "rn", "sw", "np", "pa", "cna", "nurse"):
            found = read_name(text, at, lower=True, known=True)
            if found and is_surname(words_of(text, found)[-1]):
                yield Span(*found, cue.label, 0.7, SOURCE)
        elif title[0].isupper() and (not title.isupper() or len(title) < 4) and not _AND_TITLE.match(text, cue.end):
            found = read_name(text, at, known=True)
            if found and is_name(words_of(text, found)[0]) and (not text[slice(*found)].isupper() or _is_in_capitals(text, found, title)):
                yield Span(*found, cue.label, 0.8 if plain else 0.7, SOURCE)


def _is_negated(text: str, found: Range) -> bool:
    return text[found[1] : found[1] + 2] in ("'t", "’t", "'T", "’T") and words_of(text, found)[-1].casefold() in _NEGATED


def _sure_names(text: str, at: int, cue: Cue, passed: set[Range]) -> Iterator[Span]:
    several = cue.words[0] in ("drs", "doctor")
    found = list(read_names(text, at, lower=True, passed=passed)) if several else [read_name(text, at, lower=True)]
    if found and found[0] is not None:
        for name in found:
            if name is not None and not _is_sentence(words_of(text, name)) and not _is_negated(text, name):
                yield Span(name[0], _before_place(text, name) or _with_initials(text, name), cue.label, 0.95, SOURCE)
    elif (small := _SMALL_SURNAME.match(text, at)) and is_frequent_surname(small["name"]) and cue.words[0] in ("dr", "drs", "doctor"):
        yield Span(*small.span("name"), cue.label, 0.8, SOURCE)
    elif (lone := _LONE_INITIAL.match(text, at)) and lone.group() not in "AI":
        yield Span(*lone.span(), cue.label, 0.8, SOURCE)


def _before_place(text: str, name: Range) -> int:
    """The end of the family name where no given name follows its comma: ``Dr. Zielinski, Overlook``. 0 where one does."""
    comma = text.find(",", *name)
    given = text[comma + 1 : name[1]].split() if comma > 0 else []
    return comma if given and len(given[0]) > 3 and not given[0].isupper() and not is_given(given[0]) else 0


def _with_initials(text: str, name: Range) -> int:
    """The end of a name with the initials that stand after it in Singapore: ``Dr Lim WS``."""
    after = _INITIALS_AFTER.match(text, name[1])
    if after is None or is_capital_word(after["letters"]) or _DEGREE.match(text, after.start("letters")):
        return name[1]
    word = text[slice(*name)]
    return after.end() if is_surname(word) and not word.isupper() else name[1]


_UNITS = frozenset({("cm",), ("ma",), ("pa",), ("pc",), ("rt",), ("p",)})
_ROLE_GAP = lazy(r"[ ]?\([ ]?|[ ]?[\"“]|\.?[ ]{1,2}|\.?,[ ]|\.?[ ]?\n[ ]{0,8}(?=[A-Z])")
_NAME_BEFORE = lazy(r"[A-Z][a-z]+,?[ ]$")
_OPEN = lazy(r"[ ]?[(\"“]")
_CLOSED = lazy(
    r"[ \t]*(?:$|[\n.,;:)/\"”|(#\t]|x?\d|(?:at|to|in|on|with|w|for|and|is|was|aware|informed|notified|here|present|called|from)\b)"
)
# Roles that are as often another word; after them a full name must stand, or a given name that people often bear.
_DOUBTFUL_ROLES = frozenset(
    "res nav neo po p pa ma cm charge reg tech rt ot rd col lt sister father brother don super guard rep adv operator driver guide psych "
    "patient ethics elder boss gp witness security intern manager hon fr const maj".split()
)


def _is_in_capitals(text: str, found: Range, title: str) -> bool:
    """``MR ALVAREZ`` in a note of capitals."""
    word = words_of(text, found)[0]
    return title.isupper() and len(word) > 3 and not is_capital_word(word) and not is_clinical(text, *found)


def _is_sentence(words: list[str]) -> bool:
    """Whether a sentence opens here (``moderate MR. Seen by``) and no name."""
    return len(words) == 1 and is_common(words[0]) and not is_surname(words[0]) and not is_given(words[0])


def find_roles(text: str, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a word for what the person does: ``case mgr Lupe``, ``nurse, Bev``, ``RN PETROVIC``, ``Aide (Misty)``."""
    passed: defaultdict[object, set[Range]] = defaultdict(set)
    for cue in cues:
        gap = _ROLE_GAP.match(text, cue.end)
        if gap is None or text[cue.start - 1 : cue.start] in ("-", "/", "'", "’") or (gap[0][0] == "." and len(cue.words[-1]) > 4):
            continue
        role = text[cue.start : cue.end]
        if cue.words in _UNITS and _NUMBER_BEFORE.search(text, max(0, cue.start - 2), cue.start):
            continue
        if cue.words == ("sr",) and _NAME_BEFORE.search(text, max(0, cue.start - 12), cue.start):
            continue
        marked = bool(gap.group().strip(" ."))
        like = passed[cue.label, cue.words, role, marked]
        for found in read_names(text, gap.end(), lower=role.islower() and " " in gap.group()[:1], passed=like):
            score = _score_role(text, found, cue, role, marked=marked)
            if not score:
                break
            yield Span(*found, cue.label, score, ROLE_SOURCE)


def _score_role(text: str, found: Range, cue: Cue, role: str, *, marked: bool) -> float:
    words = words_of(text, found)
    first, last = words[0], words[-1]
    if (
        text[found[0] : found[0] + 2] == "A "
        or _DEGREE.fullmatch(text, *found)
        or is_place(text, found[1])
        or is_clinical(text, *found)
        or is_never_name(first)
        or len(last) < 2
    ):
        return 0.0
    doubtful = cue.words[0] in _DOUBTFUL_ROLES
    full = len(words) > 1 and is_given(first) and is_surname(last)
    if is_foreign_to_names(first) and not (full and is_frequent_given(first)):
        return 0.0
    if first.islower():
        known = is_frequent_given(first) or (not doubtful and (full or is_frequent_surname(first)))
        return 0.65 if is_name(first) and known else 0.0
    if first.isupper() and len(first) > 1:
        known = is_name(first) and "-" not in first and len(first) > 3 and (role.isupper() or full)
        return 0.65 if known and not doubtful else 0.7 if full and is_frequent_given(first) and not is_common(last) else 0.0
    if full and not is_sentence_word(first) and not (is_common(first) and is_common(last) and doubtful and not is_frequent_given(first)):
        return 0.75
    if is_common(first) or is_capital_word(first):
        bears = is_frequent_given(first) or is_frequent_surname(first)
        return 0.6 if not doubtful and not marked and bears and len(words) == 1 and _CLOSED.match(text, found[1]) and role != "PCP" else 0.0
    if is_name(first):
        return 0.7 if not doubtful or is_frequent_given(first) or _has_initial(text, found) else 0.0
    strange = any(is_name(word) for word in words[1:]) or _has_initial(text, found) or bool(_CLOSED.match(text, found[1]))
    return 0.6 if strange and not doubtful and (not marked or _OPEN.match(text, found[0] - 2)) else 0.0


def _has_initial(text: str, found: Range) -> bool:
    return text[found[0] + 1 : found[0] + 2] in (".", " ")


def find_degreed(reading: Reading) -> Iterator[Span]:
    """Names before a degree."""
    text = reading.text
    for match in reading.matches_at(_DEGREE, reading.capitals):
        before = _BEFORE_DEGREE.search(text, max(0, match.start() - 8), match.start())
        if before is None or before.start() == match.start():
            continue
        found = name_before(text, before.start())
        if found is None or _DEGREE.fullmatch(text, *found) or is_address(text, found):
            continue
        words = words_of(text, found)
        if all(len(word) == 1 for word in words) or (len(words) == 1 and is_capital_word(words[0])):
            continue
        # "MAJ, SP, PA-C": a rank, a corps, a degree.
        if found[1] - found[0] < 4 and _RANK_BEFORE.search(text, max(0, found[0] - 6), found[0]):
            continue
        # "EI OT Maria": the degree is the title of the one who follows.
        short = text[slice(*found)].isupper() and found[1] - found[0] < 4
        if short and (titled := _TITLED_NEXT.match(text, match.end())) and is_name(titled["name"]):
            continue
        degree = match.group().replace(".", "").replace(" ", "").lower()
        known = any(is_name(word) for word in words) or (len(words) > 1 and is_given(words[0]) and is_surname(words[-1]))
        if not known and _is_initialled(text, found, words) and degree not in ("ma", "ms", "do", "pt", "pa", "od", "ot", "rt"):
            yield Span(*found, "DOCTOR", 0.7, SOURCE)
            continue
        if not known and (degree in _DOUBTFUL or not before["comma"] or any(is_common(word) for word in words)):
            continue
        # "Cap Pan-D OD": once a day.
        if degree == "od" and not before["comma"] and not (len(words) > 1 and is_given(words[0]) and is_surname(words[-1])):
            continue
        if degree in ("ma", "ms", "do", "pt", "pa") and (not before["comma"] or len(words) < 2 or (degree == "ma" and len(words) < 3)):
            continue
        yield Span(*found, "DOCTOR", 0.9 if known else 0.75, SOURCE)


def _is_initialled(text: str, found: Range, words: list[str]) -> bool:
    """``I. Fa'asavalu``: an initial and one word that is no word of the language."""
    return len(words) == 1 and _has_initial(text, found) and not is_common(words[0]) and not is_capital_word(words[0]) and len(words[0]) > 3

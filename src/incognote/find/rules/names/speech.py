"""Names by what people do with each other: ``spoke with Jane Roe``, ``per Lim``, ``Mirela states``, ``patient Ana Ruiz is a``."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.names.cues import Cue
from incognote.find.rules.names.shape import Range, name_before, read_names, words_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_city,
    is_common,
    is_foreign_to_names,
    is_frequent_given,
    is_given,
    is_name,
    is_sentence_word,
    is_surname,
)

SOURCE = "rules.name.speech"

_BLANK = lazy(r"[ \t]{1,2}|[ \t]*\n[ \t]*|\.?,?[ \t]+|/[ ]?")
_WIFE = lazy(r"[oO] (?=[A-Z])")
_LOWER_BEFORE = lazy(r"(?:^|[\n.;:,!?][ \t]*|\b(?:and|per|with|that|when|but|pt)[ \t]+)(?P<name>[^\W\d_]{2,}(?:[ \t][^\W\d_]{2,})?)[ \t]$")
_WEAK_VERBS = frozenset("is was has had did does notes noted remains came returns returned continues continued aware felt feels".split())


def find_spoken(text: str, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a phrase of contact, and before a verb of speech."""
    passed: defaultdict[object, set[Range]] = defaultdict(set)
    for cue in cues:
        if cue.section == "verbs":
            yield from _before_verb(text, cue)
        elif blank := _BLANK.match(text, cue.end):
            # "W/O Muhammad Aslam": the wife of.
            wife = _WIFE.match(text, blank.end()) if blank[0] == "/" else None
            like = passed[cue.label, cue.words[0]]
            for found in read_names(text, wife.end() if wife else blank.end(), lower=True, known=True, passed=like):
                score = _score_after(text, found, cue)
                if not score:
                    break
                yield Span(*found, cue.label, score, SOURCE)


def _score_after(text: str, found: Range, cue: Cue) -> float:
    words = words_of(text, found)
    first, last = words[0], words[-1]
    # "I'M A KNITTER"
    if is_foreign_to_names(first) or text[found[0] : found[0] + 2] == "A ":
        return 0.0
    full = len(words) > 1 and is_given(first) and is_surname(last) and not (is_common(first) and is_common(last))
    if first.islower():
        return (
            0.7
            if full and is_frequent_given(first)
            else 0.6
            if is_frequent_given(first) and cue.words[0] not in ("saw", "sees", "per")
            else 0.0
        )
    if full:
        return 0.85
    if is_common(first):
        return 0.0
    if first.isupper():
        # "per PACIFIC": in a note that is not in capitals a word that is names a trial.
        in_capitals = text[max(0, found[0] - 40) : found[1] + 40].isupper()
        return 0.6 if is_name(first) and len(first) > 3 and in_capitals else 0.0
    return 0.7 if is_name(first) else 0.0


def _before_verb(text: str, cue: Cue) -> Iterator[Span]:
    end = cue.start - 1
    if end < 1 or text[end] not in " \t" or text[end - 1] in " \t\n":
        return
    floor = max(0, end - 40)
    capital = text[max(text.rfind(" ", floor, end), text.rfind("\n", floor, end), floor - 1) + 1].isupper()
    if not capital and cue.words[0] in _WEAK_VERBS:
        return
    found = name_before(text, end) if capital else None
    if found is not None:
        score = _score_before(words_of(text, found), cue)
        if score and not is_city(text[slice(*found)]):
            yield Span(*found, "PATIENT", score, SOURCE)
        return
    if cue.words[0] in _WEAK_VERBS:
        return
    match = _LOWER_BEFORE.search(text, max(0, end - 40), cue.start)
    if match is None:
        return
    words = match["name"].split()
    if all(is_name(word) for word in words) and is_frequent_given(words[0]) and (len(words) == 1 or is_surname(words[-1])):
        yield Span(*match.span("name"), "PATIENT", 0.6, SOURCE)


def _score_before(words: list[str], cue: Cue) -> float:
    first, last = words[0], words[-1]
    if (
        any(is_foreign_to_names(word) for word in words[0 if len(words) == 1 or not is_frequent_given(first) else 1 :])
        or is_sentence_word(first)
        or (first.isupper() and len(words) == 1)
    ):
        return 0.0
    if len(words) > 1:
        return 0.8 if is_given(first) and is_surname(last) and not (is_common(first) and is_common(last)) else 0.0
    if is_common(first) or not is_name(first):
        return 0.0
    if cue.words[0] in _WEAK_VERBS and len(cue.words) == 1:
        return 0.55 if is_frequent_given(first) else 0.0
    return 0.7 if is_frequent_given(first) else 0.55

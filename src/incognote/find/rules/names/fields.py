"""Names by header field: ``PATIENT NAME: ROE, JANE``, ``cc: A. Lim, MD; Dr. Roe``, ``user: jroe3``."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.names.cues import Cue
from incognote.find.rules.names.shape import Range, is_place, read_name, read_names, words_of
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_capital_word,
    is_common,
    is_foreign_to_names,
    is_frequent_surname,
    is_given,
    is_name,
    is_never_name,
    is_surname,
)

SOURCE = "rules.name.field"

# Those who get a copy may be anyone: there a title before the name says more than the field.
_COPIES = frozenset({"cc", "copy", "copies", "carbon", "attn", "attention", "to"})

_COLON = lazy(
    r"(?:\(s\))?[ \t]*(?:\([^)\n]{0,24}\)[ \t]*)?(?::|=|\t|\|)[ \t:]*[\"“]?"
    r"(?P<line>\n[ \t]*)?(?P<title>(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor)\b\.?[ \t]*)?",
    re.IGNORECASE,
)
# What may stand before a field in its line: nothing, a mark, a column gap. "Drug name:" is another field than "name:".
_BEFORE = lazy(r"(?:^|[\n|;,.()\[\]*#>•\t-]|[ \t]{2}|\d)[ \t]*$")
_COLUMN = lazy(r"\t|[ ]{2,}|,?[ ](?:DOB|D\.O\.B|MRN|dob)\b")
_ALONE = lazy(r"[ \t]*(?:$|[\n,;/|)]|[ \t]{2})")
_SENTENCE = lazy(r"[?!.]|[ \t][a-z]")
_TALK = 1500
_LOGIN = lazy(r"(?P<login>[A-Za-z][A-Za-z._]{0,14}\d{1,5}[a-z]?|[a-z][a-z0-9._]{2,14})(?![\w@'’-]|\.\w)")


def find_field_names(text: str, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a field label and a colon."""
    passed: defaultdict[object, set[Range]] = defaultdict(set)
    for cue in cues:
        colon = _COLON.match(text, cue.end)
        if colon is None and cue.label == "PATIENT":
            yield from _find_unmarked(text, cue)
        if colon is None or not _BEFORE.search(text, max(0, cue.start - 4), cue.start):
            continue
        if cue.label == "USERNAME":
            yield from _find_user(text, colon.end(), passed[None])
            continue
        doubtful = cue.section == "doubtful_fields" or colon["line"] is not None
        known = doubtful and not colon["title"] and cue.words not in (("re",), ("regarding",))
        speaks = _speaks(text, cue)
        like = passed[cue.label, cue.words, doubtful, bool(colon["title"]), speaks]
        for found in read_names(text, colon.end(), lower=cue.words != ("cc",), known=known, passed=like):
            if speaks and _SENTENCE.match(text, found[1]):
                break
            if is_place(text, found[1]) or ((doubtful or cue.words == ("pt",)) and is_clinical(text, *found)):
                break
            if _plausible(text, found, doubtful=doubtful and not colon["title"]):
                yield Span(*found, cue.label, 0.8 if doubtful else 0.9 if cue.words[0] in _COPIES else 0.96, SOURCE)
            else:
                break


def _speaks(text: str, cue: Cue) -> bool:
    """Whether the label opens what somebody says (``Patient: Honestly? I hate it.``): it comes three times nearby."""
    near = text[max(0, cue.start - _TALK) : cue.end + _TALK].lower()
    return near.count(f"{text[cue.start : cue.end].lower()}:") > 2


def _find_unmarked(text: str, cue: Cue) -> Iterator[Span]:
    """A field without its colon, at the head of a line or a cell, whose name ends at a column: ``Name Jane Roe<tab>DOB``."""
    if text[cue.end : cue.end + 1] != " " or text[cue.start - 1 : cue.start] not in ("", "\n", "\t") or not text[cue.start].isupper():
        return
    found = read_name(text, cue.end + 1)
    if found and _COLUMN.match(text, found[1]) and not any(is_common(word) or is_capital_word(word) for word in words_of(text, found)):
        yield Span(*found, cue.label, 0.8, SOURCE)


def _plausible(text: str, found: tuple[int, int], *, doubtful: bool) -> bool:
    words = words_of(text, found)
    if len(words) == 1:
        # "Interpreter: Mixteco": the tongue.
        if is_foreign_to_names(words[0]):
            return False
        # "Referred by: GP letter", "Surg: VNS."
        short = words[0].isupper() and len(words[0]) < 5 and not is_frequent_surname(words[0])
        if short and (is_capital_word(words[0]) or is_never_name(words[0])):
            return False
        if is_common(words[0]):
            return not doubtful and words[0][0].isupper() and is_frequent_surname(words[0]) and _ALONE.match(text, found[1]) is not None
        return not doubtful or is_name(words[0])
    if doubtful:
        return is_given(words[0]) or is_surname(words[0]) or not any(is_common(word) or is_capital_word(word) for word in words)
    return not is_common(words[0]) or is_given(words[0]) or is_surname(words[0])


def _find_user(text: str, at: int, passed: set[Range]) -> Iterator[Span]:
    login = _LOGIN.match(text, at)
    if login and not is_common(login["login"]) and not (login["login"][0].isupper() and not any(map(str.isdigit, login["login"]))):
        yield Span(*login.span("login"), "USERNAME", 0.9, SOURCE)
        return
    for found in read_names(text, at, passed=passed):
        if _plausible(text, found, doubtful=False):
            yield Span(*found, "DOCTOR", 0.9, SOURCE)

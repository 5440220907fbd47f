"""Names by relation to the patient: ``his niece Ileana``, ``daughter, Ana-Lucía,``, ``son (Tomasz)``, ``mother's name is Ana``."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.names.cues import Cue
from incognote.find.rules.names.shape import Range, is_place, read_names, words_of
from incognote.lexicon import word_list
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_capital_word,
    is_common,
    is_foreign_to_names,
    is_frequent_given,
    is_given,
    is_name,
    is_never_name,
    is_sentence_word,
    is_surname,
)

SOURCE = "rules.name.relation"
SMALL_SOURCE = "rules.name.kin"

_LINK = lazy(
    r"(?P<mark>[ \t]*,[ \t]*|(?<=[snd])[ \t]*:[ \t]*|[ \t]*[\"“]|[ \t]*\([ \t]*|[ \t]*[-–—][ \t]+"
    r"|(?:['’]s)?[ \t]+(?:first[ \t]+)?(?:name[ \t]+(?:is|was)|named|called|is|by the name of)[ \t]+)|[ \t]+|[ \t]*\n[ \t]*"
)
_ROMAN = lazy(r"(?:II|III|IV|VI|I(?=[.,;)]|$))(?![\w'’-])", re.MULTILINE)
_RESULT = lazy(r"[ ](?:neg|pos|NEG|POS|[+-])")
_TWIN_LETTER = lazy(r"[A-D] (?=[A-Z])")
_NUMBER = lazy(r"[ \t]+\d")
_APPOSED = lazy(r"[ \t]*(?:,|\)|\(|[\"”])")
_APPOSED_END = lazy(r"[.,;)]|[ ]?$|[ ](?:is|was|who|and|at|called|reports|says)\b")
_SMALL_AGED = lazy(r"[ ](?P<name>[a-z]{3,})(?=[ ](?:at|age|aged)[ ]\d\d\b(?![ ]?[ap]\.?m|:|/)|[ ]?\(\d\d\)|[ ](?:died|has|had)[ ])")
_SMALL_TWO = lazy(r"[a-z]+[ ](?P<name>[a-z]{3,})[ ](?:and|&)[ ](?P<other>[a-z]{3,})\b")
_MANY = tuple("boys girls sons daughters kids children brothers sisters twins grandkids grandchildren grandsons granddaughters".split())
_CLOSED = lazy(r"[ \t]*(?:,|\)|;|\.|-|–|\(|$|\n|and\b|is\b|was\b|who\b|at\b|in\b|on\b|to\b|by\b)")


def find_related(text: str, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a word of kinship or acquaintance."""
    passed: defaultdict[object, set[Range]] = defaultdict(set)
    for cue in cues:
        link = _LINK.match(text, cue.end)
        if link is None:
            continue
        # "Cat II tracing" is a grade; "Twin B Luc" has a letter before his name.
        if _ROMAN.match(text, link.end()):
            continue
        lettered = _TWIN_LETTER.match(text, link.end()) if cue.words == ("twin",) else None
        like = passed[cue.label, bool(link["mark"])]
        for found in read_names(text, lettered.end() if lettered else link.end(), lower=True, passed=like):
            if is_place(text, found[1]) or (is_clinical(text, *found) and not _is_borne(text, found)):
                break
            score = _score(text, found, marked=bool(link["mark"]))
            if not score:
                break
            yield Span(*found, cue.label, score, SOURCE)


def find_small(reading: Reading, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names in small letters that may be words too: before an age or an illness (``aunt dot at 38``), or two (``boys cole and sid``)."""
    text = reading.text
    for cue in cues:
        if (aged := _SMALL_AGED.match(text, cue.end)) and is_given(aged["name"]) and not is_sentence_word(aged["name"]):
            yield Span(*aged.span("name"), cue.label, 0.75, SMALL_SOURCE)
    for two in reading.matches(_SMALL_TWO, _MANY):
        names = two["name"], two["other"]
        if all(is_given(name) and not is_sentence_word(name) for name in names) and not all(map(is_common, names)):
            yield from (Span(*two.span(name), "PATIENT", 0.75, SMALL_SOURCE) for name in ("name", "other"))


def _is_borne(text: str, found: Range) -> bool:
    """``husband Leopold.``: a given name that closes its clause, though some sign is named so."""
    return is_given(text[slice(*found)]) and text[found[0]].isupper() and _APPOSED_END.match(text, found[1]) is not None


def _score(text: str, found: Range, *, marked: bool) -> float:
    """How sure, 0 for not a name. After a comma the word must be known; in capitals or small letters, known well."""
    words = words_of(text, found)
    first = words[0]
    # "interpreter (Mam)": the tongue.
    if len(words) == 1 and first.casefold() in word_list("demonyms") and not is_frequent_given(first):
        return 0.0
    if first.islower():
        return 0.7 if is_frequent_given(first) and not is_common(first) else 0.0
    # "Baby DAT neg": a test and its result.
    if first.isupper() and _RESULT.match(text, found[1]):
        return 0.0
    if first.isupper() and is_capital_word(first) and not text[max(0, found[0] - 40) : found[1] + 40].isupper():
        return 0.0
    if first.isupper():
        full = len(words) > 1 and is_frequent_given(first) and is_surname(words[-1])
        return 0.7 if (is_given(first) and not is_common(first)) or full else 0.0
    if is_given(first) and not is_common(first):
        return 0.85
    if is_frequent_given(first) and not is_sentence_word(first) and not is_never_name(first) and not _NUMBER.match(text, found[1]):
        return 0.7
    if is_common(first) or is_foreign_to_names(first):
        return 0.75 if is_given(first) and len(words) > 1 and is_surname(words[-1]) and not is_common(words[-1]) else 0.0
    if is_surname(first) or (len(words) > 1 and is_name(words[-1])):
        return 0.75
    if is_capital_word(first):
        return 0.0
    return 0.6 if (_APPOSED if marked else _CLOSED).match(text, found[1]) else 0.0

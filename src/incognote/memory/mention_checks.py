"""Checks of the context of a known value before a mention is accepted, one for each kind of form."""

import re
from collections.abc import Callable, Mapping

from incognote.lexicon import word_groups, word_list
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.degrees import DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_common
from incognote.lexicon.relation_cues import KIN

Words = tuple[str, ...]
Check = Callable[[str, int, int, Words, Words], bool]

_CLINICIAN_TITLE = lazy(r"\b(?:dr|drs|doctor|prof|professor|nurse)\b\.?[ \t]+(?:\w\.[ \t]*|[^\W\d_][\w'’-]+[ \t]+){0,2}$", re.IGNORECASE)
_PERSON_TITLE = lazy(r"\b(?:mr|mrs|ms|miss|mx|patient|pt)\b\.?[ \t]+(?:\w\.[ \t]*|[^\W\d_][\w'’-]+[ \t]+)?$", re.IGNORECASE)
_TITLE = lazy(r"\b(?:mr|mrs|ms|miss|mx|dr|doctor|prof|patient|pt|name|nurse)\b[.:]?[ \t]*$", re.IGNORECASE)
_NEXT_WORD = lazy(r"(?:['’]s)?[ \t\n-]+(?P<word>[^\W\d_]+)")
_ARTICLE = lazy(r"\b(?:an?|the|no|with|has|indwelling|grade|via|for|of|known)[ \t]+$", re.IGNORECASE)
_TERM_AFTER = lazy(r"-\w|[ \t]\d|['’]s(?:[ \t]*[.,;:)\n]|[ \t]*$|[ \t]+(?:and|or|with|in|of)\b)")
_DEGREE_AFTER = lazy(DEGREES)
# "Mr. Roe (Ann Roe)", "saw Roe. Ann left": two mentions, not one with the family name first.
_PARTED = lazy(r"[;(]|\w{3}\.\s")
_SENTENCE_END = lazy(r"(?:^|[.!?:;\n\r•*>-][\"'”)\]]*)\s*$")
_NAME_WORD = lazy(r"[^\W\d_]+")
_INITIALS_BEFORE = lazy(
    r"(?:\b(?:patient|pt|initials?|signed|by|client|resident|and|with|re)\b[.:]?[ \t]*|[/(\[:][ \t]*|(?:^|\n)[ \t]*)$", re.IGNORECASE
)
_INITIALS_AFTER = lazy(r"[ \t]*(?:$|\n|\)|\]|/|,|'s\b|(?:is|was|has|states|reports|denies|called)\b)")
# What says whose initials these are, though the letters have a meaning in notes: sex and age, kinship or a thing of theirs, the name.
_AGE = r"\d{1,3}[ -]?(?:y(?:ears?|rs?|/?o)?\b|[MFmf]\b|mo\b)"
_PERSON_AFTER = lazy(
    rf"[ ]?[,(]?[ ]?(?:(?:is|was)[ ](?:an?[ ])?(?:[a-z-]+[ ]){{0,3}})?(?:{_AGE}|(?:man|woman|male|female|boy|girl|gentleman|lady|infant|"
    rf"toddler|teenager)\b)|['’]s[ ](?:[a-z-]+[ ])?(?:{'|'.join(sorted(KIN))}|home|house|family|room|birthday)\b"
)
_SAYS_AFTER = lazy(
    r"[ ](?:reports?|reported|denies|denied|states|stated|says|said|complains|complained|c/o|feels|felt|endorses|endorsed|tolerated|slept|"
    r"ate|verbali[sz]ed|presents|presented|arrived|lives|called|agrees|agreed|requests|requested|refuses|refused|ambulated)\b"
)
# Staff, services and pronouns report and deny, too.
_SPEAKERS = frozenset("cm cna dr ed ems er gi gu he icu it lpn md np ob or ot pa pt rd rn rt she slp st sw they we who you".split())
_NAMED_BEFORE = lazy(r"(?P<name>[^\W\d_][\w'’.-]*(?:[ ]+[^\W\d_][\w'’.-]*){1,4})[ ]?[(\[][\"“]?\Z|\binitials?(?: are| is)?[ :]{1,3}\Z")
# A part of a code, a ratio or a measure: T-WH, WH/KL, WH 3, WH+.
_CODE_BEFORE = lazy(r"[\w+%#][-–/+&]\Z|[\d.][ ]?\Z|[-–+#@]\Z")
_ONE_OF_A_KIND = lazy(r"\b(?:an?|the|no|indwelling|grade|type|stage)[ ]\Z", re.IGNORECASE)
_CODE_AFTER = lazy(rf"[-–/+&%=<>^#@]\w?|[ ]?[=<>≥≤]|[ ](?!{_AGE})[-+]?\d")


def title_label(text: str, start: int) -> str:
    """The label that a title before the place suggests, or an empty string.

    >>> title_label("Dr. Roe", 4), title_label("Mrs. Roe", 5), title_label("saw Roe", 4)
    ('DOCTOR', 'PATIENT', '')
    """
    if _has_title(_CLINICIAN_TITLE, text, start):
        return "DOCTOR"
    return "PATIENT" if _has_title(_PERSON_TITLE, text, start) else ""


def is_clinician(text: str, start: int, end: int) -> bool:
    """Whether a title before or a degree after makes this name a clinician's."""
    return _has_title(_CLINICIAN_TITLE, text, start) or _DEGREE_AFTER.match(text, end) is not None


def _has_title(titles: re.Pattern[str], text: str, start: int) -> bool:
    return titles.search(text, max(0, start - 40), start) is not None


def _check_phrase(text: str, start: int, end: int, words: Words, _: Words) -> bool:
    return len(words) > 1 or _check_word(text, start, end, words, ())


def _check_name(text: str, start: int, end: int, words: Words, _: Words) -> bool:
    """A name of several words. Written as one word, it must not be a common word; a single initial must be a capital."""
    if len(words) == 1:
        return len(words[0]) > 4 and not is_common(words[0])
    if (len(words[-1]) == 1 and not text[end - 1].isupper()) or _PARTED.search(text, start, end):
        return False
    lower = text[start:end].islower()
    return not (lower and any(is_common(word) for word in words if len(word) > 1))


def _check_word(text: str, start: int, end: int, words: Words, _: Words) -> bool:
    """One word of a name. A common word or a clinical term counts as a name only by its capital and its context."""
    return _stands_as_name(text, start, end) and not _is_term(text, start, end)


def _stands_as_name(text: str, start: int, end: int) -> bool:
    written = text[start:end]
    if not written[0].isupper():
        return len(written) > 3 and not _is_doubtful(written)
    if not _is_doubtful(written) or _TITLE.search(text, max(0, start - 12), start):
        return True
    if written.isupper() and len(written) > 1:
        return False
    return not _SENTENCE_END.search(text, max(0, start - 6), start) and not text[end : end + 2].strip().startswith("-")


def _is_term(text: str, start: int, end: int) -> bool:
    """Whether the word is a clinical term here, although it is also a name in this note: in lower case, after an article, before a
    clinical word, a number or a hyphen, or as a possessive without a noun (``has Parkinson's``)."""
    after = _NEXT_WORD.match(text, end)
    head = after is not None and after["word"].casefold() in word_list("clinical-heads")
    if not (head or text[start].islower() or _TERM_AFTER.match(text, end) or _ARTICLE.search(text, max(0, start - 12), start)):
        return False
    return is_clinical(text, start, end)


def _is_doubtful(word: str) -> bool:
    folded = word.casefold()
    return is_common(word) or folded in word_list("eponyms") or folded in word_list("drugs")


def _check_initials(text: str, start: int, end: int, words: Words, _: Words) -> bool:
    """Capitals that are the initials of someone on the patient's side, dotted (``M.K.``) or bare. Letters that mean something else in notes
    need evidence of a person beside them."""
    written, letters = text[start:end], "".join(words)
    if not written.isupper() or "\n" in written:
        return False
    dotted = len(words) > 1
    if dotted and not ("." in written and (text[end : end + 1] == "." or len(words) > 2)):
        return False
    if letters in word_groups("abbreviations")["dotted"] or (not dotted and _is_abbreviation(letters)):
        return _has_person_beside(text, start, end, letters)
    return dotted or not _is_code(text, start, end)


def _is_code(text: str, start: int, end: int) -> bool:
    """Whether bare capitals are a part of a code or a measure, or qualify a clinical word."""
    before, after = text[max(0, start - 12) : start].rpartition("\n")[2], _NEXT_WORD.match(text, end)
    if after is not None and after["word"] in word_list("clinical-heads"):
        return True
    return bool(_CODE_BEFORE.search(before) or _ONE_OF_A_KIND.search(before) or _CODE_AFTER.match(text, end))


def _is_abbreviation(letters: str) -> bool:
    lists = ("abbreviations", "capital-words", "clinical-terms", "drugs")
    return is_common(letters) or any(letters in word_list(name) for name in lists) or letters.upper() in word_groups("states")


def _has_person_beside(text: str, start: int, end: int, letters: str) -> bool:
    if _PERSON_AFTER.match(text, end) or (letters not in _SPEAKERS and _SAYS_AFTER.match(text, end)):
        return True
    named = _NAMED_BEFORE.search(text, text.rfind("\n", 0, start) + 1 if start < 80 else start - 80, start)
    if named is None or named["name"] is None:
        return named is not None
    initials = "".join(word[0] for word in _NAME_WORD.findall(named["name"]))
    return initials.casefold().endswith(letters) or (initials[:1] + initials[-1:]).casefold() == letters


def _check_staff_initials(text: str, start: int, end: int, words: Words, asked: Words) -> bool:
    """As those of a patient; two bare letters only where something says that initials or a person stand here."""
    if not _check_initials(text, start, end, words, asked):
        return False
    letters = "".join(words)
    signs = _INITIALS_BEFORE.search(text, max(0, start - 12), start) and _INITIALS_AFTER.match(text, end)
    return len(words) > 1 or len(letters) > 2 or bool(signs) or _has_person_beside(text, start, end, letters)


def _check_number(text: str, start: int, end: int, words: Words, _: Words) -> bool:
    """Digits that are part of a longer number or of a decimal are not the value."""
    if len(words) == 2 and text[end - len(words[1]) - 1] == "." and len("".join(words)) < 7:
        return False
    return not (text[start - 1 : start] == "." and text[start - 2 : start - 1].isdigit()) and not (
        text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()
    )


def _check_exact(text: str, start: int, end: int, words: Words, asked: Words) -> bool:
    """The words must be separated as in the form: 3/4/1961 is not 34/1961."""
    return words == asked or (len(words) == 1 and any(word.isalpha() for word in asked))


def _check_typo(text: str, start: int, end: int, words: Words, _: Words) -> bool:
    written = text[start:end]
    return (written[0].isupper() or len(written) > 8) and not _is_doubtful(written) and not is_clinical(text, start, end)


CHECKS: Mapping[str, Check] = {
    "phrase": _check_phrase,
    "name": _check_name,
    "word": _check_word,
    "initials": _check_initials,
    "staff initials": _check_staff_initials,
    "number": _check_number,
    "exact": _check_exact,
    "typo": _check_typo,
}

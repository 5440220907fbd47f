"""Clinical terms: whether words are an eponym, drug, score, device or organism where they stand, or a name.

"Foley" in "Foley to gravity" is a catheter; in "Dr. Foley" it is a person. Only the given range and its context are read.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from incognote.lexicon import word_groups, word_list, word_rows
from incognote.lexicon.degrees import PLAIN_DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names, surnames

_BEFORE, _AFTER = 60, 80
_WORD = lazy(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_POSSESSIVE = lazy(r"['’]s?$")
_GAP = lazy(r"[\s\-–/.&]{1,3}")
_CLEAN = lazy(r"['’]?(?:[ \t]|\s)[\s\d#-]{0,5}|-|–|/")
# "Cardinal 30 mg": a name with a dose is a drug's, listed or not.
_DOSE = lazy(r"\s{0,2}\d[\d.,]*\s?(?:mg|mcg|g|ml|units?|%|tabs?|caps?|meq|/)", re.IGNORECASE)
# After an eponym: the sign was looked for, or the class is given. "Wilson positive for flu" is a person.
_RESULT = lazy(
    r"['’]?s?:? ?(?:\(?[+-]{1,2}\)?(?![\w+-])|(?:neg|pos)(?:ative|itive)?\b(?! for)|absent\b|\d{1,2}/\d{1,3}\b|"
    r"(?:II|III|IV)[ab]?\b(?! [A-Z][a-z]))"
)

_HEAD_NEXT = lazy(r"[-–/]|['’]?\s[\s\d#-]{0,5}(?P<word>[^\W\d_]+)")
_GRADE = lazy(r"[A-E]|[IVX]{1,4}[ab]?|L|M|S|XL")
# One digit that ends a clause: "Wilkins 7.", "Mac 4, grade 1 view".
_GRADED = lazy(r"(?:['’]s)?:? ?(?:\d[a-d]?(?=[.,;)](?!\d)|\n|$)|[A-Z]\d[A-Za-z0-9]{0,3}\b|[A-Z]{2,4}\d{4,})")
_ALTERNATIVE = frozenset({"or", "vs", "versus"})

Words = Sequence[tuple[int, int, str, bool]]


def is_clinical(text: str, start: int, end: int) -> bool:
    """Whether every word of the range belongs to a clinical term, and nothing around it says that it is a name.

    >>> is_clinical("Crohn's disease", 0, 5), is_clinical("Murphy's sign", 0, 6), is_clinical("Murphy's mother", 0, 6)
    (True, True, False)
    """
    if not _may_be_term(text, start, end):
        return False
    words = _read_words(text, max(0, start - _BEFORE), min(len(text), end + _AFTER))
    inside = [at for at, word in enumerate(words) if word[0] < end and start < word[1]]
    if not inside:
        return False
    covered: set[int] = set()
    for at in range(min(inside[-1] + 2, len(words) - 1), max(-1, inside[0] - 6), -1):
        covered.update(_cover(words, at, text, covered))
    # The grade after a scale is part of it: Mallampati I, Child B.
    covered.update(at for at in inside if at - 1 in covered and _GRADE.fullmatch(text, *words[at][:2]))
    return covered.issuperset(inside)


def _may_be_term(text: str, start: int, end: int) -> bool:
    """A cheap look first: each word is one of some term, ends like a drug, is a grade, or stands before a hyphen or a head."""
    if text[start - 1 : start].isalpha() or text[end : end + 1].isalpha():
        return True
    known, heads = _every_word(), _heads()[1]
    for match in _WORD.finditer(text, start, end):
        key = match[0].casefold()
        key = _POSSESSIVE.sub("", key.replace("’", "'")) if "'" in key or "’" in key else key
        if key in known or _GRADE.fullmatch(match[0]) or _ends_like_drug(key):
            continue
        after = _HEAD_NEXT.match(text, match.end())
        if after is None or (after["word"] is not None and after["word"].casefold() not in heads):
            return False
    return True


@cache
def _every_word() -> frozenset[str]:
    return frozenset(word for term in _terms()[0] for word in term.split())


def opens_term(word: str) -> bool:
    """Whether some clinical term starts with the word: a name that is often something else in a note.

    >>> opens_term("Foley"), opens_term("Okafor")
    (True, False)
    """
    return word.casefold() in _terms()[1]


def _read_words(text: str, start: int, end: int) -> Words:
    words = []
    for match in _WORD.finditer(text, start, end):
        key = match[0].casefold().replace("’", "'")
        bare = _POSSESSIVE.sub("", key) if "'" in key else key
        words.append((match.start(), match.end(), bare, bare != key))
    return words


@cache
def _terms() -> tuple[dict[str, str], dict[str, int]]:
    """Each term with its kind (strong, weak, drug, weak drug) and, for each first word, the length of the longest term."""
    terms: dict[str, str] = {}
    for name in ("clinical-terms", "drugs", "eponyms"):
        for row in word_rows(name):
            words = [_POSSESSIVE.sub("", word.casefold()) for word in _WORD.findall(row[0])]
            weak = len(words) == 1 and row[1:] == ("weak",)
            terms.setdefault(" ".join(words), ("weak drug" if name == "drugs" else "weak") if weak else "strong")
    longest: dict[str, int] = {}
    for term in terms:
        words = term.split()
        longest[words[0]] = max(len(words), longest.get(words[0], 0))
    return terms, longest


@cache
def _heads() -> tuple[frozenset[str], frozenset[str]]:
    return word_list("clinical-heads"), frozenset(row[0] for row in word_rows("clinical-heads") if row[1:] == ("open",))


def _cues(kind: str) -> frozenset[str]:
    return word_groups("clinical-cues")[kind]


@cache
def _drug_endings() -> tuple[str, ...]:
    return tuple(_cues("drug ending"))


def _cover(words: Words, at: int, text: str, covered: set[int]) -> Iterable[int]:
    """The words of the term that starts at ``at``, if one does; none if it is used as a name."""
    terms, longest = _terms()
    for length in range(longest.get(words[at][2], 0), 0, -1):
        last = at + length - 1
        if last >= len(words) or not _adjacent(words, at, last, text):
            continue
        kind = terms.get(" ".join(word[2] for word in words[at : last + 1]))
        if kind is None:
            continue
        if _named(words, at, last, text):
            return ()
        if kind == "strong" or _has_head(words, last, text) or (kind == "weak drug" and _is_taken(words, at, text)):
            return range(at, last + 1)
        if kind == "weak" and (_RESULT.match(text, words[last][1]) or _is_graded(words, at, last, text)):
            return range(at, last + 1)
        if kind == "weak" and _is_finding(words, at, text):
            return (at,)
    before_covered = at + 1 in covered and text[words[at][1] : words[at + 1][0]] in ("-", "–", "/")
    return (at,) if before_covered or _opens_term(words, at, text) or _ends_like_drug(words[at][2]) else ()


def _is_graded(words: Words, at: int, last: int, text: str) -> bool:
    """Whether a weak term has a grade of one digit, is one of two scales to choose from, or stands in brackets after what it names."""
    key, (start, end) = words[at][2], (words[at][0], words[last][1])
    if _GRADED.match(text, end) and key not in given_names(4000):
        return True
    if at > 1 and words[at - 1][2] in _ALTERNATIVE and _terms()[0].get(_last_term(words, at - 2, text)) == "strong":
        return True
    if text[start - 1 : start] != "(" or text[end : end + 1] != ")" or at == 0:
        return False
    return words[at - 1][2] in _cues("device noun")


def _last_term(words: Words, at: int, text: str) -> str:
    """The word at this place, with the one before where a hyphen joins them: Tyrer-Cuzick."""
    joined = at > 0 and text[words[at - 1][1] : words[at][0]] == "-"
    return f"{words[at - 1][2]} {words[at][2]}" if joined else words[at][2]


def _adjacent(words: Words, first: int, last: int, text: str) -> bool:
    return all(_GAP.fullmatch(text, words[at][1], words[at + 1][0]) for at in range(first, last))


def _has_head(words: Words, last: int, text: str) -> bool:
    """Whether a head word follows, at once or after more eponyms (Murphy's and McBurney's signs)."""
    terms, _ = _terms()
    for at in range(last + 1, min(last + 5, len(words))):
        listed = words[at][2] in terms and text[words[at - 1][1] : words[at][0]] == ", "
        if not listed and not _CLEAN.fullmatch(text, words[at - 1][1], words[at][0]):
            return False
        if not _heads()[0].isdisjoint((words[at][2], words[at][2].removesuffix("s"))) and not words[at][3]:
            return True
        if words[at][2] not in terms and words[at][2] not in ("and", "or", "vs", "versus"):
            return False
    return False


def _opens_term(words: Words, at: int, text: str) -> bool:
    """Whether a head that makes a term of any name follows a word that is not a given name."""
    start, end, key, possessive = words[at]
    follows = at + 1 < len(words) and words[at + 1][2] in _heads()[1] and bool(_CLEAN.fullmatch(text, end, words[at + 1][0]))
    return follows and not possessive and text[start].isupper() and key not in given_names(4000) and not _named(words, at, at, text)


def _is_finding(words: Words, at: int, text: str) -> bool:
    """Whether a bare possessive closes its phrase after a word that leads in a finding."""
    end, possessive = words[at][1], words[at][3]
    closes = not text[end : end + 1].isspace() or text[end : end + 5].strip()[:3] in ("", "and", "or ")
    return possessive and closes and at > 0 and words[at - 1][2] in _cues("finding cue")


def _is_taken(words: Words, at: int, text: str) -> bool:
    """Whether a dose, a form or a verb of taking stands beside a name-like drug."""
    before = [word[2] for word in words[max(0, at - 2) : at] if word[2] not in ("on", "of", "her", "the")]
    return (
        bool(_DOSE.match(text, words[at][1]))
        or (at + 1 < len(words) and words[at + 1][2] in _cues("drug noun"))
        or (bool(before) and before[-1] in _cues("drug verb"))
    )


def _ends_like_drug(key: str) -> bool:
    if len(key) < 7 or not key.endswith(_drug_endings()):
        return False
    return not (key in surnames() or key in given_names() or key in word_list("cities"))


def _named(words: Words, first: int, last: int, text: str) -> bool:
    """Whether a title, a given name, an initial, a degree or ``Family, Given`` says that the words are a person's name."""
    if first > 0:
        start, end, key, _ = words[first - 1]
        gap = text[end : words[first][0]]
        if key in _cues("title") and gap in (" ", ".", ". "):
            return True
        initial = end - start == 1 and text[start].isupper() and gap == ". "
        if (initial or (gap == " " and _is_given(key, text[start]))) and not _has_head(words, last, text):
            return True
    if last + 1 < len(words):
        start, end, key, possessive = words[last + 1]
        gap = text[words[last][1] : start]
        if gap.strip() == "," and (
            key.replace(".", "") in PLAIN_DEGREES or (first == last and _is_given(key, text[start]) and not possessive)
        ):
            return True
    return False


def _is_given(key: str, initial: str) -> bool:
    if not initial.isupper() or key not in given_names() or key in _terms()[0]:
        return False
    return key not in word_list("common-words") and key not in word_list("ambiguous-names")

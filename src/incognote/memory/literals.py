"""Known values in scripts without capitals (Han, Hangul, Arabic, Devanagari and others), found letter by letter.

Their words may stand without blanks between them, and the checks of ``mention_checks`` read capitals, so such a value is searched for as it
is listed, under any normalization, with any blanks and points between its letters.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from incognote.document import Span
from incognote.document.scripts import is_unspaced
from incognote.lexicon.lazy import lazy
from incognote.memory.mention import Mention

_NAME_PARTS = lazy(r"[^\s,;.·・•‧^]+")
# After a family name of one letter.
_COURTESY = "先生 女士 小姐 太太 さん 様 氏 君 씨 님".split()
# So many letters of a script with blanks stand for the value inside a longer word, too: after a particle, before an ending.
_WITHIN_WORDS = 4


def literal_letters(text: str) -> tuple[str, list[int]]:
    """The letters, digits and vowel signs of a text, folded and decomposed, and the place of each in the text.

    >>> literal_letters("ｷﾑ・Ana") == ("キムana", [0, 1, 3, 4, 5])
    True
    """
    letters: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        for letter in _fold_letter(character):
            letters.append(letter)
            places.append(at)
    return "".join(letters), places


@lru_cache(8192)
def _fold_letter(character: str) -> str:
    if not _in_word(character):
        return ""
    return "".join(mark for mark in unicodedata.normalize("NFKD", character.casefold()) if not unicodedata.combining(mark))


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character) in ("Mn", "Mc")


def literal_forms(value: str, label: str, source: str, *, name: bool = False, parts: bool = True) -> Iterator[tuple[str, Mention]]:
    """The keys under which a value is found; those of a ``name`` with the family name first or last, and with its parts alone.

    >>> sorted({key for key, _ in literal_forms("秀英 山田", "PATIENT", "", name=True)})
    ['山田', '山田秀英', '秀英', '秀英山田']
    """
    yield literal_letters(value)[0], Mention(label, source, "literal", 0.95)
    if not name:
        return
    written = _NAME_PARTS.findall(unicodedata.normalize("NFKC", value))
    words = [literal_letters(word)[0] for word in written]
    for turned in (words[1:] + words[:1], words[-1:] + words[:-1]):
        yield "".join(turned), Mention(label, source, "literal", 0.95)
    part_mention = Mention(label, source, "literal", 0.8)
    for part in (_split_whole(written[0]) if len(written) == 1 else written) if parts else ():
        if len(part) > 1:
            yield literal_letters(part)[0], part_mention
        elif is_unspaced(part):
            yield from ((literal_letters(part + courtesy)[0], part_mention) for courtesy in _COURTESY)


def _split_whole(word: str) -> list[str]:
    """The family and given name of a whole name in Han or Hangul: one letter and one or two, or two and two."""
    if not all("\u3400" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7a3" for letter in word):
        return []
    return {2: [word[:1]], 3: [word[:1], word[1:]], 4: [word[:2], word[2:]]}.get(len(word), [])


def find_literals(text: str, literals: Mapping[str, Mention]) -> Iterator[Span]:
    """Every literal in the text, the longest at each place, in order."""
    letters, places = literal_letters(text)
    taken = bytearray(len(letters))
    found: list[Span] = []
    for key in sorted(literals, key=lambda key: (-len(key), key)):
        at = letters.find(key)
        while at >= 0:
            start, end = places[at], _end_of_letter(text, places[at + len(key) - 1] + 1)
            whole = places[at + len(key) : at + len(key) + 1] != [places[at + len(key) - 1]]  # not a part of a syllable
            if whole and 1 not in taken[at : at + len(key)] and _stands(text, start, end, key):
                taken[at : at + len(key)] = b"\x01" * len(key)
                mention = literals[key]
                found.append(Span(start, end, mention.label, mention.score, mention.source))
            at = letters.find(key, at + 1)
    yield from sorted(_without_overlaps(found))


def _without_overlaps(found: Iterable[Span]) -> Iterator[Span]:
    """One letter may be written by several characters, and several letters by one: ㍿."""
    taken: set[int] = set()
    for span in found:
        if taken.isdisjoint(range(span.start, span.end)):
            taken.update(range(span.start, span.end))
            yield span


def _end_of_letter(text: str, end: int) -> int:
    """The end with the marks that belong to the last letter."""
    while end < len(text) and unicodedata.category(text[end]) in ("Mn", "Mc"):
        end += 1
    return end


def _stands(text: str, start: int, end: int, key: str) -> bool:
    if is_unspaced(text[start]) or len(key) >= _WITHIN_WORDS:
        return True
    return not (start and _in_word(text[start - 1])) and not (end < len(text) and _in_word(text[end]))

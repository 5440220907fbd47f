"""Scripts: the letters that models of English cannot read, and scripts without spaces between words.

The vocabulary of the shipped model has Latin letters only; other letters become bytes. Signs such as µ and ° and the Greek letters of
clinical use (β, αβ) are symbols and do not count.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from incognote.document.span import Span

# Words of letters that are neither Latin, with its accents and phonetic letters, nor letter-like signs.
_FOREIGN = re.compile("[^\\W\\d_\x00-\u02ff\u1d00-\u1dbf\u1e00-\u1eff\u2100-\u214f\u2c60-\u2c7f\ua720-\ua7ff\ufb00-\ufb06\uff21-\uff5a]+")
_FIRST_UNSPACED = "\u0e00"
_UNSPACED = frozenset({"CJK", "HANGUL", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH", "IDEOGRAPHIC", "BOPOMOFO", "THAI", "LAO",
                       "KHMER", "MYANMAR", "TIBETAN"})  # fmt: skip
_NAMES = {"CJK": "Han", "IDEOGRAPHIC": "Han", "HALFWIDTH": "Katakana", "KATAKANA-HIRAGANA": "Katakana"}
# β and ΔΨ are signs; three Greek letters in a row are a word.
_GREEK_WORD = 3


@lru_cache(4096)
def _first_name(character: str) -> str:
    return unicodedata.name(character, "?").partition(" ")[0]


def is_unspaced(character: str) -> bool:
    """Whether the character is of a script whose words may stand without blanks between them, or with particles attached.

    >>> is_unspaced("李"), is_unspaced("민"), is_unspaced("я"), is_unspaced("a")
    (True, True, False, False)
    """
    return character >= _FIRST_UNSPACED and _first_name(character) in _UNSPACED


def has_caseless_letters(text: str) -> bool:
    """Whether the text holds letters of a script without capitals: Han, Hangul, Arabic, Devanagari and others."""
    return not text.isascii() and any(unicodedata.category(letter) == "Lo" for word in _FOREIGN.findall(text) for letter in word)


def count_unread(text: str, spans: Iterable[Span] = ()) -> Counter[str]:
    """How many letters of each script outside the spans a model of English cannot read.

    >>> count_unread("Seen by 李秀英, β-blocker 5 µg, Nguyễn"), count_unread("李秀英", [Span(0, 3, "PATIENT")])
    (Counter({'Han': 3}), Counter())
    """
    counts: Counter[str] = Counter()
    if text.isascii() or not _FOREIGN.search(text):
        return counts
    covered = {at for span in spans for at in range(span.start, span.end)}
    for word in _FOREIGN.finditer(text):
        letters = [text[at] for at in range(*word.span()) if at not in covered and unicodedata.category(text[at])[0] == "L"]
        greek = sum(_first_name(letter) == "GREEK" for letter in letters)
        for letter in letters:
            name = _first_name(letter)
            if name != "GREEK" or greek >= _GREEK_WORD:
                counts[_NAMES.get(name, name.title())] += 1
    return counts

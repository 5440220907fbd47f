"""How a text is cased, and text in all caps lowercased without moving a character."""

import re
from string import ascii_lowercase, ascii_uppercase

_UPPER, _LOWER = ascii_uppercase.encode(), ascii_lowercase.encode()
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_LOOK = 4000  # characters that are counted for the whole
_FEWEST = 40  # fewer letters in capitals may be a name or a code


def count_cases(text: str) -> tuple[int, int]:
    """How many upper-case and lower-case letters are in the first characters of a text.

    >>> count_cases("Ann LEE, Ärztin")
    (5, 7)
    """
    letters = text[:_LOOK]
    plain, others = letters.encode("ascii", "ignore"), _NOT_ASCII.findall(letters)  # bytes are counted at once
    upper = len(plain) - len(plain.translate(None, _UPPER)) + sum(map(str.isupper, others))
    lower = len(plain) - len(plain.translate(None, _LOWER)) + sum(map(str.islower, others))
    return upper, lower


def is_all_caps(text: str) -> bool:
    """Whether a text is written in all caps.

    >>> is_all_caps("PT SEEN BY DR. LEE THIS MORNING, NO CHANGE OVERNIGHT"), is_all_caps("MRN 4471-AB"), is_all_caps("Seen by Dr. LEE")
    (True, False, False)
    """
    upper, lower = count_cases(text)
    return upper > 2 * lower and upper + lower >= _FEWEST


def lowercase_all_caps(text: str) -> str:
    """The text in lower case where it is in all caps; each character keeps its place.

    >>> lowercase_all_caps("SEEN BY DR. İNCE THIS MORNING, NO CHANGE OVERNIGHT"), lowercase_all_caps("Seen by Dr. LEE")
    ('seen by dr. İnce this morning, no change overnight', 'Seen by Dr. LEE')
    """
    if not is_all_caps(text):
        return text
    small = text.lower()
    return small if len(small) == len(text) else "".join(_lower(character) for character in text)


def _lower(character: str) -> str:
    """The lower-case letter, or the character itself where that would take two."""
    small = character.lower()
    return small if len(small) == 1 else character

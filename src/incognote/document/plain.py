"""The plain reading of a text: what only looks like a blank, a letter or a digit is read as one, and every place stays where it is.

Notes that went through a web page or a word processor have no-break spaces between their words; those from East Asian keyboards
have wide letters and digits. No rule or model should have to know that.
"""

import unicodedata
from functools import cache

# Hyphens with a character of their own: U+2010 and the one that does not break.
_HYPHENS = {0x2010: "-", 0x2011: "-"}
_BEYOND = 0x20000  # where no space, digit or styled letter lies any more


def read_plainly(text: str) -> str:
    """The text, as long as it was, with plain characters for wide, styled and no-break ones; superscripts stay, as 10² is not 102.

    >>> read_plainly("Dr.\\u00a0Ａｎａ at ٣, 10²")
    'Dr. Ana at 3, 10²'
    """
    return text if text.isascii() else text.translate(_plain_characters())


@cache
def _plain_characters() -> dict[int, str]:
    found = {code: plain for code in range(0x80, _BEYOND) if (plain := _plain_character(chr(code)))}
    return found | _HYPHENS


def _plain_character(character: str) -> str:
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    if unicodedata.category(character) == "Zs":
        return " "
    kind, _, _ = unicodedata.decomposition(character).partition(" ")
    plain = unicodedata.normalize("NFKC", character) if kind in ("<wide>", "<font>") else ""
    return plain if plain.isascii() and len(plain) == 1 else ""

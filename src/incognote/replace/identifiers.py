"""Surrogate numbers: the shape is kept, and where a kind has a check digit or a reserved range the number is no one's."""

import re
from collections.abc import Callable

from stdnum.es import dni, nie
from stdnum.gb import nhs
from stdnum.nl import bsn

from incognote.lexicon.check_digits import NPI_PREFIX, is_dea, is_luhn, is_vin
from incognote.replace.keyed_choice import KeyedChoice

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_DEA = re.compile(r"[A-Z][A-Z9]\d{7}")
_VIN = re.compile(r"[A-HJ-NPR-Z\d]{17}")


def canonical_id(value: str) -> str:
    """Letters and digits only, capitals: one number in any writing.

    >>> canonical_id("mrn-123 45") == canonical_id("MRN12345")
    True
    """
    return "".join(filter(str.isalnum, value.upper()))


def surrogate_id(canonical: str, choice: KeyedChoice) -> str | None:
    """Letter for letter and digit for digit, and valid under no known check; None where there is nothing to change."""
    if not canonical or not canonical.isascii():
        return None
    new = [choice.of(at).pick("0123456789" if character.isdigit() else _LETTERS) for at, character in enumerate(canonical)]
    # A number keeps its length when it is read as one.
    if canonical[0] != "0" and new[0] == "0":
        new[0] = choice.of("first").pick("123456789")
    return _spoil("".join(new))


def _spoil(number: str) -> str | None:
    """The number with its last digit changed until no check holds."""
    last = next((at for at in range(len(number) - 1, -1, -1) if number[at].isdigit()), None)
    if last is None:
        return number
    for step in range(10):
        spoilt = f"{number[:last]}{(int(number[last]) + step) % 10}{number[last + 1 :]}"
        if not any(check(spoilt) for check in CHECKS):
            return spoilt
    return None


# Card and account numbers and many record numbers end in a Luhn digit.
CHECKS: tuple[Callable[[str], bool], ...] = (
    lambda number: len(number) == 10 and number.isdigit() and is_luhn(NPI_PREFIX + number),
    lambda number: bool(_DEA.fullmatch(number)) and is_dea(number),
    lambda number: bool(_VIN.fullmatch(number)) and is_vin(number),
    lambda number: number.isdigit() and 7 <= len(number) <= 19 and is_luhn(number),
    lambda number: len(number) == 10 and nhs.is_valid(number),
    lambda number: len(number) == 9 and bsn.is_valid(number),
    lambda number: len(number) == 9 and (dni.is_valid(number) or nie.is_valid(number)),
)


def surrogate_ssn(canonical: str, choice: KeyedChoice) -> str | None:
    """Area 9xx with a group below 50: no social security number starts so, nor any taxpayer number (these have groups of 50 up).

    The last four digits depend on the last four alone, so that ``xxx-xx-1234`` agrees with the whole number.
    """
    digits = re.sub(r"\D", "", canonical)
    if len(digits) not in (4, 9) or canonical_id(canonical).strip("X") != digits:
        return None
    last = f"{1 + choice.of('ssn', digits[-4:]).below(9999):04d}"
    if len(digits) == 4:
        return last
    area = choice.of("ssn area", digits)
    return f"9{area.digits(2)}{1 + area.of('group').below(49):02d}{last}"


def fill_digits(value: str, digits: str) -> str:
    """The digits in the places of those of ``value``.

    >>> fill_digits("(555) 010", "201123")
    '(201) 123'
    """
    source = iter(digits)
    return "".join(next(source) if character.isdecimal() else character for character in value)


def fill_shape(value: str, characters: str) -> str:
    """The characters in the places of the letters and digits of ``value``, capitals as there.

    >>> fill_shape("ab-12 3", "XY789")
    'xy-78 9'
    """
    source = iter(characters)
    filled = (next(source) if character.isalnum() else character for character in value)
    return "".join(new.lower() if old.islower() else new for old, new in zip(value, filled, strict=True))

"""Surrogate numbers: the shape is kept, and where a kind has a check digit or a reserved range the number can be nobody's."""

import re
from collections.abc import Callable

from stdnum import luhn
from stdnum.es import dni, nie
from stdnum.gb import nhs
from stdnum.nl import bsn

from incognote.replace.draw import Draw

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def canonical_id(value: str) -> str:
    """Letters and digits only, capitals: one number in any writing.

    >>> canonical_id("mrn-123 45") == canonical_id("MRN12345")
    True
    """
    return "".join(filter(str.isalnum, value.upper()))


def surrogate_id(canonical: str, draw: Draw) -> str | None:
    """Letter for letter and digit for digit, and valid under no known check; None where there is nothing to change."""
    if not canonical or not canonical.isascii():
        return None
    new = [draw.of(at).pick("0123456789" if character.isdigit() else _LETTERS) for at, character in enumerate(canonical)]
    # A number keeps its length when it is read as one.
    if canonical[0] != "0" and new[0] == "0":
        new[0] = draw.of("first").pick("123456789")
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


def _is_dea(number: str) -> bool:
    if not re.fullmatch(r"[A-Z][A-Z9]\d{7}", number):
        return False
    digits = [int(digit) for digit in number[2:]]
    return (digits[0] + digits[2] + digits[4] + 2 * (digits[1] + digits[3] + digits[5])) % 10 == digits[6]


def _is_vin(number: str) -> bool:
    if not re.fullmatch(r"[A-HJ-NPR-Z\d]{17}", number):
        return False
    total = sum(
        (int(character) if character.isdigit() else _VIN_VALUES[character]) * weight
        for character, weight in zip(number, _VIN_WEIGHTS, strict=True)
    )
    return number[8] == "0123456789X"[total % 11]


def _is_npi(number: str) -> bool:
    return len(number) == 10 and number.isdigit() and luhn.is_valid("80840" + number)


def _is_card(number: str) -> bool:
    return number.isdigit() and 7 <= len(number) <= 19 and luhn.is_valid(number)


# Card and account numbers and many record numbers end in a Luhn digit.
CHECKS: tuple[Callable[[str], bool], ...] = (
    _is_npi,
    _is_dea,
    _is_vin,
    _is_card,
    lambda number: len(number) == 10 and nhs.is_valid(number),
    lambda number: len(number) == 9 and bsn.is_valid(number),
    lambda number: len(number) == 9 and (dni.is_valid(number) or nie.is_valid(number)),
)


def surrogate_ssn(canonical: str, draw: Draw) -> str | None:
    """Area 9xx with a group below 50: no social security number starts so, nor any taxpayer number (these have groups of 50 up).

    The last four digits depend on the last four alone, so that ``xxx-xx-1234`` agrees with the whole number.
    """
    digits = re.sub(r"\D", "", canonical)
    if len(digits) not in (4, 9) or canonical_id(canonical).strip("X") != digits:
        return None
    last = f"{1 + draw.of('ssn', digits[-4:]).below(9999):04d}"
    if len(digits) == 4:
        return last
    area = draw.of("ssn area", digits)
    return f"9{area.digits(2)}{1 + area.of('group').below(49):02d}{last}"


def fill_shape(value: str, characters: str) -> str:
    """The characters in the places of the letters and digits of ``value``, capitals as there.

    >>> fill_shape("ab-12 3", "XY789")
    'xy-78 9'
    """
    source = iter(characters)
    filled = (next(source) if character.isalnum() else character for character in value)
    return "".join(new.lower() if old.islower() else new for old, new in zip(value, filled, strict=True))

"""Check digits and formats of American identifiers: NPI, DEA, VIN, card numbers, SSN areas.

python-stdnum, which checks the foreign ones, loads half of the standard library; it waits until such a number is met.
"""

# A Luhn check of an NPI is over the number behind this prefix (45 CFR 162.406).
NPI_PREFIX = "80840"
_VIN_VALUES = {
    **{str(digit): digit for digit in range(10)},
    **dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_dea(value: str) -> bool:
    """Whether two letters and seven digits carry the DEA's check digit.

    >>> is_dea("AB1234563"), is_dea("AB1234567")
    (True, False)
    """
    digits = [int(character) for character in value[2:]]
    return (digits[0] + digits[2] + digits[4] + 2 * (digits[1] + digits[3] + digits[5])) % 10 == digits[6]


def is_vin(value: str) -> bool:
    """Whether seventeen characters carry the check digit of a North American vehicle (49 CFR 565.15).

    >>> is_vin("1HGCM82633A004352"), is_vin("1HGCM82633A004353")
    (True, False)
    """
    total = sum(_VIN_VALUES[character] * weight for character, weight in zip(value, _VIN_WEIGHTS, strict=True))
    return value[8] == ("X" if total % 11 == 10 else str(total % 11))


def is_ssn(value: str) -> bool:
    """Whether nine digits can be a social security number: no area 000, 666 or 9xx, no group 00, no serial 0000.

    >>> is_ssn("123456789"), is_ssn("666456789"), is_ssn("900456789")
    (True, False, False)
    """
    return value[:3] not in ("000", "666") and value[0] != "9" and value[3:5] != "00" and value[5:] != "0000"


def is_luhn(value: str) -> bool:
    """Whether the digits pass the Luhn check, as card numbers do.

    >>> is_luhn("4111111111111111"), is_luhn("4111111111111112")
    (True, False)
    """
    odd, even = value[-1::-2], value[-2::-2]
    return (sum(map(int, odd)) + sum(sum(divmod(2 * int(digit), 10)) for digit in even)) % 10 == 0

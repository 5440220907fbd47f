"""Phone numbers, addresses of the net and identifiers of every kind, in the shapes that notes have them."""

import re
from collections.abc import Mapping
from random import Random

from incognote.lab.synthetic.locales import Locale
from incognote.lab.synthetic.people import Person, strip_marks

# In a shape, 9 is a digit, 8 a digit that is not 0 or 1, A a capital, a a small letter, X a capital or a digit, h a hexadecimal digit;
# after \ each stands for itself.
_DRAWN = {
    "9": "0123456789",
    "8": "23456789",
    "A": "ABCDEFGHJKLMNPRSTUVWXYZ",
    "a": "abcdefghijklmnoprstw",
    "X": "ABCDEFGHJKLMNPRSTUVWXYZ0123456789",
    "h": "0123456789abcdef",
}
_PHONES = (
    "(899) 899-9999", "(899) 899-9999", "899-899-9999", "899-899-9999", "899-899-9999", "899.899.9999", "899 899 9999", "8998999999",
    "1-899-899-9999", "+1 899 899 9999", "+1-899-899-9999", "(899)899-9999", "899/899-9999", "+1 (899) 899-9999",
)  # fmt: skip
_FOREIGN_PHONES = (
    "+44 20 7999 9999",
    "020 7999 9999",
    "07999 999999",
    "+33 6 99 99 99 99",
    "+52 55 8999 9999",
    "+91 98999 99999",
    "+61 2 9999 9999",
    "(08) 9999 9999",
    "0499 999 999",
    "021 999 9999",
    "+64 21 999 999",
    "0131 499 9999",
    "01999 999999",
    "+353 87 999 9999",
    "087 999 9999",
    "+27 82 999 9999",
    "082 999 9999",
    "+254 722 999999",
    "+234 803 999 9999",
    "0999-9999999",
    "+32 2 999 99 99",
    "+49 30 9999999",
    "+63 917 999 9999",
    "+1 (876) 899-9999",
    "99999 99999",
)
SHAPES: Mapping[str, tuple[str, ...]] = {
    "phone.pager": ("89999", "8-9999", "99999", "899-9999", "#89999", "899-899-9999", "p89999"),
    "phone.ext": ("89999", "8999", "8-9999", "899"),
    "phone.short": ("899-9999", "899-9999", "89999", "8-9999", "899.9999"),
    "mrn": (
        "9999999", "99999999", "999-99-99", "999 99 99", "99-99-99", "A9999999", "AA999999", "9999999-9", "999999", "E99999999",
        "999-9999", "9999999999", "99999-999", "M-99999", "MR9999999", "AAA.9999999999", "AAA/9999/99999", "999 999 9999", "9.999.999",
        "A-999-999",
        "99/99999", "AAA9999", "0099999999", "999999A", "A99-9999",
    ),
    "account": ("9999999999", "A99999999", "99999999-9", "AC-9999999", "V99999999", "999999999", "9999-9999-9999"),
    "ssn": ("899-99-9999", "099-99-9999", "199-99-9999", "899-99-9999", "899999999", "899 99 9999", "AA 99 99 99 A", "AA999999A",
        "xxx-xx-9999", "***-**-9999"),
    "ssn.last4": ("9999",),
    "healthplan": (
        "AAA999999999", "AAA99999999", "999999999A", "W999999999", "9AA9-AA9-AA99", "XYZ9999999", "H99999999", "A99 999 999",
        "999999999-99", "99999999999", "R99999999", "999 999 9999", "9999 99999 9", "AAAA 9999 9999", "A 9999999", "AAA99A99999",
        "999-99-9999A",
    ),
    "license": ("999999", "A99999", "MD99999", "99-99999", "RN999999", "PT9999", "A-99999", "999-999999", "A 9999", "9999/99/9999",
        "99A9999A"),
    "license.driver": ("S99999999", "A999-9999-9999", "99999999", "AA999999A", "A9999999", "999-999-999"),
    "vehicle.plate": ("AAA-9999", "999-AAA", "AAA 999", "9AAA999", "AA-99-AA", "AAA999", "999 AA9", "AA99 AAA"),
    "vehicle.vin": ("9AXAA99X9XA999999", "AAXXX99X99A999999", "9XXAX99X9XX999999"),
    "device": ("hh:hh:hh:hh:hh:hh", "XX-XX-XX-XX-XX-XX", "AAA-9999-999", "9A9A-999999", "AA 999999", "SN99999999", "AAA999999A",
        "999999", "AA-999999", "99A99999", "PJN999999", "A9999999", "9999-99-999", "AAA999999"),
    "device.lot": ("A9999", "AA999AA", "9999AA", "9999999", "99999999", "99A999", "AB9999", "99AA99999", "AAA9999"),
    "lot": ("A9999", "AA999AA", "9999AA", "U9999AA", "X99999", "99A999", "AB9999", "A999999", "9A99A", "999999", "9999999", "AAAAA999AA",
        "AA9999AA", "AA999", "A99999"),
    "accession": ("S99-9999", "AA-99-9999", "99-AA-99999", "9999999", "A99-99999", "H99-999999", "99999999", "99:AA9999999", "RD-9999999"),
    "caseno": ("99-AA-9999", "99/99999/99", "AAA-9999-99999", "AA99A99999", "9999-AA-999999", "99-9999", "9999-99999", "A-99-999",
        "C999999", "CV-9999-9999", "AA99-9999"),
    "encounter": ("AA/99-99/99999", "V9999999999", "9999 9999", "999999999", "9999999999", "E9999999", "99999999", "V999999999",
        "CSN999999999"),
    "bioid": ("FP-99999", "BIO-9999-A", "IRIS-99999", "F99999A", "VP9999999", "hhhhhhhhhhhh", "RS-999-9999"),
    "ip": ("10.8.99.9", "192.168.1.99", "172.16.8.89", "2001:db8:hhhh:hhhh::h"),
}  # fmt: skip
_MAIL = ("gmail.com", "yahoo.com", "hotmail.com", "aol.com", "outlook.com", "comcast.net", "icloud.com", "verizon.net", "protonmail.com")


def fill_shape(shape: str, rng: Random) -> str:
    """Draw every placeholder of a shape.

    >>> fill_shape("AA-99a", Random(1))
    'EV-14d'
    """
    if "\\" in shape:
        head, tail = shape.split("\\", 1)
        return f"{fill_shape(head, rng)}{tail[0]}{fill_shape(tail[1:], rng)}"
    return "".join(rng.choice(_DRAWN[sign]) if sign in _DRAWN else sign for sign in shape)


def make_number(slot: str, rng: Random, *, locale: Locale | None = None) -> str:
    """A number of the slot in one of its shapes, mostly in one of the country's own."""
    if locale and slot in locale.ids and rng.random() < 0.75:
        return fill_shape(rng.choice(locale.ids[slot]), rng)
    if slot == "npi":
        return add_luhn(rng.choice("12") + fill_shape("99999999", rng), prefix="80840")
    if slot == "dea":
        return _make_dea(rng)
    if slot == "ip" and rng.random() < 0.5:
        return ".".join(str(rng.randint(1, 254)) for _ in range(4))
    return fill_shape(rng.choice(SHAPES[slot]), rng)


def make_phone(rng: Random, *, area: str = "", locale: Locale | None = None) -> str:
    """A phone number of the country, or mostly North American; sometimes with an extension that belongs to it."""
    if locale and rng.random() < 0.93:
        return re.sub("[#N]", lambda sign: rng.choice(_DRAWN["8" if sign[0] == "N" else "9"]), rng.choice(locale.phones))
    if rng.random() < 0.09:
        return fill_shape(rng.choice(_FOREIGN_PHONES), rng)
    number = fill_shape(rng.choice(_PHONES), rng)
    if area and rng.random() < 0.7:
        number = re.sub(r"(?<!\d)\d{3}(?=[)/ .-]|\d{7})", area, number, count=1)
    chance = rng.random()
    if chance < 0.04:
        return f"{number} {rng.choice(('x', 'x ', 'ext ', 'ext. ', 'extension ', 'opt ', '#', 'Ext. '))}{rng.randint(100, 99999)}"
    return number


def add_luhn(digits: str, *, prefix: str = "") -> str:
    """The digits with their Luhn check digit, as an NPI has it.

    >>> add_luhn("123456789", prefix="80840")
    '1234567893'
    """
    total = sum(sum(divmod(int(digit) * (2 - index % 2), 10)) for index, digit in enumerate(reversed(prefix + digits)))
    return digits + str(-total % 10)


def _make_dea(rng: Random) -> str:
    digits = fill_shape("999999", rng)
    check = sum(map(int, digits[::2])) + 2 * sum(map(int, digits[1::2]))
    return f"{rng.choice('ABFM')}{fill_shape('A', rng)}{digits}{check % 10}"


def make_email(person: Person, rng: Random, *, domain: str = "") -> str:
    """An address made of the person's name."""
    first, last = _ascii(person.first), _ascii(person.last)
    number = str(rng.randint(1, 99)) if rng.random() < 0.4 else ""
    shapes = (f"{first}.{last}", f"{first}{last}", f"{first[0]}{last}", f"{first}_{last}", f"{last}{first[0]}", f"{first}{number or 7}")
    return f"{rng.choice(shapes)}{number}@{domain or rng.choice(_MAIL)}"


def make_login(person: Person, rng: Random) -> str:
    """A user name: jt204, jtaylor, taylorj3."""
    first, middle, last = _ascii(person.first), _ascii(person.middle) or "x", _ascii(person.last)
    number = rng.randint(1, 999)
    shapes = (
        f"{first[0]}{last[0]}{number:03}",
        f"{first[0]}{middle[0]}{last[0]}{number % 99 + 1}",
        f"{first[0]}{last}",
        f"{last}{first[0]}{number % 9 + 1}",
        f"{first[0]}{last}{number % 30 + 1}",
        f"{first[0]}{middle[0]}{number}",
        f"{first}.{last}",
        f"{first[0]}{last}.{fill_shape('aaa', rng)}",
        f"{fill_shape('aa', rng)}_{last}",
        f"{first}_{last[0]}{number % 99}",
    )
    return rng.choice(shapes)


def make_trailer(one: Person, rng: Random) -> str:
    """Who dictated and who typed: jt/mk204."""
    dictator = f"{one.first[0]}{one.middle[0]}{one.last[0]}" if rng.random() < 0.5 else f"{one.first[0]}{one.last[0]}"
    typist = fill_shape(rng.choice(("aa", "aaa", "aa999", "aa99", "aa9999", "99999", "aaa/99999")), rng)
    if rng.random() < 0.5:
        dictator = dictator.lower()
    elif rng.random() < 0.4:
        typist = typist.upper()
    return f"{dictator}{rng.choice('/:/')}{typist}"


def make_url(name: str, rng: Random) -> str:
    """A web address of an institution."""
    site = _ascii(name)[:22] or "portal"
    end = rng.choice((".org", ".com", ".org", ".net", ".edu", ".health"))
    return rng.choice(
        (
            f"www.{site}{end}",
            f"https://{site}{end}",
            f"https://www.{site}{end}/portal",
            f"http://{site}{end}/records",
            f"my.{site}{end}",
            f"{site}{end}/mychart",
        )
    )


def _ascii(name: str) -> str:
    return re.sub("[^a-z]", "", strip_marks(name).lower()) or "pat"

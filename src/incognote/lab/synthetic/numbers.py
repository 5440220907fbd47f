"""Phone numbers, network addresses and identifiers of every kind, in the shapes that notes have them."""

import re
from collections.abc import Callable
from random import Random

from incognote.lab.synthetic.locales import Locale
from incognote.lab.synthetic.people import Person, strip_marks
from incognote.lab.synthetic.vocabulary import shapes
from incognote.lexicon.check_digits import NPI_PREFIX, is_dea, is_luhn

# What the signs of a shape are drawn from; ``shapes.toml`` describes them.
_DRAWN = {
    "9": "0123456789",
    "8": "23456789",
    "A": "ABCDEFGHJKLMNPRSTUVWXYZ",
    "a": "abcdefghijklmnoprstw",
    "X": "ABCDEFGHJKLMNPRSTUVWXYZ0123456789",
    "h": "0123456789abcdef",
}
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
        return _complete(rng.choice("12") + fill_shape("99999999", rng), lambda number: is_luhn(NPI_PREFIX + number))
    if slot == "dea":
        digits = fill_shape("999999", rng)
        return _complete(f"{rng.choice('ABFM')}{fill_shape('A', rng)}{digits}", is_dea)
    if slot == "ip" and rng.random() < 0.5:
        return ".".join(str(rng.randint(1, 254)) for _ in range(4))
    return fill_shape(rng.choice(shapes("numbers")[slot]), rng)


def make_phone(rng: Random, *, area: str = "", locale: Locale | None = None) -> str:
    """A phone number of the country, or mostly North American; sometimes with an extension that belongs to it."""
    if locale and rng.random() < 0.93:
        return re.sub("[#N]", lambda sign: rng.choice(_DRAWN["8" if sign[0] == "N" else "9"]), rng.choice(locale.phones))
    if rng.random() < 0.09:
        return fill_shape(rng.choice(shapes("phones")["foreign"]), rng)
    number = fill_shape(rng.choice(shapes("phones")["american"]), rng)
    if area and rng.random() < 0.7:
        number = re.sub(r"(?<!\d)\d{3}(?=[)/ .-]|\d{7})", area, number, count=1)
    chance = rng.random()
    if chance < 0.04:
        return f"{number} {rng.choice(('x', 'x ', 'ext ', 'ext. ', 'extension ', 'opt ', '#', 'Ext. '))}{rng.randint(100, 99999)}"
    return number


def _complete(digits: str, is_valid: Callable[[str], bool]) -> str:
    """The digits with the check digit that makes them valid."""
    return next(number for number in (f"{digits}{check}" for check in range(10)) if is_valid(number))


def make_email(person: Person, rng: Random, *, domain: str = "") -> str:
    """An address made of the person's name."""
    first, last = _ascii(person.first), _ascii(person.last)
    number = str(rng.randint(1, 99)) if rng.random() < 0.4 else ""
    logins = (f"{first}.{last}", f"{first}{last}", f"{first[0]}{last}", f"{first}_{last}", f"{last}{first[0]}", f"{first}{number or 7}")
    return f"{rng.choice(logins)}{number}@{domain or rng.choice(_MAIL)}"


def make_login(person: Person, rng: Random) -> str:
    """A user name: jt204, jtaylor, taylorj3."""
    first, middle, last = _ascii(person.first), _ascii(person.middle) or "x", _ascii(person.last)
    number = rng.randint(1, 999)
    logins = (
        f"{first[0]}{last[0]}{number:03}", f"{first[0]}{middle[0]}{last[0]}{number % 99 + 1}", f"{first[0]}{last}",
        f"{last}{first[0]}{number % 9 + 1}", f"{first[0]}{last}{number % 30 + 1}", f"{first[0]}{middle[0]}{number}", f"{first}.{last}",
        f"{first[0]}{last}.{fill_shape('aaa', rng)}", f"{fill_shape('aa', rng)}_{last}", f"{first}_{last[0]}{number % 99}",
    )  # fmt: skip
    return rng.choice(logins)


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
    layouts = ("www.{}", "https://{}", "https://www.{}/portal", "http://{}/records", "my.{}", "{}/mychart")
    return rng.choice(layouts).format(f"{site}{end}")


def _ascii(name: str) -> str:
    return re.sub("[^a-z]", "", strip_marks(name).lower()) or "pat"

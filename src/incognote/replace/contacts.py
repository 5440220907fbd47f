"""Surrogate phones, fax numbers, web and network addresses, all from reserved or impossible ranges."""

import re

from incognote.replace.identifiers import fill_digits
from incognote.replace.keyed_choice import KeyedChoice

DOMAINS = ("example.org", "example.com", "example.net")
_EXTENSION = re.compile(r"(?:ext(?:ension)?|opt(?:ion)?|poste|x|#)[\s.:]*\d+\s*$", re.IGNORECASE)
_PHONE_WORDS = re.compile(r"(?:ext(?:ension)?|opt(?:ion)?|poste|pager|beeper|tel|phone|fax|cell|x)(?![^\W\d_])", re.IGNORECASE)
_DOCUMENTATION_NETS = ("192.0.2", "198.51.100", "203.0.113")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?P<rest>[:/]\d{1,5})?")
_IPV6 = re.compile(r"\[?[0-9a-fA-F:]{2,}(?:\d{1,3}(?:\.\d{1,3}){3})?(?:%\w+)?\]?(?P<rest>/\d{1,3})?")
_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)?(?P<www>www\.)?[^\s/?#]+(?P<path>[/?#].*)?", re.IGNORECASE | re.DOTALL)


def surrogate_phone(value: str, choice: KeyedChoice) -> str | None:
    """The number in its shape. US numbers get the exchange 555 and the line 01xx, which are kept for fiction.

    Others keep what follows ``+`` up to two digits of country code and go on with 00, as no subscriber number does.
    Numbers of six digits or fewer (pagers, extensions) are any digits: no range of these is reserved.
    """
    if any(character.isalpha() for character in _PHONE_WORDS.sub("", value)):
        return None
    extension = _EXTENSION.search(value)
    cut = extension.start() if extension and extension.start() else len(value)
    main, rest = value[:cut], value[cut:]
    digits, tail = re.sub(r"\D", "", main), re.sub(r"\D", "", rest)
    if not digits or len(digits) > 20 or not (digits + tail).isascii():
        return None
    new = _other_digits(digits, choice, foreign=main.lstrip(" (").startswith("+") and not digits.startswith("1"))
    return fill_digits(main, new) + fill_digits(rest, choice.of("extension", tail).digits(len(tail)) if tail else "")


def _other_digits(digits: str, choice: KeyedChoice, *, foreign: bool) -> str:
    if foreign:
        return digits[:2] + "00" + choice.of("foreign", digits).digits(len(digits))[4:]
    body = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    if len(body) == 10 and body[0] != "0":
        area = choice.of("area", body)
        body = f"{2 + area.below(8)}{area.of('next').digits(2)}" + _line(body[3:], choice)
    elif len(body) == 7:
        body = _line(body, choice)
    elif len(body) > 6:
        body = "00" + choice.of("foreign", body).digits(len(body))[2:]
    else:
        body = choice.of("short", body).digits(len(body))
    return digits[: len(digits) - len(body)] + body


def _line(seven: str, choice: KeyedChoice) -> str:
    """From the seven digits alone, so that a number with and without its area code agree."""
    last = choice.of("line", seven).below(99) + 1
    # A number that is fiction already must still change.
    return f"55501{(last + int(seven[-2:])) % 100 if seven.startswith('55501') else last:02d}"


def surrogate_domain(domain: str, choice: KeyedChoice) -> str:
    """One of the domains that RFC 2606 keeps for examples."""
    return choice.of("domain", domain.casefold()).pick(DOMAINS)


def surrogate_url(value: str, choice: KeyedChoice) -> str | None:
    """An address at an example domain; the path, if any, is a few drawn letters."""
    match = _URL.fullmatch(value.strip())
    if not match or (match["scheme"] and "@" in value):
        return None
    path = (
        "/" + "".join(choice.of("path", value.casefold(), at).pick("abcdefghijklmnopqrstuvwxyz") for at in range(6))
        if match["path"]
        else ""
    )
    return f"{match['scheme'] or ''}{match['www'] or ''}{surrogate_domain(value, choice)}{path}"


def surrogate_ip(value: str, choice: KeyedChoice) -> str | None:
    """An address of the documentation ranges: RFC 5737 for IPv4, RFC 3849 for IPv6."""
    chosen = choice.of("address", value.casefold())
    if match := _IPV4.fullmatch(value):
        return f"{chosen.pick(_DOCUMENTATION_NETS)}.{1 + chosen.of('host').below(254)}{match['rest'] or ''}"
    if ":" in value and (match := _IPV6.fullmatch(value)):
        return f"2001:db8::{1 + chosen.of('host').below(0xFFFE):x}{match['rest'] or ''}"
    return None

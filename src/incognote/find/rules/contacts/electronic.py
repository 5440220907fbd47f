"""E-mail, web and network addresses; phones, pagers and faxes are in phones.

Four numbers with dots are an IP address when a word says so or when one of them has three digits; ``1.2.3.4`` alone is more often a
section or a version number. A MAC address names a device and is labelled DEVICE.
"""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from incognote.document import Span
from incognote.find.rules.contacts.phones import find_phones
from incognote.find.rules.engine.pattern import Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import SHORT, THREE, Reading
from incognote.lexicon.context import left_of
from incognote.lexicon.lazy import lazy

_SURE_TLD = "com|org|net|edu|gov|mil|info|io|health|clinic|hospital|example|nhs\\.uk|co\\.uk|ac\\.uk|org\\.uk"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = lazy(
    r"(?<![A-Za-z0-9._%+@-])[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}(?: ?@ ?|\s?[\[(]at[\])]\s?)"
    rf"(?:{_LABEL}\.){{1,6}}[A-Za-z]{{2,18}}(?![A-Za-z0-9@-])"
)
_SPOKEN = r"[a-z0-9]+(?:(?:\.| dot | underscore )[a-z0-9]+){0,3} at [a-z0-9-]+(?: dot [a-z0-9-]+){0,2} dot "
_SPOKEN_EMAIL = lazy(rf"(?<![A-Za-z0-9]){_SPOKEN}(?:{_SURE_TLD})\b", re.IGNORECASE)
_URL = lazy(r"(?<![A-Za-z0-9])(?:(?:https?|s?ftp)://|www\d?\.)[^\s<>\"|)\]}]{2,2000}", re.IGNORECASE)
_SCHEMES = ("http", "https", "ftp", "sftp", "www")
_DOMAIN_END = lazy(rf"\.(?<=[A-Za-z0-9]\.)(?:{_SURE_TLD})(?![A-Za-z0-9-])(?:/[^\s<>\"|)\]}}]{{0,500}})?", re.IGNORECASE)
_DOMAIN_START = lazy(r"(?<![A-Za-z0-9@._/-])(?:[A-Za-z0-9-]{1,63}\.){0,5}[A-Za-z0-9-]{1,63}$")
_IPV4 = lazy(r"(?<![A-Za-z0-9.-])\d{1,3}(?:\.\d{1,3}){3}(?![A-Za-z0-9-]|\.\d)")
_IPV6 = lazy(r"(?<![A-Za-z0-9:.])(?=[0-9A-Fa-f:]{6,39}(?![0-9A-Fa-f:]))[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![A-Za-z0-9:])")
_HEX_ROW = lazy(r"[:-](?=[0-9A-Fa-f]{0,4}[:-])")
_HEX_END = lazy(r"[0-9A-Fa-f]{0,4}$")
_MAC = lazy(r"(?<![A-Za-z0-9:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![A-Za-z0-9:-])")
_NETWORK = lazy(
    r"\b(?:ip|ipv4|address|host|hosts|from|login|logged|server|workstation|terminal|via|ping|subnet|gateway|dns|vpn|router|printer|pacs"
    r"|remote|desktop|prox(?:y|ied)|client|src|dst|device|monitor|network|wi-?fi|lan|session|portal|connect(?:ed|ion)|log|url|station|kiosk)\b"
)
_PRIVATE = lazy(r"10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.")
_VERSION = lazy(r"\b(?:version|ver|v|release|rev|firmware|software|build|section|sec|chapter|item)\W{0,3}$")


def _is_ipv4(match: re.Match[str]) -> bool:
    """An address a machine can have, and not a version number."""
    if not _parses(IPv4Address, match[0]):
        return False
    before = left_of(match.string, match.start())
    return not _VERSION.search(before) and (
        bool(_NETWORK.search(before) or _PRIVATE.match(match[0])) or any(len(part) == 3 for part in match[0].split("."))
    )


def _parses(address: type[IPv4Address] | type[IPv6Address], value: str) -> bool:
    try:
        address(value)
    except ValueError:
        return False
    return True


PATTERNS = PatternTable(
    Pattern("contacts.email", "EMAIL", _EMAIL, 0.99, hints=("@", "[at]", "(at)")),
    Pattern("contacts.email-spoken", "EMAIL", _SPOKEN_EMAIL, 0.85, hints=(" dot ",)),
    Pattern("contacts.ipv4", "IPADDR", _IPV4, 0.9, _is_ipv4, starts=(SHORT, THREE)),
)


def find_contacts(reading: Reading) -> Iterator[Span]:
    """Spans of PHONE, FAX, EMAIL, URL, IPADDR and MAC addresses (DEVICE) in the text; they may overlap.

    >>> [(s.label, s.start, s.end) for s in find_contacts(Reading("fax 617-555-0198, a.lee+lab@mail.example"))]
    [('EMAIL', 18, 40), ('FAX', 4, 16)]
    """
    yield from find_patterns(PATTERNS, reading)
    yield from _find_machines(reading)
    yield from _find_urls(reading)
    yield from find_phones(reading)


def _find_machines(reading: Reading) -> Iterator[Span]:
    """IPv6 and MAC addresses, which start with the digits before the first of several colons or hyphens; 60-50-40-30-20-10 is a taper."""
    starts = [_HEX_END.search(reading.text, max(0, match.start() - 5), match.start()) for match in _HEX_ROW.finditer(reading.text)]
    places = [start.start() for start in starts if start]
    for match in reading.matches_at(_IPV6, places):
        if _parses(IPv6Address, match[0]):
            yield Span(*match.span(), "IPADDR", 0.95, "rules.contacts.ipv6")
    for match in reading.matches_at(_MAC, places):
        if ":" not in match[0] and match[0].replace("-", "").isdigit():
            continue
        yield Span(*match.span(), "DEVICE", 0.9, "rules.contacts.mac")


def _find_urls(reading: Reading) -> Iterator[Span]:
    """Addresses with a scheme or www, and bare domains, which are found by their ending and read backwards."""
    text = reading.text
    for match in reading.matches(_URL, _SCHEMES):
        yield Span(match.start(), _last_letter(match), "URL", 0.98, "rules.contacts.url")
    for match in _DOMAIN_END.finditer(text):
        low = max(0, match.start() - 120)
        start = _DOMAIN_START.search(text, low, match.start())
        if start and (start.start() > low or low == 0):
            yield Span(start.start(), _last_letter(match), "URL", 0.8, "rules.contacts.domain")


def _last_letter(match: re.Match[str]) -> int:
    """Where an address ends: before the sentence's own full stop or comma."""
    return match.start() + len(match[0].rstrip(".,;:!?'’*_"))

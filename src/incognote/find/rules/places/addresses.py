"""Streets and post-office boxes, read from a number and the word beside it; rooms, beds and wards are in rooms."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.pattern import Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.engine.tokens import Tokens, is_common
from incognote.find.rules.places.roads import find_roads
from incognote.find.rules.places.rooms import find_rooms
from incognote.lexicon import word_list
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy

_FLAT = lazy(
    r"[,.]{0,2}\s{0,3}(?:(?:Apartment|Apt|Suite|Ste|Unit|Floor|Fl|Building|Bldg|Lot|Trailer|Spc|Space|Flat|Trlr)\.?\s?#?\s?|#\s?)\w{1,5}\b(?!-)",
    re.IGNORECASE,
)
_HOUSE = lazy(r"\d{1,6}[A-Za-z]?(?:[-/]\d{1,4})?")
_ORDINAL = lazy(r"\d{1,3}(?:st|nd|rd|th)", re.IGNORECASE)
_DIRECTION = frozenset("n s e w ne nw se sw north south east west northeast northwest southeast southwest".split())
_STREET_CUES = frozenset("on at near of off along from to by and via past onto down".split())
# What stands before the house in an address: a flat, a shop, a house with a name.
_PREMISES = lazy(
    r"(?:(?:Unit|Flat|Apt|Shop|Suite|Lot) )?\d{1,4}[A-Za-z]?/$|(?:Unit|Flat|Apt|Shop|Suite|Lot) $|"
    r"(?:(?:(?:Flat|Unit|Shop|Suite|Ste|Apt|Block|Level|Floor|Sp|Spc|Lot|Plot|Door|House|Villa|No)\b\.? ?#?[\w/]{1,6},? "
    r"|[A-Z][\w'’]+ (?:House|Cottage|Court|Lodge|Farm|Villa|Mansions|Building|Towers?|Heights|Barn|Grange), ))+$"
)
# "Unit 9/22 Pelican St": the flat and the house.
_FLAT_BEFORE = lazy(
    r"\b(?:(?:Unit|Flat|Apt|Lot|U) ?|(?:lives|living|resides|residing)(?: at|:) |address:? )\d{1,4}[A-Za-z]?/$", re.IGNORECASE
)
_STREET_DIRECTIONS = ("N", "S", "E", "W", "NE", "NW", "SE", "SW")
# A second street after the first: Manchester Rd at Lindbergh, Michigan Ave & Huron.
_CROSS = lazy(
    r"(?: (?:at|&|and|x) |/)(?:the )?(?P<name>[A-Z][a-z]+|\d{1,3}(?:st|nd|rd|th))(?: (?:St|Ave|Rd|Blvd|Dr|Street|Avenue|"
    r"Road)\b)?(?=[,.;)\n]|$)"
)
# Suffixes that mean nothing else, and are believed in small letters and without a number.
_CERTAIN = frozenset(
    "street avenue ave blvd boulevard road rd lane ln parkway pkwy highway hwy turnpike st drive terrace calle avenida".split()
)
_STREET_WORDS = frozenset(
    "main high school center market state college front broad water union court mill second third fourth fifth".split()
)
_LINKS = frozenset("of the de la del los las and ½".split())

PATTERNS = PatternTable(
    Pattern(
        "address.box",
        "STREET",
        lazy(r"\b(?:P\.?\s?O\.?|Post Office) ?Box\s#?\s?\d{1,6}[A-Z]?\b", re.IGNORECASE),
        0.95,
        starts=("p", "po", "post"),
    ),
    Pattern(
        "address.rural",
        "STREET",
        lazy(r"\b(?:R\.?R\.?|HC|Rural Route)\s#?\d{1,3}(?:,?\sBox\s#?\d{1,5}[A-Z]?)?\b", re.IGNORECASE),
        0.8,
        check=lambda match: "box" in match[0].lower() or "rural" in match[0].lower(),
        starts=("r", "rr", "hc", "rural"),
    ),
)


_CODED = lazy(r"[A-Za-z]+\d+")


def find_addresses(reading: Reading) -> Iterator[Span]:
    """Streets with their flats, boxes, and the room, bed and ward of a stay.

    >>> [(span.label, span.start, span.end) for span in find_addresses(Reading("14 Quarry Lane, Suite 3. Room 12B"))]
    [('ROOM', 30, 33), ('ROOM', 22, 23), ('STREET', 0, 23)]
    """
    yield from find_patterns(PATTERNS, reading)
    yield from find_rooms(reading)
    tokens = reading.tokens
    weak = word_list("street-suffixes-weak")
    for at in tokens.find(_suffixes()):
        if at:
            key = tokens.keys[at]
            first = _read_street(tokens, at, weak=key in weak) if tokens.is_capital(at) or key in _CERTAIN else None
            if first is not None:
                end = tokens.ends[at]
                direction = at + 1 < len(tokens) and tokens.gap(at) == " " and tokens.word(at + 1) in _STREET_DIRECTIONS
                end = tokens.ends[at + 1] if direction else end
                flat = _FLAT.match(reading.text, end) or _CROSS.match(reading.text, end)
                premises = _PREMISES.search(reading.text, max(0, tokens.starts[first] - 60), tokens.starts[first])
                start = premises.start() if premises else tokens.starts[first]
                yield Span(start, flat.end() if flat else end, "STREET", 0.9, "rules.address.street")
    yield from find_roads(reading)


@cache
def _suffixes() -> frozenset[str]:
    return word_list("street-suffixes") | word_list("street-suffixes-weak")


def _read_street(tokens: Tokens, suffix: int, *, weak: bool) -> int | None:
    """The first word of the street that ends with this suffix: its number, or its name after a word such as "on".

    Before a weak suffix there must be a number, and a word that is no common word.
    """
    at, names = suffix - 1, 0
    if _is_other(tokens, suffix):
        return None
    small = not tokens.is_capital(suffix)
    while at >= 0 and suffix - at <= 6 and tokens.gap(at) in (" ", "  ", ". "):
        if _HOUSE.fullmatch(tokens.word(at)) and not _ORDINAL.fullmatch(tokens.word(at)):
            plain = weak and all(is_common(tokens.keys[near]) for near in range(at + 1, suffix))
            plain = plain or is_clinical(tokens.text, tokens.starts[at + 1], tokens.ends[suffix - 1])
            return at if names and not plain and not _is_measure(tokens, at) and _is_house(tokens, at) else None
        # "#90 RF3 Dr Guthrie": pills and refills.
        if _CODED.fullmatch(tokens.word(at)):
            return None
        named = tokens.is_capital(at) or bool(_ORDINAL.fullmatch(tokens.word(at)))
        if tokens.in_capitals(at) and is_common(tokens.keys[at]) and not _names_streets(tokens.keys[at]):
            break
        if not named and not (tokens.keys[at] in _LINKS and names) and not (small and not is_common(tokens.keys[at])):
            break
        if tokens.gap(at) == ". " and tokens.keys[at] not in _DIRECTION and tokens.keys[at] not in ("st", "dr", "mt", "ft", "ave"):
            return None
        names += tokens.keys[at] not in _DIRECTION or at == suffix - 1
        at -= 1
    return _read_unnumbered(tokens, at + 1, suffix) if names and not weak else None


def _is_other(tokens: Tokens, suffix: int) -> bool:
    """``Dear Dr.`` opens a letter, ``ESI 3 Dacey CT pend`` waits for a scan: CT in capitals among other letters is no court."""
    if tokens.keys[suffix] == "dr" and tokens.keys[suffix - 1] == "dear":
        return True
    follows = suffix + 1 < len(tokens) and tokens.gap(suffix) == " " and not tokens.is_capital(suffix + 1)
    return tokens.keys[suffix] == "ct" and tokens.is_upper(suffix) and (follows or not tokens.is_upper(suffix - 1))


def _names_streets(key: str) -> bool:
    """Whether streets are often named by this common word; in a text of capitals nothing else tells it from the words around."""
    return key in _STREET_WORDS or key in word_list("ambiguous-names") or key in word_list("place-adjectives")


def _is_house(tokens: Tokens, at: int) -> bool:
    """Whether the number opens an address, and does not close a ratio, a date or a dose."""
    start = tokens.starts[at]
    before = tokens.text[start - 1 : start]
    # No house has the number 0915: that is an hour.
    if tokens.text[start] == "0" and tokens.ends[at] - start == 4:
        return False
    if before == "/" and _FLAT_BEFORE.search(tokens.text, max(0, start - 20), start):
        return True
    return before not in ("/", ".", "+", ":", "=", "%")


def _is_measure(tokens: Tokens, at: int) -> bool:
    return tokens.keys[at + 1] in ("mg", "ml", "cm", "mm", "units", "fr", "french") or tokens.gap(at) == ". "


def _is_listed(tokens: Tokens, first: int, suffix: int) -> bool:
    """Whether the words are one part of an address: after a line's start or a comma, before a comma and a capital."""
    opens = first == 0 or "\n" in tokens.gap(first - 1) or tokens.gap(first - 1) in (", ", "., ")
    more = suffix + 1 < len(tokens) and tokens.gap(suffix) in (", ", "., ") and tokens.is_capital(suffix + 1)
    return opens and more and all(tokens.is_capital(at) for at in range(first, suffix + 1))


def _read_unnumbered(tokens: Tokens, first: int, suffix: int) -> int | None:
    """A street without a number: one or two words after "on" or the like, and a suffix that is nothing else."""
    while first < suffix and tokens.keys[first] in _LINKS | {"dr", "mr", "mrs", "ms"}:
        first += 1
    cue = first > 0 and tokens.gap(first - 1) == " " and tokens.keys[first - 1] in _STREET_CUES
    cue = cue or _is_listed(tokens, first, suffix) or (tokens.is_capital(first) and bool(_CROSS.match(tokens.text, tokens.ends[suffix])))
    plain = all(not is_common(tokens.keys[at]) or tokens.is_capital(at) for at in range(first, suffix))
    saint = tokens.keys[suffix] == "st" and tokens.gap(suffix) in (" ", ". ") and tokens.is_capital(suffix + 1)
    saint = saint and not (tokens.is_upper(suffix) and tokens.keys[suffix + 1] in ("to", "and", "near", "at", "in"))
    short = tokens.keys[suffix] in ("st", "drive", "dr") and not (_ORDINAL.fullmatch(tokens.word(first)) or tokens.is_capital(suffix))
    in_capitals = tokens.in_capitals(first) and not (
        _names_streets(tokens.keys[first]) and tokens.keys[first - 1] in ("via", "on", "onto", "off")
    )
    certain = tokens.keys[suffix] in _CERTAIN and not short and not saint and not in_capitals
    return first if cue and plain and certain and 0 < suffix - first <= 3 else None

"""Streets without a house number and suffix in a row: highways, crossings, the address field, streets of other languages."""

import re
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import INNER, NUMBERS, SHORT, THREE, Reading
from incognote.find.rules.engine.tokens import cities, is_common
from incognote.find.rules.places.checks import state_codes
from incognote.lexicon.calendar import MONTH_STARTS
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.context import left_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word

_WAY = r"(?: (?:northbound|southbound|eastbound|westbound|north|south|east|west|NB|SB|EB|WB|N|S|E|W)\b)?"
# A road by its kind and number. Iodine has numbers too, and "US 12 weeks" is a scan.
_HIGHWAY = lazy(
    rf"(?:I-(?!1(?:23|24|25|31)\b)\d{{1,3}}|(?:(?:State|County|BIA|Ranch|Farm|US|U\.S\.|Old|Forest) )?(?:Route|Rte|Rt|Hwy|"
    rf"Highway|HWY|HIGHWAY|ROUTE|Interstate|"
    rf"County Rd|County Road|State Road|Autoroute)\.? #?\d{{1,4}}[A-Z]?)\b{_WAY}"
)
_CUED_HIGHWAY = lazy(
    rf"(?P<road>(?:(?:US|SR|CR|FM|Loop|Exit|exit)[- ]?|(?P<state>[A-Z]{{2}})-)\d{{1,4}}|[AMBN]\d{{1,4}}(?:\(M\))?)"
    rf"\b(?! ?(?:weeks?|wks?|days?|cm|mm|mg|ml|lpm|l/min|l\b|%|/))(?P<way>{_WAY})"
)
_CUE = lazy(r"\b(?P<cue>on|via|to|off|along|near|from|onto|past|and|take|down|up|at|of),? ?(?P<the>the )?$", re.IGNORECASE)
_MILE = lazy(
    r"(?P<road>(?:I|US|SR|CR|FM|[A-Z]{2})[- ]?\d{1,4}[A-Z]? (?:at |near |@ )?"
    r"(?:mile (?:marker|post)|milepost|mile|MM|MP) ?#?\d{1,4}(?:\.\d)?)\b"
)
_ROUTE = lazy(r"(?:on|along|off) (?P<road>(?:Route|Rte|Highway|Hwy) [A-Z][a-z]+)\b")
_NAME = r"(?:(?:N|S|E|W|NE|NW|SE|SW)\.? )?(?:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?|\d{1,3}(?:st|nd|rd|th)(?: (?:St|Ave|Street|Avenue))?)"
_CROSSING = lazy(rf"(?:corner|intersection|junction|crossroads) of (?:the )?(?P<road>{_NAME}(?: ?/ ?| and | & | at )(?:the )?{_NAME})")
_NUMBERED = lazy(
    r"(?P<road>(?:(?:N|S|E|W|NE|NW|SE|SW)\.? )?\d{1,3}(?:st|nd|rd|th)(?: (?:St|Ave|Street|Avenue))? (?:&|and|at) "
    r"(?:[NSEW]{1,2} )?[A-Z][a-z]+)\b"
)
_MONTH_BEFORE = lazy(rf"\b(?:{MONTH_STARTS})[a-z]*\.? (?:the )?$|\b(?:on|until) the $")
_PAIR = lazy(r"(?:near|at|\() ?(?P<road>(?P<one>[A-Z][a-z]+) (?:&|and) (?P<two>[A-Z][a-z]+))(?=,? (?:in |[A-Z][a-z]+\))|,|\))")
_BLOCK = lazy(r"\d{2,5} block of (?:[NSEWnsew]\.? )?[A-Za-z]+(?: (?:st|ave|rd|dr|street|avenue|road|drive|St|Ave|Rd|Dr|Blvd)\b)?")
_JOINED_ENDS = tuple("straat strasse straße laan weg gade gata vej veien plein gracht allee platz utca katu".split())
_JOINED = lazy(rf"[A-ZÀ-Þ][a-zà-ÿ]+(?:{'|'.join(_JOINED_ENDS)}|gatan)\.? \d{{1,4}}[a-z]?\b")
_FOREIGN = lazy(
    r"(?:[Rr]ue|Calle|C/|Avenida|Avda\.?|Via|Viale|Piazza|Rua|Travessa|Ulica|[Uu]l\.|Jalan|Jl\.|Carrer|Paseo|Plaza|Carrera|Camino) "
    r"(?:(?:de|del|la|las|los|da|do|dos|des|du|di|San|Santa) ){0,3}"
    r"[A-ZÀ-Þ][\wà-ÿ'’-]+(?: [A-ZÀ-Þ][\wà-ÿ'’-]+){0,2},? (?:n[°º.] ?|#)?\d{1,4}[A-Za-z]?\b"
)
_FOREIGN_STARTS = tuple(
    "rue calle c avenida avda via viale piazza rua travessa ulica ul jalan jl carrer paseo plaza carrera camino".split()
)
_SMALL = lazy(r"on (?P<road>[nsew] (?P<name>[a-z]{4,}))(?=[,.;\n]| (?:and|near|by|at|in)\b|$)")
_ADDRESS = lazy(
    r"(?:(?:home|mailing|street|permanent|postal|current|residential|pt|patient)[ ])?(?:address|addr|residence)(?: line "
    r"\d| 1)?[ \t]*(?::|\t)[ \t]*(?P<line>[^\n\t|]{4,160})",
    re.IGNORECASE,
)
_ADDRESS_STARTS = tuple("home mailing street permanent postal current residential pt patient address addr residence".split())
_COLUMN = lazy(r" {2,}|;|\b(?:Phone|Tel|Ph|Mob|Mobile|Cell|Email|City|DOB)\b|\bE-?mail\b", re.IGNORECASE)
# A sentence that ends inside the field ends the address; the point of "St." or "N." ends none.
_SENTENCE = lazy(r"(?:(?<=[^\W\d_]{4})|(?<=\w\d))\.\s+(?=[A-Z])")
_NOWHERE = lazy(r"(?:homeless|none|unknown|same|declined|refused|n/?a|not |see |unhoused|no fixed|undomiciled|deferred)", re.IGNORECASE)
_POSTED = lazy(r"\d{5}(?:-\d{4})?$|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$|\d{3} ?\d{3}$")
_KEYED = lazy(
    r"\d|\b(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|court|ct|way|blvd|terrace|house|cottage|flat|apt|close)\b", re.IGNORECASE
)


def find_roads(reading: Reading) -> Iterator[Span]:
    """Highways, crossings and addresses that no house number and suffix tell.

    >>> text = "rear-ended on I-95 southbound; corner of Broadway and 176th; I-131 uptake"
    >>> [text[span.start : span.end] for span in find_roads(Reading(text))]
    ['I-95 southbound', 'Broadway and 176th']
    """
    for match in reading.matches(_HIGHWAY, _HIGHWAY_STARTS):
        yield Span(*match.span(), "STREET", 0.8, "rules.address.highway")
    text = reading.text
    marked = [
        at
        for at in reading.capitals
        if text[at + 1 : at + 2].isdigit() or text[at + 1 : at + 2].isupper() or text.startswith(("Loop", "Exit", "I-"), at)
    ]
    for match in reading.matches_at(_CUED_HIGHWAY, sorted({*marked, *reading.starts(("exit",))})):
        if _is_highway(match):
            label = "LOCATION-OTHER" if match["road"].lower().startswith("exit") else "STREET"
            yield Span(match.start("road"), match.end("way"), label, 0.7, "rules.address.highway")
    for match in reading.matches_at(_MILE, marked):
        yield Span(*match.span("road"), "STREET", 0.85, "rules.address.mile")
    for pattern, starts in _CROSSINGS:
        for match in reading.matches(pattern, starts):
            # "December 4th at Laurel" is a day.
            if not _MONTH_BEFORE.search(left_of(text, match.start())):
                yield Span(*match.span("road"), "STREET", 0.75, "rules.address.crossing")
    for match in reading.matches(_PAIR, ("near", "at")) if " & " in reading.text or " and " in reading.text else ():
        if not any(is_common(match[part].casefold()) or is_capital_word(match[part]) for part in ("one", "two")):
            yield Span(*match.span("road"), "STREET", 0.6, "rules.address.crossing")
    for match in reading.matches(_BLOCK, NUMBERS) if " block of " in text else ():
        yield Span(*match.span(), "STREET", 0.8, "rules.address.block")
    joined: Iterable[re.Match[str]] = _JOINED.finditer(text) if any(end in text for end in _JOINED_ENDS) else ()
    foreign = (match for match in reading.matches(_FOREIGN, _FOREIGN_STARTS) if not is_clinical(text, match.start(), match.end()))
    for match in (*joined, *foreign):
        yield Span(*match.span(), "STREET", 0.75, "rules.address.foreign")
    for match in reading.matches(_SMALL, ("on",)):
        if not is_common(match["name"]) and not is_capital_word(match["name"]):
            yield Span(*match.span("road"), "STREET", 0.6, "rules.address.street")
    yield from _find_fields(reading)


_HIGHWAY_STARTS = tuple("i state county bia ranch farm us u old forest route rte rt hwy highway interstate autoroute".split())
_CROSSINGS = (
    (_CROSSING, ("corner", "intersection", "junction", "crossroads")),
    (_NUMBERED, (SHORT, INNER, THREE, "n", "s", "e", "w", "ne", "nw", "se", "sw")),
    (_ROUTE, ("on", "along", "off")),
)


def _is_highway(match: re.Match[str]) -> bool:
    """A code of two letters must be a state's, and not the name of a test (CA-125, IL-6)."""
    cue = _CUE.search(match.string, max(0, match.start() - 12), match.start())
    if cue is None:
        return False
    state = match["state"]
    if state and state not in ("US", "SR", "CR", "FM"):
        return state in state_codes() and state not in (
            "CA",
            "NS",
            "AB",
            "DC",
            "IL",
            "PA",
            "MS",
            "CO",
            "MA",
            "ID",
            "OR",
            "IN",
            "ME",
            "HI",
            "OK",
        )
    lone = match["road"][0] in "AMBN" and match["road"][1:2].isdigit()
    led = cue["cue"].lower() in ("via", "along", "off", "onto", "past")
    return not lone or led or (bool(cue["the"]) and match["road"][0] in "AM" and len(match["road"]) > 2)


def _find_fields(reading: Reading) -> Iterator[Span]:
    """The street of an address field: its parts up to the town."""
    for match in reading.matches(_ADDRESS, _ADDRESS_STARTS):
        start = match.start("line")
        line = _COLUMN.split(match["line"], maxsplit=1)[0]
        line = _SENTENCE.split(line, maxsplit=1)[0].rstrip(" ,.")
        if _NOWHERE.match(line):
            continue
        end, at = 0, 0
        for part in line.split(","):
            bare = part.strip()
            if at and (_POSTED.search(bare) or _is_town(bare)):
                lead = at + len(part) - len(part.lstrip())
                if bare.casefold() in cities().phrases:
                    yield Span(start + lead, start + lead + len(bare), "CITY", 0.75, "rules.address.field")
                break
            end = at + len(part.rstrip())
            at += len(part) + 1
        street = line[:end]
        if end and _KEYED.search(street) and "@" not in street and not _POSTED.search(street):
            yield Span(start, start + end, "STREET", 0.75, "rules.address.field")


def _is_town(part: str) -> bool:
    words = part.casefold().split()
    if not words:
        return True
    towns = cities().phrases
    return " ".join(words) in towns or words[0] in towns or part in state_codes()

"""Towns and regions by what stands beside them: a postcode, a country, a street, a licence, the carets of HL7."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.engine.tokens import Tokens, cities, gazetteer, is_common
from incognote.find.rules.places.checks import state_codes, state_names
from incognote.lexicon import word_list
from incognote.lexicon.lazy import lazy

_TOWN = r"(?P<town>[A-ZÀ-Þ][\w'’-]+(?: (?:on|upon|le|in|de|la|the)(?= )| [A-ZÀ-Þ][\w'’-]+){0,3})"
_POSTCODE = (
    r"(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|[A-Z]\d{2} [A-Z\d]{4}\b|\d{4}(?=[ \t]*(?:$|[,;.)]| {2}))"
    r"|\d{3} ?\d{3}\b(?!-))"
)
_BEFORE_POSTCODE = lazy(
    rf"(?:^|[\n,(][ \t]*|(?P<street>\b(?:St|Rd|Ave|Dr|Lane|Road|Street|Tce|Terrace|Cres|Close|Court|Ct|Pl|Way)\.?,? "
    rf")){_TOWN},?(?: [-–])? {_POSTCODE}$"
)
# "Cochrane 2021": without a street it is rather a year.
_RECENT_YEAR = lazy(r" (?:19[89]|20[0-3])\d$")
_POSTAL = frozenset({"eircode", "postcode", "zip", "pin"})
_PART = lazy(rf"{_POSTCODE}", re.MULTILINE)
_CODE = r"(?P<state>[A-Z]{2})"
_LICENCE = lazy(rf"{_CODE}(?= (?:lic\b|license|licence|plates?\b|DL\b|tags?\b|driver|bar (?:no|#))|(?<=\([A-Z]{{2}}) \d{{2,3}}-\d)")
_NAMED_LICENCE = lazy(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?(?= (?:[Ll]ic\b|[Ll]icen[sc]e|[Pp]lates?\b|DL\b))")
_HL7 = lazy(r"\^(?P<town>[A-Z][A-Za-z .'-]{2,30})\^(?P<state>[A-Z]{2})\^(?=\d{5})")
# The code of a province before its postcode, and one of Australia's after a comma.
_PROVINCES = tuple("on qc bc ab mb sk ns nb nl pe yt nt nu nsw qld vic tas act".split())
_PROVINCE = lazy(
    r"(?:ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|YT|NT|NU)(?=,?\s{1,3}[A-Z]\d[A-Z] ?\d[A-Z]\d\b)"
    r"|(?<=, )(?:NSW|QLD|Qld|VIC|TAS|ACT)(?=[,;.)\n]|$| \d{4}\b)"
)
_COUNTY = lazy(r"Co\.? (?P<name>[A-Z][a-z]+)\b")
# Counties that are better known as something else.
_COUNTIES = frozenset("cork dublin down derry londonderry".split())
_TOWN_BEFORE = lazy(r"(?P<town>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?), $")
_WEST_VIRGINIA = lazy(r"W\.? ?Va\b\.?")
_STATE_FIELD = lazy(r"State[ \t]*:[ \t]*(?P<state>[A-Z]{2})\b")
_FIELD = lazy(
    rf"(?:Village|Branch|Suburb|Taluka|Tal\.?|Dist\.?|District|Municipality|Hometown|(?:[Pp]t|[Pp]atient|[Pp]rovider) "
    rf"location)[ \t]*[:.]?[ \t]*(?:home, )?{_TOWN}"
)
_FIELD_STARTS = tuple("village branch suburb taluka tal dist district municipality hometown pt patient provider".split())


def find_localities(reading: Reading) -> Iterator[Span]:
    """Towns and regions by their neighbours.

    >>> text = "Otterburn NE19 1XX; NM plate; Tring, Northumberland"
    >>> [(span.label, text[span.start : span.end]) for span in find_localities(Reading(text))]
    [('CITY', 'Otterburn'), ('STATE', 'NM'), ('STATE', 'Northumberland'), ('CITY', 'Tring')]
    """
    text = reading.text
    for match in reading.matches_at(_PART, [*_code_starts(reading)]):
        if town := _BEFORE_POSTCODE.search(text, max(0, match.start() - 60), match.end()):
            yield from _read_town(town)
    yield from _find_codes(reading)
    for match in reading.matches(_FIELD, _FIELD_STARTS):
        first = match["town"].split()[0].casefold()
        if not is_common(first) and (":" in match[0] or first in cities().phrases):
            yield _make_span(match, "town", "CITY")
    tokens, known = reading.tokens, _place_starts()
    places = [at for at in tokens.find(known) if tokens.is_capital(at)]
    yield from _find_regions(tokens, places)
    yield from _find_abroad(tokens, places)


def _code_starts(reading: Reading) -> list[int]:
    text = reading.text
    return [at for at in reading.numbers if text[at - 1 : at] in (" ", "\t") or at == 0]


def _read_town(match: re.Match[str]) -> Iterator[Span]:
    words = match["town"].casefold().split()
    listed = " ".join(words) in cities().phrases
    lettered = any(letter.isalpha() for letter in match[0][match.end("town") - match.start() :])
    told = listed or (lettered and not is_common(words[0])) or (match["street"] and not is_common(words[0]))
    if words[0] in _POSTAL or (match["town"].isupper() and len(match["town"]) < 4):
        return
    if not match["street"] and _RECENT_YEAR.search(match[0]):
        return
    if told and not any(word.isdigit() for word in words):
        yield _make_span(match, "town", "CITY")


def _make_span(match: re.Match[str], group: str, label: str) -> Span:
    return Span(*match.span(group), label, 0.75, "rules.place.beside")


def _find_codes(reading: Reading) -> Iterator[Span]:
    """Codes and names of states beside a licence, in a field, or between the carets of HL7."""
    text = reading.text
    for match in reading.matches_at(
        _LICENCE, [at for at in reading.capitals if text[at + 1 : at + 2].isupper() and text[at + 2 : at + 3] == " "]
    ):
        if match["state"] in state_codes():
            yield _make_span(match, "state", "STATE")
    for match in reading.matches(_NAMED_LICENCE, _state_starts()):
        if match[0].casefold() in state_names().phrases:
            yield Span(*match.span(), "STATE", 0.75, "rules.place.beside")
    for match in reading.matches(_STATE_FIELD, ("state",)):
        if match["state"] in state_codes():
            yield _make_span(match, "state", "STATE")
    for match in reading.matches(_PROVINCE, _PROVINCES):
        yield Span(*match.span(), "STATE", 0.75, "rules.place.beside")
    for match in reading.matches(_COUNTY, ("co",)):
        if match["name"].casefold() in word_list("regions") or match["name"].casefold() in _COUNTIES:
            yield Span(*match.span(), "STATE", 0.75, "rules.place.beside")
            if town := _TOWN_BEFORE.search(text, max(0, match.start() - 40), match.start()):
                yield _make_span(town, "town", "CITY")
    for match in reading.matches(_WEST_VIRGINIA, ("w",)):
        yield Span(*match.span(), "STATE", 0.75, "rules.place.beside")
    for match in _HL7.finditer(text) if "^" in text else ():
        if match["state"] in state_codes():
            yield _make_span(match, "town", "CITY")
            yield _make_span(match, "state", "STATE")


@cache
def _state_starts() -> tuple[str, ...]:
    return tuple(sorted({name.split()[0] for name in state_names().phrases}))


@cache
def _place_starts() -> frozenset[str]:
    lists = (gazetteer("countries"), gazetteer("regions"))
    return frozenset(key for names in lists for key in (*names.phrases, *names.longest)) - {"the"}


def _find_regions(tokens: Tokens, places: Sequence[int]) -> Iterator[Span]:
    """Counties and provinces after a comma, a bracket or "in"."""
    regions = gazetteer("regions")
    for at in places:
        if not (length := regions.match(tokens, at)):
            continue
        before = tokens.gap(at - 1).strip(" \t\n") if at > 0 else ""
        led = at > 0 and tokens.keys[at - 1] in ("in", "from", "of", "near", "to") and tokens.gap(at - 1) == " "
        if (before in (",", "(", ".,", "),", "-") and not tokens.in_capitals(at)) or (led and not is_common(tokens.keys[at])):
            yield Span(tokens.starts[at], tokens.ends[at + length - 1], "STATE", 0.7, "rules.place.region")


def _find_abroad(tokens: Tokens, places: Sequence[int]) -> Iterator[Span]:
    """A town before its country or region: ``Asmara, Eritrea``; the country speaks for itself elsewhere."""
    countries, regions = gazetteer("countries"), gazetteer("regions")
    for at in places:
        if at == 0 or tokens.gap(at - 1) != ", " or not tokens.is_capital(at - 1):
            continue
        length = countries.match(tokens, at)
        if not length and not regions.match(tokens, at):
            continue
        first = at - 1
        while (
            first > 0
            and at - first < 3
            and tokens.gap(first - 1) == " "
            and tokens.is_capital(first - 1)
            and not is_common(tokens.keys[first - 1])
        ):
            first -= 1
        keys = tokens.keys[first:at]
        other = any(key in word_list("demonyms") or key in countries.phrases or not key[0].isalpha() for key in keys)
        # "1.4 cm SPN, Mayo": an abbreviation among small letters is no town.
        if other or is_common(keys[0]) or tokens.in_capitals(first) or tokens.is_upper(at - 1):
            continue
        yield Span(tokens.starts[first], tokens.ends[at - 1], "CITY", 0.65, "rules.place.beside")
        if length:
            yield Span(tokens.starts[at], tokens.ends[at + length - 1], "COUNTRY", 0.65, "rules.place.beside")

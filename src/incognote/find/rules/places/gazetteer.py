"""Cities, states and countries: names from lists, where the words around them say that they are places."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.engine.tokens import Tokens, cities, gazetteer, is_common, is_personal
from incognote.find.rules.places.checks import (
    is_city,
    is_city_of_state,
    is_country,
    is_state,
    may_be_cued,
    place_cue,
    state_after,
    state_codes,
    state_names,
)
from incognote.find.rules.places.localities import find_localities
from incognote.lexicon import word_list
from incognote.lexicon.context import opens_field
from incognote.lexicon.lazy import lazy

# Cues after which a capitalised word that no list knows is a place too.
_HOME_CUES = lazy(
    r"(?:^| )(?:liv(?:es?|ing|ed) in|resid\w+ in|resident of|moved (?:to|from)|relocated \w+|native of|born in|raised in|"
    r"grew up in|originally from)$"
)
_CUE_ENDS = frozenset({"in", "of", "to", "from", "relocated"})
_FIELD = lazy(
    r"\b(?P<field>city|town|hometown|state|country|county|birthplace|place of birth|country of (?:birth|origin)|"
    r"localidad|ciudad|provincia|municipio|pa[ií]s)[ \t]*(?:/[ \t]?\w+[ \t]*)?:[ \t]*"
    r"(?P<value>(?-i:[A-ZÀ-Þ][\w.'’-]*(?: (?:de |la |del )?[A-ZÀ-Þ][\w.'’-]*){0,3}))",
    re.IGNORECASE,
)
_FIELD_STARTS = tuple("city town hometown state country county birthplace place localidad ciudad provincia municipio pais país".split())
_FIELD_LABELS = {
    "state": "STATE",
    "provincia": "STATE",
    "country": "COUNTRY",
    "country of birth": "COUNTRY",
    "country of origin": "COUNTRY",
    "pais": "COUNTRY",
    "país": "COUNTRY",
    "county": "LOCATION-OTHER",
}


def find_places(reading: Reading) -> Iterator[Span]:
    """Cities, states and countries of the text.

    >>> [(span.label, span.start, span.end) for span in find_places(Reading("Lives in Duluth, MN. Born in Poland."))]
    [('CITY', 9, 15), ('STATE', 17, 19), ('COUNTRY', 29, 35)]
    """
    yield from _find_fields(reading)
    yield from find_localities(reading)
    tokens = reading.tokens
    done = 0
    for at in sorted({*_listed_starts(tokens), *_unlisted_starts(tokens)}):
        if at < done:
            continue
        for length, span in _read_place(tokens, at, placed=at == done > 0):
            done = at + length
            yield span
        if at >= done and tokens.is_capital(at):
            yield from _read_unlisted(tokens, at)


def _listed_starts(tokens: Tokens) -> Iterator[int]:
    """The words with which a listed place may start: a city in small letters only where the words before may say so."""
    yield from tokens.find(_few_starts())
    listed = cities()
    for at in listed.starts(tokens):
        key = tokens.keys[at]
        if tokens.is_capital(at) or ((key in listed.longest or not is_common(key)) and may_be_cued(tokens, at)):
            yield at


@cache
def _few_starts() -> frozenset[str]:
    lists = (state_names(), gazetteer("countries"))
    return frozenset(key for names in lists for key in (*names.phrases, *names.longest))


def _unlisted_starts(tokens: Tokens) -> Iterator[int]:
    """The capitalised words beside which a word stands that a town no list holds needs: one that ends a cue, or a state."""
    for at in tokens.find(_CUE_ENDS):
        yield from (near for near in range(at + 1, min(at + 3, len(tokens))) if tokens.is_capital(near))
    for at in tokens.find(_state_starts()):
        if tokens.is_capital(at):
            yield from (near for near in range(max(0, at - 3), at) if tokens.is_capital(near))


@cache
def _state_starts() -> frozenset[str]:
    codes = {code.casefold() for code in state_codes()}
    short = {name.removesuffix(".") for name in word_list("state-abbreviations")}
    return frozenset({*codes, *short, *state_names().phrases, *state_names().longest})


def _read_place(tokens: Tokens, at: int, *, placed: bool) -> Iterator[tuple[int, Span]]:
    """The state, country or city that starts here, with its length in words; a city may bring its state along."""
    states, countries = state_names(), gazetteer("countries")
    if tokens.is_capital(at) and (length := states.match(tokens, at)) and is_state(tokens, at, length):
        label = "CITY" if tokens.keys[at : at + length] == ("new", "york") else "STATE"
        yield length, _span(tokens, at, length, label, 0.8, "state")
    elif (length := countries.match(tokens, at)) and is_country(tokens, at, length, placed=placed):
        yield length, _span(tokens, at, length, "COUNTRY", 0.8, "country")
    elif length := cities().match(tokens, at):
        yield from ((length, span) for span in _read_city(tokens, at, length))


def _span(tokens: Tokens, at: int, length: int, label: str, score: float, rule: str) -> Span:
    return Span(tokens.starts[at], tokens.ends[at + length - 1], label, score, f"rules.place.{rule}")


def _find_fields(reading: Reading) -> Iterator[Span]:
    for match in reading.matches(_FIELD, _FIELD_STARTS):
        if not opens_field(reading.text, match.start(), marks=";,|"):
            continue
        label = _FIELD_LABELS.get(match["field"].lower(), "CITY")
        if not is_common(match["value"].casefold()) or label == "CITY":
            yield Span(*match.span("value"), label, 0.9, "rules.place.field")


def _read_city(tokens: Tokens, at: int, length: int) -> Iterator[Span]:
    state = state_after(tokens, at + length - 1) if tokens.is_capital(at) else None
    cue = place_cue(tokens, at)
    doubtful = length == 1 and (is_common(tokens.keys[at]) or is_personal(tokens.keys[at], given=cue == "in"))
    doubtful = doubtful or (length == 1 and tokens.is_upper(at) and length_of(tokens, at) < 5)
    if state and is_city_of_state(tokens, at, length, state, doubtful and cue != "strong"):
        yield _span(tokens, at, length, "CITY", 0.9, "city")
        yield _span(tokens, state[0], state[1], "STATE", 0.9, "state")
    elif length == 1 and tokens.is_upper(at) and not tokens.in_capitals(at) and tokens.keys[at] in word_list("capital-words"):
        return
    elif is_city(tokens, at, length, cue, doubtful):
        yield _span(tokens, at, length, "CITY", 0.85 if cue == "strong" else 0.7, "city")


def _is_strange(tokens: Tokens, first: int, last: int) -> bool:
    """Whether the words, after a strong cue, are neither names of persons nor written with a capital for another reason."""
    keys = tokens.keys[first : last + 1]
    known = any(is_common(key) or is_personal(key) or key in word_list("capital-words") or key in word_list("place-heads") for key in keys)
    return not known and place_cue(tokens, first) == "strong"


def length_of(tokens: Tokens, at: int) -> int:
    return tokens.ends[at] - tokens.starts[at]


def _read_unlisted(tokens: Tokens, at: int) -> Iterator[Span]:
    """A town that no list holds, where the words before or a state with a ZIP code after leave no doubt."""
    if len(tokens.keys[at]) < 3 or not tokens.keys[at].replace("'", "").replace("-", "").isalpha():
        return
    if is_common(tokens.keys[at]) or tokens.word(at) in state_codes() or tokens.keys[at] in word_list("demonyms"):
        return
    last = at
    while (
        last + 1 < len(tokens)
        and last - at < 2
        and tokens.gap(last) == " "
        and tokens.is_capital(last + 1)
        and tokens.word(last + 1) not in state_codes()
        and not any(map(str.isdigit, tokens.keys[last + 1]))
    ):
        last += 1
    state = state_after(tokens, last)
    if (
        state
        and (state[2] or _HOME_CUES.search(tokens.left(at, 3)))
        and not (at > 0 and tokens.gap(at - 1) == " " and tokens.is_capital(at - 1))
    ):
        yield _span(tokens, at, last - at + 1, "CITY", 0.8, "city")
        yield _span(tokens, state[0], state[1], "STATE", 0.9, "state")
    elif not tokens.is_upper(at) and (_HOME_CUES.search(tokens.left(at, 3)) or _is_strange(tokens, at, last)):
        yield _span(tokens, at, last - at + 1, "CITY", 0.6, "unlisted")

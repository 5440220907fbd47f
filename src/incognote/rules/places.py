"""Cities, states and countries: names from lists, believed when the words around them say that they are places."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.document import Span
from incognote.lexicon import frequent_words, word_list, word_rows
from incognote.rules.context import opens_field
from incognote.rules.reading import Reading, read
from incognote.rules.tokens import Gazetteer, Tokens, gazetteer, is_common, is_personal, make_gazetteer

PREPOSITIONS = frozenset("in to from near at of outside around".split())
# Cues after which a capitalised word that no list knows is a place too.
_HOME_CUES = re.compile(
    r"(?:^| )(?:liv(?:es?|ing|ed) in|resid\w+ in|resident of|moved (?:to|from)|relocated \w+|native of|born in|raised in|"
    r"grew up in|originally from)$"
)
_HOME_ENDS = frozenset({"in", "of", "to", "from"})
_ZIP = re.compile(r"[,.]?\s{1,3}\d{5}(?:-\d{4})?\b")
_NUMBER = re.compile(r"\s?#?\d")
_COMMA = re.compile(r",[ \t]{1,2}|[ \t]{1,2}|,[ \t]{0,2}\n[ \t]{0,4}")
_MONTHS = frozenset("january february march april may june july august september october november december".split())
_FIELD = re.compile(
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
# Countries that are also names, birds, foods or breeds: a preposition must come first.
_WEAK_COUNTRIES = frozenset(
    "turkey jordan chad georgia jersey guinea niger mali togo india israel chile wales holland ireland england france poland "
    "dominica grenada antigua malta benin cuba oman congo peru samoa tonga china monaco lebanon u.s panama jamaica".split()
)
_WEAK_STATES = frozenset("georgia virginia washington victoria montana maine indiana".split()) | {"new york"}


def find_places(text: str | Reading) -> Iterator[Span]:
    """Cities, states and countries of the text.

    >>> [(span.label, span.start, span.end) for span in find_places("Lives in Duluth, MN. Born in Poland.")]
    [('CITY', 9, 15), ('STATE', 17, 19), ('COUNTRY', 29, 35)]
    """
    reading = read(text)
    yield from _find_fields(reading)
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
    cities, few = gazetteer("cities-us", "cities-world"), _few_starts()
    phrases, longest, text, starts = cities.phrases, cities.longest, tokens.text, tokens.starts
    for at, key in enumerate(tokens.keys):
        if key in few or ((key in phrases or key in longest) and (text[starts[at]].isupper() or _may_be_cued(tokens, at))):
            yield at


@cache
def _few_starts() -> frozenset[str]:
    lists = (_states(), gazetteer("countries"))
    return frozenset(key for names in lists for key in (*names.phrases, *names.longest))


@cache
def _cue_ends() -> frozenset[str]:
    return frozenset(cue.rpartition(" ")[2] for cue in word_list("place-cues")) | {"the"}


def _may_be_cued(tokens: Tokens, at: int) -> bool:
    """Whether a strong cue can stand before the word: a cheap look that spares the closer one."""
    return at > 0 and (tokens.keys[at - 1] in _cue_ends() or not {",", "\n"}.isdisjoint(tokens.gap(at - 1)))


def _unlisted_starts(tokens: Tokens) -> Iterator[int]:
    """The capitalised words beside which a word stands that a town no list holds needs: one that ends a cue, or a state."""
    keys, states = tokens.keys, _state_starts()
    for at, key in enumerate(keys):
        if key in _HOME_ENDS or key == "relocated":
            yield from (near for near in range(at + 1, min(at + 3, len(keys))) if tokens.is_capital(near))
        if key in states and tokens.is_capital(at):
            yield from (near for near in range(max(0, at - 3), at) if tokens.is_capital(near))


@cache
def _state_starts() -> frozenset[str]:
    codes = {code.casefold() for code in _codes()}
    short = {name.removesuffix(".") for name in word_list("state-abbreviations")}
    return frozenset({*codes, *short, *_states().phrases, *_states().longest})


def _read_place(tokens: Tokens, at: int, *, placed: bool) -> Iterator[tuple[int, Span]]:
    """The state, country or city that starts here, with its length in words; a city may bring its state along."""
    cities, states, countries = gazetteer("cities-us", "cities-world"), _states(), gazetteer("countries")
    if tokens.is_capital(at) and (length := states.match(tokens, at)) and _is_state(tokens, at, length):
        label = "CITY" if tokens.keys[at : at + length] == ("new", "york") else "STATE"
        yield length, _span(tokens, at, length, label, 0.8, "state")
    elif (length := countries.match(tokens, at)) and _is_country(tokens, at, length, placed=placed):
        yield length, _span(tokens, at, length, "COUNTRY", 0.8, "country")
    elif length := cities.match(tokens, at):
        yield from ((length, span) for span in _read_city(tokens, at, length))


def _span(tokens: Tokens, at: int, length: int, label: str, score: float, rule: str) -> Span:
    return Span(tokens.starts[at], tokens.ends[at + length - 1], label, score, f"rules.place.{rule}")


@cache
def _states() -> Gazetteer:
    return make_gazetteer(word_list("states"))


@cache
def _codes() -> frozenset[str]:
    return frozenset(row[1] for row in word_rows("states"))


def _find_fields(reading: Reading) -> Iterator[Span]:
    for match in reading.matches(_FIELD, _FIELD_STARTS):
        if not opens_field(reading.text, match.start(), marks=";,|"):
            continue
        label = _FIELD_LABELS.get(match["field"].lower(), "CITY")
        if not is_common(match["value"].casefold()) or label == "CITY":
            yield Span(*match.span("value"), label, 0.9, "rules.place.field")


def _cue(tokens: Tokens, at: int) -> str:
    """How strongly the words before say that a place follows: "strong", "weak" or ""."""
    if at > 1 and _COMMA.fullmatch(tokens.gap(at - 1)) and _ends_street(tokens, at - 1):
        return "strong"
    left = tokens.left(at, 3).removesuffix(" the")
    words = left.split(" ")
    if " ".join(words[-2:]) in word_list("place-cues") or words[-1] in word_list("place-cues") or left in word_list("place-cues"):
        return "strong"
    return "weak" if words[-1] in PREPOSITIONS else ""


def _ends_street(tokens: Tokens, last: int) -> bool:
    """Whether the word closes an address: a street's suffix with a number before it, or a flat."""
    if "\n" not in tokens.gap(last) and "," not in tokens.gap(last):
        return False
    if tokens.keys[last - 1] in ("apt", "suite", "unit", "ste"):
        return True
    near = tokens.keys[max(0, last - 5) : last]
    return tokens.keys[last] in word_list("street-suffixes") and tokens.is_capital(last) and any(key[0].isdigit() for key in near)


def _state_after(tokens: Tokens, last: int) -> tuple[int, int, bool] | None:
    """The words of the state that follows a city: first, how many, and whether a comma or a ZIP code bears it out."""
    at = last + 1
    if at >= len(tokens) or not _COMMA.fullmatch(gap := tokens.gap(last)):
        return None
    code = tokens.word(at)
    zipped = bool(_ZIP.match(tokens.text, tokens.ends[at]))
    if code in _codes():
        return (
            (at, 1, zipped)
            if "," in gap or zipped or tokens.text[tokens.ends[at] : tokens.ends[at] + 1] in ("", ".", ",", "\n", ")")
            else None
        )
    short = f"{tokens.keys[at]}."
    if short in word_list("state-abbreviations") and "," in gap and tokens.is_capital(at):
        return at, 1, zipped
    length = _states().match(tokens, at) if tokens.is_capital(at) else 0
    return (at, length, zipped) if length and "," in gap else None


def _read_city(tokens: Tokens, at: int, length: int) -> Iterator[Span]:
    state = _state_after(tokens, at + length - 1) if tokens.is_capital(at) else None
    cue = _cue(tokens, at)
    doubtful = length == 1 and (is_common(tokens.keys[at]) or is_personal(tokens.keys[at]))
    if state and _is_city_of_state(tokens, at, length, state, doubtful and cue != "strong"):
        yield _span(tokens, at, length, "CITY", 0.9, "city")
        yield _span(tokens, state[0], state[1], "STATE", 0.9, "state")
    elif _is_city(tokens, at, length, cue, doubtful):
        yield _span(tokens, at, length, "CITY", 0.85 if cue == "strong" else 0.7, "city")


def _is_city_of_state(tokens: Tokens, at: int, length: int, state: tuple[int, int, bool], doubtful: bool) -> bool:
    """Whether "City, State" is one: a doubtful city must lie in that state, or a ZIP code must follow."""
    first, count, zipped = state
    if zipped or not doubtful:
        return zipped or not _NUMBER.match(tokens.text, tokens.ends[first])
    code = tokens.word(first) if count == 1 and tokens.word(first) in _codes() else _code_of(" ".join(tokens.keys[first : first + count]))
    follows_name = at > 0 and tokens.gap(at - 1) == " " and tokens.is_capital(at - 1) and not tokens.shouts(at - 1)
    return not follows_name and (" ".join(tokens.keys[at : at + length]), code) in _pairs()


def _code_of(name: str) -> str:
    return next((row[1] for row in word_rows("states") if row[0].casefold() == name), "")


@cache
def _pairs() -> frozenset[tuple[str, str]]:
    return frozenset((row[0].casefold(), row[1]) for row in word_rows("cities-us"))


def _is_city(tokens: Tokens, at: int, length: int, cue: str, doubtful: bool) -> bool:
    if not cue or (length == 1 and _is_other_word(tokens.keys[at])) or _runs_on(tokens, at, length):
        return False
    if not tokens.is_capital(at):
        return cue == "strong" and not doubtful and (length > 1 or tokens.keys[at] not in word_list("surnames"))
    if tokens.shouts(at) or doubtful:
        return cue == "strong" and not (tokens.shouts(at) and doubtful)
    return cue == "strong" or not (length == 1 and tokens.keys[at] in word_list("surnames") and not _is_big_city(tokens.keys[at]))


def _is_other_word(key: str) -> bool:
    return len(key) < 3 or key in _MONTHS or key in word_list("place-heads") or key in word_list("street-suffixes")


def _is_big_city(key: str) -> bool:
    return key in frequent_words("cities-us", 600) or key in frequent_words("cities-world", 1500)


def _runs_on(tokens: Tokens, at: int, length: int) -> bool:
    """Whether the name goes on: Boston Scientific, Salem Hospital (which other rules read), Austin's mother."""
    last = at + length - 1
    if tokens.gap(last) == " " and last + 1 < len(tokens) and tokens.is_capital(last + 1) and not tokens.shouts(last + 1):
        return not is_common(tokens.keys[last + 1]) or tokens.keys[last + 1] in word_list("place-adjectives")
    return False


def _is_state(tokens: Tokens, at: int, length: int) -> bool:
    phrase = " ".join(tokens.keys[at : at + length])
    if phrase in _WEAK_STATES:
        return _cue(tokens, at) == "strong" and not _runs_on(tokens, at, length) and not tokens.shouts(at)
    return not _runs_on(tokens, at, length)


def _is_country(tokens: Tokens, at: int, length: int, *, placed: bool) -> bool:
    """Whether the words are a country; ``placed`` says that a city or a state stands just before."""
    last = at + length - 1
    phrase = " ".join(tokens.keys[at : last + 1]).removeprefix("the ")
    if tokens.gap(last)[:1] == "-" or _runs_on(tokens, at, length):
        return False
    if not tokens.is_capital(last):
        return _cue(tokens, at) == "strong" and phrase not in _WEAK_COUNTRIES
    return phrase not in _WEAK_COUNTRIES or ((placed or bool(_cue(tokens, at))) and not tokens.shouts(at))


def _read_unlisted(tokens: Tokens, at: int) -> Iterator[Span]:
    """A town that no list holds, where the words before or a state with a ZIP code after leave no doubt."""
    if is_common(tokens.keys[at]) or tokens.word(at) in _codes() or tokens.keys[at] in word_list("demonyms"):
        return
    last = at
    while (
        last + 1 < len(tokens)
        and last - at < 2
        and tokens.gap(last) == " "
        and tokens.is_capital(last + 1)
        and tokens.word(last + 1) not in _codes()
    ):
        last += 1
    state = _state_after(tokens, last)
    if (
        state
        and (state[2] or _HOME_CUES.search(tokens.left(at, 3)))
        and not (at > 0 and tokens.gap(at - 1) == " " and tokens.is_capital(at - 1))
    ):
        yield _span(tokens, at, last - at + 1, "CITY", 0.8, "city")
        yield _span(tokens, state[0], state[1], "STATE", 0.9, "state")
    elif not tokens.is_upper(at) and _HOME_CUES.search(tokens.left(at, 3)):
        yield _span(tokens, at, last - at + 1, "CITY", 0.6, "unlisted")

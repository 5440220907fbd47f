"""Checks of listed names: whether the words around one make it a city, a state or a country."""

from functools import cache

from incognote.find.rules.engine.tokens import Gazetteer, Tokens, is_common, is_personal, make_gazetteer
from incognote.lexicon import frequent_words, word_list, word_rows
from incognote.lexicon.calendar import MONTHS, SHORT_MONTHS
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names, surnames

_PREPOSITIONS = frozenset("in to from near at of outside around".split())
_ZIP = lazy(r"[,.]?\s{1,3}\d{5}(?:-\d{4})?\b")
_NUMBER = lazy(r"\s?#?\d")
_COMMA = lazy(r"\.?,[ \t]{1,2}|[ \t]{1,2}|,[ \t]{0,2}\n[ \t]{0,4}")
# Suffixes that mean a street with or without a number.
_ROADS = frozenset("road rd street st avenue ave lane ln boulevard blvd mews terrace tce crescent".split())
# Countries that are also names, birds, foods or breeds: a preposition must come first.
_WEAK_COUNTRIES = frozenset(
    "turkey jordan chad georgia jersey guinea niger mali togo india israel chile wales holland ireland england france poland "
    "dominica grenada antigua malta benin cuba oman congo peru samoa tonga china monaco lebanon u.s panama jamaica".split()
)
_WEAK_STATES = frozenset("georgia virginia washington victoria montana maine indiana".split()) | {"new york"}


@cache
def state_names() -> Gazetteer:
    return make_gazetteer(word_list("states"))


@cache
def state_codes() -> frozenset[str]:
    return frozenset(row[1] for row in word_rows("states"))


@cache
def _cue_ends() -> frozenset[str]:
    return frozenset(cue.rpartition(" ")[2] for cue in word_list("place-cues")) | {"the"}


def may_be_cued(tokens: Tokens, at: int) -> bool:
    """Whether a strong cue can stand before the word: a cheap look that spares the closer one."""
    return at > 0 and (tokens.keys[at - 1] in _cue_ends() or not {",", "\n"}.isdisjoint(tokens.gap(at - 1)))


def place_cue(tokens: Tokens, at: int) -> str:
    """How strongly the words before say that a place follows: "strong", "weak" or ""."""
    if at > 1 and _COMMA.fullmatch(tokens.gap(at - 1)) and _ends_street(tokens, at - 1):
        return "strong"
    left = tokens.left(at, 3).removesuffix(" the")
    words = left.split(" ")
    if " ".join(words[-2:]) in word_list("place-cues") or words[-1] in word_list("place-cues") or left in word_list("place-cues"):
        return "strong"
    if words[-1] == "in":
        return "in"
    return "weak" if words[-1] in _PREPOSITIONS or _is_beside(tokens, at) else ""


def _is_beside(tokens: Tokens, at: int) -> bool:
    """Whether the word follows the name of a body and a comma (``Halvorsen Institute, Duluth``), an arrow, or closes a bracket."""
    if at == 0:
        return False
    gap = tokens.gap(at - 1)
    if gap == ", " and tokens.is_capital(at - 1) and tokens.keys[at - 1] in word_list("place-heads"):
        return True
    if gap.strip() in ("→", "->"):
        return True
    closing = tokens.text[tokens.ends[at] : tokens.ends[at] + 1] == ")"
    return closing and gap in (", ", " (")


def _ends_street(tokens: Tokens, last: int) -> bool:
    """Whether the word closes an address: a street's suffix with a number before it, or a flat."""
    if "\n" not in tokens.gap(last) and "," not in tokens.gap(last):
        return False
    if tokens.keys[last - 1] in ("apt", "suite", "unit", "ste", "floor", "flat", "room", "rm", "bed"):
        return True
    if tokens.keys[last - 1].endswith(("straat", "strasse", "laan", "weg")) and tokens.keys[last][0].isdigit():
        return True
    if tokens.keys[last] in ("n", "s", "e", "w", "ne", "nw", "se", "sw") and tokens.keys[last - 1] in word_list("street-suffixes"):
        last -= 1
    near = tokens.keys[max(0, last - 5) : last]
    if tokens.keys[last] not in word_list("street-suffixes") or not tokens.is_capital(last):
        return False
    return any(key[0].isdigit() for key in near) or (tokens.keys[last] in _ROADS and tokens.is_capital(last - 1))


def state_after(tokens: Tokens, last: int) -> tuple[int, int, bool] | None:
    """The words of the state that follows a city: first, how many, and whether a comma or a ZIP code bears it out."""
    at = last + 1
    if at >= len(tokens) or not _COMMA.fullmatch(gap := tokens.gap(last)):
        return None
    code = tokens.word(at)
    zipped = bool(_ZIP.match(tokens.text, tokens.ends[at]))
    if code in state_codes():
        return (
            (at, 1, zipped)
            if "," in gap or zipped or tokens.text[tokens.ends[at] : tokens.ends[at] + 1] in ("", ".", ",", "\n", ")")
            else None
        )
    short = f"{tokens.keys[at]}."
    dotted = tokens.text[tokens.ends[at] : tokens.ends[at] + 1] == "." or len(short) > 5
    if short in word_list("state-abbreviations") and tokens.is_capital(at) and ("," in gap or (dotted and len(short) > 3)):
        return at, 1, zipped
    length = state_names().match(tokens, at) if tokens.is_capital(at) else 0
    return (at, length, zipped) if length and "," in gap else None


def is_city_of_state(tokens: Tokens, at: int, length: int, state: tuple[int, int, bool], doubtful: bool) -> bool:
    """Whether "City, State" is one: a doubtful city must lie in that state, or a ZIP code must follow."""
    first, count, zipped = state
    # "KEVIN OYAMA, MD": a given name before the town, and a state that is a degree.
    if (
        not zipped
        and at > 0
        and tokens.word(first) in ("MD", "PA", "DC", "ID", "MA")
        and tokens.gap(at - 1) == " "
        and is_personal(tokens.keys[at - 1])
    ):
        return False
    if zipped or not doubtful:
        return zipped or not _NUMBER.match(tokens.text, tokens.ends[first])
    code = (
        tokens.word(first) if count == 1 and tokens.word(first) in state_codes() else _code_of(" ".join(tokens.keys[first : first + count]))
    )
    follows_name = at > 0 and tokens.gap(at - 1) == " " and tokens.is_capital(at - 1) and not tokens.in_capitals(at - 1)
    return not follows_name and (" ".join(tokens.keys[at : at + length]), code) in _pairs()


def _code_of(name: str) -> str:
    return next((row[1] for row in word_rows("states") if row[0].casefold() == name), "")


@cache
def _pairs() -> frozenset[tuple[str, str]]:
    return frozenset((row[0].casefold(), row[1]) for row in word_rows("cities-us"))


def is_city(tokens: Tokens, at: int, length: int, cue: str, doubtful: bool) -> bool:
    """Whether a listed name is the city where it stands; of several words, none of them a given name, it speaks for itself."""
    keys = tokens.keys[at : at + length]
    if length > 1 and not cue and tokens.is_capital(at) and tokens.is_capital(at + length - 1) and not tokens.in_capitals(at):
        strange = any(not is_common(key) and len(key) > 3 for key in keys) and not any(key in given_names(4000) for key in keys)
        return strange and not _runs_on(tokens, at, length)
    if not cue or (length == 1 and _is_other_word(tokens.keys[at])) or _runs_on(tokens, at, length):
        return False
    if not tokens.is_capital(at):
        if length > 1 and (cue in ("in", "weak") or keys[0] == "the"):
            return any(not is_common(key) for key in keys) and keys[0] != "the"
        return cue == "strong" and not doubtful and (length > 1 or tokens.keys[at] not in surnames())
    if tokens.in_capitals(at) or doubtful:
        return cue == "strong" and not (tokens.in_capitals(at) and doubtful)
    return cue in ("strong", "in") or not (length == 1 and tokens.keys[at] in surnames() and not _is_big_city(tokens.keys[at]))


def _is_other_word(key: str) -> bool:
    return (
        len(key) < 3
        or key in MONTHS
        or key in word_list("demonyms")
        or key in word_list("place-heads")
        or key in word_list("street-suffixes")
    )


def _is_big_city(key: str) -> bool:
    return key in frequent_words("cities-us", 600) or key in frequent_words("cities-world", 1500)


def _runs_on(tokens: Tokens, at: int, length: int) -> bool:
    """Whether the name goes on: Boston Scientific, Salem Hospital (which other rules read), Austin's mother."""
    last = at + length - 1
    if tokens.gap(last) == " " and last + 1 < len(tokens) and tokens.is_capital(last + 1) and not tokens.in_capitals(last + 1):
        if not tokens.keys[last + 1].isalpha() and any(map(str.isdigit, tokens.keys[last + 1])):
            return False
        return (not is_common(tokens.keys[last + 1]) and tokens.keys[last + 1] not in SHORT_MONTHS) or tokens.keys[last + 1] in word_list(
            "place-adjectives"
        )
    return False


def is_state(tokens: Tokens, at: int, length: int) -> bool:
    phrase = " ".join(tokens.keys[at : at + length])
    # "dissected with the Maryland": a state takes no article.
    if at > 0 and tokens.keys[at - 1] in ("the", "a") and tokens.gap(at - 1) == " ":
        return False
    if phrase in _WEAK_STATES:
        return place_cue(tokens, at) == "strong" and not _runs_on(tokens, at, length) and not tokens.in_capitals(at)
    return not _runs_on(tokens, at, length)


def is_country(tokens: Tokens, at: int, length: int, *, placed: bool) -> bool:
    """Whether the words are a country; ``placed`` says that a city or a state stands just before."""
    last = at + length - 1
    phrase = " ".join(tokens.keys[at : last + 1]).removeprefix("the ")
    if tokens.gap(last)[:1] == "-" or _runs_on(tokens, at, length):
        return False
    if not tokens.is_capital(last):
        return place_cue(tokens, at) == "strong" and phrase not in _WEAK_COUNTRIES
    return phrase not in _WEAK_COUNTRIES or ((placed or bool(place_cue(tokens, at))) and not tokens.in_capitals(at))

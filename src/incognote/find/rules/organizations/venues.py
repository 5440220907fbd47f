"""Organizations and places without a head word, by the word before them: at Kapiolani, sent to RHCYP, via Acadian, barista at Zillow."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.tokens import Tokens, cities, is_common
from incognote.find.rules.places.checks import state_codes
from incognote.lexicon import word_list
from incognote.lexicon.calendar import MONTHS, SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names, is_never_name, surnames
from incognote.lexicon.units import is_quantity

_LEADS = frozenset("at from to via through for with w by under".split())
# What is done in a hospital or a practice: after one of these "from", "to" and "by" lead to it.
_EVENT = lazy(
    r"\b(?:admi(?:t\w*|ssions?)|transfer\w*|transported|xfer\w*|tx'?d?|hospitali[sz]\w+|discharg\w+|d/?c'?d|seen|evaluated|treated|surgery|"
    r"stent\w*|cabg|cath|biops\w+|colonoscopy|scope\w*|egd|ct|mri|xr|x-?rays?|echo|ultrasound|imaging|labs?|records|slides|delivered|"
    r"dialysis|ed|er|rehab|inpatient|infus\w+|physio|chemo|radiation|hosp|hx|snf|sent|adv|advised|scheduled|repaired|replaced|"
    r"transplant\w*|ambulance|accepted|flown|referr(?:ed|al)|released|pgt-?a|specimens?|form|forms)\b"
)
_HIRED = lazy(
    r"\b(?:insured|covered|coverage|policy|filed|claim|employed|works?|worked|working|job|drives|drove|plays|played|performs|volunteers|"
    r"delivers|intern|interns|served|serves|flies|hired|enrolled|contract\w*|soccer|spons\w*)\b[^.;\n]{0,30}$"
)
_CALENDAR = frozenset("christmas easter thanksgiving ramadan diwali eid hanukkah halloween passover lent".split()).union(
    MONTHS, SHORT_MONTHS, WEEKDAYS, SHORT_WEEKDAYS
)
_INNER = frozenset("of the and & de la del du des".split())
_TITLES = frozenset("dr drs doctor mr mrs ms miss mdm mme frau herr prof professor sister father rev pastor nurse rn md np pa".split())
# "at Little Acorns 3 d/wk": how often, no part of the name.
_PER = lazy(r" ?(?:d|days?|x|times|h|hrs?)(?:/| a | per )")
_OWNED = lazy(r" [a-z]")
# After "the", a name that a noun follows names a thing: the Epimed catheter.
_THING = lazy(
    r"[®™]? (?!(?:and|or|in|on|for|to|with|at|was|is|where|who|since|this|last|by|but|when|after|before|until|near|branch)\b)[a-z]"
)
# Words in small letters that end a name all the same: Mai Serwa prison.
_SMALL_HEADS = frozenset("prison jail camp shelter hostel mill mine ranch farm church school".split())


def find_venues(tokens: Tokens) -> Iterator[Span]:
    """Names after a word that leads to a place or a body.

    >>> from incognote.find.rules.engine.tokens import read_tokens
    >>> text = "ECT at Marwood in 1979; 3 mm at L4; sent to Alder Grange"
    >>> [text[span.start : span.end] for span in find_venues(read_tokens(text))]
    ['Marwood', 'Alder Grange']
    """
    for at in tokens.find(_LEADS):
        key, first = tokens.keys[at], at + 1
        if first == len(tokens):
            break
        if tokens.keys[first] == "the" and first + 1 < len(tokens) and not tokens.is_capital(first):
            first += 1
        if not tokens.is_capital(first) or not _opens(tokens, at, first):
            continue
        label = _read_label(tokens, at, key)
        last = _read_run(tokens, first)
        if key in ("via", "through") and first == last and tokens.is_upper(first):
            continue  # more often a line or a tube than a body
        if first > at + 1 and _THING.match(tokens.text, tokens.ends[last]):
            continue
        if label and last >= first and _is_named(tokens, first, last):
            yield _make_span(tokens, first, last, label)


def _opens(tokens: Tokens, at: int, first: int) -> bool:
    """Whether only blanks part the leading word from the name ("w/" has its stroke)."""
    return all(tokens.gap(near) in (" ", "/ ", "/") if tokens.keys[near] == "w" else tokens.close(near) for near in range(at, first))


def _read_label(tokens: Tokens, at: int, key: str) -> str:
    """What the words before say that the name will be; nothing where they do not speak."""
    start = tokens.starts[at]
    before = re.split(r"[.;]\s|\n", tokens.text[max(0, start - 60) : start])[-1].lower()
    if at > 0 and tokens.gap(at - 1) == " " and tokens.keys[at - 1] in _workers() and key in ("at", "for", "with", "w"):
        return "ORGANIZATION"
    if key in ("at", "for", "with", "w", "by", "under") and _HIRED.search(before):
        return "ORGANIZATION"
    event = bool(_EVENT.search(before))
    if key == "at":
        return "HOSPITAL" if event else "ORGANIZATION"
    if key in ("via", "through"):
        return "ORGANIZATION"
    return "HOSPITAL" if event and key in ("from", "to") else ""


@cache
def _workers() -> frozenset[str]:
    """The last words of occupations, and of those who learn."""
    listed = word_list("professions") | word_list("professions-weak")
    return frozenset(entry.rpartition(" ")[2] for entry in listed) | {"sophomore", "freshman", "junior", "senior", "student", "daycare"}


def _read_run(tokens: Tokens, first: int) -> int:
    """The last of the capitalised words that start here."""
    at = last = first
    while at < len(tokens) and at - first < 5:
        key = tokens.keys[at]
        if at > first and key in _INNER and not tokens.is_capital(at):
            at += 1
            continue
        if not (tokens.is_capital(at) or key[0].isdigit()) or key in _CALENDAR or key in _TITLES or not _fits(tokens, first, at):
            return last if at > first else first - 1
        last = at
        if at + 1 >= len(tokens) or tokens.gap(at) not in (" ", " & ", "-"):
            return last
        at += 1
    return last


def _fits(tokens: Tokens, first: int, at: int) -> bool:
    """Whether a word may stand in a name: in a text of capitals, and after the first word, a common one only if names are made of it."""
    key = tokens.keys[at]
    if _makes_names(key):
        return True
    if at == first and cities().match(tokens, at) > 1:
        return True
    if key[0].isdigit():
        if is_quantity(tokens.text, tokens.ends[at]) or _PER.match(tokens.text, tokens.ends[at]):
            return False
        return at > first and key.isdigit() and len(key) < 4 and not is_common(tokens.keys[at - 1])
    if at > first and not tokens.is_upper(at) and not tokens.in_capitals(first) and _is_strange(tokens.keys[first]):
        return not is_never_name(key)
    return not is_common(key) and not is_never_name(key)


def _is_named(tokens: Tokens, first: int, last: int) -> bool:
    start, end = tokens.starts[first], tokens.ends[last]
    keys = tokens.keys[first : last + 1]
    if is_clinical(tokens.text, start, end) or tokens.word(first) in state_codes() or any(key in _capitals() for key in keys[:1]):
        return False
    if _is_person(tokens, first, last):
        return False
    if tokens.text[end - 2 : end] in ("'s", "’s") and first == last and _OWNED.match(tokens.text, end):
        return False  # Maria's house
    if first == last and tokens.is_upper(first):
        return 2 < len(keys[0]) < 7 and keys[0].isalpha() and not tokens.in_capitals(first) and not is_common(keys[0])
    strange = [key for key in keys if _is_strange(key)]
    if strange:
        return len(strange[0]) > 2
    made = [key for key in keys if _makes_names(key)]
    city = cities().match(tokens, first)
    return (len(made) > 1 and len(made) == len(keys) and keys[0] in word_list("place-adjectives")) or (1 < city < len(keys) and bool(made))


def _is_person(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a given name, alone or before a surname, stands here: other rules find persons."""
    key, end = tokens.keys[first], tokens.keys[last]
    if key not in given_names(2500) or key in word_list("place-adjectives"):
        return False
    return tokens.keys[first - 1] not in ("at", "the") if first == last else end in surnames() and not _makes_names(end)


def _makes_names(key: str) -> bool:
    return key in word_list("place-adjectives") or key in word_list("place-heads")


def _is_strange(key: str) -> bool:
    return (
        key[0].isalpha()
        and not is_common(key)
        and key not in _capitals()
        and key not in word_list("demonyms")
        and not any(character.isdigit() for character in key)
    )


def _capitals() -> frozenset[str]:
    return word_list("capital-words")


def _make_span(tokens: Tokens, first: int, last: int, label: str) -> Span:
    if last + 1 < len(tokens) and tokens.gap(last) == " " and tokens.keys[last + 1] in _SMALL_HEADS:
        last += 1
    elif (length := cities().match(tokens, first)) and first + length - 1 == last:
        label = "CITY" if label != "HOSPITAL" or tokens.keys[first - 1] != "at" else label
    end = tokens.ends[last] - (2 if tokens.text[tokens.ends[last] - 2 : tokens.ends[last]] in ("'s", "’s") and label == "CITY" else 0)
    return Span(tokens.starts[first], end, label, 0.6, "rules.organization.venue")

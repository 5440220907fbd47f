"""Names that open with their kind (Lake Windermere, Town of Branford, Local 1324) or end with it in small letters (Sawa camp)."""

import re
from collections.abc import Iterator, KeysView
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.reading import INNER, LETTERED, SHORT, THREE, Reading
from incognote.find.rules.engine.tokens import Tokens, is_common
from incognote.find.rules.places.checks import state_codes
from incognote.lexicon import word_list
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import surnames

_WORD = r"[A-ZÀ-Þ][\w'’-]*(?<![-'’])"
_NAME = rf"{_WORD}(?:(?: | & | de | de la | de los | del | du | of | the )(?![Oo]n\b){_WORD}){{0,3}}"
_OPENINGS = (
    (
        "ORGANIZATION",
        lazy(
            rf"(?:Town|City|County|Village|Borough|Township|State|Bank|Diocese|Archdiocese|Knights|Order|Sons|"
            rf"Daughters|Friends) of {_NAME}"
        ),
        tuple("town city county village borough township state bank diocese archdiocese knights order sons daughters friends".split()),
    ),
    (
        "ORGANIZATION",
        lazy(
            r"(?:(?:Teamsters |Union )?Local (?:#|No\. ?)?\d{1,4}\b(?! ?%)|(?:School )?District (?:#|No\. ?)?\d{1,3}\b|(?:IBEW|"
            r"UAW|SEIU|AFSCME|UFCW|ILWU|UMWA|IATSE|"
            r"IAFF|CUPE|UNISON)(?: Local)?(?: \d{1,4})?\b|\d{1,3}(?:st|nd|rd|th) (?:[A-Z][a-z]+ )?(?:Airborne|Infantry|"
            r"Cavalry|Armored|Marines?|"
            r"Battalion|Regiment|Brigade|Fleet|Mountain Division)(?: (?:Division|Regiment|Brigade|Battalion))?)"
        ),
        (SHORT, INNER, THREE, *"teamsters union local school district ibew uaw seiu afscme ufcw ilwu umwa iatse iaff cupe unison".split()),
    ),
    (
        "ORGANIZATION",
        lazy(
            rf"(?:Scoil|École|Ecole|Lycée|Escuela|Colegio|Instituto|Universidad|Université|Universität|Università|"
            rf"Halau|Club|Café|Cafe) {_NAME}"
        ),
        tuple(
            ("scoil école ecole lycée escuela colegio instituto universidad université universität università halau club café cafe").split()
        ),
    ),
    (
        "HOSPITAL",
        lazy(
            r"(?:(?:La |El )?Cl[ií]nica|Hospital(?= (?:de|del|da|do|San|Santa|St|Universit|General|Regional|Nacional|"
            r"Civil))|H[ôo]pital|Ospedale|Klinikum|"
            r"Institut|Centre [Hh]ospitalier|CHU|Casa|Huis|GH|PHC|CHC|RSUD|Policl[ií]nico|Sanatorio|Szpital)"
            rf"(?: (?:de |del |da |do |la |de la |[a-zà-ÿ]{{4,14}} )?{_NAME})"
        ),
        tuple(
            (
                "la el clínica clinica hospital hôpital hopital ospedale klinikum institut centre chu casa huis gh phc chc rsud "
                "policlínico policlinico sanatorio szpital"
            ).split()
        ),
    ),
    (
        "LOCATION-OTHER",
        lazy(
            rf"(?:Lake|Mt\.?|Mount|Fort|Ft\.|Camp|Cape|Isle of|Gulf of|Bay of|HMP|HMYOI|HMS|USS|Parc|Parque|Playa|"
            rf"Loch|Lago|Monte) {_NAME}"
        ),
        tuple("lake mt mount fort ft camp cape isle gulf bay hmp hmyoi hms uss parc parque playa loch lago monte".split()),
    ),
)
# What a number or a post of the army tells beyond doubt. A support of so many has a round number, and a pressure a small one.
_SURE = (
    (
        "ORGANIZATION",
        lazy(r"(?:P\.?S\.?|J\.?H\.?S\.?) #?(?P<number>\d{2,3})(?![\d/%.-]\d|[ ]?(?:%|cm|over|mm|kg|/))"),
        ("ps", "p", "jhs", "j"),
    ),
    (
        "ORGANIZATION",
        lazy(
            r"(?:[A-Z] (?:CO|Co|TRP|BTRY|Btry),? )?\d{1,3}-\d{1,3}(?:st|nd|rd|th)? "
            r"(?:AVN|INF|CAV|FA|ADA|MI|MP|SFG|BSB)\b(?: (?:RGT|REGT|BN|BDE|SQDN))?"
        ),
        (SHORT, THREE, *"abcdefghjk"),
    ),
    ("HOSPITAL", lazy(r"TMC[- ]?\d{1,2}\b"), ("tmc", LETTERED)),
    (
        "LOCATION-OTHER",
        lazy(
            r"(?<!\d )(?:Ft\.?|Fort|FT\.?|FORT) (?i:Jackson|Novosel|Rucker|Benning|Moore|Bragg|Liberty|Hood|Cavazos|Campbell|Drum|Sill"
            r"|Leonard Wood|Riley|Carson|Bliss|Stewart|Gordon|Eisenhower|Knox|Lewis|Meade|Belvoir|Detrick|Polk|Johnson|Huachuca|Irwin"
            r"|Wainwright|Richardson|Sam Houston|Eustis|Lee|Gregg-Adams|Dix|Hamilton|McCoy|Leavenworth|Buchanan|Greely|Shafter)\b"
        ),
        ("ft", "fort"),
    ),
)
_DEPARTMENTS = ("doh", "dph", "dcf", "dcfs", "dhhs")
_AT_SCHOOL = lazy(r"\b(?:at|attends?|attending|from|to|in|school|teacher|aide|student|pupil|,)[,:]? $")
_SMALL_HEADS = {
    word: label
    for label, words in {
        "LOCATION-OTHER": "prison|jail|camp|shelter|hostel|airport|church",
        "HOSPITAL": "clinic|hospital|hospice|rehab|ed",
        "ORGANIZATION": "university|college|elementary|pharmacy",
    }.items()
    for word in words.split("|")
}
_SMALL_ENDS = frozenset(_SMALL_HEADS)
_INSIDE = frozenset("county house state city memorial general community high federal regional".split())
_LEADS = frozenset("at from to in of near via".split())


def find_landmarks(reading: Reading) -> Iterator[Span]:
    """Names by the word of kind that opens or ends them.

    >>> text = "near Lake Hawea; off to Tarn jail; Lake effect"
    >>> [text[span.start : span.end] for span in find_landmarks(Reading(text))]
    ['Lake Hawea', 'Tarn jail']
    """
    for label, pattern, starts in _OPENINGS:
        for match in reading.matches(pattern, starts):
            if not _is_plain(match):
                yield Span(*match.span(), label, 0.75, "rules.organization.landmark")
    tokens = reading.tokens
    for last in tokens.find(_SMALL_ENDS):
        if tokens.is_capital(last) or last == 0:
            continue
        first = _read_left(tokens, last)
        if first < last and not is_clinical(tokens.text, tokens.starts[first], tokens.ends[last - 1]):
            end = last - (tokens.keys[last] == "ed")
            yield Span(tokens.starts[first], tokens.ends[end], _SMALL_HEADS[tokens.keys[last]], 0.65, "rules.organization.landmark")


def find_sure_landmarks(reading: Reading) -> Iterator[Span]:
    """Names whose form leaves no doubt: a public school by its number, a unit of the army, a department of a state.

    >>> text = "per aide, PS 118; NJDOH called"
    >>> [text[span.start : span.end] for span in find_sure_landmarks(Reading(text))]
    ['PS 118', 'NJDOH']
    """
    for label, pattern, starts in _SURE:
        for match in reading.matches(pattern, starts):
            if "number" not in match.groupdict() or _is_school(match):
                yield Span(*match.span(), label, 0.85, "rules.organization.sure")
    yield from _find_state_bodies(reading)


def _find_state_bodies(reading: Reading) -> Iterator[Span]:
    """Departments of a state by their letters: ``NJDOH``."""
    for word in reading.held(_state_bodies()):
        for place in reading.places(word):
            if reading.text[place : place + len(word)].isupper():
                yield Span(place, place + len(word), "ORGANIZATION", 0.85, "rules.organization.sure")


@cache
def _state_bodies() -> KeysView[str]:
    return dict.fromkeys(f"{code.lower()}{of}{body}" for code in state_codes() for of in ("", "s") for body in _DEPARTMENTS).keys()


def _is_school(match: re.Match[str]) -> bool:
    """``at PS 83``, ``Mr. Benny, PS 118``: after a word or a comma that leads to a school, and no status, support or psalm."""
    number, before = int(match["number"]), match.string[max(0, match.start() - 16) : match.start()]
    return number > 25 and (number % 10 > 0 or number > 100) and _AT_SCHOOL.search(before) is not None


def _is_plain(match: re.Match[str]) -> bool:
    """Whether the words say nothing of their own ("State of Mind"), or name a clinical thing."""
    words = re.findall(r"[^\W_]+", match[0].casefold())[1:]
    if match[0].isupper() or is_clinical(match.string, *match.span()):
        return True
    named = [word for word in words if word.isdigit() or word[0].isdigit() or not is_common(word)]
    return not named and words[-1:] != ["army"] and not match[0].endswith(("Airborne", "Infantry", "Cavalry", "Division", "Regiment"))


def _read_left(tokens: Tokens, last: int) -> int:
    """The first word of a name before a head in small letters; in small letters itself it must follow a leading word."""
    at = last
    while at > 0 and last - at < 3 and tokens.gap(at - 1) == " ":
        key = tokens.keys[at - 1]
        inside = key in _INSIDE and at < last + 1
        strange = key.isalpha() and len(key) > 3 and not is_common(key) and key not in word_list("capital-words")
        if not (inside or strange) or key in word_list("demonyms") or key in word_list("drugs"):
            break
        at -= 1
    while at < last and tokens.keys[at] in _INSIDE:
        at += 1
    named = any(not is_common(tokens.keys[near]) for near in range(at, last))
    led = at > 0 and tokens.gap(at - 1) == " " and tokens.keys[at - 1] in _LEADS
    known = at < last and (tokens.is_capital(at) or _is_known(tokens.keys[at]))
    return at if named and led and known else last


def _is_known(key: str) -> bool:
    return key in surnames() or key in word_list("cities")

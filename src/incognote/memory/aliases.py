"""The forms in which a value may be written: aliases of a person, forms of a number, a street and a date."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

from incognote.lexicon.calendar import MONTHS
from incognote.lexicon.names import is_common, is_surname
from incognote.lexicon.person import PARTICLES, TITLES, PersonName
from incognote.memory.mention import Mention
from incognote.memory.mentions import compact

Pair = tuple[str, Mention]

LONG_NAME = 7

_STREETS = (
    ("street", "st", "str"), ("avenue", "ave", "av"), ("road", "rd"), ("drive", "dr", "drv"), ("lane", "ln"), ("boulevard", "blvd"),
    ("court", "ct"), ("place", "pl"), ("square", "sq"), ("terrace", "ter", "terr"), ("circle", "cir"), ("highway", "hwy"),
    ("parkway", "pkwy"), ("north", "n"), ("south", "s"), ("east", "e"), ("west", "w"), ("apartment", "apt"), ("suite", "ste"),
    ("saint", "st"), ("mount", "mt"), ("fort", "ft"),
)  # fmt: skip
_FORMS = {form: tuple(other for group in _STREETS if form in group for other in group) for forms in _STREETS for form in forms}


@lru_cache(1024)
def _mention(label: str, source: str, kind: str, score: float) -> Mention:
    """A cached Mention: hundreds of keys of a patient share a few."""
    return Mention(label, source, kind, score)


def name_aliases(name: PersonName, label: str, source: str, *, parts: bool = True) -> Iterator[Pair]:
    """The keys under which a person is found. Without ``parts`` only the full name, both ways round.

    >>> sorted(key for key, _ in name_aliases(PersonName("ana", (), "ruiz"), "PATIENT", ""))
    ['ana', 'anar', 'anaruiz', 'ar', 'aruiz', 'ruiz', 'ruiza', 'ruizana']
    """
    if name.lone:
        if parts and len(name.lone) > 1 and name.lone not in TITLES:
            yield from _words(name.lone, label, source)
        return
    given, family, middles = compact(name.given), compact(name.family), [compact(middle) for middle in name.middle]
    full = _mention(label, source, "name", 0.95)
    first = "".join(middle[:1] for middle in middles)
    for middle in {"", "".join(middles), first, *middles}:
        yield given + middle + family, full
        yield family + given + middle, full
    if not parts:
        return
    short = _mention(label, source, "name", 0.85)
    yield given[:1] + family, short
    yield family + given[:1], short
    if first:
        yield given[:1] + first + family, short
        yield family + given[:1] + first, short
    if len(given) > 2:
        yield given + family[:1], short
    yield from _part_words(name, label, source)
    staff = label == "DOCTOR"
    for initials in initial_strings(name):
        yield initials, _mention(label, source, "staff initials" if staff else "initials", 0.6)


def initial_strings(name: PersonName) -> set[str]:
    """The initials of a person: with and without middle names, of all or one of the parts of double given and family names.

    >>> sorted(initial_strings(PersonName("rosa", ("maria",), "hernandez-webb")))
    ['rh', 'rhw', 'rmh', 'rmhw', 'rmw', 'rw']
    """
    givens, families = _first_letters([name.given]), _first_letters(name.family.split())
    plain = _first_letters([word for word in name.family.split() if word not in PARTICLES]) or families
    middles = _first_letters(list(name.middle))
    heads = {givens, givens[:1]}
    tails = {families, plain, plain[:1], plain[-1:]}
    return {head + middle + tail for head in heads for middle in {"", middles, *middles} for tail in tails if head and tail}


def _first_letters(words: Iterable[str]) -> str:
    return "".join(part[:1] for word in words for part in word.split("-"))


def _part_words(name: PersonName, label: str, source: str) -> Iterator[Pair]:
    """The words of a name that may refer to the person on their own: given name, family name, its last word, a middle surname."""
    families = name.family.split()
    if len(families) > 1:
        yield compact(name.family), _mention(label, source, "name", 0.9)
    last = [word for word in families if word not in PARTICLES][-1:]
    for word in (*last, name.given):
        if len(word) > 1:
            yield from _words(word, label, source)
    for word in name.middle:
        if len(word) > 3 and is_surname(word) and not is_common(word):
            yield from _words(word, label, source, score=0.7)


def _words(word: str, label: str, source: str, *, score: float = 0.8) -> Iterator[Pair]:
    yield compact(word), _mention(label, source, "word", score)
    parts = word.split("-")
    for part in parts if len(parts) > 1 else ():
        if len(part) > 3:
            yield compact(part), _mention(label, source, "word", min(score, 0.7))


def long_names(name: PersonName, label: str, source: str, *, letters: int = LONG_NAME) -> Iterator[Pair]:
    """The names of a person that are long enough to be matched with a typo."""
    for word in (*(name.family.split() or [name.lone])[-1:], name.given):
        key = compact(word)
        if len(key) >= letters and key.isalpha() and not is_common(word):
            yield key, _mention(label, source, "typo", 0.65)


def number_forms(value: str, label: str, source: str) -> Iterator[Pair]:
    """A number with any separators. Numbers of fewer than five characters are too short to search for.

    >>> [key for key, _ in number_forms("(555) 010-4477", "PHONE", "")]
    ['5550104477', '15550104477', '0104477']
    """
    key = compact(value)
    if len(key) < 5 or not any(map(str.isdigit, key)):
        return
    mention = _mention(label, source, "number", 0.9)
    if label in ("PHONE", "FAX") and key.isdigit():
        key = key[1:] if len(key) == 11 and key[0] == "1" else key
        yield key, mention
        if len(key) == 10:
            yield "1" + key, mention
            yield key[3:], _mention(label, source, "number", 0.75)
        return
    yield key, mention
    if key.isdigit() and key.lstrip("0") != key and len(key.lstrip("0")) > 5:
        yield key.lstrip("0"), _mention(label, source, "number", 0.75)


def phrase_forms(value: str, label: str, source: str) -> Iterator[Pair]:
    """The name of a place or an institution, or an address, as written."""
    if len(key := compact(value)) > 2:
        yield key, _mention(label, source, "phrase", 0.85)


def street_forms(value: str, label: str, source: str) -> Iterator[Pair]:
    """A street with its words in full and abbreviated, with and without the flat.

    >>> [key for key, _ in street_forms("12 Elm Street", "STREET", "")]
    ['12elmstreet', '12elmst', '12elmstr']
    """
    words = [compact(word) for word in re.findall(r"[^\W_]+", value)]
    flat = next((at for at, word in enumerate(words) if word in ("apartment", "apt", "suite", "ste", "unit", "floor", "flat")), len(words))
    seen: dict[str, None] = {}
    for chosen in (words, words[:flat]) if flat > 1 else (words,):
        forms = [""]
        for word in chosen:
            forms = [form + other for form in forms[:64] for other in dict.fromkeys((word, *_FORMS.get(word, ())))]
        seen.update(dict.fromkeys(forms))
    for key in seen:
        if len(key) > 4:
            yield key, _mention(label, source, "phrase", 0.9)


def date_forms(day: date, label: str, source: str) -> Iterator[Pair]:
    """A full date in every order and spelling: 3/4/1961, 04.03.61, March 4th, 1961, 1961-03-04, 4 Mar '61."""
    years = (f"{day:%Y}", f"{day:%y}")
    days, months = {str(day.day), f"{day:%d}"}, {str(day.month), f"{day:%m}"}
    spelled = {MONTHS[day.month - 1], MONTHS[day.month - 1][:3], *(["sept"] if day.month == 9 else [])}
    ordinal = f"{day.day}{'th' if 10 < day.day < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day.day % 10, 'th')}"
    forms: set[tuple[str, ...]] = set()
    for year in years:
        for month in months:
            for number in days:
                forms |= {(month, number, year), (number, month, year), (year, month, number)}
        for month in spelled:
            for number in (*days, ordinal):
                forms |= {(month, number, year), (number, month, year), (number, "of", month, year), (year, month, number)}
    forms |= {(f"{day:%Y%m%d}",), (f"{day:%m%d%Y}",), (f"{day:%d%m%Y}",)}
    for words in sorted(forms):
        yield "".join(words), Mention(label, source, "exact", 0.95, words)

"""Surrogate institutions, streets, departments, rooms and professions: the words that say what kind it is stay, the rest is drawn."""

import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from incognote.lexicon import word_list, word_order
from incognote.replace.casing import match_case
from incognote.replace.draw import Draw
from incognote.replace.names import other_letter
from incognote.replace.people import fold

_TOKEN = re.compile(r"[^\W\d_]+(?:['’.][^\W\d_]+)*|\d+")
# What may stand inside a name of several words without parting it.
_INSIDE = re.compile(r"[\s.'’&-]*")
# A first word that is too common to know an institution by.
_WEAK_FIRST = frozenset("st saint mount mt new old san santa los las fort ft north south east west our la el".split())
_HEADS = ("Medical Center", "Clinic", "Health Services", "Infirmary")
_NAMES = slice(4000, 12000)


@cache
def stock(name: str) -> Any:
    """An entry of ``stock.toml``; words as a set."""
    entry = tomllib.loads((files("incognote.replace") / "stock.toml").read_text(encoding="utf-8"))[name]
    return frozenset(entry.split()) if isinstance(entry, str) else tuple(entry)


@cache
def generic_words(label: str) -> frozenset[str]:
    """The words that stay in a value of the label."""
    if label == "STREET":
        return frozenset(stock("street") | word_list("street-suffixes") | word_list("street-suffixes-weak"))
    frames = {"ROOM": "room", "DEPARTMENT": "department_frame", "PROFESSION": "profession_frame"}
    return frozenset(stock(frames.get(label, "institution")))


@cache
def _place_names() -> tuple[str, ...]:
    """Rarer surnames, so that no institution is called like a surrogate person."""
    unwanted = word_list("common-words") | word_list("ambiguous-names") | word_list("eponyms") | word_list("drugs")
    return tuple(
        name
        for name in word_order("surnames")[_NAMES]
        if name.isascii() and name.isalpha() and len(name) > 3 and name.casefold() not in unwanted
    )


def telling_words(label: str, value: str) -> set[str]:
    """The words of a value that say which one it is."""
    return {fold(token) for token in _TOKEN.findall(value)} - generic_words(label)


def surrogate_institution(label: str, value: str, draw: Draw, *, others: Iterable[str] = ()) -> str | None:
    """Another institution, street, department or room of the same kind; ``others`` are values that an acronym may stand for."""
    letters = value.replace(".", "")
    if label not in ("ROOM", "DEPARTMENT") and letters.isascii() and letters.isalpha() and letters.isupper() and 2 <= len(letters) <= 5:
        return _surrogate_acronym(label, letters, draw, others)
    if label == "DEPARTMENT":
        return swap_words(value, generic_words(label), lambda run, seed: seed.pick(stock("departments")), draw)
    swapped = swap_words(value, generic_words(label), lambda run, seed: seed.pick(_place_names()), draw)
    if swapped == value and label in ("HOSPITAL", "ORGANIZATION"):
        words = telling_words("", value) | {fold(token) for token in _TOKEN.findall(value)}
        heads = [head for head in _HEADS if not words & set(head.casefold().split())]
        return match_case(f"{draw.of('name', fold(value)).pick(_place_names())} {draw.of('head', fold(value)).pick(heads)}", value)
    return None if swapped == value else swapped


def _surrogate_acronym(label: str, letters: str, draw: Draw, others: Iterable[str]) -> str:
    """The initials of the surrogate of what it stands for, if that is among the others; else other letters."""
    for other in others:
        if other.replace(".", "") != letters and _initials(other) == letters:
            new = surrogate_institution(label, other, draw)
            if new and len(_initials(new)) >= 2:
                return _initials(new)
    return "".join(other_letter(letter.casefold(), draw.of("acronym", letters, at), ()) for at, letter in enumerate(letters))


def _initials(value: str) -> str:
    return "".join(token[0] for token in _TOKEN.findall(value) if token[0].isupper())


def swap_words(value: str, generic: frozenset[str], draw_name: Callable[[str, Draw], str], draw: Draw) -> str:
    """The value with each run of telling words replaced by one drawn name, and each number by another."""
    pieces: list[str] = []
    at = 0
    tokens = list(_TOKEN.finditer(value))
    while tokens:
        token = tokens.pop(0)
        pieces.append(value[at : token.start()])
        at = token.end()
        word = fold(token[0])
        if token[0].isdigit():
            pieces.append(_other_number(token[0], draw.of("number", token[0])))
        elif word in generic:
            pieces.append(token[0])
        elif len(word) == 1:
            pieces.append(match_case(other_letter(word, draw.of("letter"), ()), token[0]))
        else:
            run = [word]
            while tokens and _continues(value, at, tokens[0], generic):
                at = tokens[0].end()
                run.append(fold(tokens.pop(0)[0]))
            known_by = " ".join(run[:2]) if run[0].rstrip(".") in _WEAK_FIRST else run[0]
            pieces.append(match_case(draw_name(known_by, draw.of("name", known_by.removesuffix("'s"))), value[token.start() : at]))
    return "".join([*pieces, value[at:]])


def _continues(value: str, at: int, token: re.Match[str], generic: frozenset[str]) -> bool:
    return not token[0].isdigit() and fold(token[0]) not in generic and bool(_INSIDE.fullmatch(value[at : token.start()]))


def _other_number(digits: str, draw: Draw) -> str:
    """As many digits, and another number."""
    if not digits.isascii() or len(digits) > 18:
        return "0" * len(digits)
    low = 0 if digits[0] == "0" else 10 ** (len(digits) - 1)
    span = 10 ** len(digits) - low
    return f"{low + (int(digits) - low + 1 + draw.below(span - 1)) % span:0{len(digits)}d}"


def surrogate_profession(value: str, draw: Draw) -> str | None:
    """Another job; words like ``retired`` stay."""
    new = swap_words(value, generic_words("PROFESSION"), lambda run, seed: seed.pick(stock("professions")), draw)
    return None if new == value else new

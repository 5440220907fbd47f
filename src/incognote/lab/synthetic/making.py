"""Names of hospitals, employers, schools, streets and landmarks, made by a small grammar: the files of ``makers/``."""

from collections.abc import Mapping
from functools import cache
from random import Random

from incognote.lab.synthetic.lands import Land, towns_of
from incognote.lab.synthetic.language import Choice, Fill, Meant, Number, Piece, Template
from incognote.lab.synthetic.library import Line, Part, library
from incognote.lab.synthetic.lists import american_names, foreign_names, keep, pick, state_names, towns
from incognote.lab.synthetic.slots import DRAWN
from incognote.lexicon import word_rows


def make(maker: str, rng: Random, part: Part, land: Land | None = None) -> str:
    """A name that the maker's file can spell: "Crystal Shores Hospital"; a country may have a file of its own: ``hospital_britain.txt``."""
    lines = (land and _lines().get(f"{maker}_{land.family}")) or _lines()[maker]
    return _spell(rng.choice(lines).template, rng, part, land)


@cache
def _lines() -> Mapping[str, tuple[Line, ...]]:
    return library().makers


def _spell(template: Template, rng: Random, part: Part, land: Land | None) -> str:
    return "".join(_spell_piece(piece, rng, part, land) for piece in template)


def _spell_piece(piece: Piece, rng: Random, part: Part, land: Land | None) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Meant):
        return piece.text
    if isinstance(piece, Fill):
        return _draw(piece.slot, rng, part, land) if piece.slot in DRAWN else make(piece.slot, rng, part, land)
    if isinstance(piece, Number):
        return str(rng.randint(int(piece.low), int(piece.high)))
    if isinstance(piece, Choice):
        return _spell(rng.choice(piece.options), rng, part, land)
    raise TypeError(piece)


def _draw(what: str, rng: Random, part: Part, land: Land | None) -> str:
    if land and what in ("town", "state", "surname", "given"):
        return _draw_abroad(what, rng, part, land)
    if what == "surname":
        if rng.random() < 0.12:
            return rng.choice(rng.choice(_origins(part)))
        return pick(rng, american_names(part).family, skew=2.5)
    if what == "given":
        return pick(rng, american_names(part).given[rng.choice("fm")], skew=3)
    if what == "town":
        names = towns(part)
        return names[int(len(names) * rng.random() ** 1.5)].name
    if what == "state":
        return rng.choice(state_names())[0]
    return rng.choice(_known("HOSPITAL" if what == "knownhospital" else "ORGANIZATION", part))


def _draw_abroad(what: str, rng: Random, part: Part, land: Land) -> str:
    if what == "town":
        return pick(rng, towns_of(land, part), skew=1.3)
    if what == "state":
        return rng.choice(land.states)[0]
    names = foreign_names(part)[rng.choice(land.origins)]
    return rng.choice(names.family if what == "surname" else names.given[rng.choice("fm")])


@cache
def _known(label: str, part: Part) -> tuple[str, ...]:
    """Real bodies that everyone knows."""
    return keep([row[0] for row in word_rows("known-bodies") if row[1] == label], part)


@cache
def _origins(part: Part) -> tuple[tuple[str, ...], ...]:
    return tuple(names.family for names in foreign_names(part).values())

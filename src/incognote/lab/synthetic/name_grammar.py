"""Names of hospitals, employers, schools, streets and landmarks, made by a small grammar: the files of ``templates/names/``."""

from functools import cache
from random import Random

from incognote.lab.synthetic.language import Choice, Fill, Meant, Number, Piece, Template
from incognote.lab.synthetic.library import Part, library
from incognote.lab.synthetic.locales import Locale, towns_of
from incognote.lab.synthetic.slots import DRAWN
from incognote.lab.synthetic.vocabulary import american_names, foreign_names, keep, pick, state_names, towns
from incognote.lexicon import word_rows


def spell_name(kind: str, rng: Random, part: Part, locale: Locale | None = None) -> str:
    """A name that the kind's file can spell: "Crystal Shores Hospital"; a country may have a file of its own: ``hospital_britain.txt``."""
    names = library().names
    lines = (locale and names.get(f"{kind}_{locale.family}")) or names[kind]
    return _spell(rng.choice(lines).template, rng, part, locale)


def _spell(template: Template, rng: Random, part: Part, locale: Locale | None) -> str:
    return "".join(_spell_piece(piece, rng, part, locale) for piece in template)


def _spell_piece(piece: Piece, rng: Random, part: Part, locale: Locale | None) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Meant):
        return piece.text
    if isinstance(piece, Fill):
        return _draw(piece.slot, rng, part, locale) if piece.slot in DRAWN else spell_name(piece.slot, rng, part, locale)
    if isinstance(piece, Number):
        return str(rng.randint(int(piece.low), int(piece.high)))
    if isinstance(piece, Choice):
        return _spell(rng.choice(piece.options), rng, part, locale)
    raise TypeError(piece)


def _draw(what: str, rng: Random, part: Part, locale: Locale | None) -> str:
    if locale and what in ("town", "state", "surname", "given"):
        return _draw_abroad(what, rng, part, locale)
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


def _draw_abroad(what: str, rng: Random, part: Part, locale: Locale) -> str:
    if what == "town":
        return pick(rng, towns_of(locale, part), skew=1.3)
    if what == "state":
        return rng.choice(locale.states)[0]
    names = foreign_names(part)[rng.choice(locale.origins)]
    return rng.choice(names.family if what == "surname" else names.given[rng.choice("fm")])


@cache
def _known(label: str, part: Part) -> tuple[str, ...]:
    """Real bodies that everyone knows."""
    return keep([row[0] for row in word_rows("known-bodies") if row[1] == label], part)


@cache
def _origins(part: Part) -> tuple[tuple[str, ...], ...]:
    return tuple(names.family for names in foreign_names(part).values())

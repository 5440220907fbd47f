"""Style profiles: how a made-up hospital writes its notes, drawn once for each hospital."""

from dataclasses import dataclass
from random import Random

from incognote.lab.synthetic.dates import PROFILE_SHAPES, PROFILE_SHAPES_DAY_FIRST
from incognote.lab.synthetic.library import Part
from incognote.lab.synthetic.locales import Locale
from incognote.lab.synthetic.name_grammar import spell_name


@dataclass(frozen=True, slots=True)
class StyleProfile:
    """A hospital's name and habits. Shares are chances, from 0 to 1, of a change where it can be made."""

    hospital: str
    date_shape: str
    casing: str  # "", lower, upper, or headers: how the text is cased
    width: int  # of a line, 0 for none
    breaks: str  # "" keeps line breaks; else what stands in their place
    abbreviations: float
    typos: float
    ocr: float
    double_spaces: bool
    bullet: str
    colon: str  # what a header's ": " becomes
    mixed_dates: float  # how often a date is not in the profile's shape
    locale: Locale | None = None  # None is the United States

    @property
    def day_first(self) -> bool:
        return self.locale is not None and self.locale.day_first


def make_profile(rng: Random, part: Part, locale: Locale | None = None) -> StyleProfile:
    """A profile of the country with few or many oddities; most are plain."""
    plain = rng.random() < 0.35
    casing = "" if plain else rng.choices(("", "lower", "upper", "headers"), (62, 13, 12, 13))[0]
    noise = 0.0 if plain else rng.choices((0.0, 0.002, 0.006, 0.015), (55, 22, 15, 8))[0]
    return StyleProfile(
        hospital=spell_name("hospital", rng, part, locale),
        date_shape=rng.choice(PROFILE_SHAPES_DAY_FIRST if locale and locale.day_first else PROFILE_SHAPES),
        casing=casing,
        width=0 if plain or rng.random() < 0.65 else rng.choice((60, 64, 70, 72, 76, 80, 100)),
        breaks="" if plain else rng.choices(("", ", ", " ", ",", "  ", " | ", "\r\n"), (76, 6, 8, 4, 2, 1, 3))[0],
        abbreviations=0.0 if plain else rng.choice((0.0, 0.0, 0.2, 0.5, 0.8)),
        typos=noise,
        ocr=0.0 if plain or rng.random() < 0.93 else rng.choice((0.003, 0.008, 0.02)),
        double_spaces=rng.random() < 0.2,
        bullet=rng.choice(("- ", "- ", "* ", "• ", "-", "o ", "", "+ ", "– ")),
        colon=rng.choice((*(": ",) * 9, *(":  ",) * 3, ":\t", ":\t", ":", ":", " - ", ":\n")) if not plain else ": ",
        mixed_dates=rng.choice((0.05, 0.2, 0.4, 0.7)),
        locale=locale,
    )

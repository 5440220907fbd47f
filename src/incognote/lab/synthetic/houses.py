"""House styles: how a made-up hospital writes its notes, drawn once for each house."""

from dataclasses import dataclass
from random import Random

from incognote.lab.synthetic.dates import HOUSE_SHAPES, HOUSE_SHAPES_DAY_FIRST
from incognote.lab.synthetic.lands import Land
from incognote.lab.synthetic.library import Part
from incognote.lab.synthetic.making import make


@dataclass(frozen=True, slots=True)
class House:
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
    mixed_dates: float  # how often a date is not in the house's shape
    land: Land | None = None  # None is the United States

    @property
    def day_first(self) -> bool:
        return self.land is not None and self.land.day_first


def make_house(rng: Random, part: Part, land: Land | None = None) -> House:
    """A house of the country with few or many oddities; most are plain."""
    plain = rng.random() < 0.35
    casing = "" if plain else rng.choices(("", "lower", "upper", "headers"), (62, 13, 12, 13))[0]
    noise = 0.0 if plain else rng.choices((0.0, 0.002, 0.006, 0.015), (55, 22, 15, 8))[0]
    return House(
        hospital=make("hospital", rng, part, land),
        date_shape=rng.choice(HOUSE_SHAPES_DAY_FIRST if land and land.day_first else HOUSE_SHAPES),
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
        land=land,
    )

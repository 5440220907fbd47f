"""A written personal name, taken apart: the one reading of names that memory and surrogates share."""

import re
from dataclasses import dataclass

TITLES = frozenset(
    "mr mrs ms miss mx master dr doctor prof professor sir dame lady lord rev reverend fr father sister sr brother rabbi imam pastor "
    "hon judge capt captain col lt sgt maj gen nurse pa-c np rn attending".split()
)
SUFFIXES = frozenset(
    "jr sr ii iii iv md do phd rn np pa pa-c dds dmd dpm pharmd lpn cnm crna msw lcsw mph facc facs frcs mbbs bsn msn dnp esq".split()
)
PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le el al bin ibn ben ter ten zu zur st st. mac mc o' san santa abu".split()
)

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*\.?|,")
_POSSESSIVE = re.compile(r"['\u2019]s$|(?<=s)['\u2019]$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PersonName:
    """Casefolded parts. A name of one word is ``lone``: given or family, nothing says which. Initials are one letter long."""

    given: str = ""
    middle: tuple[str, ...] = ()
    family: str = ""
    lone: str = ""

    def __repr__(self) -> str:
        return "PersonName(…)"

    @property
    def words(self) -> tuple[str, ...]:
        """All parts that are more than an initial."""
        parts = (self.given, *self.middle, *self.family.split(), self.lone)
        return tuple(part for part in parts if len(part) > 1)


def parse_name(text: str) -> PersonName:
    """Titles, degrees and possessives go; ``Family, Given`` is turned round; particles belong to the family name.

    >>> parse_name("Dr. KACZMAREK, MIRELA J.") == PersonName("mirela", ("j",), "kaczmarek")
    True
    >>> parse_name("Ludwig van der Berg's").family
    'van der berg'
    """
    words = [word.rstrip(".").casefold() for word in _WORD.findall(_POSSESSIVE.sub("", text.strip()))]
    while words and (words[0] in TITLES or words[0] == ","):
        words.pop(0)
    while words and (words[-1] in SUFFIXES or words[-1] == ","):
        words.pop()
    if "," in words:
        comma = words.index(",")
        before, after = words[:comma], [word for word in words[comma + 1 :] if word != "," and word not in SUFFIXES and word not in TITLES]
        if before and after:
            return PersonName(after[0], tuple(after[1:]), " ".join(before))
        words = before or after
    words = [word for word in words if word]
    if len(words) <= 1:
        return PersonName(lone="".join(words))
    first_particle = next((at for at, word in enumerate(words[1:-1], start=1) if word in PARTICLES), len(words) - 1)
    return PersonName(words[0], tuple(words[1:first_particle]), " ".join(words[first_particle:]))


def may_be_same(one: PersonName, two: PersonName) -> bool:
    """Whether the two can name one person: no part of one contradicts the other, and a real word is shared.

    >>> may_be_same(parse_name("Mirela Kaczmarek"), parse_name("Ms. Kaczmarek"))
    True
    >>> may_be_same(parse_name("M. Kaczmarek"), parse_name("Jan Kaczmarek"))
    False
    """
    if one.lone or two.lone:
        lone, other = (one, two) if one.lone else (two, one)
        return len(lone.lone) > 1 and lone.lone in other.words
    if one.family != two.family and one.family.split()[-1:] != two.family.split()[-1:]:
        return False
    return not one.given or not two.given or _agree(one.given, two.given)


def _agree(one: str, two: str) -> bool:
    return one == two or (1 in (len(one), len(two)) and one[:1] == two[:1])

"""PersonName: the parts of a written personal name, as memory and surrogates compare them."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from incognote.lexicon.degrees import PLAIN_DEGREES, without_points

TITLES = frozenset(
    "mr mrs ms miss mx mister missus dr drs doctor prof professor sir dame rev reverend fr father sister sr brother rabbi "
    "judge capt captain col lt sgt maj nurse pa-c np rn attending".split()
)
GENERATIONS = frozenset("jr sr ii iii iv".split())
SUFFIXES = GENERATIONS | PLAIN_DEGREES
PARTICLES = frozenset(
    "van von der den de del della di da dos das do du la le el al bin ibn bint ben ter ten zu zur st mac mc san abu ni nic ui".split()
)

# Short degrees that are surnames too (Minh Do, Li Pa): only a comma before them makes them degrees.
_COMMA_NEEDED = frozenset({"do", "pa", "od", "dc", "jd", "np"})
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*\.?|,")
_HYPHENS = re.compile(r"[ -]")
POSSESSIVE = re.compile(r"['\u2019]s$|(?<=s)['\u2019]$", re.IGNORECASE)
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})


@dataclass(frozen=True, slots=True)
class PersonName:
    """Folded parts. A name of one word is ``lone``: given or family, nothing says which. Initials are one letter long."""

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
        return tuple([part for part in parts if len(part) > 1])


def fold(text: str) -> str:
    """Casefolded and without accents: how two spellings of one name are compared.

    >>> fold("GARCÍA"), fold("Wałęsa"), fold("Strauß")
    ('garcia', 'walesa', 'strauss')
    """
    folded = text.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFKD", folded.translate(_PLAIN))
    return "".join(mark for mark in decomposed if not unicodedata.combining(mark)).casefold()


@lru_cache(4096)
def parse_name(text: str) -> PersonName:
    """Titles, degrees and possessives go; ``Family, Given`` is turned round; particles belong to the family name.

    >>> parse_name("Dr. KACZMAREK, MIRELA J.") == PersonName("mirela", ("j",), "kaczmarek")
    True
    >>> parse_name("Ludwig van der Berg's").family
    'van der berg'
    >>> parse_name("Smith Jr., John, M.D.") == parse_name("SMITH^JOHN") == PersonName("john", (), "smith")
    True
    """
    # Messages between machines write FAMILY^GIVEN^MIDDLE.
    text = text.replace("^", ",", 1)
    plain = without_points(unicodedata.normalize("NFC", text.strip()))
    words = [fold(word.rstrip(".")) for word in _WORD.findall(POSSESSIVE.sub("", plain))]
    words = _without_suffixes(_without_titles(words))
    if "," in words:
        comma = words.index(",")
        before = _without_suffixes(words[:comma])
        after = _without_titles([word for word in words[comma + 1 :] if word != "," and word not in SUFFIXES])
        if before and after:
            return PersonName(after[0], tuple(after[1:]), " ".join(before))
        words = before or after
    if len(words) <= 1:
        return PersonName(lone="".join(words))
    first_particle = next((at for at, word in enumerate(words[1:-1], start=1) if word in PARTICLES), len(words) - 1)
    return PersonName(words[0], tuple(words[1:first_particle]), " ".join(words[first_particle:]))


def _without_titles(words: list[str]) -> list[str]:
    """A title that stands alone stays: Judge and Sister are surnames too."""
    while words and (words[0] == "," or (words[0] in TITLES and len(words) > 1)):
        words = words[1:]
    return words


def _without_suffixes(words: list[str]) -> list[str]:
    while words and (words[-1] == "," or (words[-1] in SUFFIXES and len(words) > 1)):
        if words[-1] in _COMMA_NEEDED and "," not in words[-2:-1]:
            break
        words = words[:-1]
    return words


def may_be_same(one: PersonName, two: PersonName) -> bool:
    """Whether the two can name one person: no part of one contradicts the other, and a real word is shared.

    >>> may_be_same(parse_name("Mirela Kaczmarek"), parse_name("Ms. Kaczmarek"))
    True
    >>> may_be_same(parse_name("M. Kaczmarek"), parse_name("Jan Kaczmarek"))
    False
    >>> may_be_same(parse_name("Ana Ruiz-Ortega"), parse_name("Mrs. Ruiz")), may_be_same(parse_name("Ana R."), parse_name("Ana Ruiz"))
    (True, True)
    >>> may_be_same(parse_name("Mary-Ann Roe"), parse_name("Mary Ann Roe")), may_be_same(parse_name("Su-jin Roe"), parse_name("Su-min Roe"))
    (True, False)
    """
    if one.lone or two.lone:
        lone, other = (one, two) if one.lone else (two, one)
        return len(lone.lone) > 1 and any(lone.lone == word or lone.lone in word.split("-") for word in other.words)
    if not _share_family(one.family, two.family) and not (_agree(one.family, two.family) and one.given == two.given and len(one.given) > 1):
        return False
    return all(_agree(first, second) for first, second in zip(_forenames(one), _forenames(two), strict=False))


def _share_family(one: str, two: str) -> bool:
    """Equal, or equal in the last word, or one is a part of the other's double name, with or without a hyphen; an initial is not enough."""
    if len(one) < 2 or len(two) < 2:
        return False
    if one.split()[-1] == two.split()[-1]:
        return True
    first, second = _HYPHENS.split(one), _HYPHENS.split(two)
    return (len(first) == 1 and one in second) or (len(second) == 1 and two in first)


def _forenames(name: PersonName) -> tuple[str, ...]:
    """Given and middle names; Mary-Ann is Mary Ann."""
    return (*name.given.split("-"), *name.middle)


def _agree(one: str, two: str) -> bool:
    return not one or not two or one == two or (1 in (len(one), len(two)) and one[:1] == two[:1])

"""Notes made without end: skeletons drawn in rounds, patients with one to six notes each, one house style to a hospital."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fnmatch import fnmatchcase
from random import Random

from incognote.corpora.synthetic.houses import House, make_house
from incognote.corpora.synthetic.library import Library, Part, Skeleton, library
from incognote.corpora.synthetic.people import Segment
from incognote.corpora.synthetic.scenes import Scene
from incognote.corpora.synthetic.styles import apply_style
from incognote.corpora.synthetic.world import Chart
from incognote.corpora.synthetic.writing import assemble, expand
from incognote.document import Document
from incognote.errors import ConfigError

# Whom a kind is about when the skeleton does not say.
_AUDIENCES = {
    **dict.fromkeys(("newborn", "nicu", "neonatal", "neonatology"), "infant"),
    **dict.fromkeys(("pediatric", "pediatrics", "paediatric", "paediatrics", "peds", "ped", "wellchild", "school"), "child"),
    **dict.fromkeys(("ob", "obstetric", "obstetrics", "prenatal", "antenatal", "postpartum", "gyn", "gynecology", "midwife"), "woman"),
    **dict.fromkeys(("geriatric", "geriatrics", "nursinghome", "hospice"), "elder"),
}
_HOUSES = 400
# How many more notes of the patient a document holds: most are one note, some a packet as records departments send them.
_PACKETS = (*(0,) * 22, 1, 1, 2, 3, 5)
_BETWEEN = (
    "\n\n",
    "\n\n\n",
    "\n\n----------------------------------------\n\n",
    "\n\n*** End of note ***\n\n",
    "\n\n======\n",
    "\n\n\t\t* * *\n\n",
)


@dataclass(slots=True)
class _Stay:
    """A patient whose notes are being written."""

    chart: Chart
    number: int
    left: int
    day: date
    written: int = 0


def synthesize(count: int, *, seed: int = 0, part: Part = "all", only: str = "*") -> Iterator[Document]:
    """Notes with gold spans of the scheme i2b2-2014, the same for the same arguments everywhere; ``only`` is a pattern of skeleton names.

    The first notes of a longer run are those of a shorter one. ``train`` and ``test`` have no skeleton in common and share few names.

    >>> next(synthesize(1, seed=7)).id
    's7p00001-01'
    """
    books = library().keep(part)
    skeletons = [skeleton for skeleton in books.skeletons if fnmatchcase(skeleton.name, only)]
    if not skeletons:
        raise ConfigError("synthesize", [f"no skeleton of part {part} is called {only}"])
    world = f"incognote/{seed}/{part}"
    houses = [Random(f"{world}/house/{index}") for index in range(_HOUSES)]
    made: dict[int, House] = {}
    stays: dict[str, _Stay] = {}
    order = Random(world)
    pools = _group(skeletons)
    patients = 0
    for skeleton in _take(count, skeletons, order):
        audience = audience_of(skeleton)
        stay = stays.get(audience)
        if stay is None or not stay.left:
            patients += 1
            place = order.randrange(_HOUSES)
            if place not in made:
                made[place] = make_house(houses[place], part)
            stay = stays[audience] = _admit(f"{world}/patient/{patients}", patients, part, audience, made[place])
        peers = [skeleton, *order.choices(pools[audience], k=order.choice(_PACKETS))]
        yield _write(peers, stay, books, seed)


def audience_of(skeleton: Skeleton) -> str:
    """Who the patient of a skeleton may be: what its tag says, else what its kind says, else any adult."""
    if skeleton.tags:
        return min(skeleton.tags)
    return _AUDIENCES.get(skeleton.kind.partition("_")[0], "adult")


def _take(count: int, skeletons: Sequence[Skeleton], rng: Random) -> Iterator[Skeleton]:
    """In rounds, each with every skeleton once, so that none is drawn more often than another."""
    left = count
    while left > 0:
        round_ = rng.sample(skeletons, len(skeletons))
        yield from round_[:left]
        left -= len(round_)


def _admit(key: str, number: int, part: Part, audience: str, house: House) -> _Stay:
    chart = Chart(key, part, audience, house)
    left = Random(f"{key}/notes").choices((1, 2, 3, 4, 5, 6), (34, 22, 16, 12, 9, 7))[0]
    return _Stay(chart, number, left, chart.first_visit)


def _group(skeletons: Sequence[Skeleton]) -> dict[str, list[Skeleton]]:
    pools: dict[str, list[Skeleton]] = defaultdict(list)
    for skeleton in skeletons:
        pools[audience_of(skeleton)].append(skeleton)
    return pools


def _write(skeletons: Sequence[Skeleton], stay: _Stay, books: Library, seed: int) -> Document:
    stay.left -= 1
    stay.written += 1
    rng = Random(f"{stay.chart.key}/note/{stay.written}")
    segments: list[Segment] = []
    between = rng.choice(_BETWEEN)
    for skeleton in skeletons:
        stay.day += timedelta(days=rng.choice((0, 1, 1, 2, 3, 7, 14, 30, 90, 200)))
        scene = Scene(stay.chart, stay.day, rng)
        segments += [*([(between, "")] if segments else []), *expand(skeleton.template, scene, books)]
    segments = apply_style(segments, stay.chart.house, rng)
    patient = f"s{seed}p{stay.number:05}"
    meta = {"kind": skeletons[0].kind, "skeleton": skeletons[0].name, "notes": len(skeletons)}
    return assemble(segments, id=f"{patient}-{stay.written:02}", patient=patient, meta=meta)

"""Generates synthetic notes: skeletons drawn in rounds, patients with one to six notes each, one style profile to a hospital."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import TypeAlias

from incognote.document import Document
from incognote.errors import ConfigError
from incognote.lab.synthetic.charts import Chart
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.library import Library, Part, Skeleton, library
from incognote.lab.synthetic.locales import draw_locale
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.style_profiles import StyleProfile, make_profile
from incognote.lab.synthetic.styles import apply_style, match_case
from incognote.lab.synthetic.writing import assemble, expand

_PROFILES = 400
_Peers: TypeAlias = tuple[str, tuple[str, ...]]
# How many more notes of the patient a document holds: most are one note, some a packet as records departments send them.
_PACKETS = (*(0,) * 22, 1, 1, 2, 3, 5)
_BETWEEN = ("\n\n", "\n\n\n", f"\n\n{40 * '-'}\n\n", "\n\n*** End of note ***\n\n", "\n\n======\n", "\n\n\t\t* * *\n\n")


@dataclass(slots=True)
class _Stay:
    """A patient whose notes are being written."""

    chart: Chart
    number: int
    left: int
    day: date
    written: int = 0


def synthesize(count: int, *, seed: int = 0, part: Part = "all", only: str = "*") -> Iterator[Document]:
    """Notes with gold spans of the scheme i2b2-2014, the same for the same arguments everywhere. ``only`` is a pattern of names such as
    ``discharge_summary/*``, or the name of a set (``template_sets``).

    The first notes of a longer run are those of a shorter one. ``train`` and ``test`` have no skeleton in common and share few names.

    >>> next(synthesize(1, seed=7)).id
    's7p00001-01'
    """
    books = library().keep(part)
    skeletons = books.select(only)
    if not skeletons:
        raise ConfigError("synthesize", [f"no skeleton of part {part} is called {only}"])
    world = f"incognote/{seed}/{part}"
    made: dict[tuple[int, str], StyleProfile] = {}
    stays: dict[_Peers, _Stay] = {}
    order = Random(world)
    pools: dict[_Peers, list[Skeleton]] = defaultdict(list)
    for skeleton in skeletons:
        pools[skeleton.audience, skeleton.locales].append(skeleton)
    patients = 0
    for skeleton in _take(count, skeletons, order):
        peers = audience, codes = skeleton.audience, skeleton.locales
        stay = stays.get(peers)
        if stay is None or not stay.left:
            patients += 1
            place = order.randrange(_PROFILES)
            locale = draw_locale(order, codes)
            code = locale.code if locale else ""
            if (place, code) not in made:
                made[place, code] = make_profile(Random(f"{world}/house/{place}{code}"), part, locale)
            stay = stays[peers] = _admit(f"{world}/patient/{patients}", patients, part, audience, made[place, code])
        more = order.sample(pools[peers], k=min(order.choice(_PACKETS), len(pools[peers])))
        yield _write([skeleton, *more], stay, books, seed)


def _take(count: int, skeletons: Sequence[Skeleton], rng: Random) -> Iterator[Skeleton]:
    """In rounds, each with every skeleton once, so that none is drawn more often than another."""
    left = count
    while left > 0:
        round_ = rng.sample(skeletons, len(skeletons))
        yield from round_[:left]
        left -= len(round_)


def _admit(key: str, number: int, part: Part, audience: str, profile: StyleProfile) -> _Stay:
    chart = Chart(key, part, audience, profile)
    left = Random(f"{key}/notes").choices((1, 2, 3, 4, 5, 6), (34, 22, 16, 12, 9, 7))[0]
    return _Stay(chart, number, left, chart.first_visit)


def _write(skeletons: Sequence[Skeleton], stay: _Stay, books: Library, seed: int) -> Document:
    stay.left -= 1
    stay.written += 1
    rng = Random(f"{stay.chart.key}/note/{stay.written}")
    segments: list[Segment] = []
    between = rng.choice(_BETWEEN)
    for skeleton in skeletons:
        stay.day += timedelta(days=rng.choice((0, 1, 1, 2, 3, 7, 14, 30, 90, 200)))
        context = NoteContext(stay.chart, stay.day, rng)
        segments += [*([(between, "")] if segments else []), *match_case(expand(skeleton.template, context, books), rng)]
    segments = apply_style(segments, stay.chart.profile, rng)
    patient = f"s{seed}p{stay.number:05}"
    meta = {"kind": skeletons[0].kind, "skeleton": skeletons[0].name, "notes": len(skeletons)}
    return assemble(segments, id=f"{patient}-{stay.written:02}", patient=patient, meta=meta)

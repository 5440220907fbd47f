"""Windows to learn from, many in one: flat arrays, which go from process to process and to a GPU without a loop over windows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

UNHEARD, BEGUN, WITHIN = range(3)
"""How a teacher speaks about a token of the student's: not at all, from where both begin, or with a token that began before."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A teacher's tokens for the windows of a pack, and for each token of the student's which one of the window speaks about it."""

    lengths: Any
    ids: Any
    places: Any
    heard: Any


@dataclass(frozen=True, slots=True)
class Pack:
    """Windows one after the other: how many tokens each has, their ids and tags; whether its gold is exact, how often it was shown."""

    lengths: Any
    ids: Any
    tags: Any
    exact: Any
    shown: Any
    voices: tuple[Voice, ...] = ()

    def __len__(self) -> int:
        return len(self.lengths)


def join(packs: Sequence[Pack]) -> Pack:
    """All windows of the packs."""
    voices = tuple(_join(voices) for voices in zip(*(pack.voices for pack in packs), strict=True))
    return Pack(*(np.concatenate(parts) for parts in zip(*map(_arrays, packs), strict=True)), voices)


def choose(pack: Pack, rows: Any) -> Pack:
    """The windows of these numbers."""
    own = spread(pack.lengths, rows)
    voices = tuple(
        Voice(voice.lengths[rows], voice.ids[spread(voice.lengths, rows)], voice.places[own], voice.heard[own]) for voice in pack.voices
    )
    return Pack(pack.lengths[rows], pack.ids[own], pack.tags[own], pack.exact[rows], pack.shown[rows], voices)


def spread(lengths: Any, rows: Any) -> Any:
    """Where the tokens of these windows lie.

    >>> spread(np.array([2, 3, 1]), np.array([2, 0])).tolist()
    [5, 0, 1]
    """
    starts, taken = np.cumsum(lengths) - lengths, lengths[rows]
    return np.repeat(starts[rows] - (np.cumsum(taken) - taken), taken) + np.arange(taken.sum())


def _arrays(pack: Pack) -> tuple[Any, ...]:
    return pack.lengths, pack.ids, pack.tags, pack.exact, pack.shown


def _join(voices: Sequence[Voice]) -> Voice:
    return Voice(*(np.concatenate([getattr(voice, field.name) for voice in voices]) for field in fields(Voice)))

"""Words one or two typos apart, found without comparing all with all where there are many."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

_FEW = 30


@dataclass(frozen=True, slots=True)
class TypoIndex:
    """Words as they are where they are few, else by what is left of them when letters go: two words so many typos apart share such a
    rest, with as many letters less."""

    few: tuple[str, ...] = field(default=(), repr=False)
    rests: dict[str, list[str]] = field(default_factory=dict, repr=False)

    @classmethod
    def gather(cls, words: Collection[str], reach: Callable[[str], int] = lambda word: 1) -> "TypoIndex":
        """An index of the words; ``reach`` says how many letters may go of each."""
        if len(words) <= _FEW:
            return cls(tuple(words))
        rests: dict[str, list[str]] = {}
        for word in words:
            for rest in _cut(word, reach(word)):
                rests.setdefault(rest, []).append(word)
        return cls(rests=rests)

    def near(self, word: str, typos: int = 1) -> Iterator[tuple[int, str]]:
        """The words at most so many typos from a word, each with how many: a letter wrong, missing, doubled, or swapped with the next.

        >>> sorted(TypoIndex.gather(["roe", "rowe", "lee"]).near("reo"))
        [(1, 'roe')]
        """
        from rapidfuzz.distance import OSA

        for other in self.few or {other for rest in self.rests.keys() & _cut(word, typos) for other in self.rests[rest]}:
            if (distance := OSA.distance(word, other, score_cutoff=typos)) <= typos:
                yield distance, other


def _cut(word: str, letters: int) -> set[str]:
    """The word, and the word less each of its letters, or less any two.

    >>> sorted(_cut("roe", 1))
    ['oe', 're', 'ro', 'roe']
    """
    rests = {word}
    for _ in range(letters):
        rests |= {rest[:at] + rest[at + 1 :] for rest in rests for at in range(len(rest))}
    return rests

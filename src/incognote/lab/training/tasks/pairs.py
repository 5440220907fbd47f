"""Classes of pairs of texts as a training task: same patient or not, does one follow from the other. Nothing is cut off."""

from collections.abc import Iterator, Sequence

from incognote.errors import ConfigError
from incognote.find.model.tokens import Ints, SubwordTokenizer
from incognote.find.model.windows import cut_windows
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.checks import check_classes
from incognote.lab.training.tasks.classification import Classification, prepare_classification
from incognote.lab.training.tasks.samples import Frame, Sample, make_sample
from incognote.lab.training.texts import Example, Examples, list_places


def prepare_pairs(recipe: Recipe, splits: Examples, *, unsafe: bool = False) -> Classification:
    """The task of a recipe, its examples checked: each has two texts and a class, and every class can be learned."""
    return prepare_classification(recipe, splits, check_classes(splits, pairs=True), texts=2, cut=cut_pairs, unsafe=unsafe)


def cut_pairs(examples: Sequence[Example], tokenizer: SubwordTokenizer, frame: Frame, window: int, overlap: int) -> list[Sample]:
    """The pairs as rows of tokens; one too long for the window is several rows, which together hold all of both texts."""
    ones, others = (tokenizer.tokenize([getattr(one, name) for one in examples]) for name in ("text", "other"))
    empty = [each for each, one, two in zip(examples, ones, others, strict=True) if not (len(one) and len(two))]
    if faults := list_places("no token in one of the texts", empty):
        raise ConfigError("data", faults)
    return [
        make_sample(frame, at, *texts, weight=sum(len(text) for text in texts))
        for at, (one, two) in enumerate(zip(ones, others, strict=True))
        for texts in cut_pair(one.ids, two.ids, room=window - frame.size, overlap=overlap)
    ]


def cut_pair(one: Ints, two: Ints, *, room: int, overlap: int) -> Iterator[tuple[Ints, Ints]]:
    """The two texts in pieces that fit side by side.

    Beside a text that takes at most half the room, the windows of the other are put one by one. Where both are longer, each is cut
    into equal pieces of at most half the room, and pieces at the same height are paired: the beginnings, the middles, the ends.

    >>> import numpy as np
    >>> short, long = np.arange(2), np.arange(20)
    >>> [(len(a), len(b)) for a, b in cut_pair(short, long, room=12, overlap=0)]
    [(2, 10), (2, 10)]
    >>> [(len(a), len(b)) for a, b in cut_pair(long, long[:9], room=12, overlap=0)]
    [(5, 4), (5, 4), (5, 5), (5, 5)]
    """
    half = room // 2
    if len(one) + len(two) <= room:
        yield one, two
    elif len(two) <= half:
        yield from ((piece, two) for piece in _windows(one, room - len(two), overlap))
    elif len(one) <= half:
        yield from ((one, piece) for piece in _windows(two, room - len(one), overlap))
    else:
        ones, twos = _pieces(one, half), _pieces(two, half)
        count = max(len(ones), len(twos))
        for at in range(count):
            yield ones[at * len(ones) // count], twos[at * len(twos) // count]


def _windows(text: Ints, room: int, overlap: int) -> Iterator[Ints]:
    # The short text takes room away, so less can be shared.
    for window in cut_windows([len(text)], room=room, overlap=min(overlap, room // 2)):
        yield text[window.start : window.end]


def _pieces(text: Ints, room: int) -> list[Ints]:
    count = -(-len(text) // room)
    return [text[at * len(text) // count : (at + 1) * len(text) // count] for at in range(count)]

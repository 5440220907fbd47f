"""Words of notes to hide: which tokens make up a word, windows that hold whole words, and which words an epoch hides.

Words come from the text and not from the tokenizer: letters, digits and marks in a row. So WordPiece, byte BPE and
SentencePiece agree on it, although the first splits at punctuation, the second keeps the blank before a word in it, and the third
joins a comma to the word before.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.tokens import Ints, SubwordTokenizer, Tokens
from incognote.lab.training.tasks.losses import IGNORED

NO_WORD = -1
_BLANK, _SIGN, _LETTER = 0, 1, 2
# Written without blanks between words: each sign is a word, else a whole sentence would be one word.
_ALONE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Sample:
    """A window: token ids with special ones, the number of each token's word (``NO_WORD``: never hidden), and the notes it is of."""

    ids: Ints
    words: Ints
    notes: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Sample({len(self)} tokens of {len(self.notes)} notes)"


@dataclass(frozen=True, slots=True)
class Hidden:
    """A sample with some words hidden: the ids a model is shown, where the hidden tokens are, and what they were."""

    ids: Ints
    places: Ints
    labels: Ints

    def __repr__(self) -> str:
        return f"Hidden({len(self.places)} of {len(self.ids)} tokens)"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What hiding needs to know of a tokenizer: its mask token, the tokens that are never hidden, those that may replace others."""

    mask: int
    special: frozenset[int]
    plain: Ints

    def __repr__(self) -> str:
        return f"Vocabulary({len(self.plain)} plain tokens)"


def read_vocabulary(tokenizer: SubwordTokenizer, mask: int) -> Vocabulary:
    """The vocabulary of a tokenizer whose mask token has this id."""
    added = tokenizer.backend.get_added_tokens_decoder()
    special = frozenset({number for number, token in added.items() if token.special} | {mask, tokenizer.pad})
    size = tokenizer.backend.get_vocab_size()
    return Vocabulary(mask, special, np.setdiff1d(np.arange(size, dtype=np.int32), np.array(sorted(special), dtype=np.int32)))


def number_words(text: str, tokens: Tokens, special: Collection[int] = ()) -> Ints:
    """For each token the number of its word in the text, from 0 on; ``NO_WORD`` for blanks and special tokens, which are never hidden.

    >>> tokens = Tokens(np.arange(4), np.array([0, 3, 5, 7]), np.array([3, 5, 7, 8]))  # "Mal" "ig" " n" "x" of "Malig nx"
    >>> number_words("Malig nx", tokens).tolist()
    [0, 0, 1, 1]
    """
    if not len(tokens):
        return np.zeros(0, dtype=np.int32)
    kinds = np.array([*map(_kind, text), _BLANK], dtype=np.int8)
    at = np.arange(len(kinds))
    visible = kinds != _BLANK
    # A byte token holds the blank before its word; what counts is the first and the last visible character.
    after = np.minimum.accumulate(np.where(visible, at, len(text))[::-1])[::-1]
    before = np.maximum.accumulate(np.where(visible, at, -1))
    starts, ends = after[tokens.starts], before[np.maximum(tokens.ends - 1, 0)] + 1
    hideable = (starts < ends) & (tokens.ends > tokens.starts) & ~np.isin(tokens.ids, np.array(sorted(special), dtype=np.int64))
    same = starts[1:] < ends[:-1]  # several byte tokens can share one character
    letters = (kinds[starts[1:]] == _LETTER) & (kinds[np.maximum(ends[:-1] - 1, 0)] == _LETTER)
    joined = (same | ((starts[1:] == ends[:-1]) & letters)) & hideable[1:] & hideable[:-1]
    fresh = hideable & ~np.concatenate([[False], joined])
    return np.where(hideable, np.cumsum(fresh) - 1, NO_WORD).astype(np.int32)


@cache
def _kind(character: str) -> int:
    if character.isspace():
        return _BLANK
    if _ALONE.match(character):
        return _SIGN
    return _LETTER if character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M" else _SIGN


def cut_samples(notes: Sequence[Tokens], words: Sequence[Ints], tokenizer: SubwordTokenizer, *, room: int, pack: bool) -> list[Sample]:
    """Windows that hold every token once, with no word cut in two.

    Each window is of one note. With ``pack``, what does not fill a window shares one with others: between two notes are the
    closing and opening special tokens, as at the border of two windows, and no word reaches over it.
    """
    pieces = [(note, start, end) for note, numbers in enumerate(words) for start, end in _cut(numbers, room)]
    border = tokenizer.specials
    groups = _pack([end - start for _, start, end in pieces], room, border) if pack else [[number] for number in range(len(pieces))]
    samples = (_join([pieces[number] for number in group], notes, words, tokenizer) for group in groups)
    return [sample for sample in samples if (sample.words != NO_WORD).any()]


def _cut(words: Ints, room: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(words):
        end = min(start + room, len(words))
        while end < len(words) and end > start and words[end] != NO_WORD and words[end] == words[end - 1]:
            end -= 1
        if end == start:  # one word longer than a window
            end = start + room
        yield start, end
        start = end


def _pack(lengths: Sequence[int], room: int, border: int) -> list[list[int]]:
    """Numbers of the pieces that share a window: longest first, each into the fullest window that takes it.

    >>> _pack([5, 3, 9, 2], 10, 1)
    [[2], [0, 1], [3]]
    """
    groups: list[list[int]] = []
    free: dict[int, list[int]] = {}  # windows by the room that is left in them
    for number in sorted(range(len(lengths)), key=lambda at: (-lengths[at], at)):
        needed = lengths[number] + border
        left = next((size for size in range(needed, room + 1) if free.get(size)), 0)
        if left:
            group = free[left].pop()
            groups[group].append(number)
            left -= needed
        else:
            group, left = len(groups), room - lengths[number]
            groups.append([number])
        free.setdefault(left, []).append(group)
    return groups


def _join(pieces: Sequence[tuple[int, int, int]], notes: Sequence[Tokens], words: Sequence[Ints], tokenizer: SubwordTokenizer) -> Sample:
    ids: list[Ints] = []
    numbers: list[Ints] = []
    known = 0
    for note, start, end in pieces:
        own = words[note][start:end]
        _, compact = np.unique(own, return_inverse=True)
        compact = compact - int((own == NO_WORD).any())
        inner = np.where(own == NO_WORD, NO_WORD, compact + known).astype(np.int32)
        known = max(known, int(inner.max(initial=NO_WORD)) + 1)
        edges = [np.array(edge, dtype=np.int32) for edge in (tokenizer.before, tokenizer.after)]
        ids += [edges[0], notes[note].ids[start:end], edges[1]]
        numbers += [np.full(len(edges[0]), NO_WORD, np.int32), inner, np.full(len(edges[1]), NO_WORD, np.int32)]
    return Sample(np.concatenate(ids), np.concatenate(numbers), tuple(dict.fromkeys(note for note, _, _ in pieces)))


def hide_words(sample: Sample, vocabulary: Vocabulary, random: np.random.Generator, *, share: float, plainly: bool = False) -> Hidden:
    """The sample with whole words hidden until that share of its tokens is; at least one word.

    Of the words, 80 % turn into mask tokens, 10 % into random ones, and 10 % stay (Devlin et al. 2019), each word as a whole.
    ``plainly`` masks all of them, to measure by.
    """
    sizes = np.bincount(sample.words[sample.words != NO_WORD])
    order = random.permutation(len(sizes))
    taken = int(np.searchsorted(np.cumsum(sizes[order]), max(1, round(share * int(sizes.sum()))))) + 1
    fates = np.full(len(sizes), 2.0)
    fates[order[:taken]] = random.random(min(taken, len(sizes)))
    fate = np.where(sample.words == NO_WORD, 2.0, fates[np.maximum(sample.words, 0)])
    places = np.flatnonzero(fate < 1).astype(np.int32)
    drawn = vocabulary.plain[random.integers(len(vocabulary.plain), size=len(sample))]
    ids = np.where((fate < 0.8) | (plainly & (fate < 1)), vocabulary.mask, np.where(fate < 0.9, drawn, sample.ids)).astype(np.int32)
    return Hidden(ids, places, sample.ids[places])


def fill_hidden(samples: Sequence[Hidden], pad: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ids, attention mask, places and labels of a batch, padded on the right; labels that are padding are ``IGNORED``."""
    width, targets = max(len(each.ids) for each in samples), max(len(each.places) for each in samples)
    ids = np.full((len(samples), width), pad, dtype=np.int64)
    mask = np.zeros_like(ids)
    places = np.zeros((len(samples), targets), dtype=np.int64)
    labels = np.full_like(places, IGNORED)
    for row, each in enumerate(samples):
        ids[row, : len(each.ids)] = each.ids
        mask[row, : len(each.ids)] = 1
        places[row, : len(each.places)] = each.places
        labels[row, : len(each.labels)] = each.labels
    return ids, mask, places, labels

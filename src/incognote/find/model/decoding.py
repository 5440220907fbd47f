"""Decodes tag probabilities to spans: the most likely tags that the grammar allows, with no word split."""

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from incognote.document import Span
from incognote.find.model.grammar import MIXED_WORD, NEW_WORD, SAME_WORD, Grammar, grammar_of
from incognote.find.model.tokens import Ints, Tokens
from incognote.find.model.viterbi import Links, best_path
from incognote.merge import WITHIN_WORDS

Probabilities = NDArray[np.float32]

_TINY = np.float32(1e-12)


@dataclass(frozen=True, slots=True)
class Scores:
    """The tag probabilities of one note on its visible pieces ``[start, end)``, in order, without overlap."""

    starts: Ints
    ends: Ints
    probabilities: Probabilities = field(repr=False)

    def __len__(self) -> int:
        return len(self.starts)


def visible_scores(text: str, tokens: Tokens, probabilities: Probabilities) -> Scores:
    """The scores, with the range of each token cut to its visible characters: no whitespace at its ends, no overlap with the token before.

    Tokens with no visible character of their own (a line break; the later bytes of an emoji) are left out.
    """
    if not len(tokens):
        return Scores(tokens.starts, tokens.ends, probabilities)
    covered = np.concatenate(([0], tokens.ends[:-1]))
    after, before = _next_visible(text)
    starts = after[np.maximum(tokens.starts, covered)]
    ends = before[tokens.ends]
    kept = starts < ends
    return Scores(starts[kept], ends[kept], probabilities[kept])


# Which characters are blank, by number; no blank has a higher one, so the last entry stands for all others.
_BLANK = np.array([*(chr(code).isspace() for code in range(0x3001)), False])


def _next_visible(text: str) -> tuple[Ints, Ints]:
    """For each position, the first visible character at or after it, and the end of the last visible one before it."""
    blank = _BLANK[np.minimum(_codes(text), len(_BLANK) - 1)]
    after = np.arange(len(text) + 1, dtype=np.int32)
    before = after.copy()
    after[:-1][blank] = len(text)
    before[1:][blank] = 0
    return np.minimum.accumulate(after[::-1])[::-1], np.maximum.accumulate(before)


def decode(
    text: str, scores: Scores, tags: tuple[str, ...], *, source: str = "", whole_words: bool = True, recall_bias: float = 0.0
) -> tuple[Span, ...]:
    """The spans of the most likely allowed tags.

    A span's score is the mean probability over its pieces that they are PHI of any label: a name may certainly be a name, but not
    certainly a patient's or a doctor's. A model with a recall bias overestimates PHI by ``recall_bias`` in log-odds; the score is
    corrected for it.
    """
    if not len(scores):
        return ()
    grammar = grammar_of(tags, WITHIN_WORDS)
    links = link_pieces(text, scores) if whole_words else np.full(len(scores), NEW_WORD, dtype=np.int8)
    path = best_path(scores.probabilities, grammar, links, logs=_take_logs)
    firsts, lasts = _runs(path, grammar)
    if not len(firsts):
        return ()
    starts, ends = scores.starts[firsts].tolist(), scores.ends[lasts - 1].tolist()
    plain = scores.probabilities[:, ~_named(grammar.labels)].sum(axis=1)
    sure = ((1 - plain) / (1 - plain + plain * np.exp(np.float32(recall_bias)))).tolist()
    spans: list[Span] = []
    runs = zip(firsts.tolist(), lasts.tolist(), path[firsts].tolist(), starts, ends, [*starts[1:], len(text)], strict=True)
    for first, last, tag, start, end, after in runs:
        label = grammar.labels[tag]
        if whole_words and label not in WITHIN_WORDS:
            # An age may stand inside a word; what is left of the word goes to its neighbour, but never the age itself.
            start, end = _widen(text, start, end, least=spans[-1].end if spans else 0, most=after)
        score = sum(sure[first:last]) / (last - first)
        spans.append(Span(start, end, label, score=round(min(1.0, max(0.0, score)), 6), source=source))
    return tuple(spans)


def _take_logs(probabilities: Probabilities) -> Probabilities:
    return np.log(np.maximum(probabilities, _TINY))


@lru_cache(maxsize=16)
def _named(labels: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which tags have a label."""
    return np.array([bool(label) for label in labels])


def _runs(path: NDArray[np.intp], grammar: Grammar) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first piece of each span of the path, and the piece after its last."""
    marked = _named(grammar.labels)[path]
    begins = marked.copy()
    begins[1:] &= ~grammar.joins[path[:-1], path[1:]]
    # A stretch ends where none goes on: where nothing is marked, or the next one begins.
    ends = marked.copy()
    ends[:-1] &= begins[1:] | ~marked[1:]
    return begins.nonzero()[0], ends.nonzero()[0] + 1


def link_pieces(text: str, scores: Scores) -> Links:
    """Whether each piece begins a word, goes on with the one before it, or goes on from digits to letters or back."""
    links = np.full(len(scores), NEW_WORD, dtype=np.int8)
    joined = np.flatnonzero(scores.starts[1:] == scores.ends[:-1]) + 1
    starts = scores.starts[joined]
    codes = _codes(text)
    before, after = _kinds(codes[starts - 1]), _kinds(codes[starts])
    links[joined] = np.where((before == _OTHER) | (after == _OTHER), NEW_WORD, np.where(before == after, SAME_WORD, MIXED_WORD))
    return links


def _codes(text: str) -> NDArray[np.uint32]:
    """The number of each character."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _kinds(codes: NDArray[np.uint32]) -> NDArray[np.int8]:
    """What each character is in a word; most are in the table, and the others are looked at one by one."""
    kinds = _KINDS[np.minimum(codes, len(_KINDS) - 1)]
    for at in np.flatnonzero(codes >= len(_KINDS)).tolist():
        kinds[at] = _kind(chr(codes[at]))
    return kinds


def _kind(character: str) -> int:
    return (_DIGIT if character.isdigit() else _LETTER) if is_word(character) else _OTHER


def is_word(character: str) -> bool:
    """A letter, a digit, or a mark that combines with one.

    >>> [is_word(character) for character in "é7\\u0301-"]
    [True, True, True, False]
    """
    return character.isalnum() or unicodedata.category(character)[0] == "M"


_OTHER, _LETTER, _DIGIT = 0, 1, 2
_KINDS = np.array([_kind(chr(code)) for code in range(0x250)], dtype=np.int8)


def _widen(text: str, start: int, end: int, *, least: int, most: int) -> tuple[int, int]:
    """Widen a span to the characters of its words that no token covers (accents that a tokenizer dropped), up to its neighbours."""
    while start > least and is_word(text[start - 1]) and is_word(text[start]):
        start -= 1
    while end < most and is_word(text[end]) and is_word(text[end - 1]):
        end += 1
    return start, end

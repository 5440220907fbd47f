"""Notes as weighted counts of their words: features that need no model, in a fixed number of columns."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from incognote.lab.audit.logistic import Matrix

WIDTH = 2**13
_GRAM = 4

_WORD = re.compile(r"\w+")


def list_words(text: str) -> list[str]:
    """The words and numbers of a text in lower case; stars and brackets are none.

    >>> list_words("Seen by [DOCTOR-1] on ***; BP 128/84.")
    ['seen', 'by', 'doctor', '1', 'on', 'bp', '128', '84']
    """
    return _WORD.findall(text.lower())


def list_grams(text: str) -> list[str]:
    """Every run of four characters, case and layout kept: how a note is written as well as what it says.

    >>> list_grams("BP 12")
    ['BP 1', 'P 12']
    """
    return [text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)]


def count_hashed(words: Sequence[str], *, width: int = WIDTH) -> Matrix:
    """A row of ``width`` columns: damped counts, each word in the column and with the sign that its hash says.

    With signs, words that meet in a column cancel out on average, so that inner products stay unbiased (Weinberger et al. 2009).
    """
    counted = Counter(words)
    codes = np.fromiter((crc32(word.encode("utf-8", "surrogatepass")) for word in counted), dtype=np.int64, count=len(counted))
    counts = np.fromiter(counted.values(), dtype=np.float64, count=len(counted))
    signed = np.where(codes & 0x80000000, 1, -1) * (1 + np.log(counts))
    return np.bincount(codes % width, weights=signed, minlength=width).astype(np.float32)


def count_all(lists: Sequence[Sequence[str]], *, width: int = WIDTH) -> Matrix:
    """A row of hashed counts for each list of words."""
    rows = [count_hashed(words, width=width) for words in lists]
    return np.stack(rows) if rows else np.zeros((0, width), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each column says: the log of how few notes have it, learned from the training notes alone."""

    columns: Matrix = field(repr=False)

    @classmethod
    def of(cls, counts: Matrix) -> "Weights":
        """The inverse document frequencies of these rows."""
        seen = np.count_nonzero(counts, axis=0)
        return cls(np.log((1 + len(counts)) / (1 + seen)).astype(np.float32) + 1)

    def apply(self, counts: Matrix) -> Matrix:
        """The rows weighted and brought to length 1."""
        rows = counts * self.columns
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(norms == 0, 1, norms), dtype=np.float32)


def weigh_words(texts: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """The inverse document frequency of every word, exact: for attacks that look at single rare words.

    >>> weigh_words([["flu", "wensley"], ["flu"]])["wensley"] > weigh_words([["flu"], ["flu"]])["flu"]
    True
    """
    seen = Counter(word for words in texts for word in set(words))
    return {word: float(np.log((1 + len(texts)) / (1 + count))) for word, count in seen.items()}

"""Finds known values in a text; memory and known patients share this.

Each form of a value has a key: its letters and digits, case-folded, without punctuation and spaces. A text is read once, word by word;
words are concatenated as long as some key starts with the result. So ``KACZMAREK, MIRELA`` and ``123-45-6789`` cost one look-up per
distinct word, however many values are known.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from incognote.document import Span
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_common
from incognote.lexicon.person import fold
from incognote.lexicon.typos import TypoIndex
from incognote.memory.literals import find_literals
from incognote.memory.mention import Mention
from incognote.memory.mention_checks import CHECKS, is_clinician, title_label

_WORD = lazy(r"([^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*)")
_ASCII_WORD = lazy(r"([a-z0-9]+)")
_GAP = lazy(r"[ \t.,;:/'’\"“”()_@#&+–—-]{0,4}(?:\r?\n[ \t]{0,12})?")
_DOMAIN = lazy(r"@[\w-]+(?:\.[\w-]+)+")
_LONGEST_WORD = 64
# OCR errors: a digit in place of a letter, two letters in place of one.
_SCANNED = str.maketrans("0158", "olsb")
_MISREAD = (("cl", "d"), ("rn", "m"), ("vv", "w"), ("ii", "u"), ("li", "h"))

# The words of a text, folded, and where each starts and ends.
Words = tuple[Sequence[str], Sequence[int], Sequence[int]]


def compact(text: str) -> str:
    """The letters and digits of a text, folded: the key under which it is found.

    >>> compact("O'Brien, Ana-Lucía"), compact("123-45-6789")
    ('obrienanalucia', '123456789')
    """
    if text.isascii() and text.isalnum():  # most are one plain word
        return text.lower()
    return "".join(map(fold, _WORD.findall(text)))


@dataclass(frozen=True)
class Mentions:
    """The known forms by key. ``longs`` are the names long enough to be matched with a typo, ``literals`` values in scripts without
    capitals."""

    table: Mapping[str, tuple[Mention, ...]] = field(repr=False)
    longs: Mapping[str, Mention] = field(default_factory=dict, repr=False)
    literals: Mapping[str, Mention] = field(default_factory=dict, repr=False)

    @classmethod
    def gather(cls, mentions: Iterable[tuple[str, Mention]], longs: Iterable[tuple[str, Mention]] = ()) -> "Mentions":
        """A table from (key, mention) pairs; for each key the mention with the highest score comes first, a patient before a clinician."""
        table: dict[str, set[Mention]] = {}
        for key, mention in mentions:
            if key:
                table.setdefault(key, set()).add(mention)
        order = {key: tuple(sorted(found, key=_rank) if len(found) > 1 else found) for key, found in table.items()}
        literals = {key: found[0] for key, found in order.items() if found[0].kind == "literal"}
        return cls({key: found for key, found in order.items() if key not in literals}, dict(longs), literals)

    def __repr__(self) -> str:
        return f"Mentions({len(self.table)} ways of writing)"

    @cached_property
    def keys(self) -> Sequence[str]:
        return sorted(self.table)

    @cached_property
    def heads(self) -> frozenset[str]:
        """The first one, two and three letters of every key: enough to skip most words of a text."""
        return frozenset(key[:length] for key in self.table for length in (1, 2, 3))

    def begins(self, word: str) -> bool:
        """Whether some key begins with the word."""
        at = bisect_left(self.keys, word)
        return at < len(self.keys) and self.keys[at].startswith(word)

    def find(self, text: str) -> Iterator[Span]:
        """Every known value in the text, the longest at each place."""
        if self.literals and not text.isascii():
            yield from find_literals(text, self.literals)
        words, starts, ends = read = _read_words(text)
        different, heads, lengths = set(words), self.heads, self.lengths
        begun = {word for word in different if word[:3] in heads and self.begins(word)}
        odd = [word for word in different if len(word) in lengths and not is_common(word)]
        others = {word: mention for word in odd if (mention := self._typo(word))}
        others |= {word: mention for word in different if word[-1].isdigit() and (mention := self._numbered_login(word))}
        done = 0
        for at in [at for at, word in enumerate(words) if word in begun or word in others]:
            if at < done:
                continue
            word = words[at]
            if word in begun and (best := self._longest(text, read, at)):
                span, done = best
                yield span
            elif word in others and (single := self._accept_one(text, starts[at], ends[at], word, others[word])):
                done = at + 1
                yield single

    def _longest(self, text: str, read: Words, at: int) -> tuple[Span, int] | None:
        """The longest known value that starts at this word, and the number of the word after it."""
        words, starts, ends = read
        best, key, last = None, words[at], at
        while True:
            if key in self.table and (span := self._accept(text, starts[at], ends[last], key, tuple(words[at : last + 1]))):
                best = span, last + 1
            last += 1
            if last == len(words) or not _GAP.fullmatch(text, ends[last - 1], starts[last]):
                return best
            key += words[last]
            if not self.begins(key):
                return best

    def _accept(self, text: str, start: int, end: int, key: str, words: tuple[str, ...]) -> Span | None:
        passed = [mention for mention in self.table[key] if CHECKS[mention.kind](text, start, end, words, mention.words)]
        if not passed:
            return None
        said = title_label(text, start) if len(passed) > 1 else ""
        mention = next((one for one in passed if one.label == said), passed[0])
        if mention.label == "PATIENT" and mention.kind == "word" and is_clinician(text, start, end):
            return None
        if mention.kind == "name" and len(words) == 1:
            return _login(text, start, end, mention)
        if mention.kind == "name" and (domain := _DOMAIN.match(text, end)):
            return Span(start, domain.end(), "EMAIL", mention.score, mention.source)
        return Span(start, end, mention.label, mention.score, mention.source)

    def _numbered_login(self, word: str) -> Mention | None:
        """``mkaczmarek2``: a login made of a name and a number."""
        if word[0].isdigit():
            return None
        letters = word.rstrip("0123456789")
        return next((one for one in self.table.get(letters, ()) if one.kind in ("name", "word") and len(letters) > 4), None)

    def _typo(self, word: str) -> Mention | None:
        """A long name with one letter wrong, missing, doubled or swapped. The caller excludes common words."""
        if not word.isalpha() and not (word := word.translate(_SCANNED)).isalpha():
            return None
        reads = (word, *(word.replace(wrong, right) for wrong, right in _MISREAD if wrong in word))
        near = {long for read in reads for _, long in self.typo_index.near(read)}
        if not near:
            return None
        return self.longs[min(near, key=lambda long: (long != word, self.order[long]))]

    @cached_property
    def typo_index(self) -> TypoIndex:
        """An index of the long names, to match them with a typo."""
        return TypoIndex.gather(self.longs)

    @cached_property
    def lengths(self) -> frozenset[int]:
        """The lengths of words that may be a long name with a typo."""
        around = {length for long in self.longs for length in range(len(long) - 1, len(long) + 3)}
        return frozenset(length for length in around if 5 < length <= _LONGEST_WORD)

    @cached_property
    def order(self) -> Mapping[str, int]:
        return {long: at for at, long in enumerate(self.longs)}

    def _accept_one(self, text: str, start: int, end: int, word: str, mention: Mention) -> Span | None:
        if mention.kind != "typo":
            return _login(text, start, end, mention)
        if not CHECKS["typo"](text, start, end, (word,), ()):
            return None
        return Span(start, end, mention.label, min(mention.score, 0.65), mention.source)


def _read_words(text: str) -> Words:
    """The words of a text.

    >>> _read_words("Ana's 2nd")
    (['ana', 's', '2nd'], [0, 4, 6], [3, 5, 9])
    """
    # Separators and words in turn; the running sum of their lengths gives their offsets.
    parts = _ASCII_WORD.split(text.lower()) if text.isascii() else _WORD.split(text)
    places = list(accumulate(map(len, parts)))
    words = parts[1::2] if text.isascii() else [fold(word) for word in parts[1::2]]
    return words, places[:-1:2], places[1::2]


def _rank(mention: Mention) -> tuple[float, bool, str, str, str, tuple[str, ...]]:
    return -mention.score, mention.label != "PATIENT", mention.label, mention.kind, mention.source, mention.words


def _login(text: str, start: int, end: int, mention: Mention) -> Span:
    """A full name in one word is a login, or the local part of an e-mail address."""
    domain = _DOMAIN.match(text, end)
    label = "EMAIL" if domain else "USERNAME"
    return Span(start, domain.end() if domain else end, label, mention.score, mention.source)

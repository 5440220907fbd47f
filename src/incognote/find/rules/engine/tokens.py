"""Tokens: the words of a text with their offsets. Gazetteer: phrases to look up in them."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate, chain

from incognote.document import Span
from incognote.lexicon import word_list, word_rows
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names, surnames

# U.S is one word, as are AT&T, 7-Eleven and O'Neil; "home.She" is two.
_WORD = lazy(r"[^\W_]+(?:['’&-][^\W_]+|\.[A-Za-z](?![^\W_]))*")
_ASCII_WORD = lazy(r"([a-z0-9]+(?:['&-][a-z0-9]+|\.[a-z](?![a-z0-9]))*)")
_POINTED = lazy(r"^.*[./].*$", re.MULTILINE)
_SPACED = lazy(r"^.* .*$", re.MULTILINE)
_CLOSE = lazy(r"[ \t]{1,2}|[ \t]{0,2}\n[ \t]{0,4}|\.[ \t]")


@dataclass(frozen=True, repr=False)
class Tokens:
    """A text cut into words; ``keys`` are the words casefolded, with a straight apostrophe.

    ``stretches`` are the ranges of words in which phrases are searched, all words unless :meth:`around` limits them; the other words serve
    as context.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    keys: tuple[str, ...]
    stretches: tuple[range, ...]

    def __len__(self) -> int:
        return len(self.keys)

    def around(self, spans: Iterable[Span], *, before: int, after: int) -> "Tokens":
        """The same words, searched only from ``before`` characters before a span to ``after`` characters after it.

        >>> sorted(read_tokens("To Rome, and from Rome to Oslo").around([Span(18, 22, "CITY")], before=4, after=3).index)
        ['from', 'rome', 'to']
        """
        stretches: list[range] = []
        for span in sorted(spans):
            first, last = bisect_left(self.ends, span.start - before), bisect_right(self.starts, span.end + after)
            if stretches and first <= stretches[-1].stop:
                first, last = stretches[-1].start, max(last, stretches.pop().stop)
            stretches.append(range(first, last))
        return replace(self, stretches=tuple(stretches))

    @cached_property
    def index(self) -> Mapping[str, Sequence[int]]:
        """The positions of each key within the stretches."""
        index: defaultdict[str, list[int]] = defaultdict(list)
        for stretch in self.stretches:
            for at, key in zip(stretch, self.keys[stretch.start : stretch.stop], strict=True):
                index[key].append(at)
        return index

    def find(self, keys: frozenset[str]) -> list[int]:
        """The words of the text that are among the keys: the fewer are looked up among the more.

        >>> read_tokens("To Rome, and from Rome to Oslo").find(frozenset({"rome", "oslo"}))
        [1, 4, 6]
        """
        index = self.index
        found = index.keys() & keys if len(keys) < len(index) else keys.intersection(index)
        return sorted(chain.from_iterable([index[key] for key in found]))

    def gap(self, at: int) -> str:
        """The text between the word and the next one ("" after the last)."""
        return self.text[self.ends[at] : self.starts[at + 1]] if at + 1 < len(self.keys) else ""

    def word(self, at: int) -> str:
        return self.text[self.starts[at] : self.ends[at]]

    def is_capital(self, at: int) -> bool:
        return self.text[self.starts[at]].isupper()

    def is_upper(self, at: int) -> bool:
        """Whether the word is all capitals and more than one letter."""
        return self.ends[at] - self.starts[at] > 1 and self.word(at).isupper()

    def in_capitals(self, at: int) -> bool:
        """Whether the words around it are in all capitals, so that a capital is no evidence of a name.

        >>> tokens = read_tokens("RETURN TO NORMAL DIET. Moved to Normal, IL")
        >>> tokens.in_capitals(2), tokens.in_capitals(6)
        (True, False)
        """
        if not self.is_upper(at):
            return False
        beside = [near for near in (at - 2, at - 1, at + 1, at + 2) if 0 <= near < len(self.keys)]
        upper = [near for near in beside if self.word(near).isupper()]
        return 2 * len(upper) > len(beside)

    def close(self, at: int) -> bool:
        """Whether only a space, a line break by wrapping or the full stop of an abbreviation is between the word and the next.

        >>> tokens = read_tokens("St. Louis, home")
        >>> tokens.close(0), tokens.close(1)
        (True, False)
        """
        gap = self.gap(at)
        if gap == " ":
            return True
        if not _CLOSE.fullmatch(gap) or (gap[0] == "." and self.keys[at] not in _SHORT):
            return False
        return "\n" not in gap or self.wraps(at)

    def wraps(self, at: int) -> bool:
        """Whether the line that ends after the word is long enough to be wrapped, so that its sentence continues."""
        return self.ends[at] >= _PAGE and "\n" not in self.text[self.ends[at] - _PAGE : self.ends[at]]

    def left(self, at: int, count: int) -> str:
        """The keys of up to ``count`` words before, as long as nothing but blanks parts them."""
        first = at
        while first > 0 and at - first < count and self.close(first - 1):
            first -= 1
        return " ".join(self.keys[first:at])


_PAGE = 50
_SHORT = frozenset("st ste ft mt dr n s e w no u.s".split())


def read_tokens(text: str) -> Tokens:
    """All words of the text.

    >>> read_tokens("O’Neil’s AT&T, U.S. 12B").keys
    ("o'neil's", 'at&t', 'u.s', '12b')
    """
    if text.isascii():
        # Words and what parts them, in turn: their lengths add up to their places, which is faster than to ask each match.
        parts = _ASCII_WORD.split(text.lower())
        places = list(accumulate(map(len, parts)))
        keys = tuple(parts[1::2])
        return Tokens(text, tuple(places[0::2][: len(keys)]), tuple(places[1::2]), keys, (range(len(keys)),))
    spans = [match.span() for match in _WORD.finditer(text)]
    starts, ends = zip(*spans, strict=True) if spans else ((), ())
    keys = tuple([text[start:end].casefold().replace("’", "'") for start, end in spans])
    return Tokens(text, starts, ends, keys, (range(len(keys)),))


@dataclass(frozen=True, slots=True, repr=False)
class Gazetteer:
    """A set of phrases; for each first word of one of several words, the length of the longest."""

    phrases: frozenset[str]
    longest: Mapping[str, int]

    def starts(self, tokens: Tokens) -> list[int]:
        """The words with which a phrase may start."""
        index = tokens.index
        return tokens.find(self.phrases.intersection(index).union(index.keys() & self.longest.keys()))

    def match(self, tokens: Tokens, at: int) -> int:
        """How many words from ``at`` make the longest phrase; 0 when none does."""
        keys = tokens.keys
        if keys[at] not in self.longest:
            return int(keys[at] in self.phrases)
        longest, reach = min(self.longest[keys[at]], len(keys) - at), 1
        while reach < longest and tokens.close(at + reach - 1):
            reach += 1
        while reach > 0:
            if (" ".join(keys[at : at + reach]) if reach > 1 else keys[at]) in self.phrases:
                return reach
            reach -= 1
        return 0


def make_gazetteer(entries: Iterable[str]) -> Gazetteer:
    """A Gazetteer of casefolded entries; the points of abbreviations go, as they do in tokens."""
    entries = frozenset(entries)
    listed = "\n".join(entries)
    pointed = set(_POINTED.findall(listed))
    phrases = (entries - pointed).union(" ".join(read_tokens(entry).keys) for entry in pointed) if pointed else entries
    longest: dict[str, int] = {}
    for phrase in _SPACED.findall("\n".join(phrases) if pointed else listed):
        first = phrase[: phrase.index(" ")]
        longest[first] = max(phrase.count(" ") + 1, longest.get(first, 0))
    return Gazetteer(phrases, longest)


@cache
def gazetteer(*names: str) -> Gazetteer:
    """The Gazetteer of one or more word lists."""
    return make_gazetteer(frozenset[str]().union(*(word_list(name) for name in names)))


@cache
def cities() -> Gazetteer:
    """The Gazetteer of all cities: its lists are built beforehand from the city lists, for they are long and every note needs them."""
    return Gazetteer(word_list("cities"), {first: int(longest) for first, longest in word_rows("city-starts")})


def is_personal(key: str, *, given: bool = False) -> bool:
    """Whether a word is a frequent given name or surname (with ``given``, a given name): without context, a person or a place."""
    return key in given_names(2500) or (not given and key in surnames(4000))


def is_common(key: str) -> bool:
    """Whether a word is a common word of notes, or a name that is also one.

    >>> is_common("reading"), is_common("clinic's"), is_common("worcester")
    (True, True, False)
    """
    key = key.removesuffix("'s")
    return key in word_list("common-words") or key in word_list("ambiguous-names") or key in word_list("lead-words")

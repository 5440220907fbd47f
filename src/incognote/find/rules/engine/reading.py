"""Reading: an index of a text, built once for all families of rules: its lower-case form, and the offsets of words and numbers.

A regular expression tried at every character of a note costs the same whether it matches or not. Most rules can only match where a
certain word or a number starts, and a note has few of those: rules get these offsets from the Reading and try only them. Context
rules search only near the spans of the model, if there is one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar, cast

from incognote.document import Span
from incognote.find.rules.engine.tokens import Tokens, read_tokens
from incognote.lexicon.lazy import lazy

Made = TypeVar("Made")

# Among the words that a rule starts with, these stand for numbers: of one or two digits, the same inside a word or a decimal (``B12``,
# ``4.1``), of three digits, of four, of more, with letters before them (``A-12``), with a mark before them. No place is of two kinds;
# no word has a ``#`` in it.
NUMBERS = SHORT, INNER, THREE, FOUR, LONG, LETTERED, MARKED = ("#00", "#A00", "#000", "#0000", "#00000", "#A-0", "#(0")
_KIND = lazy(r"(?<![A-Za-z0-9])(?<![0-9]\.)(\d\d?)(?!\d)|(\d\d?)(?!\d)|(\d{3})(?!\d)|(\d{4})(?!\d)|(\d)|([A-Za-z])|(.)", re.DOTALL)

# A digit of another script is a number of its own: expressions may start there, after a digit or not.
_DIGITS = lazy(r"\d(?:(?<=[0-9])[0-9]+)?")
_LETTERS = lazy(r"[^\W\d_]+")
_PAIR = lazy(r"[A-ZÀ-Þ][a-zà-ÿ]+ [A-ZÀ-Þ\d]")
_AND = lazy(r"(?<=[^\W_])&")
_MARKS = frozenset("(+'’")
# No code has so many letters in a row; a longer run is not walked to its start.
_LONGEST = 32
# Characters: a context rule whose match touches a span starts at most this far before it and needs no word further after it.
_BEFORE, _AFTER = 100, 40
_MOST = 0.6  # of the words: to leave out the others costs more than to try them


class Reading:
    """A text and what several rules need of it, each computed on first use."""

    def __init__(self, text: str, whole: "Reading | None" = None) -> None:
        self.text = text
        self.whole = whole or self
        self._places: dict[str, Sequence[int]] = {}
        self._made: dict[Callable[[Reading], Any], Any] = {}

    def once(self, make: "Callable[[Reading], Made]") -> Made:
        """The result of a function on this Reading, computed once."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])

    def __bool__(self) -> bool:
        """Whether there is anything to try."""
        return any(self.tokens.stretches)

    def around(self, spans: Iterable[Span]) -> "Reading":
        """A Reading of the same text limited to words and numbers near the spans; this Reading itself if most of them are.

        >>> near = Reading(f"Ann Roe{'.' * 200}Jo Lim").around([Span(207, 209, "PATIENT")])
        >>> near.capitals
        [207, 210]
        """
        tokens = self.tokens.around(spans, before=_BEFORE, after=_AFTER)
        if sum(map(len, tokens.stretches)) > _MOST * len(tokens):
            return self
        near = Reading(self.text, self)
        vars(near).update(lower=self.lower, tokens=tokens)  # as if they had been worked out
        return near

    def __repr__(self) -> str:
        return f"Reading({len(self.text)} characters)"

    @cached_property
    def lower(self) -> str:
        """The text in lower case, character by character, so that offsets stay the same."""
        lowered = self.text.lower()
        if len(lowered) == len(self.text):
            return lowered
        # A capital I with a dot is two characters in small letters.
        return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in self.text)

    @cached_property
    def tokens(self) -> Tokens:
        return read_tokens(self.text)

    def held(self, words: KeysView[str]) -> Set[str]:
        """Those of the given words and kinds of number that the text contains.

        >>> sorted(Reading("9Nov, co-pay, PAY").held(dict.fromkeys([SHORT, LONG, "pay", "nov", "dec"]).keys()))
        ['#00', 'nov', 'pay']
        """
        return (words & self.tokens.index.keys()) | (words & self._inner.keys())

    def places(self, word: str) -> Sequence[int]:
        """The offsets of each word (a run of letters, in lower case) and of each kind of number, in order.

        >>> Reading("9Nov, co-pay, PAY").places("pay")
        [9, 14]
        """
        if word not in self._places:
            starts, inner = self.tokens.starts, self._inner.get(word, ())
            whole = [starts[at] for at in self.tokens.index.get(word, ())]
            self._places[word] = sorted([*whole, *inner]) if inner else whole
        return self._places[word]

    @cached_property
    def _inner(self) -> Mapping[str, Sequence[int]]:
        """Where runs of letters stand inside words that are more than letters, and numbers by their kind."""
        index, starts, ends = self.tokens.index, self.tokens.starts, self.tokens.ends
        inner: dict[str, list[int]] = {}
        for at in sorted(at for key, places in index.items() if not key.isalpha() and not key.isdecimal() for at in places):
            for run in _LETTERS.finditer(self.lower, starts[at], ends[at]):
                inner.setdefault(run[0], []).append(run.start())
        for place in self.numbers:
            if kind := _KIND.match(self.text, place):
                inner.setdefault(NUMBERS[(kind.lastindex or 1) - 1], []).append(place)
        return inner

    @cached_property
    def capitals(self) -> Sequence[int]:
        """The offsets of words that start with a capital.

        >>> Reading("AT&T and Jane Roe-Lim").capitals
        [0, 3, 9, 14]
        """
        text, starts = self.text, self.tokens.starts
        places = [start for part in self.tokens.stretches for start in starts[part.start : part.stop] if text[start].isupper()]
        if "&" in text:
            after = (match.end() for match in _AND.finditer(text))
            places = sorted({*places, *(place for place in after if text[place : place + 1].isupper())})
        return places

    @cached_property
    def pairs(self) -> Sequence[int]:
        """The offsets of capitalized words before another capital or a number.

        >>> Reading("Jane Roe saw Temi 3, then left").pairs
        [0, 13]
        """
        return [place for place in self.capitals if _PAIR.match(self.text, place)]

    @cached_property
    def numbers(self) -> Sequence[int]:
        """Every place where a number, or a code with digits in it, may start: at its first digit, at the letters before it (with or
        without a hyphen between), and at a bracket, plus or apostrophe just before.

        >>> Reading("(617) on 7/22, A-12, B12").numbers
        [0, 1, 9, 11, 15, 17, 21, 22]
        """
        text, places, floor = self.text, [-1], 0
        for match in self._digits():
            at = match.start()
            first = self._run_start(at, floor)
            lead = self._run_start(first - 1, floor) if first > floor and text[first - 1] == "-" else first
            lead = first if lead == first - 1 else lead
            mark = first - 1 if first > floor and text[first - 1] in _MARKS else first
            places.extend(place for place in sorted({lead, mark, first, at}) if place > places[-1])
            floor = match.end()
        return places[1:]

    def _digits(self) -> Iterator[re.Match[str]]:
        """The runs of digits, each of which is in a word."""
        tokens = self.tokens
        for part in tokens.stretches:
            if part:
                yield from _DIGITS.finditer(self.text, tokens.starts[part.start], tokens.ends[part.stop - 1])

    def _run_start(self, at: int, floor: int) -> int:
        text, low = self.text, max(floor, at - _LONGEST)
        while at > low and text[at - 1].isascii() and text[at - 1].isalnum():
            at -= 1
        return at

    def starts(self, words: tuple[str, ...]) -> Sequence[int]:
        """The offsets, in order, where one of the words, or a number of one of the kinds, starts."""
        index, inner = self.tokens.index, self._inner
        held = [self.places(word) for word in words if word in index or word in inner]
        return held[0] if len(held) == 1 else sorted(chain.from_iterable(held))

    def matches(self, regex: re.Pattern[str], words: tuple[str, ...]) -> Sequence[re.Match[str]]:
        """The matches of an expression that can start only with one of the words, as ``finditer`` would give them.

        >>> [match[0] for match in Reading("may 5, maybe 6, May 7").matches(re.compile(r"\\bmay \\d", re.IGNORECASE), ("may",))]
        ['may 5', 'May 7']
        """
        places = self.starts(words)
        return self.matches_at(regex, places) if places else ()

    def matches_at(self, regex: re.Pattern[str], places: Iterable[int]) -> Sequence[re.Match[str]]:
        """The matches that start at one of the places; a place inside the previous match is skipped."""
        text, end = self.text, 0
        found = []
        for place in places:
            if place >= end and (match := regex.match(text, place)):
                end = match.end()
                found.append(match)
        return found

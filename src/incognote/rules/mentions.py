"""Finding known values wherever they are written: the machinery that memory and known patients share.

Each way of writing a value is a key: its letters and digits, folded, with all marks and blanks gone. A text is read once, word by
word; words are glued together as long as they begin some key. So ``KACZMAREK, MIRELA`` and ``123-45-6789`` cost one look-up per word,
however many values are known.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

from incognote.document import Span
from incognote.rules.mention_checks import CHECKS, is_clinician, title_label
from incognote.rules.names.vocabulary import is_common
from incognote.tagging.person import fold

_WORD = re.compile(r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")
_GAP = re.compile(r"[ \t.,;:/'’\"“”()_@#&+–—-]{0,4}(?:\r?\n[ \t]{0,12})?")
_DOMAIN = re.compile(r"@[\w-]+(?:\.[\w-]+)+")
_LONGEST_WORD = 64


class Token(NamedTuple):
    """A word of the text, folded, and where it stands."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """One way of writing a known value. ``kind`` names the check its context must pass (see ``mention_checks``)."""

    label: str
    source: str
    kind: str = "phrase"
    score: float = 0.9
    words: tuple[str, ...] = field(default=(), repr=False)


def compact(text: str) -> str:
    """The letters and digits of a text, folded: the key under which it is found.

    >>> compact("O'Brien, Ana-Lucía"), compact("123-45-6789")
    ('obrienanalucia', '123456789')
    """
    return "".join(fold(word) for word in _WORD.findall(text))


@dataclass(frozen=True)
class Mentions:
    """The known ways of writing. ``longs`` are the surnames long enough to be found with one wrong letter."""

    table: Mapping[str, tuple[Mention, ...]] = field(repr=False)
    longs: Mapping[str, Mention] = field(default_factory=dict, repr=False)

    @classmethod
    def gather(cls, mentions: Iterable[tuple[str, Mention]], longs: Iterable[tuple[str, Mention]] = ()) -> "Mentions":
        """A table from (key, mention) pairs; the surest mention of a key comes first, a patient before a clinician."""
        table: dict[str, set[Mention]] = {}
        for key, mention in mentions:
            if key:
                table.setdefault(key, set()).add(mention)
        order = {key: tuple(sorted(found, key=_rank)) for key, found in table.items()}
        return cls(order, dict(longs))

    def __repr__(self) -> str:
        return f"Mentions({len(self.table)} ways of writing)"

    @cached_property
    def prefixes(self) -> frozenset[str]:
        return frozenset(key[:end] for key in self.table for end in range(1, len(key) + 1))

    def find(self, text: str) -> Iterator[Span]:
        """Every known value in the text, the longest at each place."""
        tokens = [Token(fold(match.group()), match.start(), match.end()) for match in _WORD.finditer(text)]
        prefixes, at = self.prefixes, 0
        typos: dict[str, Mention | None] = {}
        while at < len(tokens):
            word = tokens[at].word
            best = self._longest(text, tokens, at) if word in prefixes else None
            if best is None:
                best = self._numbered_login(text, tokens[at], at) or self._typo(text, tokens[at], at, typos)
            if best is None:
                at += 1
                continue
            span, at = best
            yield span

    def _longest(self, text: str, tokens: list[Token], at: int) -> tuple[Span, int] | None:
        best, key, last = None, "", at
        while last < len(tokens):
            key += tokens[last].word
            if key not in self.prefixes:
                break
            if key in self.table and (span := self._accept(text, tokens[at : last + 1], key)):
                best = span, last + 1
            last += 1
            if last < len(tokens) and not _GAP.fullmatch(text, tokens[last - 1].end, tokens[last].start):
                break
        return best

    def _accept(self, text: str, tokens: list[Token], key: str) -> Span | None:
        start, end = tokens[0].start, tokens[-1].end
        words = tuple(token.word for token in tokens)
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

    def _numbered_login(self, text: str, token: Token, at: int) -> tuple[Span, int] | None:
        """``mkaczmarek2``: a login of the person with a number behind."""
        if not token.word[-1].isdigit() or token.word[0].isdigit():
            return None
        letters = token.word.rstrip("0123456789")
        mention = next((one for one in self.table.get(letters, ()) if one.kind in ("name", "word") and len(letters) > 4), None)
        return (_login(text, token.start, token.end, mention), at + 1) if mention else None

    def _typo(self, text: str, token: Token, at: int, known: dict[str, Mention | None]) -> tuple[Span, int] | None:
        """A long surname with one letter wrong, missing, doubled or swapped; never a word of the language."""
        word = token.word
        if not self.longs or not 5 < len(word) <= _LONGEST_WORD or not word.isalpha():
            return None
        if word not in known:
            near = extractOne(word, self.longs.keys(), scorer=OSA.distance, score_cutoff=1)
            known[word] = self.longs[near[0]] if near and not is_common(word) else None
        mention = known[word]
        if mention is None or not CHECKS["typo"](text, token.start, token.end, (word,), ()):
            return None
        return Span(token.start, token.end, mention.label, min(mention.score, 0.65), mention.source), at + 1


def _rank(mention: Mention) -> tuple[float, bool, str, str, str, tuple[str, ...]]:
    return -mention.score, mention.label != "PATIENT", mention.label, mention.kind, mention.source, mention.words


def _login(text: str, start: int, end: int, mention: Mention) -> Span:
    """A name written in one word is a login, or the first part of an e-mail address."""
    domain = _DOMAIN.match(text, end)
    label = "EMAIL" if domain else "USERNAME"
    return Span(start, domain.end() if domain else end, label, mention.score, mention.source)

"""The cue table, ``cues.toml``, and the one pass over a text that finds every cue: the words that say whose name stands near."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from incognote.rules.lazy import lazy
from incognote.rules.reading import Reading, read

_TOKEN = lazy(r"[^\W\d_]+(?:(?<=\b[df])/[wu]\b)?")
_GAP = lazy(r"[ \t]{1,3}\n?[ \t]{0,8}|\n[ \t]{0,8}|-|/|['’]|\.[ \t]?")


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue in a text: its section of the table, the label it speaks for, its words, and where it stands."""

    section: str
    label: str
    words: tuple[str, ...]
    start: int
    end: int


Entry = tuple[tuple[str, ...], str, str]


@cache
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads((Path(__file__).parent / "cues.toml").read_text(encoding="utf-8"))


@cache
def _entries(*sections: str) -> Mapping[str, tuple[Entry, ...]]:
    """The words, section and label of the cues of these sections by their first word, longest first."""
    by_first: dict[str, list[Entry]] = {}
    for section in sections:
        for label, cues in _table()[section].items():
            for cue in cues:
                words = tuple(word.lower() for word in _TOKEN.findall(cue))
                by_first.setdefault(words[0].partition("/")[0], []).append((words, section, label))
    return {first: tuple(sorted(entries, key=lambda entry: -len(entry[0]))) for first, entries in by_first.items()}


@cache
def cue_words(section: str) -> frozenset[str]:
    """The cues of a section that are one word.

    >>> "mr" in cue_words("titles"), "niece" in cue_words("relations")
    (True, True)
    """
    return frozenset(words[0] for entries in _entries(section).values() for words, _, _ in entries if len(words) == 1)


def _end_of(words: tuple[str, ...], lower: str, end: int) -> int:
    """Where the further words of a cue end, given where its first one does; -1 where others stand there."""
    for word in words[1:]:
        gap = _GAP.match(lower, end)
        if gap is None or not lower.startswith(word, gap.end()):
            return -1
        end = gap.end() + len(word)
    return end if not lower[end : end + 1].isalpha() else -1


def find_cues(text: str | Reading, *sections: str) -> Iterator[Cue]:
    """Every cue of these sections in the text, the longest of its section at each place.

    >>> [(cue.section, cue.label) for cue in find_cues("Ordered by: Roe", "titles", "fields", "speech")]
    [('fields', 'DOCTOR'), ('speech', 'DOCTOR')]
    """
    reading, entries = read(text), _entries(*sections)
    lower = reading.lower
    hits = [(place, word) for word in reading.held(entries.keys()) for place in reading.places(word)]
    for place, word in sorted(hits):
        seen: set[str] = set()
        gap = _GAP.match(lower, place + len(word))
        second = gap.end() if gap else -1
        for words, section, label in entries[word]:
            if section in seen:
                continue
            if words[0] != word:
                end = _end_of(words, lower, place + len(words[0])) if lower.startswith(words[0], place) else -1
            elif len(words) == 1:
                end = place + len(word)
            else:
                end = _end_of(words, lower, place + len(word)) if second > 0 and lower.startswith(words[1], second) else -1
            if end > 0:
                seen.add(section)
                yield Cue(section, label, words, place, end)

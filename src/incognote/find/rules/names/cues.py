"""Finds the cues of the cue table in one pass: words that show that a name is near, and whose."""

from collections.abc import Iterator
from dataclasses import dataclass

from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.cues import cue_entries
from incognote.lexicon.lazy import lazy

_GAP = lazy(r"[ \t]{1,3}\n?[ \t]{0,8}|\n[ \t]{0,8}|-|/|['’]|\.[ \t]?")


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue in a text: its section of the table, the label that it suggests, its words and its offsets."""

    section: str
    label: str
    words: tuple[str, ...]
    start: int
    end: int


def _end_of(words: tuple[str, ...], lower: str, end: int) -> int:
    """Where the further words of a cue end, given where its first one does; -1 where others stand there."""
    for word in words[1:]:
        gap = _GAP.match(lower, end)
        if gap is None or not lower.startswith(word, gap.end()):
            return -1
        end = gap.end() + len(word)
    return end if not lower[end : end + 1].isalpha() else -1


def find_cues(reading: Reading, *sections: str) -> Iterator[Cue]:
    """Every cue of these sections in the text, the longest of its section at each place.

    >>> [(cue.section, cue.label) for cue in find_cues(Reading("Ordered by: Roe"), "titles", "fields", "speech")]
    [('fields', 'DOCTOR'), ('speech', 'DOCTOR')]
    """
    entries = cue_entries(*sections)
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

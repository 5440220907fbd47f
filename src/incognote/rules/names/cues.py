"""The cue table, ``cues.toml``, and the one pass over a text that finds every cue: the words that say whose name stands near."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TOKEN = re.compile(r"\b[dfDF]/[wuWU]\b|[^\W\d_]+")
_GAP = re.compile(r"[ \t]{0,3}\n?[ \t]{0,8}|-|['’]|\.[ \t]?")


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
def _entries() -> Mapping[str, tuple[Entry, ...]]:
    """The cues by first word, longest first."""
    table = tomllib.loads((Path(__file__).parent / "cues.toml").read_text(encoding="utf-8"))
    by_first: dict[str, list[Entry]] = {}
    for section, labels in table.items():
        for label, cues in labels.items():
            for cue in cues:
                words = tuple(word.lower() for word in _TOKEN.findall(cue))
                by_first.setdefault(words[0], []).append((words, section, label))
    return {first: tuple(sorted(entries, key=lambda entry: -len(entry[0]))) for first, entries in by_first.items()}


def find_cues(text: str) -> Iterator[Cue]:
    """Every cue in the text, the longest of its section at each place.

    >>> [(cue.section, cue.label) for cue in find_cues("PCP: Roe")]
    [('fields', 'DOCTOR')]
    """
    entries = _entries()
    tokens = [(match.group().lower(), match.start(), match.end()) for match in _TOKEN.finditer(text)]
    for at, (word, start, _) in enumerate(tokens):
        candidates = entries.get(word)
        if candidates is None:
            continue
        seen: set[str] = set()
        for words, section, label in candidates:
            if section not in seen and _stands(text, tokens, at, words):
                seen.add(section)
                yield Cue(section, label, words, start, tokens[at + len(words) - 1][2])


def _stands(text: str, tokens: list[tuple[str, int, int]], at: int, words: tuple[str, ...]) -> bool:
    if len(words) == 1:
        return True
    if at + len(words) > len(tokens):
        return False
    for step, word in enumerate(words[1:], start=at + 1):
        if tokens[step][0] != word or not _GAP.fullmatch(text, tokens[step - 1][2], tokens[step][1]):
            return False
    return True

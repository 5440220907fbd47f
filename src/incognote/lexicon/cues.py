"""The cue table, ``cues.toml``: the words that say whose name stands near."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from incognote.lexicon.lazy import lazy

_TOKEN = lazy(r"[^\W\d_]+(?:(?<=\b[df])/[wu]\b)?")

Entry = tuple[tuple[str, ...], str, str]


@cache
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads((Path(__file__).parent / "cues.toml").read_text(encoding="utf-8"))


@cache
def cue_entries(*sections: str) -> Mapping[str, tuple[Entry, ...]]:
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
    return frozenset(words[0] for entries in cue_entries(section).values() for words, _, _ in entries if len(words) == 1)

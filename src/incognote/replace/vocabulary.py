"""The words that surrogates are made of, from ``vocabulary.toml``."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def vocabulary(name: str) -> Any:
    """An entry of ``vocabulary.toml``; words as a set."""
    entry = _entries()[name]
    return frozenset(entry.split()) if isinstance(entry, str) else tuple(entry)


@cache
def _entries() -> dict[str, Any]:
    return tomllib.loads((files("incognote.replace") / "vocabulary.toml").read_text(encoding="utf-8"))

"""The stock of words that surrogates are made of, from ``stock.toml``."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def stock(name: str) -> Any:
    """An entry of ``stock.toml``; words as a set."""
    entry = tomllib.loads((files("incognote.replace") / "stock.toml").read_text(encoding="utf-8"))[name]
    return frozenset(entry.split()) if isinstance(entry, str) else tuple(entry)

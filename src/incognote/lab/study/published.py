"""Published numbers of other studies, for a report to show beside ours where the corpus is theirs."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_published() -> Mapping[str, Mapping[str, Any]]:
    """Every published study by name: its title, its corpus and how many notes that has, and its tables."""
    return tomllib.loads((files("incognote.lab.study") / "published.toml").read_text(encoding="utf-8"))

"""Thresholds: every number that decides what is kept, in one frozen value, read from TOML."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from math import log2
from typing import Any

from incognote.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Numbers between finding more and finding less; see ``thresholds.toml`` for what each means.

    ``recall_bias`` is taken off the log-odds that a span found only by the model needs: above 0 finds more, below 0 less.
    """

    clinical_certain: float
    clinical_sure: float
    rescoring_short_note: float
    rescoring_long_note: float
    rescoring_short_length: int
    memory_sure: float
    recall_bias: float = 0.0

    @classmethod
    def default(cls) -> "Thresholds":
        """The shipped thresholds."""
        return cls(**_shipped())

    @classmethod
    def at(cls, recall: str | float) -> "Thresholds":
        """The shipped thresholds at a named level of recall (``low``, ``default``, ``high``), or with a bias of so much.

        >>> Thresholds.at("high").recall_bias > Thresholds.at("default").recall_bias == 0
        True
        """
        levels = _table()["recall"]
        try:
            bias = levels[recall] if isinstance(recall, str) and recall in levels else float(recall)
        except ValueError:
            raise ConfigError("recall", [f"{recall} is neither a number nor one of {', '.join(levels)}"]) from None
        if not -10 <= bias <= 10:
            raise ConfigError("recall", [f"{bias:g} is outside -10 to 10"])
        return replace(cls.default(), recall_bias=bias)

    def rescoring_least(self, length: int) -> float:
        """The log-odds that a span found only by the model needs in a note of ``length`` characters.

        >>> [Thresholds.default().rescoring_least(length) for length in (200, 1200, 2400, 9000)]
        [-2.25, -2.25, -1.25, -0.75]
        """
        longer = log2(max(length, self.rescoring_short_length) / self.rescoring_short_length)
        return min(self.rescoring_long_note, self.rescoring_short_note + longer) - self.recall_bias

    def __str__(self) -> str:
        return ", ".join(f"{field.name} {getattr(self, field.name):g}" for field in fields(self))


@cache
def _table() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads((files("incognote") / "thresholds.toml").read_text(encoding="utf-8"))


def _shipped() -> dict[str, Any]:
    table = _table()
    return {
        **{f"clinical_{name}": value for name, value in table["clinical_terms"].items()},
        **{f"rescoring_{name}": value for name, value in table["rescoring"].items()},
        **{f"memory_{name}": value for name, value in table["memory"].items()},
    }

"""How much of an encoder learns: nothing but the head (frozen), its top layers, or all of it."""

import re
from dataclasses import dataclass

from incognote.errors import ConfigError

_TOP = re.compile(r"top-([1-9]\d*)")


@dataclass(frozen=True, slots=True)
class Regime:
    """``top`` layers learn beside the head; None means all of them and the embeddings, 0 none."""

    top: int | None

    @property
    def frozen(self) -> bool:
        """Whether the hidden states never change, so that they need computing only once."""
        return self.top == 0

    def freeze(self, depth: int) -> str | int:
        """What a recipe calls this for an encoder of so many layers."""
        if self.top is None:
            return "none"
        if self.top > depth:
            raise ConfigError("regime", [f"top-{self.top}: the encoder has {depth} layers"])
        return "all-but-head" if self.top == 0 else depth - self.top


def parse_regime(text: str) -> Regime:
    """The regime of a word.

    >>> parse_regime("frozen").freeze(6), parse_regime("top-2").freeze(6), parse_regime("all").freeze(6)
    ('all-but-head', 4, 'none')
    """
    if text == "frozen":
        return Regime(0)
    if text == "all":
        return Regime(None)
    if found := _TOP.fullmatch(text):
        return Regime(int(found[1]))
    raise ConfigError("regime", [f"{text}: is frozen, all, or top-N such as top-2"])

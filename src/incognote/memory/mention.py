"""One way of writing a known value."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mention:
    """One way of writing a known value. ``kind`` names the check its context must pass (see ``mention_checks``)."""

    label: str
    source: str
    kind: str = "phrase"
    score: float = 0.9
    words: tuple[str, ...] = field(default=(), repr=False)

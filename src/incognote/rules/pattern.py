"""A Pattern is one row of a rule table: a regular expression with a label, a score, a check, and cheap hints that it may match."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from incognote.document import Span

Check = Callable[[re.Match[str]], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What matches ``regex`` and passes ``check`` is PHI; the span is the group ``phi`` where there is one, else the whole match.

    ``hints`` are lower-case words, one of which must stand in the lower-cased text before the expression is tried at all:
    most patterns cost nothing on most notes. The expression must run in linear time (no nested or adjacent open repeats).
    """

    name: str
    label: str
    regex: re.Pattern[str]
    score: float = 0.9
    check: Check | None = None
    hints: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return f"rules.{self.name}"


def find_patterns(patterns: Iterable[Pattern], text: str) -> Iterator[Span]:
    """The spans of every pattern in the text, pattern by pattern; they may overlap.

    >>> zips = Pattern("zip.plus4", "ZIP", re.compile(r"\\b\\d{5}-\\d{4}\\b"))
    >>> list(find_patterns([zips], "Boston 02114-2696"))
    [Span(start=7, end=17, label='ZIP', score=0.9, source='rules.zip.plus4')]
    """
    lowered = text.lower()
    for pattern in patterns:
        if pattern.hints and not any(hint in lowered for hint in pattern.hints):
            continue
        group: str | int = "phi" if "phi" in pattern.regex.groupindex else 0
        for match in pattern.regex.finditer(text):
            start, end = match.span(group)
            if start < end and (pattern.check is None or pattern.check(match)):
                yield Span(start, end, pattern.label, pattern.score, pattern.source)

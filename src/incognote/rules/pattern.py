"""A Pattern is one row of a rule table: a regular expression with a label, a score, a check, and the places where it is worth trying."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from incognote.document import Span
from incognote.rules.reading import Reading, read

Check = Callable[[re.Match[str]], bool]


@dataclass(frozen=True)
class Pattern:
    """What matches ``regex`` and passes ``check`` is PHI; the span is the group ``phi`` where there is one, else the whole match.

    ``starts`` are the words, in lower case, one of which begins every match (or kinds of number): the expression is tried only
    there. ``hints`` are lower-case strings, one of which must stand somewhere in the text. So most patterns cost nothing on
    most notes. The expression must run in linear time (no nested or adjacent open repeats).
    """

    name: str
    label: str
    regex: re.Pattern[str]
    score: float = 0.9
    check: Check | None = None
    hints: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()

    @cached_property
    def source(self) -> str:
        return f"rules.{self.name}"

    @cached_property
    def first_words(self) -> frozenset[str]:
        return frozenset(self.starts)

    @cached_property
    def group(self) -> str | int:
        return "phi" if "phi" in self.regex.groupindex else 0

    def find(self, reading: Reading) -> Iterator[re.Match[str]]:
        """The matches of the expression, checked or not."""
        if self.hints and not any(hint in reading.lower for hint in self.hints):
            return iter(())
        return reading.matches(self.regex, self.first_words) if self.starts else self.regex.finditer(reading.text)


def find_patterns(patterns: Iterable[Pattern], text: str | Reading) -> Iterator[Span]:
    """The spans of every pattern in the text, pattern by pattern; they may overlap.

    >>> zips = Pattern("zip.plus4", "ZIP", re.compile(r"\\b\\d{5}-\\d{4}\\b"))
    >>> list(find_patterns([zips], "Boston 02114-2696"))
    [Span(start=7, end=17, label='ZIP', score=0.9, source='rules.zip.plus4')]
    """
    reading = read(text)
    for pattern in patterns:
        if pattern.starts and not reading.starts(pattern.first_words):
            continue
        group = pattern.group
        for match in pattern.find(reading):
            start, end = match.span(group)
            if start < end and (pattern.check is None or pattern.check(match)):
                yield Span(start, end, pattern.label, pattern.score, pattern.source)

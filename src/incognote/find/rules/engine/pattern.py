"""Pattern: one row of a rule table, a regular expression with a label, a score and a check. PatternTable runs only those that may match."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading

Check = Callable[[re.Match[str]], bool]


@dataclass(frozen=True)
class Pattern:
    """A match of ``regex`` that passes ``check`` is PHI; the span is the group ``phi`` if there is one, else the whole match.

    Three fields limit where the expression is tried, so that most patterns cost nothing on most notes. ``starts``: lower-case words (or
    kinds of number), one of which begins every match. ``look``: a simpler expression that matches wherever this one does; patterns may
    share one. ``hints``, for a pattern without starts: lower-case strings, one of which must occur in the text. The expression must run
    in linear time (no nested or adjacent open repeats).
    """

    name: str
    label: str
    regex: re.Pattern[str]
    score: float = 0.9
    check: Check | None = None
    hints: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    look: re.Pattern[str] | None = None

    @cached_property
    def source(self) -> str:
        return f"rules.{self.name}"

    @cached_property
    def group(self) -> str | int:
        return "phi" if "phi" in self.regex.groupindex else 0

    def is_hinted(self, lower: str) -> bool:
        """Whether a lower-case text contains one of the hints, if there are any."""
        return not self.hints or any(hint in lower for hint in self.hints)


class PatternTable:
    """Patterns in order. Each word of a text is looked up once to find the patterns that it may start."""

    def __init__(self, *patterns: Pattern) -> None:
        self.patterns = patterns
        rows: dict[tuple[tuple[str, ...], re.Pattern[str] | None], list[int]] = {}
        for row, pattern in enumerate(patterns):
            rows.setdefault((pattern.starts, pattern.look), []).append(row)
        self._anywhere = rows.pop(((), None), [])
        # Patterns with the same starts and the same look are grouped.
        self._groups = [(look, members) for (_, look), members in rows.items()]
        self._woken: dict[str, list[int]] = {}
        for group, (starts, _) in enumerate(rows):
            for word in dict.fromkeys(starts):
                self._woken.setdefault(word, []).append(group)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self.patterns)

    def find(self, reading: Reading) -> Iterator[tuple[Pattern, Iterable[re.Match[str]]]]:
        """The patterns that may match in the text, in order, and their matches, checked or not."""
        held: dict[int, list[Sequence[int]]] = {}
        for word in reading.held(self._woken.keys()):
            for group in self._woken[word]:
                held.setdefault(group, []).append(reading.places(word))
        found: list[tuple[int, Sequence[int]]] = [(row, ()) for row in self._anywhere if self.patterns[row].is_hinted(reading.lower)]
        for group, lists in held.items():
            places = lists[0] if len(lists) == 1 else sorted(chain.from_iterable(lists))
            look, members = self._groups[group]
            if look:
                places = [place for place in places if look.match(reading.text, place)]
            if places:
                found += [(row, places) for row in members]
        for row, places in sorted(found):
            pattern = self.patterns[row]
            yield pattern, reading.matches_at(pattern.regex, places) if places else pattern.regex.finditer(reading.text)


def find_patterns(table: PatternTable, reading: Reading) -> Iterator[Span]:
    """The spans of every pattern in the text, pattern by pattern; they may overlap.

    >>> zips = Pattern("zip.plus4", "ZIP", re.compile(r"\\b\\d{5}-\\d{4}\\b"))
    >>> list(find_patterns(PatternTable(zips), Reading("Boston 02114-2696")))
    [Span(start=7, end=17, label='ZIP', score=0.9, source='rules.zip.plus4')]
    """
    for pattern, matches in table.find(reading):
        for match in matches:
            start, end = match.span(pattern.group)
            if start < end and (pattern.check is None or pattern.check(match)):
                yield Span(start, end, pattern.label, pattern.score, pattern.source)

"""Several layers of spans become one that does not overlap.

The policy, in order: a span of a more trusted source wins over the ones it overlaps, then the longer, then
the surer, then the earlier. What a winner leaves uncovered of a loser stays a span of its own: half-hidden PHI is
PHI. Spans are widened to whole words first, and the parts of one name or street, with only a blank, a full stop or
a hyphen between them, are joined last.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from incognote.document import Span

_place = attrgetter("start")
_GAP = re.compile(r"[ \t]{0,2}|\.[ \t]?|-|[ \t]?['’]")
# A full stop after more than an initial or "St" ends a sentence, and the name before it.
_SENTENCE = re.compile(r"\w{3}\.[ \t]")


@dataclass(frozen=True, slots=True)
class MergePolicy:
    """Who wins where spans overlap. ``trust`` maps a source prefix to a rank (0 when none matches; higher wins).

    The spans of a source with a negative rank are left out.
    """

    trust: Mapping[str, int] = field(default_factory=dict)
    join: frozenset[str] = frozenset({"PATIENT", "DOCTOR", "STREET"})
    # i2b2 marks the 67 of "67yo": an age is never widened to the word it stands in.
    within_words: frozenset[str] = frozenset({"AGE"})

    def rank(self, source: str) -> int:
        """The rank of the longest prefix of the source that ``trust`` names."""
        while source:
            if source in self.trust:
                return self.trust[source]
            source = source.rpartition(".")[0]
        return self.trust.get("", 0)


def merge(layers: Iterable[Sequence[Span]], text: str, *, policy: MergePolicy | None = None) -> tuple[Span, ...]:
    """One sorted, non-overlapping layer; merging it again changes nothing.

    >>> merge([[Span(0, 3, "PATIENT")], [Span(0, 7, "PATIENT")]], "Ann Lee called")
    (Span(start=0, end=7, label='PATIENT', score=1.0, source=''),)
    """
    policy = policy or MergePolicy()
    spans = [span for layer in layers for span in layer]
    ranks = {source: policy.rank(source) for source in {span.source for span in spans}}
    merged = _merge_once([span for span in spans if ranks[span.source] >= 0], text, policy, ranks)
    # A span that starts inside a word can leave a piece of that word to its neighbour, which a further pass widens.
    while any(span.label in policy.within_words for span in merged):
        again = _merge_once(merged, text, policy, ranks)
        if again == merged:
            break
        merged = again
    return merged


def _merge_once(spans: Sequence[Span], text: str, policy: MergePolicy, ranks: Mapping[str, int]) -> tuple[Span, ...]:
    widened = [span if span.label in policy.within_words else _whole_words(span, text) for span in spans]
    order = sorted(widened, key=lambda s: (-ranks[s.source], s.start - s.end, -s.score, s.start, s.label, s.source))
    return tuple(_join(_keep_first(order, text), text, policy.join))


def _keep_first(order: Iterable[Span], text: str) -> list[Span]:
    taken = bytearray(len(text))
    kept: list[Span] = []
    for span in order:
        if 1 not in taken[span.start : span.end]:
            kept.append(span)
        else:
            kept.extend(replace(span, start=start, end=end) for start, end in _free_runs(taken, span, text))
        taken[span.start : span.end] = b"\x01" * (span.end - span.start)
    return sorted(kept, key=_place)  # no two share a character


def _free_runs(taken: bytearray, span: Span, text: str) -> Iterable[tuple[int, int]]:
    """The stretches of the span not yet taken, less the marks and blanks at their edges."""
    at = span.start
    while at < span.end:
        if taken[at] or not _in_word(text[at]):
            at += 1
            continue
        start = last = at
        while at < span.end and not taken[at]:
            last = at if _in_word(text[at]) else last
            at += 1
        yield start, last + 1


def _whole_words(span: Span, text: str) -> Span:
    start, end = span.start, span.end
    while start > 0 and _in_word(text[start - 1]) and _in_word(text[start]):
        start -= 1
    while end < len(text) and _in_word(text[end]) and _in_word(text[end - 1]):
        end += 1
    return span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end)


def _in_word(character: str) -> bool:
    """Letters and digits, and the accents that follow a letter as characters of their own."""
    return character.isalnum() or (character > "\u02ff" and unicodedata.combining(character) > 0)


def _join(spans: Sequence[Span], text: str, labels: frozenset[str]) -> Iterable[Span]:
    held: Span | None = None
    for span in spans:
        if held and held.label == span.label and span.label in labels and _is_gap(text, held, span):
            surer = held if held.score >= span.score else span
            held = replace(held, end=span.end, score=min(held.score, span.score), source=surer.source)
            continue
        if held:
            yield held
        held = span
    if held:
        yield held


def _is_gap(text: str, one: Span, two: Span) -> bool:
    """Whether what stands between two spans parts no names."""
    if _GAP.fullmatch(text, one.end, two.start) is None:
        return False
    return one.label == "STREET" or _SENTENCE.fullmatch(text, one.end - 3, two.start) is None

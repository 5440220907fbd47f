"""Several layers of spans become one layer without overlaps.

Where spans overlap, the higher role wins, then the longer span, then the higher score, then the earlier start. The part of a losing span
that the winner does not cover stays a span of its own, so merging never uncovers PHI. Spans are widened to whole words first. Parts of one
name or street with only a space, a full stop, an apostrophe or a hyphen between them are joined last.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum

from incognote.document import Span
from incognote.document.scripts import is_unspaced

_GAP = re.compile(r"[ \t]{0,2}|\.[ \t]?|-|[ \t]?['’]")
# A full stop after more than an initial or "St" ends a sentence, and the name before it.
_SENTENCE = re.compile(r"\w{3}\.[ \t]")
_JOINED = frozenset({"PATIENT", "DOCTOR", "STREET"})
# Characters: nothing that identifies is longer, no name and no street has parts that reach further, no word is longer. What stands in a
# longer stretch is hidden piece by piece, for what filters, memory and replacement do with one value need not be linear in its length.
_LONGEST, _LONGEST_JOINED, _LONGEST_WORD = 1000, 200, 400
# i2b2 marks the 67 of "67yo": an age is never widened to the word it stands in.
WITHIN_WORDS = frozenset({"AGE"})


class Role(IntEnum):
    """The priority of a layer of spans; the higher wins where two overlap.

    ``GUESS``: its words or context suggest PHI. ``LEARNED``: found by a model. ``EXACT``: its form is PHI even where the model
    finds nothing. ``KNOWN``: a known value of the patient.
    """

    GUESS = 0
    LEARNED = 1
    EXACT = 2
    KNOWN = 3


def merge(layers: Iterable[Sequence[Span]], text: str, *, roles: Iterable[Role] | None = None) -> tuple[Span, ...]:
    """One sorted layer without overlaps; ``roles`` has one role for each layer (all equal when None).

    >>> merge([[Span(0, 3, "PATIENT")], [Span(0, 7, "PATIENT")]], "Ann Lee called")
    (Span(start=0, end=7, label='PATIENT', score=1.0, source=''),)
    """
    layers = list(layers)
    ranks = list(roles) if roles is not None else [Role.GUESS] * len(layers)
    merged = _merge_once([(rank, span) for rank, layer in zip(ranks, layers, strict=True) for span in layer], text)
    # A span that starts inside a word can leave a piece of that word to its neighbour, which a further pass widens.
    while any(span.label in WITHIN_WORDS for _, span in merged):
        again = _merge_once(merged, text)
        if again == merged:
            break
        merged = again
    return tuple(span for _, span in merged)


def cut_long(span: Span, text: str) -> Iterator[Span]:
    """The span, in pieces of at most a thousand characters, parted at blanks where there are any.

    >>> [(part.start, part.end) for part in cut_long(Span(0, 1400, "PATIENT"), "Ann Lee, " * 200)]
    [(0, 998), (999, 1400)]
    """
    start = span.start
    while span.end - start > _LONGEST:
        blank = text.rfind(" ", start + 1, start + _LONGEST)
        end = blank if blank > 0 else start + _LONGEST
        yield replace(span, start=start, end=end)
        start = end + 1 if blank > 0 else end
    yield span if start == span.start else replace(span, start=start)


Ranked = tuple[Role, Span]


def _merge_once(spans: Sequence[Ranked], text: str) -> list[Ranked]:
    widened = [(rank, span if span.label in WITHIN_WORDS else _whole_words(span, text)) for rank, span in spans]
    order = sorted(widened, key=lambda each: (-each[0], -len(each[1]), -each[1].score, each[1].start, each[1].label, each[1].source))
    return list(_join(_keep_first(order, text), text))


def _keep_first(order: Iterable[Ranked], text: str) -> list[Ranked]:
    taken = bytearray(len(text))
    kept: list[Ranked] = []
    for rank, span in order:
        if 1 not in taken[span.start : span.end]:
            kept.append((rank, span))
        else:
            kept.extend((rank, replace(span, start=start, end=end)) for start, end in _free_runs(taken, span, text))
        taken[span.start : span.end] = b"\x01" * len(span)
    return sorted(kept, key=lambda each: each[1].start)  # no two share a character


def _free_runs(taken: bytearray, span: Span, text: str) -> Iterable[tuple[int, int]]:
    """The parts of the span that are not yet taken, without punctuation and spaces at their ends."""
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
    first, last = max(0, start - _LONGEST_WORD), min(end + _LONGEST_WORD, len(text))
    while start > first and _are_one_word(text[start - 1], text[start]):
        start -= 1
    while end < last and _are_one_word(text[end - 1], text[end]):
        end += 1
    return span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end)


def _are_one_word(one: str, two: str) -> bool:
    """Letters and digits side by side; words of Han or Hangul may stand without blanks between them."""
    return _in_word(one) and _in_word(two) and not is_unspaced(one) and not is_unspaced(two)


def _in_word(character: str) -> bool:
    """Whether the character is a letter, a digit or a combining accent."""
    return character.isalnum() or (character > "\u02ff" and unicodedata.combining(character) > 0)


def _join(spans: Sequence[Ranked], text: str) -> Iterable[Ranked]:
    held: Ranked | None = None
    for rank, span in spans:
        if held and held[1].label == span.label and span.label in _JOINED and _is_gap(text, held[1], span):
            first = held[1]
            surer = first if first.score >= span.score else span
            held = max(held[0], rank), replace(first, end=span.end, score=min(first.score, span.score), source=surer.source)
            continue
        if held:
            yield held
        held = rank, span
    if held:
        yield held


def _is_gap(text: str, one: Span, two: Span) -> bool:
    """Whether two spans are parts of one name or street."""
    if two.end - one.start > _LONGEST_JOINED or _GAP.fullmatch(text, one.end, two.start) is None:
        return False
    return one.label == "STREET" or _SENTENCE.fullmatch(text, one.end - 3, two.start) is None

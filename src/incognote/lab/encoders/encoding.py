"""Gold spans as tags of subword tokens: what training learns from. Every subword of a span is labelled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.document import Document, Span, fit_tag
from incognote.errors import LabelError
from incognote.find.model.tokens import Ints, SubwordTokenizer, Tokens


@dataclass(frozen=True, slots=True)
class EncodedNote:
    """A note's tokens and, for each, the number of its tag in the tag set."""

    tokens: Tokens
    tags: Ints = field(repr=False)

    def __len__(self) -> int:
        return len(self.tokens)


def encode_notes(documents: Sequence[Document], tokenizer: SubwordTokenizer, tags: Sequence[str]) -> list[EncodedNote]:
    """The documents, tokenized in bulk, with the tag numbers of their spans. Labels that the tag set lacks raise."""
    check_labels(documents, tags)
    numbers = _tag_numbers(tags)
    notes = tokenizer.tokenize([document.text for document in documents])
    return [
        EncodedNote(tokens, _encode(document, tokens, numbers, outside=tags.index("O")))
        for document, tokens in zip(documents, notes, strict=True)
    ]


def check_labels(documents: Iterable[Document], tags: Sequence[str]) -> None:
    """Raise when a document holds a label for which there is no tag; all such labels are named, with a document each."""
    known = {tag.partition("-")[2] for tag in tags}
    lacking: dict[str, str] = {}
    for document in documents:
        for span in document.spans:
            if span.label not in known:
                lacking.setdefault(span.label, document.id)
    if lacking:
        named = ", ".join(f"{label} (document {first})" for label, first in sorted(lacking.items()))
        raise LabelError(f"the model has no tag for these labels of the data: {named}; map them to its scheme or train with a wider one")


def _tag_numbers(tags: Sequence[str]) -> dict[str, tuple[int, int]]:
    """For each label the numbers of its beginning and inside tags; where one is missing, its twin is used."""
    allowed = frozenset(tags)
    labels = {tag.partition("-")[2] for tag in tags} - {""}
    return {label: (tags.index(fit_tag(f"B-{label}", allowed)), tags.index(fit_tag(f"I-{label}", allowed))) for label in labels}


def _encode(document: Document, tokens: Tokens, numbers: dict[str, tuple[int, int]], *, outside: int) -> Ints:
    chosen = np.full(len(tokens), outside, dtype=np.int32)
    free = 0
    for span in document.spans:
        first, last = _tokens_of(span, tokens, document.text, free)
        if first < last:
            begin, inside = numbers[span.label]
            chosen[first], chosen[first + 1 : last] = begin, inside
            free = last
    return chosen


def _tokens_of(span: Span, tokens: Tokens, text: str, free: int) -> tuple[int, int]:
    """The tokens that share a visible character with the span, less those that an earlier span has taken.

    A blank token (a line break in byte BPE) in the middle of a span is inside it, but none begins or ends one.
    """
    first = max(free, int(np.searchsorted(tokens.ends, span.start, side="right")))
    last = int(np.searchsorted(tokens.starts, span.end, side="left"))
    while first < last and not _shares(span, tokens, first, text):
        first += 1
    while first < last and not _shares(span, tokens, last - 1, text):
        last -= 1
    return first, last


def _shares(span: Span, tokens: Tokens, at: int, text: str) -> bool:
    start, end = int(tokens.starts[at]), int(tokens.ends[at])
    done = int(tokens.ends[at - 1]) if at else 0
    if start < done < end:  # what two tokens cover belongs to the first, unless the second covers nothing else
        start = done
    low, high = max(span.start, start), min(span.end, end)
    return low < high and not text[low:high].isspace()

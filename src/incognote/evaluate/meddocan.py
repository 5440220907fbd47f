"""The scores of MEDDOCAN 2019: NER, spans strict, spans merged, and the leak score (missed spans per sentence).

``merged`` is what the official script counts: a pair of spans, or of runs of spans with no letter or digit between
them, that agree is a hit, and a span inside a hit is no error; so two spans that agree alone and as a run are three hits.
``joined`` follows the guidelines to the letter: runs are joined first, then the two sets are compared.

The official leak score takes its sentences from FreeLing. Here a sentence ends at a line break, or at ``.``, ``!``,
``?`` or ``…`` before white space and a capital, a digit or an opening mark, unless the full stop follows a single
capital letter or a title.
"""

import re
from collections.abc import Iterable

from incognote.document import Document
from incognote.evaluate.counts import Counts, Ratio, count_sets

Offsets = tuple[int, int]

_SENTENCE_END = re.compile(r"""[.!?…]+["'»”)\]]*\s+(?=["'«“(\[¿¡]*[A-ZÀ-ÖØ-Þ0-9])""")
_ABBREVIATION = re.compile(r"(?:\b[A-ZÀ-ÖØ-Þ]|\b(?:Dr|Dra|Dres|Sr|Sra|Srta|Prof|Mr|Mrs|Ms|St|No|Nº|Tel|Tfno|Avda|Av))\.$")


def count_meddocan(gold: Document, predicted: Document) -> dict[str, Counts | Ratio]:
    """Counts of one document: ``ner``, ``spans``, ``merged``, ``joined``, and the ratio ``leak``.

    >>> from incognote.document import parse_markup
    >>> counts = count_meddocan(parse_markup("<DATE>3 May</DATE>, <DATE>2 pm</DATE>"), parse_markup("<DATE>3 May, 2 pm</DATE>"))
    >>> counts["spans"], counts["merged"], counts["leak"]
    (Counts(tp=0, fp=1, fn=2), Counts(tp=1, fp=0, fn=0), Ratio(part=2, whole=1))
    """
    ner = count_sets({(span.label, span.start, span.end) for span in gold.spans}, {(s.label, s.start, s.end) for s in predicted.spans})
    ours, theirs = ({(span.start, span.end) for span in document.spans} for document in (gold, predicted))
    ours_joined, theirs_joined = join_spans(ours, gold.text), join_spans(theirs, gold.text)
    hits = (ours & theirs) | (ours_joined & theirs_joined)
    wrong = [span for span in theirs - ours if not _inside(span, hits)]
    missed = [span for span in ours - theirs if not _inside(span, hits)]
    return {
        "ner": ner,
        "spans": count_sets(ours, theirs),
        "merged": Counts(len(hits), len(wrong), len(missed)),
        "joined": count_sets(ours_joined, theirs_joined),
        "leak": Ratio(ner.fn, count_sentences(gold.text)),
    }


def join_spans(spans: Iterable[Offsets], text: str) -> set[Offsets]:
    """Runs of spans with no letter or digit between them made one.

    >>> sorted(join_spans([(0, 3), (5, 8), (9, 10)], "Ann, Lee7x"))
    [(0, 8), (9, 10)]
    """
    joined: list[Offsets] = []
    for start, end in sorted(spans):
        if joined and not any(map(str.isalnum, text[joined[-1][1] : start])):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return set(joined)


def count_sentences(text: str) -> int:
    """How many sentences, as the head of this module defines them.

    >>> count_sentences("Vio al Dr. Ruiz. Mejora\\n\\nAlta el 3.5.2019")
    3
    """
    return sum(1 + _count_ends(line) for line in map(str.strip, text.split("\n")) if line)


def _count_ends(line: str) -> int:
    """How many sentences end before the last one of the line."""
    ends = (match.start() + 1 for match in _SENTENCE_END.finditer(line))
    return sum(not _ABBREVIATION.search(line, max(0, end - 7), end) for end in ends)


def _inside(span: Offsets, hits: Iterable[Offsets]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in hits)

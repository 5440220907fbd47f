"""The counts of a run, added up over chunks; the report shows them."""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from incognote.corpora.extra_columns import list_extra_columns
from incognote.deidentifier import Scrubbed
from incognote.document.scripts import count_unread
from incognote.replace import Edit

LEAST_SURE = 40
CONTEXT = 60


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over the clean notes, the extra columns, the spans with the lowest scores in their clean context, and the quarantine.

    ``labels`` and ``sources`` count the spans found, ``kept`` those that the policy left unchanged. ``verdicts`` count, by label, the
    evidence that kept spans, and as ``doubt`` the spans that the policy would keep but that were replaced for lack of evidence.
    ``clean_notes`` are notes without PHI.
    ``unread`` counts by script the letters in clean notes that the model cannot read.
    ``order_open`` counts notes with shifted dates that nothing says are month first or day first.
    ``known`` counts the notes of patients in the roster (known patients).
    """

    notes: int = 0
    words: int = 0
    clean_notes: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    extra_columns: Counter[str] = field(default_factory=Counter)
    least_sure: tuple[dict[str, Any], ...] = ()
    quarantine: tuple[dict[str, str], ...] = ()
    known: int = 0
    order_open: int = 0

    @property
    def found(self) -> int:
        return self.labels.total()

    @property
    def replaced(self) -> int:
        return self.found - self.kept.total()

    @classmethod
    def merge(cls, chunks: Iterable[Mapping[str, Any]], *, quarantine: Sequence[dict[str, str]], known: int = 0) -> "Summary":
        """The sum of what :func:`summarize` recorded for each chunk."""
        notes = words = clean = order_open = 0
        labels: Counter[str] = Counter()
        sources: Counter[str] = Counter()
        kept: Counter[str] = Counter()
        verdicts: Counter[str] = Counter()
        unread: Counter[str] = Counter()
        extra_columns: Counter[str] = Counter()
        unsure: list[dict[str, Any]] = []
        for chunk in chunks:
            notes, words, clean = notes + chunk["notes"], words + chunk["words"], clean + chunk["clean_notes"]
            order_open += chunk["order_open"]
            labels.update(chunk["labels"])
            sources.update(chunk["sources"])
            kept.update(chunk["kept"])
            verdicts.update(chunk["verdicts"])
            unread.update(chunk["unread"])
            extra_columns.update(chunk["extra_columns"])
            unsure = _least_sure([*unsure, *chunk["least_sure"]])
        return cls(
            notes, words, clean, labels, sources, kept, verdicts, unread, extra_columns, tuple(unsure), tuple(quarantine), known, order_open
        )


def summarize(scrubbed: Sequence[Scrubbed], *, scrubbed_columns: Sequence[str] = ()) -> dict[str, Any]:
    """One chunk's share of the summary, ready for JSON."""
    edits = [(result, edit) for result in scrubbed for edit in result.edits]
    return {
        "notes": len(scrubbed),
        "words": sum(len(result.text.split()) for result in scrubbed),
        "clean_notes": sum(not result.edits for result in scrubbed),
        "order_open": sum(result.order_open for result in scrubbed),
        "labels": Counter(edit.before.label for _, edit in edits),
        "sources": Counter(edit.before.source for _, edit in edits),
        "kept": Counter(edit.before.label for _, edit in edits if edit.replacement == edit.original),
        "verdicts": Counter(
            f"{edit.before.label} {verdict}"
            for result in scrubbed
            for edit, verdict in zip(result.edits, result.verdicts, strict=True)
            if verdict
        ),
        "unread": sum((count_unread(result.text, result.spans) for result in scrubbed), Counter()),
        "extra_columns": Counter(
            name for result in scrubbed for name in list_extra_columns(result.document) if name not in scrubbed_columns
        ),
        "least_sure": _least_sure([_describe(result, edit) for result, edit in edits]),
    }


def _least_sure(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return heapq.nsmallest(LEAST_SURE, rows, key=lambda row: (row["score"], row["document"], row["start"]))


def _describe(result: Scrubbed, edit: Edit) -> dict[str, Any]:
    """A span in its clean context. Only a report with ``show_phi`` shows the original."""
    text = result.text
    start = edit.after.start if edit.after else 0
    end = edit.after.end if edit.after else start
    return {
        "document": result.document.id,
        "start": edit.before.start,
        "label": edit.before.label,
        "score": edit.before.score,
        "source": edit.before.source,
        "before": text[max(0, start - CONTEXT) : start],
        "replacement": edit.replacement,
        "after": text[end : end + CONTEXT],
        "original": edit.original,
    }

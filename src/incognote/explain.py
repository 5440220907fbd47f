"""What happened to each candidate of a note: its finder, the decisions of the filters, the span it was merged into, the replacement."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from incognote.deidentifier import Deidentifier
from incognote.document import Document, Span, normalize_document
from incognote.facts import gather_facts, patient_key
from incognote.filters import Decision
from incognote.pipeline import Trace
from incognote.replace import Edit

MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Story:
    """What happened to one candidate. ``edits`` are the edits that overlap it; a dropped candidate may overlap those of others."""

    finder: str
    span: Span
    text: str = field(repr=False)
    decisions: tuple[Decision, ...]
    edits: tuple[Edit, ...] = field(repr=False)

    @property
    def kept(self) -> bool:
        return all(decision.kept for decision in self.decisions)

    def as_json(self) -> dict[str, Any]:
        """As a JSON object. It holds PHI."""
        return {
            "start": self.span.start,
            "end": self.span.end,
            "text": self.text,
            "label": self.span.label,
            "finder": self.finder,
            "source": self.span.source,
            "score": round(self.span.score, 4),
            "kept": self.kept,
            "decisions": [_decision_as_json(decision) for decision in self.decisions],
            "became": [_edit_as_json(edit) for edit in self.edits],
        }


def explain(deidentifier: Deidentifier, document: Document) -> list[Story]:
    """The Story of every candidate of a note, in the order of the text, and one for each mention that memory adds."""
    normalized = normalize_document(document)
    trace = next(iter(deidentifier.pipeline.trace([normalized.document])))
    found = document.with_spans(normalized.restore(trace.merged))
    facts = gather_facts([found])[patient_key(document)] if found.spans else None
    edits = deidentifier.scrub_one(found, facts).edits if facts else ()
    stories = [
        Story(finder, span, document.text[span.start : span.end], decisions, _covering(edits, span))
        for finder, span, decisions in _candidates(trace, lambda span: normalized.restore([span])[0])
    ]
    held = {(edit.before.start, edit.before.end) for story in stories for edit in story.edits}
    added = [edit for edit in edits if (edit.before.start, edit.before.end) not in held]
    stories += [Story(MEMORY, edit.before, edit.original, (), (edit,)) for edit in added]
    return sorted(stories, key=lambda story: (story.span.start, story.span.end, story.finder))


def _candidates(trace: Trace, restore: Any) -> Iterator[tuple[str, Span, tuple[Decision, ...]]]:
    """Each candidate with its finder and the decisions that cut or dropped it."""
    for finder, layer in trace.candidates.items():
        changed = [decision for name, decision in trace.decisions if name == finder]
        for span in layer.spans:
            chain, current = [], {(span.start, span.end, span.label)}
            for decision in changed:
                if (decision.span.start, decision.span.end, decision.span.label) in current:
                    chain.append(Decision(restore(decision.span), tuple(map(restore, decision.became)), decision.by, decision.reason))
                    current = {(each.start, each.end, each.label) for each in decision.became}
            yield finder, restore(span), tuple(chain)


def _covering(edits: tuple[Edit, ...], span: Span) -> tuple[Edit, ...]:
    return tuple(edit for edit in edits if edit.before.overlaps(span))


def _decision_as_json(decision: Decision) -> Mapping[str, Any]:
    became = [{"start": span.start, "end": span.end, "label": span.label} for span in decision.became]
    return {"by": decision.by, "kept": decision.kept, "reason": decision.reason, "became": became}


def _edit_as_json(edit: Edit) -> Mapping[str, Any]:
    return {
        "start": edit.before.start,
        "end": edit.before.end,
        "label": edit.before.label,
        "source": edit.before.source,
        "replacement": edit.replacement,
    }

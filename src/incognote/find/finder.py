"""The Tagger protocol: whatever finds PHI, rules or encoder, looks like this to the rest."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from incognote.document import Span


@runtime_checkable
class Tagger(Protocol):
    """Finds spans in texts, a batch at a time. Spans of one text are sorted; they may overlap before the merge.

    A tagger is picklable, keeps nothing between calls, and names itself in each span's ``source``
    (``rules.date.iso``, ``model.incognote-small``).
    """

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]: ...

"""Finders: whatever finds candidate spans, as rows of a pipeline."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

from incognote.document import Document, Span
from incognote.lexicon.phrases import Phrases
from incognote.merge import Role

ALWAYS = "always"

Made = TypeVar("Made")


@runtime_checkable
class Tagger(Protocol):
    """Finds spans in texts, a batch at a time: an encoder, an ensemble, any model.

    Spans of one text are sorted. A tagger is picklable and keeps nothing between calls.
    """

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]: ...


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that are searched together. ``seen`` has the spans of the finder named by ``near`` in each document, if one is named.

    ``memo`` is a cache that the finders of one batch share.
    """

    documents: tuple[Document, ...]
    seen: Sequence[Sequence[Span]] | None = None
    memo: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """The result of ``make``, computed once for all finders of the batch."""
        if name not in self.memo:
            self.memo[name] = make()
        return cast("Made", self.memo[name])


Find = Callable[[Batch], Sequence[Iterable[Span]]]
"""A function, or a callable object, from a batch to the spans of each of its documents."""


@dataclass(frozen=True, slots=True)
class Finder:
    """One row of a pipeline: a function that finds spans, and their role.

    ``near`` names another finder: spans count only where they touch a span of that one, so only the text around those is searched.
    ``cued`` means that the context of each span proves its label, so the clinical-term filter skips it.
    ``labels`` renames labels of another scheme.
    """

    name: str
    find: Find
    role: Role
    near: str = ""
    cued: bool = False
    labels: Mapping[str, str] | None = None

    def __str__(self) -> str:
        near = f" near {self.near}" if self.near else ""
        return f"{self.name:<12} {self.role.name:<8}{near:<12} {describe(self.find)}"


@dataclass(frozen=True, slots=True)
class TextFinder:
    """A Find over a Tagger."""

    tagger: Tagger

    def __call__(self, batch: Batch) -> Sequence[Sequence[Span]]:
        return self.tagger.tag(batch.texts)

    def __str__(self) -> str:
        return describe(self.tagger)


@dataclass(frozen=True, slots=True)
class PhraseFinder:
    """A Find over a list of phrases that are always PHI; those without a label get ``label``."""

    phrases: Phrases
    label: str = "OTHER"

    def __call__(self, batch: Batch) -> list[list[Span]]:
        return [
            [Span(start, end, label or self.label, 1.0, ALWAYS) for start, end, label in self.phrases.find(text)] for text in batch.texts
        ]

    def __str__(self) -> str:
        return self.phrases.name


def describe(part: object) -> str:
    """The name of a part of a pipeline in print and in fingerprints: of a function ``__name__``, of an object ``str``.

    >>> describe(describe)
    'describe'
    """
    return getattr(part, "__name__", None) or str(part)

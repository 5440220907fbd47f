"""The Pipeline: the whole method as one frozen value that prints itself."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from incognote.document import Document, Span, relabel
from incognote.errors import ConfigError
from incognote.filters import (
    Decision,
    Filter,
    Layer,
    Note,
    drop_citations,
    drop_clinical_terms,
    drop_lookalikes,
    trim_boundaries,
)
from incognote.find.finder import Batch, Finder, describe
from incognote.find.model.machine import own_cores, quick_turns
from incognote.find.model.tagger import part_texts
from incognote.memory.enumerations import find_listed_names
from incognote.merge import Role, cut_long, merge
from incognote.thresholds import Thresholds
from incognote.version import __version__

MODEL, PATIENTS = "model", "patients"
FILTERS: tuple[Filter, ...] = (drop_lookalikes, drop_citations, drop_clinical_terms, trim_boundaries)


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened to one note: the candidates by finder, the decisions of the filters, the layers left, the merged spans; no text."""

    candidates: Mapping[str, Layer]
    decisions: tuple[tuple[str, Decision], ...]
    layers: Mapping[str, Layer]
    merged: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Finders, then filters in order, then the merge by role. ``priorities`` gives single rules another role (None leaves one out)."""

    finders: tuple[Finder, ...]
    filters: tuple[Filter, ...] = FILTERS
    thresholds: Thresholds = field(default_factory=Thresholds.default)
    priorities: Mapping[str, Role | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [finder.name for finder in self.finders]
        faults = [f"two finders are called {name}" for name in sorted({name for name in names if names.count(name) > 1})]
        faults += [
            f"{finder.name}: near {finder.near}, which is not one of {', '.join(names)}"
            for finder in self.finders
            if finder.near not in ("", *names)
        ]
        if faults:
            raise ConfigError("pipeline", faults)

    def __str__(self) -> str:
        rows = ["finders", *(f"  {finder}" for finder in self.finders), "filters", *(f"  {describe(each)}" for each in self.filters)]
        rows += [
            "merge",
            "  KNOWN over EXACT over LEARNED and GUESS; then the longer, then the surer",
            "memory",
            "  find_listed_names",
            "  find_known_mentions",
        ]
        if self.priorities:
            rows += ["priorities", *(f"  {rule} {'out' if role is None else role.name}" for rule, role in sorted(self.priorities.items()))]
        return "\n".join([*rows, "thresholds", f"  {self.thresholds}"])

    @property
    def fingerprint(self) -> str:
        """A digest of the version, the finders with their models, the filters and all thresholds."""
        return hashlib.sha256(f"{__version__}\n{self}".encode()).hexdigest()[:16]

    def with_finder(self, finder: Finder) -> "Pipeline":
        """The pipeline with one more finder."""
        return replace(self, finders=(*self.finders, finder))

    def find(self, documents: Sequence[Document]) -> list[tuple[Span, ...]]:
        """The merged spans of each document."""
        return [trace.merged for trace in self.trace(documents)]

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """As a Tagger: the merged spans of each text."""
        return self.find([Document(f"text-{at}", text) for at, text in enumerate(texts, 1)])

    def trace(self, documents: Sequence[Document]) -> Iterator[Trace]:
        """The Trace of each document."""
        at = 0
        for part in part_texts([document.text for document in documents]):
            batch = tuple(documents[at : at + len(part)])
            at += len(part)
            found = self._run_finders(batch)
            for number, document in enumerate(batch):
                yield self.judge(document.text, {name: spans[number] for name, spans in found.items()})

    def _run_finders(self, documents: tuple[Document, ...]) -> dict[str, Sequence[Sequence[Span]]]:
        """The spans of each finder. Models run in threads beside the rules: their runtimes release the GIL while they compute."""
        batch = Batch(documents)
        first = [finder for finder in self.finders if not finder.near]
        with quick_turns(), ThreadPoolExecutor(max(1, min(len(first), own_cores()))) as threads:
            learned = {finder.name: threads.submit(run_finder, finder, batch) for finder in first if finder.role is Role.LEARNED}
            # In this thread, which a timer can interrupt.
            found = {finder.name: run_finder(finder, batch) for finder in first if finder.name not in learned}
            found |= {name: spans.result() for name, spans in learned.items()}
        for finder in self.finders:
            if finder.near:
                found[finder.name] = run_finder(finder, Batch(documents, found[finder.near], batch.memo))
        return found

    def judge(self, text: str, found: Mapping[str, Sequence[Span]]) -> Trace:
        """Run the filters over the candidates of one note, then merge what is left."""
        candidates = {each.name: Layer(each.name, each.role, found[each.name], each.near, each.cued) for each in self.finders}
        note = Note(text, candidates, candidates, self.thresholds)
        decisions: list[tuple[str, Decision]] = []
        for judge in self.filters:
            layers = {}
            for name, layer in note.layers.items():
                judged = judge(layer, note)
                decisions += [(name, decision) for decision in judged if decision.by]
                layers[name] = replace(layer, spans=[span for decision in judged for span in decision.became])
            note.layers = layers
        pieces = list(self._by_priority(note.layers.values()))
        merged = merge([spans for _, spans in pieces], text, roles=[role for role, _ in pieces])
        if listed := find_listed_names(text, merged):
            merged = merge([merged, listed], text)
        return Trace(candidates, tuple(decisions), note.layers, merged)

    def _by_priority(self, layers: Iterable[Layer]) -> Iterator[tuple[Role, Sequence[Span]]]:
        for layer in layers:
            own = [span for span in layer.spans if span.source not in self.priorities] if self.priorities else layer.spans
            # A guess that passed the filters has support: it gets the rank of the model.
            yield max(layer.role, Role.LEARNED), own
            for rule, role in self.priorities.items():
                if role is not None:
                    yield role, [span for span in layer.spans if span.source == rule]


def run_finder(finder: Finder, batch: Batch) -> Sequence[Sequence[Span]]:
    """The spans of each document of a batch, sorted, with the labels of the pipeline."""
    found = [
        sorted(piece for span in spans for piece in cut_long(span, text))
        for spans, text in zip(finder.find(batch), batch.texts, strict=True)
    ]
    return [relabel(spans, finder.labels) for spans in found] if finder.labels else found

"""The Pipeline: the whole method as one frozen value that prints itself, and the Deidentifier, which runs it and replaces what it finds."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from incognote.document import Document, NormalizedDocument, Span, normalize_document, relabel, scheme
from incognote.document.labels import scheme_names
from incognote.document.scripts import count_unread
from incognote.errors import ConfigError, UnreadError
from incognote.facts import Facts, gather_facts, patient_key
from incognote.filters import (
    Decision,
    Filter,
    KeptWords,
    Layer,
    Note,
    Rescorer,
    drop_citations,
    drop_clinical_terms,
    drop_lookalikes,
    require_support,
    trim_boundaries,
)
from incognote.find.finder import ALWAYS, Batch, Finder, PhraseFinder, Tagger, TextFinder, describe
from incognote.find.model import list_choices, load_tagger
from incognote.find.model.choice_cache import Choice
from incognote.find.model.machine import own_cores, quick_turns
from incognote.find.model.tagger import part_texts
from incognote.find.rules.finder import context_rules, cue_rules, identifier_rules, pattern_rules, sure_rules, time_rules, title_rules
from incognote.find.rules.own import read_rules
from incognote.lexicon.phrases import Phrases
from incognote.memory.enumerations import find_listed_names
from incognote.memory.known_mentions import find_known_mentions
from incognote.memory.patients import Roster
from incognote.merge import Role, cut_long, merge
from incognote.models import STANDARD
from incognote.replace import Edit, Marks, Policy, Replacer, load_policy, make_replacer, random_key, rewrite
from incognote.replace.marks import DEFAULT_MARKS
from incognote.thresholds import Thresholds
from incognote.version import __version__

MODEL, PATIENTS = "model", "patients"
DEFAULT_RULES, NO_RULES = "default", "none"
LABELS = "i2b2-2014"
# A name found by the name lists alone yields to every other span: "12 Broadway, Boston".
PRIORITIES: Mapping[str, Role | None] = {"rules.name.list": Role.GUESS}
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


def build_pipeline(
    models: Sequence[str] | str | None = None,
    *,
    patients: Roster | None = None,
    runtime: str = "auto",
    unsafe: bool = False,
    thresholds: Thresholds | None = None,
    priorities: Mapping[str, Role | None] | None = None,
    rules: Sequence[str | Path] | str | Path = DEFAULT_RULES,
    always: str | Path | None = None,
    keep_words: str | Path | None = None,
) -> Pipeline:
    """The shipped rules with the shipped model, with other ``models`` (folders or hub names; several make an ensemble), or alone (``()``).

    With the shipped model, guesses of the rules count only near a span of the model, and the rescorer judges spans that only the model
    found. Both are fitted to that model; a pipeline with another model has neither. ``rules`` are files of a user's own beside the shipped
    ones; "none" leaves those out. ``always`` and ``keep_words`` are files of words that are always PHI, and never.
    """
    chosen = STANDARD if models is None else (models,) if isinstance(models, str) else tuple(models)
    shipped = chosen == STANDARD
    near = MODEL if shipped else ""
    files = [rules] if isinstance(rules, str | Path) else list(rules)
    own, bare = [name for name in files if name not in (DEFAULT_RULES, NO_RULES)], NO_RULES in files
    if bare and not (chosen or own or always):
        raise ConfigError("pipeline", ["nothing is left to find PHI"], fix="leave either {models} or {rules} at the default")
    finders: tuple[Finder, ...] = (
        ()
        if bare
        else (
            Finder("patterns", pattern_rules, Role.EXACT),
            Finder("identifiers", identifier_rules, Role.GUESS),
            Finder("titles", title_rules, Role.GUESS, cued=True),
            Finder("sure", sure_rules, Role.GUESS, cued=True),
            Finder("times", time_rules, Role.EXACT, near=near),
            Finder("cues", cue_rules, Role.GUESS, near=near, cued=True),
            Finder("context", context_rules, Role.GUESS, near=near),
        )
    )
    if chosen:
        tagger = load_tagger(chosen, runtime=runtime, unsafe=unsafe)
        finders = (Finder(MODEL, TextFinder(tagger), Role.LEARNED, labels=_label_map(tagger)), *finders)
    finders = (*finders, *(Finder(f"own {at}" if at > 1 else "own", read_rules(file), Role.EXACT) for at, file in enumerate(own, 1)))
    if always is not None:
        finders = (*finders, Finder(ALWAYS, _find_always(Phrases.read(always)), Role.KNOWN))
    if patients is not None:
        finders = (*finders, Finder(PATIENTS, patients, Role.KNOWN))
    return Pipeline(
        finders,
        (
            *FILTERS,
            *((require_support, Rescorer(MODEL)) if shipped else ()),
            *((KeptWords(Phrases.read(keep_words)),) if keep_words is not None else ()),
        ),
        thresholds or Thresholds.default(),
        {**PRIORITIES, **(priorities or {})},
    )


def _find_always(phrases: Phrases) -> PhraseFinder:
    strange = sorted(phrases.labels - {"", *scheme(LABELS).labels})
    if strange:
        raise ConfigError("always", [f"{len(strange)} of its labels are not among {', '.join(scheme(LABELS).labels)}"])
    return PhraseFinder(phrases)


def _label_map(tagger: Tagger) -> Mapping[str, str] | None:
    """A map from the model's labels to the scheme of the rules; None where they are the same, or where no shipped scheme has them."""
    labels = {label for tag in getattr(tagger, "tags", ()) if (label := tag.partition("-")[2])}
    if not labels or labels <= set(scheme(LABELS).labels):
        return None
    known = (scheme(name) for name in scheme_names())
    return next((each.mapping(LABELS) for each in known if labels <= set(each.labels) and LABELS in each.maps), None)


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """One note after scrubbing: the clean document and its edits.

    ``verdicts`` give for each edit the evidence that keeps its text, ``doubt`` where the policy keeps it but nothing proves it, or ``""``.
    ``order_open`` says that nothing decides between 3 April and March 4: the intervals between shifted dates hold for month first only.
    """

    document: Document
    edits: tuple[Edit, ...] = field(repr=False)
    verdicts: tuple[str, ...] = ()
    order_open: bool = False

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def spans(self) -> tuple[Span, ...]:
        """The replacements, as spans of the clean text."""
        return self.document.spans


@dataclass(frozen=True, slots=True)
class Deidentifier:
    """A pipeline and a replacer: finds PHI, finds it again in all notes of the patient, and replaces it.

    A run over many notes has two passes, so that memory stays small: ``find`` on every note, then ``scrub_one`` on each with the facts of
    its patient. ``scrub`` does both for the notes it is given.
    """

    pipeline: Pipeline
    replacer: Replacer
    accept_unread: bool = False

    @classmethod
    def default(
        cls,
        *,
        mode: str = "surrogate",
        policy: str | Path | Policy = "i2b2",
        clinicians: str | None = None,
        key: bytes | None = None,
        patients: str | Path | None = None,
        models: Sequence[str] | str | None = None,
        priorities: Mapping[str, Role | None] | None = None,
        recall: str | float = "default",
        runtime: str = "auto",
        unsafe: bool = False,
        rules: Sequence[str | Path] | str | Path = DEFAULT_RULES,
        always: str | Path | None = None,
        keep_words: str | Path | None = None,
        accept_unread: bool = False,
        mask: str = DEFAULT_MARKS.mask,
        placeholder: str = DEFAULT_MARKS.placeholder,
        names: str = "one",
    ) -> "Deidentifier":
        """The shipped rules and model with a mode (redact, placeholder, surrogate) and a policy. Without a key a random one is used.

        ``clinicians`` ("keep" or "remove") overrides the policy for names of staff. ``models`` replaces the shipped model; ``()`` means
        rules only. ``recall`` trades precision for recall: "low", "default", "high" or a number. ``runtime`` is what computes the models;
        ``auto`` takes int8 where it is validated or agrees with full precision. ``unsafe`` opens models whose weights are pickles.
        ``rules`` are files of rules of your own ("none": without the shipped rules); ``always`` and ``keep_words`` are files of words that
        are always PHI, and never.
        ``accept_unread`` scrubs notes that hold letters of scripts the model cannot read, too.
        ``mask`` is "fixed" (``***``) or "same-length"; ``placeholder`` is a template such as ``[{label}-{number}]`` or ``[{label}]``.
        ``names`` is "one" surrogate name for each person, or "varied": several, which hides a missed name better and reads worse.
        """
        actions = policy if isinstance(policy, Policy) else load_policy(policy, clinicians=clinicians)
        replacer = make_replacer(
            mode, policy=actions, key=random_key() if key is None else key, marks=Marks(mask, placeholder), names=names
        )
        roster = Roster.from_csv(patients) if patients else None
        thresholds = Thresholds.at(recall)
        pipeline = build_pipeline(
            models,
            patients=roster,
            runtime=runtime,
            unsafe=unsafe,
            thresholds=thresholds,
            priorities=priorities,
            rules=rules,
            always=always,
            keep_words=keep_words,
        )
        return cls(pipeline, replacer, accept_unread)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The runtime of each model, and why it was chosen; empty without models."""
        return tuple(choice for tagger in self.taggers for choice in list_choices(tagger))

    @property
    def taggers(self) -> tuple[Tagger, ...]:
        """The models of the pipeline."""
        return tuple(finder.find.tagger for finder in self.pipeline.finders if hasattr(finder.find, "tagger"))

    @property
    def patients(self) -> frozenset[str]:
        """The ids of the known patients."""
        known = [finder.find for finder in self.pipeline.finders if finder.name == PATIENTS]
        return frozenset(id for each in known for id in getattr(each, "patients", ()))

    def find(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with the spans that the pipeline finds in each."""
        normalized = [normalize_document(document) for document in documents]
        found = self.pipeline.find([each.document for each in normalized])
        return [_restore(*each) for each in zip(documents, normalized, found, strict=True)]

    def remember(self, document: Document, facts: Facts) -> Document:
        """The document with every further mention of its patient's facts."""
        normalized = normalize_document(document)
        plain = normalized.document
        known = find_known_mentions(plain, facts, sure=self.pipeline.thresholds.memory_sure)
        return _restore(document, normalized, merge([plain.spans, known], plain.text, roles=[Role.LEARNED, Role.KNOWN]))

    def tag(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with all spans found, including further mentions of what any note of the patient holds."""
        found = self.find(documents)
        facts = gather_facts(found)
        return [self.remember(document, facts[patient_key(document)]) for document in found]

    def scrub_one(self, found: Document, facts: Facts) -> Scrubbed:
        """Add the further mentions to a found document and replace all its spans."""
        whole = self.remember(found, facts)
        if not self.accept_unread and (unread := count_unread(whole.text, whole.spans)):
            what = f"holds {unread.total():,} letters of {', '.join(sorted(unread))}, which the model cannot read"
            raise UnreadError(what, document=found.id, fix="{accept_unread} scrubs it nevertheless")
        replacements = self.replacer.replace(whole, facts)
        verdicts, order_open = tuple(self.replacer.judge_kept(whole, facts)), self.replacer.leaves_order_open(whole, facts)
        return Scrubbed(*rewrite(whole, replacements), verdicts, order_open)

    @overload
    def scrub(self, notes: str) -> Scrubbed: ...  # type: ignore[overload-overlap]  # a str is an iterable of str too
    @overload
    def scrub(self, notes: Document) -> Scrubbed: ...
    @overload
    def scrub(self, notes: Iterable[str | Document]) -> list[Scrubbed]: ...
    def scrub(self, notes: str | Document | Iterable[str | Document]) -> Scrubbed | list[Scrubbed]:
        """Scrub a text, a document, or a batch of either. A plain text counts as a patient of its own; a Document may have a patient id."""
        if isinstance(notes, str | Document):
            return self._scrub_batch([notes])[0]
        return self._scrub_batch(list(notes))

    def _scrub_batch(self, notes: Sequence[str | Document]) -> list[Scrubbed]:
        found = self.find([note if isinstance(note, Document) else _read_text(at, note) for at, note in enumerate(notes, 1)])
        facts = gather_facts(found)
        scrubbed = [self.scrub_one(document, facts[patient_key(document)]) for document in found]
        return [each if isinstance(note, Document) else _forget_patient(each) for note, each in zip(notes, scrubbed, strict=True)]


def _restore(document: Document, normalized: NormalizedDocument, spans: Iterable[Span]) -> Document:
    return document.with_spans(normalized.restore(spans))


def _read_text(number: int, text: str) -> Document:
    """A Document for a plain text. Its patient id is a digest of the text: with a number, unrelated texts would share a date shift."""
    return Document(f"note-{number}", text, patient=f"text:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}")


def _forget_patient(scrubbed: Scrubbed) -> Scrubbed:
    """Remove the digest: a short text could be guessed from it."""
    return replace(scrubbed, document=replace(scrubbed.document, patient=""))

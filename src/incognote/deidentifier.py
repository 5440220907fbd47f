"""The Deidentifier: runs a pipeline over notes and replaces what it finds."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from incognote.document import Document, NormalizedDocument, Span, normalize_document
from incognote.document.scripts import count_unread
from incognote.errors import UnreadError
from incognote.facts import Facts, gather_facts, patient_key
from incognote.find.finder import Tagger
from incognote.find.model import list_choices
from incognote.find.model.choice_cache import Choice
from incognote.memory.known_mentions import find_known_mentions
from incognote.memory.patients import Roster
from incognote.merge import Role, merge
from incognote.pipeline import PATIENTS, Pipeline
from incognote.replace import Edit, Marks, Policy, Replacer, load_policy, make_replacer, random_key, rewrite
from incognote.replace.marks import DEFAULT_MARKS
from incognote.shipped import DEFAULT_RULES, build_pipeline
from incognote.thresholds import Thresholds


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

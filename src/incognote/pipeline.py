"""The Deidentifier: taggers, merge, memory and replacer as one picklable object that every front end calls."""

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, overload

from incognote.document import Document, PlainReading, Span, read_plainly
from incognote.facts import Facts, gather_facts, patient_key
from incognote.filters.boundaries import trim_spans
from incognote.filters.clinical_terms import guard_spans
from incognote.filters.rescorer import drop_doubtful, drop_guesses
from incognote.find.finder import Tagger
from incognote.find.model import list_choices, load_tagger
from incognote.find.model.machine import own_cores, quick_turns
from incognote.find.model.runtimes.choice_cache import Choice
from incognote.find.model.tagger import EncoderTagger, part_texts
from incognote.find.rules.finder import RuleTagger
from incognote.lab.study.priority import load_trust
from incognote.memory.known_mentions import recall
from incognote.memory.patients import Roster
from incognote.merge import MergePolicy, merge
from incognote.models import STANDARD, is_shipped
from incognote.replace import Edit, Replacer, load_policy, make_replacer, random_key, rewrite

# What knows the patient beats what guesses; forms that rules read exactly beat what a model takes for them (it joins a date and a time);
# two words of the lists of names beat nothing ("12 Broadway, Boston").
DEFAULT_TRUST = MergePolicy(
    trust={"patients": 4, "memory": 3, "rules.dates": 2, "rules.contacts": 2, "rules.ages": 2, "": 1, "rules.name.list": 0}
)

Layer = Sequence[Sequence[Span]]
"""What one tagger found in each text."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """One note after scrubbing: the clean document and the edits that made it so."""

    document: Document
    edits: tuple[Edit, ...] = field(repr=False)

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the replacements stand in the clean text."""
        return self.document.spans


@dataclass(frozen=True, slots=True)
class Deidentifier:
    """Finds PHI with its taggers, remembers it across a patient's notes, and replaces it.

    A run over many notes has two steps, so that memory stays small: ``find`` on every note, then ``scrub_one`` on
    each with the facts of its patient. ``scrub`` does both for the notes it is given.
    """

    taggers: tuple[Tagger, ...]
    replacer: Replacer
    roster: Roster | None = None
    policy: MergePolicy = DEFAULT_TRUST

    @classmethod
    def default(
        cls,
        *,
        mode: str = "surrogate",
        policy: str | Path = "i2b2",
        clinicians: str | None = None,
        key: bytes | None = None,
        patients: str | Path | None = None,
        models: Sequence[str] | None = None,
        trust: str | Path | None = None,
        runtime: str = "auto",
        unsafe: bool = False,
    ) -> "Deidentifier":
        """The shipped rules and model with a replacement mode (redact, tag, surrogate) and policy. Without a key a random one is used once.

        ``clinicians`` ("keep" or "remove") overrules the policy on the names of staff. ``models`` are checkpoint folders or hub
        names to tag with instead of the shipped model; several make an ensemble, and ``()`` leaves the rules alone. ``trust`` is a file
        that says which rules stand above them.
        ``runtime`` is what runs the models; ``auto`` takes the fastest that works here.
        ``unsafe`` opens models whose weights are pickles.
        """
        replacer = make_replacer(mode, policy=load_policy(policy, clinicians=clinicians), key=random_key() if key is None else key)
        taggers: tuple[Tagger, ...] = (RuleTagger.default(),)
        chosen = STANDARD if models is None else (models,) if isinstance(models, str) else models
        if chosen:
            taggers = (*taggers, load_tagger(chosen, runtime=runtime, unsafe=unsafe))
        roster = Roster.from_csv(patients) if patients else None
        return cls(taggers, replacer, roster, load_trust(trust) if trust else DEFAULT_TRUST)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What runs each of its models, and why; nothing where rules work alone."""
        return tuple(choice for tagger in self.taggers for choice in list_choices(tagger))

    @property
    def runtimes(self) -> tuple[str, ...]:
        """The names of what runs its models."""
        return tuple(choice.runtime for choice in self.choices)

    def find(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with what the taggers and the known patients' values find in each."""
        readings = [read_plainly(document) for document in documents]
        tagged = _tag_side_by_side(self.taggers, [reading.document.text for reading in readings])
        return [
            document.with_spans(reading.restore(spans))
            for document, reading, spans in zip(documents, readings, self.combine(readings, tagged), strict=True)
        ]

    def combine(self, readings: Sequence[PlainReading], tagged: Sequence[Layer]) -> list[tuple[Span, ...]]:
        """What each tagger found, and the known patients' values, guarded, weighed and merged, for each reading."""
        texts = [reading.document.text for reading in readings]
        layers: list[Layer] = []
        shipped = _pick_shipped(self.taggers, tagged)
        for tagger, found in zip(self.taggers, tagged, strict=True):
            known = [[span for layer in layers for span in layer[at]] for at in range(len(texts))]
            layers.append(_support(found, texts, shipped) if isinstance(tagger, RuleTagger) else _guard(found, texts, known))
        if self.roster is not None:
            layers.append([self.roster.find(reading.document) for reading in readings])
        return [merge([layer[at] for layer in layers], text, policy=self.policy) for at, text in enumerate(texts)]

    def remember(self, document: Document, facts: Facts) -> Document:
        """The document with every further mention of what is known about its patient."""
        reading = read_plainly(document)
        plain = reading.document
        return document.with_spans(reading.restore(merge([plain.spans, recall(plain, facts)], plain.text, policy=self.policy)))

    def tag(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with all that is found in them, memory across each patient's notes included."""
        found = self.find(documents)
        facts = gather_facts(found)
        return [self.remember(document, facts[patient_key(document)]) for document in found]

    def scrub_one(self, found: Document, facts: Facts) -> Scrubbed:
        """One found document, remembered and rewritten."""
        whole = self.remember(found, facts)
        return Scrubbed(*rewrite(whole, self.replacer.replace(whole, facts)))

    @overload
    def scrub(self, notes: str) -> Scrubbed: ...  # type: ignore[overload-overlap]  # a str is an iterable of str too
    @overload
    def scrub(self, notes: Document) -> Scrubbed: ...
    @overload
    def scrub(self, notes: Iterable[str | Document]) -> list[Scrubbed]: ...
    def scrub(self, notes: str | Document | Iterable[str | Document]) -> Scrubbed | list[Scrubbed]:
        """Clean notes from a text, a document, or a batch of either. A text is a patient of its own; a document may say whose it is."""
        if isinstance(notes, str | Document):
            return self._scrub_batch([notes])[0]
        return self._scrub_batch(list(notes))

    def _scrub_batch(self, notes: Sequence[str | Document]) -> list[Scrubbed]:
        found = self.find([note if isinstance(note, Document) else _read_text(at, note) for at, note in enumerate(notes, 1)])
        facts = gather_facts(found)
        scrubbed = [self.scrub_one(document, facts[patient_key(document)]) for document in found]
        return [each if isinstance(note, Document) else _forget_patient(each) for note, each in zip(notes, scrubbed, strict=True)]


def _read_text(number: int, text: str) -> Document:
    """A text that comes without an id is its own patient, known by what it says: its number would make it share dates with strangers."""
    return Document(f"note-{number}", text, patient=f"text:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}")


def _forget_patient(scrubbed: Scrubbed) -> Scrubbed:
    """Less what the text was known by, from which a short one could be guessed."""
    return replace(scrubbed, document=replace(scrubbed.document, patient=""))


def _tag_side_by_side(taggers: Sequence[Tagger], texts: Sequence[str]) -> list[Layer]:
    """What each tagger finds, a part of the texts at a time."""
    parts = [_tag_part(taggers, part) for part in part_texts(texts)]
    return [[spans for part in parts for spans in part[at]] for at in range(len(taggers))]


def _tag_part(taggers: Sequence[Tagger], texts: Sequence[str]) -> list[Layer]:
    """What each tagger finds. Models run in threads beside the rules: their runtimes leave Python to others while they compute.

    Rules finish when models are done, for most of them look only near what the shipped one has seen.
    """

    def begin(tagger: Tagger) -> Sequence[Any]:
        return list(tagger.begin(texts)) if isinstance(tagger, RuleTagger) else tagger.tag(texts)

    with quick_turns(), ThreadPoolExecutor(min(len(taggers), own_cores())) as threads:
        return finish_rules(taggers, list(threads.map(begin, taggers)))


def finish_rules(taggers: Sequence[Tagger], begun: Sequence[Sequence[Any]]) -> list[Layer]:
    """What each tagger finds, from what models have found and rules have begun."""
    seen = _pick_shipped(taggers, begun)
    return [tagger.finish(one, seen) if isinstance(tagger, RuleTagger) else one for tagger, one in zip(taggers, begun, strict=True)]


def _pick_shipped(taggers: Sequence[Tagger], layers: Sequence[Layer]) -> Layer | None:
    """What the shipped model has found, where it is one of the taggers."""
    return next((layer for tagger, layer in zip(taggers, layers, strict=True) if _is_shipped(tagger)), None)


def _is_shipped(tagger: Tagger) -> bool:
    return isinstance(tagger, EncoderTagger) and is_shipped(tagger.checkpoint.folder)


def _support(found: Layer, texts: Sequence[str], shipped: Layer | None) -> Layer:
    """What rules found, less guesses that the shipped model, where it is there, does not share."""
    return found if shipped is None else [drop_guesses(*each) for each in zip(found, shipped, texts, strict=True)]


def _guard(found: Layer, texts: Sequence[str], known: Layer) -> Layer:
    """What a model found, its edges trimmed, less clinical terms and doubtful guesses; the rules have seen to theirs."""
    each = zip(found, known, texts, strict=True)
    return [drop_doubtful(trim_spans(guard_spans(spans, text), text), others, text) for spans, others, text in each]

"""Facts: what was found about one patient in all notes; memory and replacement use them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from incognote.document import Document
from incognote.lexicon.clinicians import find_clinician_evidence
from incognote.lexicon.relation_cues import find_relation_cues

Place = tuple[str, int]
Fact = tuple[str, str]
Words = Mapping[Fact, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Each (label, value) found, with the first place it stands: the smallest (document id, offset).

    The place does not depend on the order in which notes were read, so numbering by it is stable. ``scores`` says how sure the
    surest finder of each value was, so that memory does not spread a guess. ``cues`` are the relation cues of a name of one word
    or with a short form, ``evidence`` what stands beside a clinician's name and proves it one, or kin.
    """

    places: Mapping[Fact, Place] = field(default_factory=dict)
    scores: Mapping[Fact, float] = field(default_factory=dict)
    cues: Words = field(default_factory=dict)
    evidence: Words = field(default_factory=dict)
    _frozen: dict[str, frozenset[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Facts({len(self.places)} values)"

    def values(self, *labels: str) -> tuple[str, ...]:
        """The values of these labels (of all, when none is named), first found first."""
        chosen = [(place, value) for (label, value), place in self.places.items() if not labels or label in labels]
        return tuple(dict.fromkeys(value for _, value in sorted(chosen)))

    def freeze_scores(self) -> frozenset[tuple[str, str, float]]:
        """Each label and value with how sure it is, made once: a patient may have thousands of notes, and each asks."""
        if "scores" not in self._frozen:
            self._frozen["scores"] = frozenset((label, value, self.score(label, value)) for label, value in self.places)
        return self._frozen["scores"]

    def freeze_places(self) -> frozenset[tuple[Fact, Place, frozenset[str]]]:
        """Each label and value with its place and its relation cues, made once."""
        if "places" not in self._frozen:
            self._frozen["places"] = frozenset((key, place, self.cues.get(key, frozenset())) for key, place in self.places.items())
        return self._frozen["places"]

    def freeze_evidence(self) -> frozenset[tuple[Fact, frozenset[str]]]:
        """Each label and value with the evidence beside it, made once."""
        if "evidence" not in self._frozen:
            self._frozen["evidence"] = frozenset((key, self.evidence.get(key, frozenset())) for key in self.places)
        return self._frozen["evidence"]

    def __or__(self, other: "Facts") -> "Facts":
        places = dict(self.places)
        for key, place in other.places.items():
            places[key] = min(place, places.get(key, place))
        scores = {key: max(facts.score(*key) for facts in (self, other) if key in facts.places) for key in places}
        return Facts(places, scores, _unite(self.cues, other.cues), _unite(self.evidence, other.evidence))

    def score(self, label: str, value: str) -> float:
        """How sure the value is; 1 where nothing was recorded."""
        return self.scores.get((label, value), 1.0)


def _unite(one: Words, two: Words) -> Words:
    return {key: one.get(key, frozenset()) | two.get(key, frozenset()) for key in {*one, *two}}


def patient_key(document: Document) -> str:
    """Who a note is about; a note without a patient id is a patient of its own.

    >>> patient_key(Document("n1", "text"))
    'document:n1'
    """
    return document.patient or f"document:{document.id}"


def gather_facts(documents: Iterable[Document]) -> dict[str, Facts]:
    """The facts of each patient, from the spans of the documents."""
    found: dict[str, tuple[dict[Fact, Place], dict[Fact, float], dict[Fact, frozenset[str]], dict[Fact, frozenset[str]]]] = {}
    for document in documents:
        places, scores, cues, evidence = found.setdefault(patient_key(document), ({}, {}, {}, {}))
        for at, span in enumerate(document.spans):
            key, place = (span.label, document.value(span)), (document.id, span.start)
            places[key] = min(place, places.get(key, place))
            scores[key] = max(span.score, scores.get(key, span.score))
            if found_here := find_relation_cues(document, at):
                cues[key] = cues.get(key, frozenset()) | found_here
            if span.label == "DOCTOR" and (proof := find_clinician_evidence(document.text, span.start, span.end)):
                evidence[key] = evidence.get(key, frozenset()) | {proof}
    return {patient: Facts(*each) for patient, each in found.items()}

"""Ids, patients and kept columns beside a note: what in them names the patient, and pseudonyms in their place."""

import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from incognote.corpora.extra_columns import list_extra_columns
from incognote.deidentifier import Deidentifier, Scrubbed
from incognote.document import Document
from incognote.errors import IncognoteError
from incognote.facts import Facts
from incognote.lexicon.person import fold
from incognote.memory.mentions import compact
from incognote.memory.patients import Roster
from incognote.pipeline import PATIENTS
from incognote.shown import show_extra_column

_NAMES = ("PATIENT", "DOCTOR", "USERNAME")
_NUMBERS = ("MEDICALRECORD", "IDNUM", "SSN", "ACCOUNT", "HEALTHPLAN", "LICENSE", "DEVICE", "VEHICLE", "BIOID", "PHONE", "FAX", "EMAIL")
_ROSTER_NAMES, _ROSTER_NUMBERS = ("name", "relative"), ("mrn", "ssn", "phone", "fax", "email", "account", "insurance")
# Shorter words and numbers stand in ids by chance; words of this length stand inside others by chance.
_SHORTEST_NAME, _SHORTEST_NUMBER, _LONG = 4, 5, 7
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[^\W\d_]+")
_DIGITS = re.compile(r"\d{5,}")
_GENERIC = frozenset(
    ("doctor", "patient", "note", "notes", "nurse", "record", "report", "chart", "admission", "discharge", "visit", "unit")
)


class ExposedError(IncognoteError):
    """The id, the patient id or a column of a note holds what is replaced in its text; says which, not the value."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Ids in place of ids: the same key gives the same ones. ``originals`` holds those not yet stored in a vault."""

    key: bytes = field(repr=False)
    originals: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)

    def name(self, id: str) -> str:
        """The pseudonym of an id or a patient; an empty one stays empty.

        >>> Pseudonyms(b"k" * 32).name("MRN4471923"), Pseudonyms(b"k" * 32).name("")
        ('pa0a7a8b2951bae37d262', '')
        """
        return "p" + hmac.digest(self.key, b"incognote id:" + id.encode("utf-8", "surrogatepass"), "sha256").hex()[:20] if id else ""

    def rename(self, document: Document) -> Document:
        """The document under its pseudonym."""
        names = {name: self.name(name) for name in (document.id, document.patient) if name}
        meta = {key: _rename_within(value, names) for key, value in document.meta.items()}
        renamed = replace(document, id=self.name(document.id), patient=self.name(document.patient), meta=meta)
        self.originals[renamed.id] = (document.id, document.patient)
        return renamed

    def rename_known(self, deidentifier: Deidentifier) -> Deidentifier:
        """The deidentifier, which finds the values of known patients under their pseudonyms."""
        pipeline = deidentifier.pipeline
        finders = tuple(
            replace(each, find=Roster({self.name(id): values for id, values in each.find.patients.items()}))
            if each.name == PATIENTS and isinstance(each.find, Roster)
            else each
            for each in pipeline.finders
        )
        return replace(deidentifier, pipeline=replace(pipeline, finders=finders))


def forget(pseudonyms: Pseudonyms | None, documents: Iterable[Document]) -> None:
    """Drop the original ids of notes that are done."""
    for document in documents if pseudonyms else ():
        if pseudonyms:
            pseudonyms.originals.pop(document.id, None)


def _rename_within(value: object, names: Mapping[str, str]) -> object:
    """A value beside the note with each id in it renamed: some formats repeat them."""
    if type(value) is dict:
        return {key: _rename_within(each, names) for key, each in value.items()}
    if type(value) is list:
        return [_rename_within(each, names) for each in value]
    return names.get(str(value), value) if isinstance(value, str | int) and not isinstance(value, bool) else value


def check_exposed(scrubbed: Scrubbed, facts: Facts, deidentifier: Deidentifier) -> Scrubbed:
    """The note, or an error where what stays beside it holds a value that is replaced in the notes of its patient, or is in the roster."""
    document = scrubbed.document
    kept = {edit.original for edit in scrubbed.edits if edit.replacement == edit.original}
    sure = deidentifier.pipeline.thresholds.memory_sure
    found = _identifying(facts.freeze_scores(), sure)
    known = [_known(values) for values in _roster_values(deidentifier, document.patient)]
    words, numbers = (frozenset().union(*each) for each in zip(found, *known, strict=True))
    hidden = _identifying(frozenset((label, value, 1.0) for label in (_NAMES[0], _NUMBERS[0]) for value in kept), 0)
    words, numbers = words - hidden[0], numbers - hidden[1]
    for place, fix, value in _list_places(document):
        if _holds(value, words, numbers):
            what = f"its {place} holds a name or number that is replaced in the notes of the patient, or is listed for the patient"
            raise ExposedError(what, fix=fix)
    return scrubbed


def _list_places(document: Document) -> Iterator[tuple[str, str, str]]:
    fix = "rename it, or set {pseudonymize_ids}"
    yield "id or path", fix, document.id
    yield "patient id", fix, document.patient
    for number, name in enumerate(list_extra_columns(document), 1):
        value = document.meta[name]
        text = value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str, ensure_ascii=False)
        yield f"extra column {show_extra_column(name, number)}", "leave the column out with {drop_columns}", text


def _roster_values(deidentifier: Deidentifier, patient: str) -> Iterator[Sequence[tuple[str, str]]]:
    for finder in deidentifier.pipeline.finders:
        if finder.name == PATIENTS and isinstance(finder.find, Roster):
            yield finder.find.patients.get(patient, ())


def _known(values: Iterable[tuple[str, str]]) -> tuple[frozenset[str], frozenset[str]]:
    values = list(values)
    names = [("PATIENT", value, 1.0) for kind, value in values if kind in _ROSTER_NAMES]
    return _identifying(frozenset(names + [("IDNUM", value, 1.0) for kind, value in values if kind in _ROSTER_NUMBERS]), 0)


@lru_cache(256)
def _identifying(values: frozenset[tuple[str, str, float]], sure: float) -> tuple[frozenset[str], frozenset[str]]:
    """The words of names, and the numbers, that identify a person."""
    words = {fold(word) for label, value, score in values if label in _NAMES and score >= sure for word in _WORD.findall(value)}
    plain = {compact(value) for label, value, score in values if label in _NUMBERS and score >= sure}
    numbers = plain | {digits for value in plain for digits in _DIGITS.findall(value)}
    return (
        frozenset(word for word in words if len(word) >= _SHORTEST_NAME and word not in _GENERIC),
        frozenset(number for number in numbers if len(number) >= _SHORTEST_NUMBER),
    )


def _holds(value: str, words: frozenset[str], numbers: frozenset[str]) -> bool:
    if not value or not (words or numbers):
        return False
    parts = {fold(part) for part in _WORD.findall(value)}
    if not words.isdisjoint(parts) or any(len(word) >= _LONG and word in part for part in parts for word in words):
        return True
    plain = compact(value)
    return any(_spell(number).search(fold(value)) for number in numbers if number in plain)


@lru_cache(1024)
def _spell(number: str) -> re.Pattern[str]:
    """The number with any marks between its digits, and zeros before it, but no other digits at its ends."""
    return re.compile(r"(?<!\d)0*" + r"[\W_]*".join(map(re.escape, number)) + r"(?!\d)")

"""The second reader judges what only one finds: the shipped model's finds by its score and by what words and context say.

The model is sure of much that is wrong ("pain 8/10" a date, "KUB" a doctor): its score alone cannot tell. What rules see too is not
judged, and of what rules alone see only their guesses. The weights are those of a logistic regression over pieces of evidence
(``second_reader.json``), fitted on notes that the model was not trained on by ``bench/fit_second_reader.py``; fit them again when the
model changes.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from incognote.document import Span
from incognote.rules.evidence import NUMBERED, Surroundings, gather_evidence, read_surroundings
from incognote.rules.lazy import lazy
from incognote.rules.names.cues import cue_words
from incognote.rules.names.vocabulary import is_capital_word, is_common, is_foreign_to_names, is_given, is_never_name, is_surname

WEIGHTS = Path(__file__).with_suffix(".json")
_SOURCE = "model.default"
# Missed PHI costs more than a word too many: a span stays while its evidence gives it one chance in ten.
_LEAST = -2.25
# What stands against a span that the model itself doubts, whatever speaks for it: of such spans one in eight was PHI.
_DOUBTED = 0.5
_AGAINST = frozenset(
    {
        *("opens a clause as a word", "term and a grade", "age after a score", "age before a score", "age: words", "age of a while"),
        *("date: code", "date: short", "date: clock", "date: decimal", "date after of", "room: clock", "room after a score", "phone: code"),
        *("identifier: words", "identifier after a score"),
    }
)
_NAMES = frozenset({"PATIENT", "DOCTOR"})
# Rules that go by lists, or by a word that often stands beside other things too. Where the model sees nothing they are mostly wrong.
_GUESSES = frozenset(
    "rules.name.list rules.name.field rules.name.speech rules.name.role rules.name.relation rules.name.login rules.organization.head "
    "rules.organization.landmark rules.profession.list rules.place.city rules.ages.small-person rules.organization.known "
    "rules.organization.venue rules.organization.field rules.name.mark rules.place.state rules.place.region rules.place.country "
    "rules.place.beside rules.dates.slash rules.dates.year-bracketed rules.ages.aged rules.ages.name-comma rules.ages.name-is "
    "rules.ages.name-beside rules.room.room rules.room.theatre rules.address.highway".split()
)
# A long number that a sure model takes for a key to somebody stays, whatever stands beside it.
_KEYS = frozenset("IPADDR MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM SSN PHONE FAX".split())
_SURE, _DIGITS = 0.35, 5
# A word that is no name by the lists is one nevertheless where the model has no doubt, two times of three.
_CERTAIN = 0.99
_NAMED = frozenset({*_NAMES, "HOSPITAL", "ORGANIZATION", "LOCATION-OTHER", "CITY", "USERNAME"})
# House officer, night float, rolling walker, human resources, ranks, a ship: never initials alone.
_SHORT_ROLES = frozenset({"HO", "NF", "RW", "HR", "SHO", "SpR", "DOB", "MRN", "DOS", "SFC", "SSG", "MSG", "CPT", "MV"})
# An order by telephone or by word, a word after the letter.
_DOTTED = frozenset({"T.O.", "T.O", "V.O.", "V.O", "P.S.", "P.S"})
# Words of forms and headings that a few people bear: a model that names one alone is wrong.
_FORM_WORDS = frozenset(
    "auth ref lic dispo fam sono anes study mode site null caller agent admin search query morning afternoon evening subj folder re emp "
    "chap schedule cheers locker male female call self blank network full card".split()
)
# What a form says where there is no address.
_NOWHERE = frozenset("homeless undomiciled unhoused none declined refused unknown same nfa".split())
_COMPARED = lazy(r"[<>=≥≤] ?$")
# What one letter is the unit, the grade or the kind of.
_MEASURED = lazy(r"(?:\d|\b(?:stage|grade|class|type|group|level|vitamin|hepatitis)) ?$", re.IGNORECASE)
_LAST = lazy(r"([^\W\d_]+)\.?[ ]{1,2}$")
_WORD = lazy(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def drop_doubtful(spans: Iterable[Span], known: Sequence[Span], text: str) -> list[Span]:
    """The spans less those of the shipped model that no ``known`` span touches and whose evidence is weak.

    >>> scan, text = Span(0, 3, "DOCTOR", score=0.9, source="model.default"), "KUB shows stool."
    >>> drop_doubtful([scan], [], text), len(drop_doubtful([scan], [Span(0, 3, "DOCTOR")], text))
    ([], 1)
    """
    touched = find_touched(spans := list(spans), known, len(text))
    judged = {at for at, (span, seen) in enumerate(zip(spans, touched, strict=True)) if span.source == _SOURCE and not seen}
    if not judged:
        return spans
    note = read_surroundings(text, known)
    return [span for at, span in enumerate(spans) if at not in judged or _is_likely(span, note)]


def drop_guesses(spans: Iterable[Span], seen: Iterable[Span], text: str) -> list[Span]:
    """The spans of rules less the guesses of those that go by lists alone, where the shipped model sees nothing.

    >>> drop_guesses([Span(0, 12, "PATIENT", source="rules.name.list"), Span(20, 25, "DATE")], [], " " * 30)
    [Span(start=20, end=25, label='DATE', score=1.0, source='')]
    """
    touched = find_touched(spans := list(spans), seen, len(text))
    return [span for span, shared in zip(spans, touched, strict=True) if shared or span.source not in _GUESSES]


def _is_likely(span: Span, note: Surroundings) -> bool:
    if span.label in _KEYS and span.score >= _SURE and sum(map(str.isdigit, note.text[span.start : span.end])) >= _DIGITS:
        return True
    if span.label in _NAMED and span.score < _CERTAIN and _is_plain(span, note.text):
        return False
    evidence = gather_evidence(span, note)
    if span.score < _DOUBTED and not _AGAINST.isdisjoint(evidence):
        return False
    return judge(span, evidence) >= _LEAST


def _is_plain(span: Span, text: str) -> bool:
    """Whether every word is one that is never a name: an abbreviation, a brand, a role, a heading, a word of the language.

    >>> _is_plain(Span(0, 4, "DOCTOR"), "LEEP done"), _is_plain(Span(0, 3, "DOCTOR"), "Eng in OR")
    (True, False)
    """
    value = text[span.start : span.end]
    if (
        value.replace(".", "") in _SHORT_ROLES
        and text[span.end : span.end + 1] != "/"
        and text[max(0, span.start - 2) : span.start] != "| "
    ):
        return True
    if len(value) < 3 and _COMPARED.search(text, max(0, span.start - 3), span.start):
        return True
    if len(value) == 1 and _MEASURED.search(text, max(0, span.start - 12), span.start):
        return True
    if value in _DOTTED or value.casefold() in _NOWHERE or (span.label in _NAMES and _is_abbreviation(value, span, text)):
        return True
    # The injured worker of a claim is no I. W.
    if value == "IW" and "injured worker" in text.lower():
        return True
    words = _WORD.findall(value)
    if _is_family_history(value, span, text):
        return True
    if not words or any(map(str.isdigit, value)) or _after_role(text, span.start) or (span.label == "USERNAME" and value.islower()):
        return False
    if len(words) > 1 and span.label not in _NAMES and (span.label == "ORGANIZATION" or any(word.isupper() for word in words)):
        return False
    mixed = not text[max(0, span.start - 60) : span.end + 60].isupper()
    if span.label not in _NAMES and any(is_foreign_to_names(word) for word in words):
        return False
    return all((len(word) > 2 or word in ("Re", "Ta")) and (_is_no_name(word) or (mixed and _is_short(word))) for word in words)


def _is_family_history(value: str, span: Span, text: str) -> bool:
    """``Father MI at 52``: an abbreviation after kin in a text that is not in capitals tells what they had."""
    told = _is_short(value) or (value.isupper() and is_never_name(value))
    if not told or text[max(0, span.start - 60) : span.end + 60].isupper():
        return False
    last = _LAST.search(text, max(0, span.start - 30), span.start)
    return last is not None and last[1].casefold() in cue_words("relations")


def _is_abbreviation(value: str, span: Span, text: str) -> bool:
    """Capitals that are too many for initials and no known name, in a note that is not in capitals; three of them in brackets.

    A test and its value, ``AST 115``, in any note.
    """
    if value.isupper() and is_capital_word(value) and re.match(r"[ \t:=]{1,3}[<>]?\d", text[span.end : span.end + 6]):
        return not _after_role(text, span.start)
    if not value.isalpha() or not value.isupper() or is_given(value) or is_surname(value):
        return False
    if text[max(0, span.start - 60) : span.end + 60].isupper() or _after_role(text, span.start):
        return False
    bracketed = text[span.start - 1 : span.start] == "(" and text[span.end : span.end + 1] == ")"
    return 3 < len(value) < 7 or (len(value) == 3 and bracketed)


def _is_short(word: str) -> bool:
    """An abbreviation that is some people's name too (TEE, AST), in a note that is not all in capitals."""
    return word.isupper() and len(word) < 6 and is_capital_word(word)


def _after_role(text: str, start: int) -> bool:
    last = _LAST.search(text, max(0, start - 30), start)
    return last is not None and any(last[1].casefold() in cue_words(section) for section in ("titles", "roles", "relations"))


def _is_no_name(word: str) -> bool:
    if is_given(word) or is_surname(word):
        return word.casefold() in _FORM_WORDS
    return is_capital_word(word) or is_never_name(word) or is_common(word) or is_foreign_to_names(word)


def judge(span: Span, evidence: Mapping[str, float]) -> float:
    """How much speaks for a span: over 0 it is more likely PHI than not."""
    weights = _weights()["numbered" if span.label in NUMBERED else "named"]
    return sum(weights.get(name, 0.0) * value for name, value in evidence.items())


def find_touched(spans: Iterable[Span], known: Iterable[Span], length: int) -> list[bool]:
    """Of each span, whether it shares a character with a known one, in a text of this length.

    >>> find_touched([Span(0, 3, "DATE"), Span(4, 6, "DATE")], [Span(5, 9, "AGE")], 10)
    [False, True]
    """
    taken = bytearray(length)
    for span in known:
        taken[span.start : span.end] = b"\x01" * len(span)
    return [1 in taken[span.start : span.end] for span in spans]


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    weights: Mapping[str, Mapping[str, float]] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return weights

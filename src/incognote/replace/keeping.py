"""Evidence that the label of a span is right where the policy keeps the span; a span without such evidence is replaced."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from incognote.document import normalize_value
from incognote.facts import Fact
from incognote.lexicon import word_list, word_rows
from incognote.lexicon.calendar import MONTHS, ORDINALS, SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS
from incognote.lexicon.clinicians import find_clinician_evidence
from incognote.lexicon.degrees import PLAIN_DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_common, is_frequent_given, is_frequent_surname, is_given
from incognote.lexicon.number_words import ONES, TENS
from incognote.lexicon.person import PARTICLES, TITLES, PersonName, fold, may_be_same, parse_name
from incognote.lexicon.word_lists import read_word_lists
from incognote.replace.name_reading import part_couple
from incognote.replace.vocabulary import vocabulary

DOUBT = "doubt"
_WORD = re.compile(r"[^\W\d_]+")
_ENDS = re.compile(r"['’]s?$|[.,]+$")
_POSSESSIVE = re.compile(r"['’]s?\b")
_SAINT = lazy(r"(?:st|saint|mt|mount|our lady)\b", re.IGNORECASE)
_ZIP_AFTER = lazy(r"[ \t]*,?[ \t]*(?P<state>[A-Z]{2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?)?[ \t]*,?[ \t]*\d{5}(?!\d)")
_STATE_AFTER = lazy(r"[ \t]*,[ \t]*(?P<state>[A-Z][A-Za-z.]*(?: [A-Z][a-z]+)?)")
_CITY_BEFORE = lazy(r"(?P<city>[^\W\d_a-z][\w.'’-]+(?: [^\W\d_a-z][\w.'’-]+)?),? \Z")
# What a person is trusted in, not where.
_TRUST = lazy(r"\b(?:confid|believ|trust|interest|disappoint|faith)\w* in$")
_LEAD = re.compile(r"(?:[^\W\d_]+ ){0,3}[^\W\d_]+ ?\Z")
# Words of many names of institutions that do not make one alone.
_WEAK_WORDS = frozenset(
    "a air and at children childrens city county eye fire for general heart high home homes in mental middle of office public state "
    "team the women womens".split()
)
_PLACE_WORDS = frozenset("county township city village borough parish beach heights springs falls harbor island valley hills lake".split())
_AMBIGUOUS_STATES = PLAIN_DEGREES | frozenset({"ma", "ms", "pa", "md", "ok", "or", "me", "hi", "in", "co", "dc", "mo", "al"})


@dataclass(frozen=True, slots=True)
class Keeping:
    """The names in a patient's notes: those proved to be clinicians', those of relatives, and the words of names that are replaced."""

    clinicians: "Names" = field(default_factory=dict, repr=False)
    kin: "Names" = field(default_factory=dict, repr=False)
    replaced: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def gather(cls, evidence: Iterable[tuple[Fact, frozenset[str]]], meanings: Mapping[str, str], *, clinicians: bool) -> "Keeping":
        """From each fact with the evidence beside its mentions; ``clinicians`` says whether the policy keeps their names."""
        named = [(meanings.get(label, label), name, found) for (label, value), found in evidence for name in _names(value)]
        doctors = [(name, found) for label, name, found in named if label == "DOCTOR"]
        proved = cls(
            _index_by_word(name for name, found in doctors if found - {"kin"}),
            _index_by_word(name for name, found in doctors if "kin" in found),
        )
        gone = {word for label, name, _ in named if label == "PATIENT" for word in _words_of(name)}
        doubted = (name for name, _ in doctors if not clinicians or not proved.knows_clinician(name))
        gone |= {word for name in doubted for word in _words_of(name) if not is_common(word)}
        return cls(proved.clinicians, proved.kin, frozenset(gone - vocabulary("institution") - vocabulary("department_frame")))

    def knows_clinician(self, name: PersonName) -> bool:
        """Whether a mention proves that this person is a clinician, and none that they are a relative."""
        return _holds(self.clinicians, name) and not _holds(self.kin, name)

    def shares_name(self, value: str) -> bool:
        """Whether the value holds a word of a name that is replaced in this patient's notes."""
        return not self.replaced.isdisjoint(_WORD.findall(fold(_POSSESSIVE.sub("", value))))

    def judge(self, label: str, text: str, start: int, end: int) -> str:
        """The evidence that keeps the span, or ``doubt``."""
        value = normalize_value(text[start:end])
        if label not in _UNSHARED and self.shares_name(value):
            return DOUBT
        if label == "DOCTOR":
            return self._judge_clinician(value, find_clinician_evidence(text, start, end))
        return (_PROOFS.get(label, _prove_form)(value, text, start, end)) or DOUBT

    def _judge_clinician(self, value: str, beside: str) -> str:
        names = _names(value)
        if beside == "kin" or any(_holds(self.kin, name) for name in names):
            return DOUBT
        return beside or ("another mention" if names and all(map(self.knows_clinician, names)) else DOUBT)


def _names(value: str) -> list[PersonName]:
    return [parse_name(whole) for _, whole in part_couple(normalize_value(value))]


Names = Mapping[str, Collection[PersonName]]


def _index_by_word(names: Iterable[PersonName]) -> Names:
    """Names by each of their words: two names of one person share a word."""
    index: dict[str, set[PersonName]] = {}
    for name in names:
        for word in _words_of(name):
            index.setdefault(word, set()).add(name)
    return index


def _holds(index: Names, name: PersonName) -> bool:
    """Whether one of the names can be this person's."""
    return any(name == other or may_be_same(name, other) for word in _words_of(name) for other in index.get(word, ()))


def _words_of(name: PersonName) -> Iterable[str]:
    return (part for word in name.words for part in {word, *word.split("-")} if len(part) > 1 and part not in PARTICLES | TITLES)


def _prove_form(value: str, *_: object) -> str:
    """A number, an address of a machine: digits or marks that no name has."""
    return "form" if any(map(str.isdigit, value)) or "@" in value or "://" in value else ""


def _prove_words(value: str, *_: object) -> str:
    """Occupations and words of the language that are no given names: "retired welder"."""
    words = [word.casefold() for word in _WORD.findall(value)]
    listed = word_list("professions") | word_list("professions-weak") | vocabulary("profession_frame") | vocabulary("department_frame")
    known = value.casefold() in listed or all(word in listed or (is_common(word) and not is_frequent_given(word)) for word in words)
    return _prove_form(value) or ("word list" if words and known else "")


def _prove_time(value: str, *_: object) -> str:
    """Figures, a holiday, or the words of dates and ages, among words of the language."""
    words = {word.casefold() for word in _WORD.findall(value)}
    known = _HOLIDAY.search(value) or all(word in _TIME_WORDS or (is_common(word) and not is_frequent_given(word)) for word in words)
    return _prove_form(value) or ("word list" if words and known else "")


def _prove_department(value: str, *place: object) -> str:
    words = {word.casefold() for word in _WORD.findall(value)}
    if not words.isdisjoint((vocabulary("department_frame") | vocabulary("room")) - {"and", "for", "of", "the"}):
        return "word of its kind"
    return "word list" if value.isupper() and is_capital_word(value) else _prove_words(value, *place)


def _prove_institution(value: str, *_: object) -> str:
    folded = value.casefold().replace("’", "'")
    if _ENDS.sub("", folded) in word_list("known-bodies") or folded in word_list("known-bodies"):
        return "gazetteer"
    kinds = (vocabulary("institution") | {"infirmary", "medicine", "polyclinic", "sanatorium", "surgery", "va"}) - _WEAK_WORDS
    return "word of its kind" if not kinds.isdisjoint(_WORD.findall(folded)) or _SAINT.match(value) else ""


def _prove_place(value: str, text: str, start: int, end: int) -> str:
    """A gazetteer's entry, which one word that people bear as a name is only in an address or after "lives in"; or an address."""
    if _POSSESSIVE.match(text, end) or _POSSESSIVE.search(value):
        return ""
    folded = _ENDS.sub("", " ".join(value.casefold().split()))
    if _ZIP_AFTER.match(text, end) or _is_before_state(text, end) or _is_state_of_city(value, text, start):
        return "address"
    words = folded.split()
    listed = any(
        folded in word_list(name) for name in ("cities", "cities-us", "cities-world", "states", "countries", "regions", "demonyms")
    )
    listed = listed or value.rstrip(".") in _state_codes() or value.casefold() in word_list("state-abbreviations")
    if listed and (len(words) > 1 or not _may_be_person(folded) or _follows_place_cue(text, start)):
        return "gazetteer"
    return "word of its kind" if len(words) > 1 and words[-1] in _PLACE_WORDS else ""


def _is_before_state(text: str, end: int) -> bool:
    after = _STATE_AFTER.match(text, end)
    if after is None:
        return False
    state = after["state"].rstrip(".").casefold()
    return state not in _AMBIGUOUS_STATES and (state in word_list("states") or after["state"] in _state_codes())


def _is_state_of_city(value: str, text: str, start: int) -> bool:
    """Whether the value is a state, or its code, after a city that is no given name: Boston, MA."""
    if value.casefold() not in word_list("states") and value not in _state_codes():
        return False
    city = _CITY_BEFORE.search(text, max(0, start - 40), start)
    known = city and any(city["city"].casefold() in word_list(name) for name in ("cities", "cities-us", "cities-world"))
    return bool(known) and (value in _state_codes() or not is_frequent_given(city["city"] if city else ""))


def _state_codes() -> frozenset[str]:
    return frozenset(cell for row in word_rows("states") for cell in row[1:2])


def _may_be_person(word: str) -> bool:
    return is_given(word) or is_frequent_surname(word)


def _follows_place_cue(text: str, start: int) -> bool:
    lead = _LEAD.search(text, max(0, start - 40), start)
    words = lead[0].casefold().split() if lead else []
    if words[-1:] == ["in"] and not _TRUST.search(" ".join(words)):
        return True
    return any(" ".join(words[at:]) in word_list("place-cues") for at in range(len(words)))


def _prove_address(value: str, *_: object) -> str:
    suffixes = word_list("street-suffixes") | word_list("street-suffixes-weak")
    return "address" if any(map(str.isdigit, value)) or not suffixes.isdisjoint(_WORD.findall(value.casefold())) else ""


_HOLIDAY = lazy(rf"\b(?:{read_word_lists('dates')['holidays']})\b", re.IGNORECASE)
_TIME_WORDS = frozenset((*MONTHS, *SHORT_MONTHS, *WEEKDAYS, *SHORT_WEEKDAYS, *ORDINALS, *ONES, *TENS))
Proof = Callable[[str, str, int, int], str]

_PROOFS: Mapping[str, Proof] = {
    **dict.fromkeys(("CITY", "STATE", "COUNTRY", "LOCATION-OTHER"), _prove_place),
    **dict.fromkeys(("HOSPITAL", "ORGANIZATION"), _prove_institution),
    **dict.fromkeys(("AGE", "DATE"), _prove_time),
    "PROFESSION": _prove_words,
    "DEPARTMENT": _prove_department,
    "STREET": _prove_address,
    # Who keeps the names of patients keeps every name.
    "PATIENT": lambda *_: "policy",
}
# Words of a name may be those of a date: May, April.
_UNSHARED = frozenset({"PATIENT", "DATE", "AGE", "ZIP"})

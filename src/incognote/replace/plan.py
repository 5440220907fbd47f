"""The plan for one patient: the choices that all of the patient's notes share, made once from the facts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from incognote.facts import Facts, Place
from incognote.lexicon.person import PARTICLES, fold
from incognote.replace.accounts import surrogate_email, surrogate_handle
from incognote.replace.ages import cap_age
from incognote.replace.contacts import surrogate_ip, surrogate_phone, surrogate_url
from incognote.replace.date_order import is_order_open, writes_day_first, writes_zeros
from incognote.replace.dates import DateShift, choose_shift, fit_shift, shift_value
from incognote.replace.entity_resolution import resolve_people
from incognote.replace.generalise import Era, gather_era
from incognote.replace.identifiers import canonical_id, fill_digits, fill_shape, surrogate_id, surrogate_ssn
from incognote.replace.institutions import group_by_initials, identifying_words, surrogate_institution
from incognote.replace.keyed_choice import KeyedChoice, patient_choice
from incognote.replace.name_reading import part_couple, read_name
from incognote.replace.names import Names, assign_names
from incognote.replace.people import NAME_LABELS, People
from incognote.replace.places import Places, assign_places
from incognote.replace.policy import Policy
from incognote.replace.professions import surrogate_profession
from incognote.replace.vocabulary import vocabulary

NUMBERED = frozenset("MEDICALRECORD ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM HEALTHPLAN".split())
NAMED_PLACES = frozenset("HOSPITAL ORGANIZATION STREET DEPARTMENT ROOM LOCATION-OTHER".split())
_PLAIN_PLACES = ("CITY", "STATE", "COUNTRY")
_ATTEMPTS = 12
# How many names a person has where names vary.
_VARIANTS = 4
_WORD = re.compile(r"[^\W\d_]{2,}")
_PARTS = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True, slots=True)
class Plan:
    """The replacements of one patient's notes."""

    choice: KeyedChoice
    real: frozenset[str] = field(repr=False)
    names: Names = field(repr=False)
    places: Places = field(repr=False)
    wholes: Mapping[str, Mapping[str, Sequence[str]]] = field(repr=False)
    shift: DateShift = field(repr=False)
    day_first: bool
    order_open: bool
    padded: bool
    era: Era
    others: tuple[Names, ...] = field(default=(), repr=False)
    made: dict[tuple[str, str, date | None, int], str | None] = field(default_factory=dict, repr=False)

    def surrogate(self, label: str, value: str, near: date | None = None, *, place: Place | None = None) -> str | None:
        """The surrogate of a value; None where none fits, and the value must be masked. Of several names ``place`` chooses."""
        variant = self.choice.of("variant", *place).below(len(self.others) + 1) if place and self.others and label in NAME_LABELS else 0
        mention = (label, value, near, variant)
        if mention not in self.made:  # only a cache: the answer depends on the plan and the mention alone
            self.made[mention] = self._make(label, value, near, variant)
        return self.made[mention]

    def _make(self, label: str, value: str, near: date | None, variant: int) -> str | None:
        if variant:
            new = self.others[variant - 1].surrogate(label, value)
            return new if new is not None and not self.is_real(new, but=value) else self.surrogate(label, value, near)
        if label == "DATE":
            return self.shift_date(value, near)
        if label == "AGE":
            return cap_age(value)
        maker = MAKERS.get(label)
        for attempt in range(_ATTEMPTS if maker else 0):
            new = maker(self, value, self.choice.of(attempt) if attempt else self.choice) if maker else None
            if new is None:
                return None
            if not self.is_real(new, but=value):
                return new
        return None

    def shift_date(self, value: str, near: date | None) -> str | None:
        """The value with its dates moved, as this patient's notes write them."""
        return shift_value(value, self.shift, day_first=self.day_first, padded=self.padded, near=near)

    def is_real(self, text: str, *, but: str) -> bool:
        """Whether the text is what it stands for (``but``) or another real value of the patient, or holds an identifying word of one."""
        folded = fold(text)
        if folded == fold(but) or folded in self.real or canonical_id(text) in self.real:
            return True
        words = _PARTS.findall(folded)
        phrases = [" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, min(start + 8, len(words)) + 1)]
        return not self.real.isdisjoint([phrase for phrase in phrases if len(phrase) > 1])


def make_plan(key: bytes, policy: Policy, patient: str, facts: Facts, *, surrogates: bool = True, varied: bool = False) -> Plan:
    """The plan of a patient, by the key, the policy and the facts; ``surrogates`` says whether any are needed, ``varied`` whether a person
    has several names."""
    choice = patient_choice(key, patient)
    real = gather_real(facts) if surrogates else frozenset()
    day_first = writes_day_first(facts.values("DATE"))
    people = resolve_people(facts) if surrogates else People()
    names = assign_names(choice, people, real) if surrogates else Names(choice, people, real)
    return Plan(
        choice=choice,
        real=real,
        names=names,
        others=_vary_names(names) if varied and surrogates else (),
        places=assign_places(
            choice,
            facts if surrogates else Facts(),
            real,
            keep_states=policy.action("STATE") in ("keep", "state"),
            keep_countries=policy.action("COUNTRY") == "keep",
        ),
        wholes={label: group_by_initials(facts.values(label)) for label in NAMED_PLACES} if surrogates else {},
        shift=fit_shift(choose_shift(choice, policy.dates), facts.values("DATE"), day_first=day_first),
        day_first=day_first,
        order_open=is_order_open(facts.values("DATE")),
        padded=writes_zeros(facts.values("DATE")),
        era=gather_era(facts, day_first=day_first),
    )


def _vary_names(first: Names) -> tuple[Names, ...]:
    """Other names of the same persons, no one of which is another's."""
    others: list[Names] = []
    taken = set(first.taken)
    for number in range(1, _VARIANTS):
        others.append(assign_names(first.choice.of("names", number), first.people, first.real, taken=taken))
        taken |= others[-1].taken
    return tuple(others)


def gather_real(facts: Facts) -> frozenset[str]:
    """What no surrogate may be: each value, each number however written, each identifying word."""
    real: set[str] = set()
    for label, value in facts.places:
        if label in ("DATE", "AGE"):
            continue
        folded = fold(value)
        real.update((folded, " ".join(_PARTS.findall(folded))))
        if any(map(str.isdigit, value)):
            real.add(canonical_id(value))
        if label in NAME_LABELS:
            real.update(
                part
                for _, whole in part_couple(value)
                for word in read_name(whole).words
                for part in (word, *word.split("-"))
                if len(part) > 1 and part not in PARTICLES
            )
        elif label in NAMED_PLACES:
            # County Road 418 does not forbid a county hospital: the word stays in its surrogate, and says no more than that.
            real.update(word for word in identifying_words(label, value) - vocabulary("institution") if len(word) > 1)
        elif label in _PLAIN_PLACES:
            # Nor does Salt Lake City forbid a city school, or Al Ain a name with its article.
            real.update(set(_WORD.findall(folded)) - vocabulary("institution") - PARTICLES)
    return frozenset(real)


def _make_id(plan: Plan, value: str, choice: KeyedChoice) -> str | None:
    if not any(map(str.isdigit, value)):
        return surrogate_institution("ORGANIZATION", value, choice)
    canonical = canonical_id(value)
    new = surrogate_id(canonical, choice.of("number", canonical))
    return fill_shape(value, new) if new else None


def _make_ssn(plan: Plan, value: str, choice: KeyedChoice) -> str | None:
    new = surrogate_ssn(value, choice)
    if new is None:  # the number of another country, or one that is half masked
        return _make_id(plan, value, choice) if len(canonical_id(value)) > 6 and "X" not in value.upper() else None
    return fill_digits(value, new)


def _institution_maker(label: str) -> "Maker":
    return lambda plan, value, choice: surrogate_institution(label, value, choice, wholes=plan.wholes[label])


Maker = Callable[[Plan, str, KeyedChoice], str | None]

# Names and places keep one answer for every attempt: it was chosen apart from all real values when the plan was made.
MAKERS: dict[str, Maker] = {
    "PATIENT": lambda plan, value, choice: plan.names.surrogate("PATIENT", value),
    "DOCTOR": lambda plan, value, choice: plan.names.surrogate("DOCTOR", value),
    "USERNAME": lambda plan, value, choice: surrogate_handle(value, plan.names, choice),
    "EMAIL": lambda plan, value, choice: surrogate_email(value, plan.names, choice),
    "PROFESSION": lambda plan, value, choice: surrogate_profession(value, choice),
    "CITY": lambda plan, value, choice: plan.places.city(value),
    "STATE": lambda plan, value, choice: plan.places.state(value),
    "COUNTRY": lambda plan, value, choice: plan.places.country(value),
    "ZIP": lambda plan, value, choice: plan.places.zip_code(value),
    "PHONE": lambda plan, value, choice: surrogate_phone(value, choice),
    "FAX": lambda plan, value, choice: surrogate_phone(value, choice),
    "URL": lambda plan, value, choice: surrogate_url(value, choice),
    "IPADDR": lambda plan, value, choice: surrogate_ip(value, choice),
    "SSN": _make_ssn,
    **dict.fromkeys(NUMBERED, _make_id),
    **{label: _institution_maker(label) for label in NAMED_PLACES},
}

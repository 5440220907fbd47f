"""The world of a made-up patient: people, home, dates and numbers that stay the same through all notes of that patient.

Every fact has a random source of its own, named after the patient and the fact, so that a fact does not depend on which others were asked
for before it, nor on the process or its hash seed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import TypeVar

from incognote.lab.synthetic.library import Part
from incognote.lab.synthetic.locales import Locale, towns_of
from incognote.lab.synthetic.name_grammar import spell_name
from incognote.lab.synthetic.numbers import fill_shape
from incognote.lab.synthetic.people import Person, make_person
from incognote.lab.synthetic.style_profiles import StyleProfile
from incognote.lab.synthetic.vocabulary import Town, pick, state_names, towns

Fact = TypeVar("Fact")

_KIN = {
    "wife": "f", "husband": "m", "daughter": "f", "son": "m", "sister": "f", "brother": "m", "mother": "f", "father": "m", "niece": "f",
    "nephew": "m", "aunt": "f", "uncle": "m", "granddaughter": "f", "grandson": "m", "partner": "", "friend": "", "cousin": "",
    "daughter-in-law": "f", "son-in-law": "m", "neighbor": "", "fiancé": "m", "ex-wife": "f", "roommate": "", "grandmother": "f",
}  # fmt: skip
_CHILD_KIN = ("mother", "mother", "mother", "father", "father", "grandmother", "aunt", "sister", "brother")
_SAME_NAME = frozenset({"wife", "husband", "daughter", "son", "brother", "mother", "father", "grandson", "uncle"})


@dataclass(frozen=True, slots=True)
class Home:
    """Where the patient lives."""

    street: str
    city: str
    state: str
    code: str
    zip: str


@dataclass(slots=True)
class Chart:
    """One patient. ``audience`` says who that may be: adult, child, infant, woman, man or elder."""

    key: str
    part: Part
    audience: str
    profile: StyleProfile
    _facts: dict[str, object] = field(default_factory=dict)

    @property
    def locale(self) -> Locale | None:
        """The country of the profile, None for the United States."""
        return self.profile.locale

    def fact(self, name: str, make_fact: Callable[[Random], Fact]) -> Fact:
        """The fact of that name, made when first asked for."""
        if name not in self._facts:
            self._facts[name] = make_fact(Random(f"{self.key}/{name}"))
        return self._facts[name]  # type: ignore[return-value]

    @property
    def patient(self) -> Person:
        sex = {"woman": "f", "man": "m"}.get(self.audience, "")
        return self.fact("patient", lambda rng: make_person(rng, self.part, sex=sex, locale=self.locale))

    def staff(self, role: str) -> Person:
        return self.fact(role, lambda rng: make_person(rng, self.part, role=role, locale=self.locale))

    def relation(self, role: str) -> str:
        """What the relative is to the patient."""
        kin = _CHILD_KIN if self._is_young else tuple(_KIN)
        if role == "relative2":
            others = tuple(word for word in kin if word != self.relation("relative"))
            return self.fact("relation2", lambda rng: rng.choice(others))
        usual = kin if self._is_young else (*kin, *("wife" if self.patient.sex == "m" else "husband",) * 6)
        return self.fact("relation", lambda rng: rng.choice(usual))

    def kin_word(self, role: str) -> str:
        """What the relative is called where the patient lives: mum, nana, neighbour."""
        relation = self.relation(role)
        words = self.locale.kin.get(relation, ()) if self.locale else ()
        return self.fact(f"{role} word", lambda rng: rng.choice(words) if words and rng.random() < 0.8 else relation)

    @property
    def _is_young(self) -> bool:
        return self.audience in ("child", "infant")

    def relative(self, role: str) -> Person:
        relation = self.relation(role)

        def make_relative(rng: Random) -> Person:
            shared = relation in _SAME_NAME and rng.random() < 0.7
            return make_person(rng, self.part, sex=_KIN[relation], last=self.patient.last if shared else "", locale=self.locale)

        return self.fact(role, make_relative)

    @property
    def first_visit(self) -> date:
        """Real years, or years shifted far ahead as de-identified corpora have them."""

        def draw(rng: Random) -> date:
            low, high = rng.choices(((1996, 2027), (2060, 2099), (2101, 2190)), (74, 16, 10))[0]
            return date(rng.randint(low, high), 1, 1) + timedelta(days=rng.randint(0, 364))

        return self.fact("first visit", draw)

    @property
    def birth(self) -> date:
        ages = {"child": (400, 6200), "infant": (3, 330), "woman": (6700, 16500), "elder": (25600, 37500)}  # in days
        low, high = ages.get(self.audience, (6700, 34500))
        return self.fact("birth", lambda rng: self.first_visit - timedelta(days=rng.randint(low, high)))

    @property
    def home(self) -> Home:
        return self.fact("home", lambda rng: make_home(rng, self.part, self.locale))

    def body(self, slot: str, kind: str) -> str:
        """A hospital, employer, school or other body in the patient's life."""
        return self.fact(slot, lambda rng: spell_name(kind, rng, self.part, self.locale))


def make_home(rng: Random, part: Part, locale: Locale | None = None) -> Home:
    """A home in the country; in the United States with a city, state and ZIP code that match."""
    street = spell_name("street", rng, part, locale)
    if locale:
        state, short, shape = rng.choice(locale.states)
        return Home(street, pick(rng, towns_of(locale, part), skew=1.5), state, short, fill_shape(shape or rng.choice(locale.codes), rng))
    town = draw_town(rng, part)
    return Home(street, town.name, state_of(town.state), town.state, zip_of(town, rng))


def draw_town(rng: Random, part: Part) -> Town:
    choice = towns(part)
    return choice[int(len(choice) * rng.random() ** 1.6)]


def zip_of(town: Town, rng: Random) -> str:
    code = f"{town.zip3}{rng.randint(1, 99):02}"
    return f"{code}-{rng.randint(1, 9999):04}" if rng.random() < 0.08 else code


def state_of(code: str) -> str:
    return next((name for name, short in state_names() if short == code), code)

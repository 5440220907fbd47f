"""The persons of a patient's notes, and whom a mention means; placeholders and surrogates share this."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

from incognote.lexicon.nicknames import whole_forms
from incognote.lexicon.person import PersonName, may_be_same
from incognote.lexicon.typos import TypoIndex
from incognote.replace.name_reading import (
    has_comma,
    initials,
    is_brief,
    is_initials,
    join_family,
    lone_slot,
    name_parts,
    read_name,
    turn_name,
)
from incognote.replace.spelling import allowed_typos, respell

NAME_LABELS = ("PATIENT", "DOCTOR")
_KEPT = 4096  # a patient's names are asked for again and again


@dataclass(frozen=True, slots=True)
class Person:
    """One person: the label of the first mention, the number among persons of that label, the names in use, and all labels given.

    ``kin`` are the words of kinship beside a single name: "my sister Kim" is called so by her given name.
    """

    role: str
    number: int
    names: tuple[PersonName, ...] = field(repr=False)
    labels: frozenset[str] = frozenset()
    kin: frozenset[str] = frozenset()

    def given(self, initial: str) -> str:
        """The longest given name in use that starts with a letter, or nothing."""
        return max((name.given for name in self.names if name.given[:1] == initial), key=len, default="")

    @property
    def family(self) -> str:
        """The longest family name in use."""
        return max((name.family for name in self.names), key=len, default="")

    def middle(self, initial: str) -> str:
        """The middle name in use that starts with a letter, or nothing."""
        return next((word for name in self.names for word in name.middle if len(word) > 1 and word[0] == initial), "")

    def whole_form(self, short: str) -> str:
        """The given name in use that a word is short for, or nothing."""
        return next((word for name in self.names for word in (name.given, name.lone) if word in whole_forms().get(short, ())), "")

    def read(self, value: str) -> tuple[PersonName, bool]:
        """The parts of a mention of this person, and whether the family name stands first: by a comma, or as only that matches."""
        name = read_name(value)
        if has_comma(value):
            return name, True
        joined = join_family(name, {other.family for other in self.names})
        turned = turn_name(name)
        if joined not in self.names and turned is not None and turned in self.names:
            return turned, True
        return joined, False

    def has_word(self, lone: PersonName) -> bool:
        """Whether a single word is part of another name of this person."""
        return any(lone.lone in known.words for known in self.names if known != lone)

    def slot(self, lone: str) -> str:
        """Whether a single word is this person's given or family name."""
        if any(lone in name_parts(name.family) for name in self.names):
            return "family"
        if any(lone == name.given or lone in name.middle for name in self.names):
            return "given"
        return "given" if self.kin else lone_slot(lone, self.role)


@dataclass(frozen=True, slots=True)
class Index:
    """Persons, indexed by label and by keys of their names."""

    persons: list[Person] = field(default_factory=list)
    places: dict[str, dict[str, set[int]]] = field(default_factory=lambda: {label: {} for label in NAME_LABELS}, repr=False)

    def add(self, name: PersonName, place: int) -> None:
        """Index a name of the person at a place in the list."""
        places = self.places[self.persons[place].role]
        for key in _keys(name):
            places.setdefault(key, set()).add(place)

    def match(self, name: PersonName, label: str, *, brief: bool = False) -> Iterator[Person]:
        """The persons whom a name fits: of its own label first, then as listed. Initials (``brief``) fit whom they abbreviate."""
        fits = (person for person in self._lead(_sought(name), label) if any(may_be_same(name, other) for other in person.names))
        first = next(fits, None)
        if first:
            yield from chain([first], fits)
        elif brief:
            yield from self._lead([f"{initials(name)}."], label)

    def _lead(self, keys: Iterable[str], label: str) -> Iterator[Person]:
        for role in sorted(NAME_LABELS, key=label.__ne__):
            places = self.places[role]
            found = [places[key] for key in keys if key in places]
            yield from (self.persons[at] for at in sorted(set().union(*found)))


# A name is kept under more keys than it is sought by: "roe, j*" is whoever is called Roe and by a name with J, and "roe, j" J. Roe alone.
@lru_cache(_KEPT)
def _keys(name: PersonName) -> frozenset[str]:
    """The keys of a name in the index: its words, its given name with each family word, its initials."""
    keys = frozenset((*(f"{letters}." for letters in abbreviations(name)), *_parts(name)))
    if name.lone:
        return keys | {f"{name.lone}!"}
    given, family = _first_given(name), name.family[:1]
    starts = (given, f"{given[:1]}*", "*")
    return keys | {f"{family}*, {given}"} | {f"{part}, {start}" for part in _families(name) for start in starts}


def _sought(name: PersonName) -> set[str]:
    """The keys under which to look for all persons that a name may mean."""
    if name.lone:
        return {name.lone}
    given, family = _first_given(name), name.family[:1]
    starts = {given, given[:1], ""} if len(given) > 1 else {f"{given}*", ""} if given else {"*"}
    keys = {f"{part}, {start}" for part in _families(name) for start in starts} | {f"{part}!" for part in _parts(name)}
    # Ana R. is Ana Ruiz.
    return keys | {f"{family}, {given}" if len(name.family) > 1 else f"{family}*, {given}"}


def _parts(name: PersonName) -> Iterator[str]:
    return (part for word in name.words for part in (word, *word.split("-")))


def _families(name: PersonName) -> set[str]:
    """The words that a person of the same family name may share; an initial counts only if it is all of the name."""
    parts = (*name.family.split()[-1:], *name_parts(name.family))
    return {part for part in parts if len(part) > 1 or part == name.family}


def _first_given(name: PersonName) -> str:
    return name.given.partition("-")[0]


@dataclass(frozen=True)
class People:
    """The persons of a patient's notes; finds the one that a mention means, typing errors forgiven."""

    known: Mapping[tuple[str, str], Person] = field(default_factory=dict, repr=False)
    index: Index = field(default_factory=Index, repr=False)
    misspelt: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def persons(self) -> Sequence[Person]:
        """In the order of the places where they stand first."""
        return self.index.persons

    def find(self, label: str, value: str) -> Person | None:
        """The person meant: by the mention itself, else by a name that fits once it is spelled right."""
        if person := self.known.get((label, value)):
            return person
        return self.match(respell(read_name(value), self.spell), label, brief=is_initials(value))

    def match(self, name: PersonName, label: str, *, brief: bool = False) -> Person | None:
        """The person whom a name fits."""
        return next(self.index.match(name, label, brief=brief), None)

    def spell(self, word: str) -> str:
        """The word of the notes that a misspelt word stands for; itself where none is close."""
        if word in self.words or not (typos := allowed_typos(len(word))):
            return self.misspelt.get(word, word)
        _, near = min(self._typo_index.near(word, typos), default=(0, word))
        return self.misspelt.get(near, near)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of all names, also the parts of those with a hyphen."""
        return frozenset(part for person in self.persons for name in person.names for part in _parts(name))

    @cached_property
    def _typo_index(self) -> TypoIndex:
        # Of two words the shorter loses fewer letters, so that what it may hold itself is enough.
        return TypoIndex.gather(self.words, lambda word: allowed_typos(len(word)))


def abbreviations(name: PersonName) -> set[str]:
    """The initials that stand for a name: its first letters, or the letters that are all that is known of it, as JT for J.T."""
    letters = initials(name)
    whole = {letters, letters[0] + letters[-1]} if name.given and len(name.family) > 1 else set()
    return whole | {letters} if is_brief(name) else whole

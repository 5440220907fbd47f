"""Who is who: the names found in a patient's notes, gathered into persons whatever they were labelled."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import OSA

from incognote.replace.name_reading import (
    has_comma,
    initials,
    is_brief,
    is_initials,
    join_family,
    lone_slot,
    may_be_turned,
    name_parts,
    part_couple,
    read_generation,
    read_name,
    turn_name,
)
from incognote.tagging import Facts, PersonName, may_be_same

NAME_LABELS = ("PATIENT", "DOCTOR")


@dataclass(frozen=True, slots=True)
class Person:
    """One person: the label of the first mention, the number among persons of that label, the names in use, and all labels given."""

    role: str
    number: int
    names: tuple[PersonName, ...] = field(repr=False)
    labels: frozenset[str] = frozenset()

    @property
    def given(self) -> str:
        """The longest given name in use; an initial if no more is known."""
        return max((name.given for name in self.names), key=len, default="")

    @property
    def family(self) -> str:
        """The longest family name in use."""
        return max((name.family for name in self.names), key=len, default="")

    def middle(self, initial: str) -> str:
        """The middle name in use that starts with a letter, or nothing."""
        return next((word for name in self.names for word in name.middle if len(word) > 1 and word[0] == initial), "")

    def read(self, value: str) -> tuple[PersonName, bool]:
        """The parts of a mention of this person, and whether the family name stands first: with a comma, or as only this person tells."""
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
        return lone_slot(lone, self.role)


@dataclass(frozen=True, slots=True)
class Index:
    """Where in a list of persons each word and each pair of initials occurs: a look-up instead of a search through all."""

    places: dict[str, set[int]] = field(default_factory=dict)

    def add(self, name: PersonName, place: int) -> None:
        for key in _index_keys(name):
            self.places.setdefault(key, set()).add(place)

    def candidates(self, name: PersonName, persons: Sequence[Person]) -> list[Person]:
        """The persons who share a word or initials with the name."""
        return [persons[at] for at in sorted(set().union(*(self.places.get(key, ()) for key in _index_keys(name))))]


def _index_keys(name: PersonName) -> set[str]:
    letters = initials(name)
    return {*name.words, *name.family.split()[-1:], f"{letters[:1]}.{letters[-1:]}."}


@dataclass(frozen=True, slots=True)
class People:
    """The persons of a patient's notes; finds the one that a mention means, typing errors forgiven."""

    persons: tuple[Person, ...] = ()
    known: dict[tuple[str, str], Person] = field(default_factory=dict, repr=False)
    index: "Index" = field(default_factory=lambda: Index(), repr=False)

    def find(self, label: str, value: str) -> Person | None:
        """Who is meant: by the mention itself, else by a name that fits, else by one nearly alike."""
        if person := self.known.get((label, value)):
            return person
        name = read_name(value)
        return self.match(name, label, brief=is_initials(value)) or self._nearly(name, label)

    def match(self, name: PersonName, label: str, *, brief: bool = False) -> Person | None:
        """The person whom a name fits."""
        return match(name, label, self.index.candidates(name, self.persons), brief=brief)

    def _nearly(self, name: PersonName, label: str) -> Person | None:
        words = [word for word in name.words if len(word) >= 5]
        near = [
            (distance, person.role != label, person.number, person)
            for person in self.persons
            for word in words
            for other in {other for known in person.names for other in known.words}
            if (distance := OSA.distance(word, other, score_cutoff=typos(word))) <= typos(word)
        ]
        return min(near, key=lambda found: found[:3])[3] if near else None


def typos(word: str) -> int:
    """How many slips of the keyboard a word may hold and still be taken for another."""
    return 0 if len(word) < 5 else 1 if len(word) < 9 else 2


def match(name: PersonName, label: str, persons: Iterable[Person], *, brief: bool = False) -> Person | None:
    """The person a name fits: of its own label first, then the first found. Initials (``brief``) fit whom they abbreviate."""
    fits = [(person.role != label, person.number, person) for person in persons if any(may_be_same(name, other) for other in person.names)]
    if brief and not fits:
        fits = [(person.role != label, person.number, person) for person in persons if abbreviates(name, person)]
    return min(fits, key=lambda fit: fit[:2])[2] if fits else None


def abbreviates(name: PersonName, person: Person) -> bool:
    """Whether a name is made of the first letters of a person's, or is the same letters: JT is J.T. where no more is known."""
    if any(initials(name) == initials(other) for other in person.names if is_brief(other)):
        return True
    wholes = {initials(other) for other in person.names if other.given and len(other.family) > 1}
    return initials(name) in wholes | {whole[0] + whole[-1] for whole in wholes}


def gather_people(facts: Facts) -> People:
    """The persons among the facts: full names first, then those with an initial, then single words and initials."""
    wholes = [(place, label, whole) for (label, value), place in facts.places.items() if label in NAME_LABELS
              for _, whole in part_couple(value)]  # fmt: skip
    families = {family for *_, whole in wholes if " " in (family := read_name(whole).family)}
    mentions = sorted((_brevity(whole, name := _read_among(whole, families)), place, label, whole, name) for place, label, whole in wholes)
    groups: list[list[tuple[tuple[str, int], str, str, PersonName]]] = []
    firsts: list[Person] = []
    index = Index()
    generations: dict[int, str] = {}
    for brevity, place, label, value, name in mentions:
        generation = read_generation(value)
        # A father and his son of the same name are two.
        others = [one for one in index.candidates(name, firsts) if generation in ("", generations.get(one.number, generation))]
        found = match(name, label, others, brief=brevity == _INITIALS)
        if found is None and (turned := turn_name(name)) and not has_comma(value) and (found := match(turned, label, others)):
            name = turned
        if generation:
            generations.setdefault(len(firsts) if found is None else found.number, generation)
        index.add(name, len(firsts) if found is None else found.number)
        if found is None:
            groups.append([(place, label, value, name)])
            firsts.append(Person(label, len(firsts), (name,)))
        else:
            groups[found.number].append((place, label, value, name))
            firsts[found.number] = Person(found.role, found.number, (*found.names, name))
    counts = dict.fromkeys(NAME_LABELS, 0)
    known: dict[tuple[str, str], Person] = {}
    persons = []
    for group in sorted(groups, key=min):
        role = min(group)[1]
        counts[role] += 1
        labels = frozenset(label for _, label, *_ in group)
        person = Person(role, counts[role], tuple(dict.fromkeys(name for *_, name in group)), labels)
        persons.append(person)
        known.update({(label, value): person for _, label, value, _ in group})
    found_at = Index()
    for at, person in enumerate(persons):
        for name in person.names:
            found_at.add(name, at)
    return People(tuple(persons), known, found_at)


_INITIALS = 3


def _brevity(value: str, name: PersonName) -> int:
    if is_initials(value):
        return _INITIALS
    return 2 if name.lone or not name.given else 1 if len(name.given) == 1 or may_be_turned(name) else 0


def _read_among(value: str, families: Collection[str]) -> PersonName:
    return read_name(value) if has_comma(value) else join_family(read_name(value), families)

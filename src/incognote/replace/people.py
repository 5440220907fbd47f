"""Who is who: the names found in a patient's notes, gathered into persons whatever they were labelled."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from incognote.lexicon import word_order
from incognote.tagging import Facts, PersonName, may_be_same, parse_name
from incognote.tagging.person import GENERATIONS, PARTICLES, POSSESSIVE, SUFFIXES, fold

NAME_LABELS = ("PATIENT", "DOCTOR")
_COUPLE = re.compile(r"(?<=\w)\s+(?:and|&|\+)\s+(?=\w)", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
# Particles that people are called by, too.
_ALSO_GIVEN = frozenset("al ben della mac san".split())
_COMMA = re.compile(r"[,^]")
_APOSTROPHES = str.maketrans("", "", "'’ʼ`´")
_KEPT = 4096  # a patient's values are asked for again and again


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
        if _has_comma(value):
            return name, True
        joined = _join_family(name, {other.family for other in self.names})
        turned = _turn(name)
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


def fold_name(text: str) -> str:
    """As :func:`fold`, and without apostrophes: OBRIEN in the head of a note is the O'Brien of its text.

    >>> fold_name("O’Brien")
    'obrien'
    """
    return fold(text).translate(_APOSTROPHES)


@lru_cache(_KEPT)
def read_name(value: str) -> PersonName:
    """As :func:`parse_name`, folded; ``van der Berg`` alone is a family name.

    >>> read_name("van der Berg").family
    'van der berg'
    """
    name = parse_name(fold_name(POSSESSIVE.sub("", value.strip())))
    if name.given in PARTICLES and not name.lone and _opens_family(value, name):
        return PersonName(family=" ".join((name.given, *name.middle, name.family)))
    return name


def _opens_family(value: str, name: PersonName) -> bool:
    """Whether the first word is no given name: it is small among capitals, or another particle follows. Ben de la Cruz is called Ben."""
    written = next((word for word in _LETTERS.findall(value) if fold_name(word) == name.given), "")
    small = written.islower() and (not value.islower() or name.given not in _ALSO_GIVEN)
    # Nobody is called St. Pierre by the first name.
    return small or name.given == "st" or (name.given not in _ALSO_GIVEN and (*name.middle, *name.family.split())[0] in PARTICLES)


@lru_cache(_KEPT)
def part_couple(value: str) -> tuple[tuple[str, str], ...]:
    """The persons of a mention, each as written and with the family name that one of them alone bears.

    >>> part_couple("Bill and Martha Roe"), part_couple("Ann Lee")
    ((('Bill', 'Bill roe'), ('Martha Roe', 'Martha Roe')), (('Ann Lee', 'Ann Lee'),))
    """
    parts = _COUPLE.split(value)
    family = read_name(parts[-1]).family
    return tuple((part, f"{part} {family}" if family and read_name(part).lone and part != parts[-1] else part) for part in parts)


def name_parts(family: str) -> list[str]:
    """The words of a family name, those joined by a hyphen apart."""
    return family.replace("-", " ").split()


_JOINED_GIVEN = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_A-Z]+)+")


@cache
def _ranks(name: str) -> dict[str, int]:
    words = word_order(name)[::-1]
    return dict(zip(map(str.casefold, words), range(len(words) - 1, -1, -1), strict=True))


def lone_slot(word: str, role: str) -> str:
    """Given or family, for a word that stands alone everywhere: clinicians go by family names, others by what is more common."""
    never = 10**9
    given, family = _ranks("given-names").get(word, never), _ranks("surnames").get(word, never)
    if role == "DOCTOR" and family < never:
        return "family"
    return "given" if given < family else "family"


def is_joined_given(value: str) -> bool:
    """Whether the small letter after a hyphen says that two words are one given name: Soo-jin, not Ruiz-Ortega."""
    return _JOINED_GIVEN.fullmatch(value) is not None


@lru_cache(_KEPT)
def is_initials(value: str) -> bool:
    """Whether a mention may be initials alone: M.K., MK, or mk where no such name is known.

    >>> is_initials("M.K."), is_initials("MK"), is_initials("Jo"), is_initials("JO")
    (True, True, False, True)
    """
    letters = re.sub(r"[\s.]", "", value)
    if not letters.isalpha() or not 2 <= len(letters) <= 3:
        return False
    name = read_name(value)
    return _is_brief(name) or (name.lone != "" and len(letters) == 2 and letters.isupper())


def initials(name: PersonName) -> str:
    """First letters, given name first."""
    return name.lone or "".join(part[:1] for part in (name.given, *name.middle, name.family))


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
    if any(initials(name) == initials(other) for other in person.names if _is_brief(other)):
        return True
    wholes = {initials(other) for other in person.names if other.given and len(other.family) > 1}
    return initials(name) in wholes | {whole[0] + whole[-1] for whole in wholes}


def _is_brief(name: PersonName) -> bool:
    """Whether a name is nothing but initials."""
    if name.lone:
        return 1 < len(name.lone) < 4 and name.lone not in _ranks("given-names") and name.lone not in _ranks("surnames")
    return all(len(part) == 1 for part in (name.given, *name.middle, name.family))


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
        generation = _generation(value)
        # A father and his son of the same name are two.
        others = [one for one in index.candidates(name, firsts) if generation in ("", generations.get(one.number, generation))]
        found = match(name, label, others, brief=brevity == _INITIALS)
        if found is None and (turned := _turn(name)) and not _has_comma(value) and (found := match(turned, label, others)):
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
_GENERATION = re.compile(rf"\b({'|'.join(sorted(GENERATIONS))})\b\.?(?:['’]s)?(?=,|\s*$)", re.IGNORECASE)


def _generation(value: str) -> str:
    """Jr, Sr or a number after a name, in small letters."""
    found = _GENERATION.search(value)
    return found[1].casefold() if found and found.start() else ""


def _brevity(value: str, name: PersonName) -> int:
    if is_initials(value):
        return _INITIALS
    return 2 if name.lone or not name.given else 1 if len(name.given) == 1 or _is_turned(name) else 0


def _is_turned(name: PersonName) -> bool:
    """Whether the last word may be the given name, as in ``SMITH JOHN`` and ``Smith J.``: such wait for those that tell."""
    never = 10**9
    family_first = _ranks("surnames").get(name.given, never) < _ranks("given-names").get(name.given, never)
    return len(name.family) == 1 or (family_first and name.family in _ranks("given-names"))


def _read_among(value: str, families: Collection[str]) -> PersonName:
    return read_name(value) if _has_comma(value) else _join_family(read_name(value), families)


def _has_comma(value: str) -> bool:
    """Whether a comma, or the caret of a message, says that the family name stands first: not the one before ``Jr.``"""
    comma = _COMMA.search(value)
    return comma is not None and any(word not in SUFFIXES for word in fold(value[comma.end() :]).replace(".", "").replace(",", " ").split())


def _join_family(name: PersonName, families: Collection[str]) -> PersonName:
    """The name with the family name of several words that another mention tells: Ana Ruiz Ortega beside RUIZ ORTEGA, ANA, and Van Dyke
    beside Dick Van Dyke."""
    *first, last = name.given, *name.middle
    joined = f"{last} {name.family}"
    if joined not in families:
        return name
    return PersonName(first[0], tuple(first[1:]), joined) if first else PersonName(family=joined)


def _turn(name: PersonName) -> PersonName | None:
    """The name read with its first word as the family name; None where it is one word, or has more than two."""
    return PersonName(given=name.family, family=name.given) if name.given and name.family and not name.middle else None

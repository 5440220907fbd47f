"""Entity resolution: the names found in a patient's notes grouped into persons, whatever their labels."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import attrgetter

from incognote.facts import Facts, Place
from incognote.lexicon.nicknames import whole_forms
from incognote.lexicon.person import PersonName, may_be_same
from incognote.lexicon.relation_cues import KIN
from incognote.replace.name_reading import (
    has_comma,
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
from incognote.replace.people import NAME_LABELS, Index, People, Person
from incognote.replace.spelling import find_misspelt, respell

_INITIALS = 3


@dataclass(frozen=True, slots=True)
class Naming:
    """One person of a mention. ``value`` is the mention, ``whole`` the person's part of it, ``right`` the name as it should be spelled."""

    brevity: int
    place: Place
    label: str
    whole: str = field(repr=False)
    value: str = field(repr=False)
    name: PersonName
    right: PersonName
    generation: str


# Full names are grouped first, then those with an initial, then single words and initials.
_order = attrgetter("brevity", "place", "label", "whole", "value")
_first_place = attrgetter("place", "label", "whole")
Group = list[Naming]
Cues = Mapping[tuple[str, str], frozenset[str]]


def resolve_people(facts: Facts) -> People:
    """The persons among the facts."""
    wholes = [(place, label, value, whole) for (label, value), place in facts.places.items() if label in NAME_LABELS
              for _, whole in part_couple(value)]  # fmt: skip
    families = {family for *_, whole in wholes if " " in (family := read_name(whole).family)}
    names = [_read_among(whole, families) for *_, whole in wholes]
    misspelt = find_misspelt({part for name in names for word in name.words for part in name_parts(word)})
    namings = [
        Naming(_brevity(whole, name), place, label, whole, value, name, _spell(name, misspelt), read_generation(whole))
        for (place, label, value, whole), name in zip(wholes, names, strict=True)
    ]
    return _number(_join_nicknames(*_group(sorted(namings, key=_order)), facts.cues), misspelt, facts.cues)


def _brevity(value: str, name: PersonName) -> int:
    if is_initials(value):
        return _INITIALS
    return 2 if name.lone or not name.given else 1 if len(name.given) == 1 or may_be_turned(name) else 0


def _read_among(value: str, families: Collection[str]) -> PersonName:
    return read_name(value) if has_comma(value) else join_family(read_name(value), families)


def _spell(name: PersonName, misspelt: Mapping[str, str]) -> PersonName:
    return respell(name, lambda word: misspelt.get(word, word)) if misspelt else name


def _group(namings: Iterable[Naming]) -> tuple[list[Group], Index]:
    """The namings of each person, and the persons, numbered as their groups."""
    groups: list[Group] = []
    index = Index()
    for naming in namings:
        found = _find(naming, naming.right, groups, index, brief=naming.brevity == _INITIALS)
        if found is None and not has_comma(naming.whole) and (turned := turn_name(naming.right)):
            found = _find(naming, turned, groups, index)
            naming = replace(naming, name=turn_name(naming.name) or naming.name, right=turned) if found else naming
        if found is None:
            found = Person(naming.label, len(groups), ())
            groups.append([])
            index.persons.append(found)
        groups[found.number].append(naming)
        if naming.right not in found.names:
            index.persons[found.number] = Person(found.role, found.number, (*found.names, naming.right))
            index.add(naming.right, found.number)
    return groups, index


def _find(naming: Naming, name: PersonName, groups: Sequence[Group], index: Index, *, brief: bool = False) -> Person | None:
    fits = index.match(name, naming.label, brief=brief)
    # A father and a son of the same name are two persons.
    return next((one for one in fits if not _are_of_two_generations([naming], groups[one.number])), None)


def _are_of_two_generations(group: Group, other: Group) -> bool:
    own = {naming.generation for naming in group} - {""}
    return bool(own) and bool(its := {naming.generation for naming in other} - {""}) and own.isdisjoint(its)


def _join_nicknames(groups: Sequence[Group], index: Index, cues: Cues) -> list[Group]:
    """The groups, each known by a short form alone joined to the only group whose name it is short for."""
    givens = [_givens(group) for group in groups]
    bearers: dict[str, set[int]] = {}
    for at, names in enumerate(givens):
        for given in names:
            bearers.setdefault(given, set()).add(at)
    short = {at for at, names in enumerate(givens) if _are_short(names, groups[at])}
    homes: dict[int, int] = {}
    for at in short:
        fits: set[int] = set()
        for form in givens[at] & whole_forms().keys():
            for whole in whole_forms()[form] & bearers.keys():
                called = _call(groups[at], form, whole)
                alike = {one.number for name in called for one in index.match(name, groups[at][0].label)} & bearers[whole]
                fits |= {other for other in alike - short if _is_called(groups[at], called, groups[other], whole, cues)}
        if len(fits) == 1:
            homes[at] = fits.pop()
    joined = {at: list(group) for at, group in enumerate(groups) if at not in homes}
    for at, home in homes.items():
        joined[home] += groups[at]
    return list(joined.values())


def _givens(group: Group) -> set[str]:
    """The given names in use, also those that stand alone."""
    families = {part for naming in group for part in name_parts(naming.right.family)}
    lone = {naming.right.lone for naming in group if naming.right.lone and lone_slot(naming.right.lone, naming.label) == "given"}
    return ({naming.right.given for naming in group} | lone) - families - {""}


def _are_short(givens: Set[str], group: Group) -> bool:
    """Whether given names in use are short forms, but for initials and middle names."""
    middle = {word for naming in group for word in naming.right.middle}
    return all(len(name) == 1 or name in whole_forms() for name in givens - middle)


def _call(group: Group, short: str, whole: str) -> list[PersonName]:
    """The names in a group with the short form, as they are with the whole one."""
    return [replace(name, given=whole) if name.given else replace(name, lone=whole) for name in _fullest(group, short)]


def _is_called(group: Group, called: Iterable[PersonName], other: Group, whole: str, cues: Cues) -> bool:
    """Whether a short form in one group may be of the name in the other: of one label and family, with nothing that sets them apart."""
    if {naming.label for naming in group}.isdisjoint(naming.label for naming in other) or _are_apart(group, other, cues):
        return False
    return any(may_be_same(one, two) for one in called for two in _fullest(other, whole))


def _fullest(group: Group, given: str) -> list[PersonName]:
    """The names in a group with this given name; those with a family name, where there are such."""
    names = [naming.right for naming in group if given in (naming.right.given, naming.right.lone)]
    return [name for name in names if name.family] or names


def _are_apart(group: Group, other: Group, cues: Cues) -> bool:
    """Whether two groups stand in one list or couple, are different kin of the patient, or of different generation."""
    values, others = ({(naming.label, naming.value) for naming in each} for each in (group, other))
    own_cues, other_cues = (frozenset[str]().union(*(cues.get(value, ()) for value in each)) for each in (values, others))
    listed = any(value in own_cues for _, value in others) or any(value in other_cues for _, value in values)
    return bool(values & others) or listed or own_cues & KIN != other_cues & KIN or _are_of_two_generations(group, other)


def _number(groups: Iterable[Group], misspelt: Mapping[str, str], cues: Cues) -> People:
    """The persons, numbered for each role by the place where they stand first."""
    counts = dict.fromkeys(NAME_LABELS, 0)
    known: dict[tuple[str, str], Person] = {}
    index = Index()
    for at, group in enumerate(sorted((sorted(group, key=_first_place) for group in groups), key=lambda group: _first_place(group[0]))):
        role = group[0].label
        counts[role] += 1
        names = tuple(dict.fromkeys(name for naming in group for name in (naming.name, naming.right)))
        person = Person(role, counts[role], names, frozenset(naming.label for naming in group), _find_kin(group, cues))
        index.persons.append(person)
        known.update({(naming.label, naming.whole): person for naming in group})
        for name in names:
            index.add(name, at)
    return People(known, index, misspelt)


def _find_kin(group: Group, cues: Cues) -> frozenset[str]:
    """The words of kinship beside a single name in the group."""
    return frozenset(word for naming in group if naming.right.lone for word in KIN & cues.get((naming.label, naming.value), frozenset()))

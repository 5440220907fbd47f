"""Surrogate e-mail addresses and user names, made of the surrogate name of their owner."""

import re

from incognote.lexicon.person import fold
from incognote.replace.casing import match_case
from incognote.replace.contacts import surrogate_domain
from incognote.replace.keyed_choice import KeyedChoice
from incognote.replace.name_reading import name_parts, read_name
from incognote.replace.names import Names, NamesUsedUpError, other_letter
from incognote.replace.people import NAME_LABELS, Person

_EMAIL = re.compile(r"(?P<lead>mailto:)?(?P<local>[^@\s]+)\s?@\s?(?P<domain>[^@\s]+)", re.IGNORECASE)
_RUN = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST = 3
_SHORTEST_CUT = 4


def surrogate_email(value: str, names: Names, choice: KeyedChoice) -> str | None:
    """``m.kaczmarek@hospital.org`` as the surrogate would write it, at a domain kept for examples."""
    parts = _EMAIL.fullmatch(value.strip())
    local = surrogate_handle(parts["local"], names, choice) if parts else None
    return f"{local}@{surrogate_domain(parts['domain'], choice)}" if parts and local else None


def surrogate_handle(value: str, names: Names, choice: KeyedChoice) -> str | None:
    """A user name: known names and initials become the surrogate's; the rest is chosen letter by letter."""
    if not value.isascii() or len(value) > 64:
        return None
    try:
        return _render_handle(value, names, choice)
    except NamesUsedUpError:
        return None


def _render_handle(value: str, names: Names, choice: KeyedChoice) -> str:
    owners = names.owners
    text = fold(value)
    inside = {text[start:end] for start in range(len(text)) for end in range(start + _SHORTEST, len(text) + 1)}
    known = sorted((word for word in inside if word in owners), key=lambda word: (-len(word), word))
    split = re.split(f"({'|'.join(map(re.escape, known))})", value, flags=re.IGNORECASE) if known else [value]
    owner = next((owners[fold(piece)] for piece in split if fold(piece) in known), None) or _find_cut(text, names)
    pieces, used = [], ""
    for piece in split:
        if fold(piece) in known:
            person = owner if owner and fold(piece) in _words(owner) else owners[fold(piece)]
            used = person.slot(fold(piece))
            pieces.append(match_case(names.word(fold(piece), used, person).lower(), piece))
        else:
            pieces.append(_RUN.sub(lambda run, used=used: _other_run(run[0], owner, used, names, choice), piece))
    return "".join(pieces)


def _words(person: Person) -> set[str]:
    return {part for name in person.names for word in name.words for part in name_parts(word)}


def _other_run(run: str, owner: Person | None, used: str, names: Names, choice: KeyedChoice) -> str:
    """What stands for a run of letters or digits. ``used`` is the slot of the name before it: billyh ends in the initial of the family."""
    if run.isdigit():
        return choice.of("digits", run).digits(len(run)) if len(run) <= 60 else "0" * len(run)
    letters = fold(run)
    if len(letters) == 1 and owner:
        return match_case(names.initial(letters, _initial_slot(letters, owner, used), owner), run)
    if len(letters) in (2, 3) and (person := names.people.match(read_name(run), "DOCTOR", brief=True)):
        slots = ["given", *["middle"] * (len(letters) - 2), "family"]
        return match_case("".join(names.initial(letter, slot, person) for letter, slot in zip(letters, slots, strict=True)), run)
    if owner and (cut := _cut(letters, owner)):
        return match_case("".join(_shorten(piece, slot, owner, names) for piece, slot in cut), run)
    if len(letters) <= _SHORTEST:
        return match_case("".join(other_letter(letter, choice.of("handle", letters, at), ()) for at, letter in enumerate(letters)), run)
    # A word that is no name in the notes may still be a name.
    stranger = Person(NAME_LABELS[0], 0, (read_name(run),))
    return match_case(names.word(letters, "family", stranger).lower(), run)


def _initial_slot(letter: str, owner: Person, used: str) -> str:
    """The part of the name that a letter begins: after the given name the family's or a middle one's, else the given name's."""
    if used == "given":
        return "family" if owner.family.startswith(letter) or not owner.middle(letter) else "middle"
    return "given" if owner.given(letter) or not owner.middle(letter) else "middle"


def _find_cut(text: str, names: Names) -> Person | None:
    """The person of whose names a user name holds the beginnings: k.strick."""
    letters = "".join(filter(str.isalpha, text))
    return next((person for person in names.people.persons if len(letters) >= _SHORTEST_CUT and _cut(letters, person)), None)


def _cut(letters: str, person: Person) -> list[tuple[str, str]] | None:
    """The beginnings of a person's names that a run is made of, each with its slot: kstrick is Katherine Strickland, strickk too."""
    if len(letters) < _SHORTEST or not (family := name_parts(person.family)):
        return None
    for slot, whole in (("family", family[0]), ("given", person.given(letters[0]))):
        if whole.startswith(letters):
            return [(letters, slot)]
    for at in range(1, len(letters)):
        one, two = letters[:at], letters[at:]
        if len(two) >= _SHORTEST and family[0].startswith(two) and (whole := person.given(one[0])):
            if whole.startswith(one):
                return [(one, "given"), (two, "family")]
            if len(one) == 2 and person.middle(one[1]):
                return [(one[0], "given"), (one[1], "middle"), (two, "family")]
        if len(one) >= _SHORTEST and family[0].startswith(one) and person.given(two[0]).startswith(two):
            return [(one, "family"), (two, "given")]
    return None


def _shorten(piece: str, slot: str, person: Person, names: Names) -> str:
    """As many letters of the surrogate as there are of the name."""
    if len(piece) == 1:
        return names.initial(piece, slot, person).lower()
    whole = name_parts(person.family)[0] if slot == "family" else person.given(piece[0])
    return fold(names.word(whole, slot, person))[: len(piece)]

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
    owner = next((owners[fold(piece)] for piece in split if fold(piece) in known), None)
    pieces = []
    for piece in split:
        if fold(piece) in known:
            person = owner if owner and fold(piece) in _words(owner) else owners[fold(piece)]
            pieces.append(match_case(names.word(fold(piece), person.slot(fold(piece)), person).lower(), piece))
        else:
            pieces.append(_RUN.sub(lambda run: _other_run(run[0], owner, names, choice), piece))
    return "".join(pieces)


def _words(person: Person) -> set[str]:
    return {part for name in person.names for word in name.words for part in name_parts(word)}


def _other_run(run: str, owner: Person | None, names: Names, choice: KeyedChoice) -> str:
    if run.isdigit():
        return choice.of("digits", run).digits(len(run)) if len(run) <= 60 else "0" * len(run)
    letters = fold(run)
    if len(letters) == 1 and owner:
        return match_case(names.initial(letters, "given", owner), run)
    if len(letters) in (2, 3) and (person := names.people.match(read_name(run), "DOCTOR", brief=True)):
        slots = ["given", *["middle"] * (len(letters) - 2), "family"]
        return match_case("".join(names.initial(letter, slot, person) for letter, slot in zip(letters, slots, strict=True)), run)
    if len(letters) <= _SHORTEST:
        return match_case("".join(other_letter(letter, choice.of("handle", letters, at), ()) for at, letter in enumerate(letters)), run)
    # A word that is no name in the notes may still be a name.
    stranger = Person(NAME_LABELS[0], 0, (read_name(run),))
    return match_case(names.word(letters, "family", stranger).lower(), run)

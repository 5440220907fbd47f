"""Surrogate names: each word of a name has one other word that stands for it, in whatever shape the name is written."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import product

from incognote.lexicon.nicknames import short_forms
from incognote.lexicon.person import PARTICLES, POSSESSIVE, SUFFIXES, TITLES, PersonName
from incognote.replace.casing import match_case
from incognote.replace.keyed_choice import KeyedChoice
from incognote.replace.name_pools import family_pool, gender_of, given_pool, usable
from incognote.replace.name_reading import (
    LETTER,
    fold_name,
    is_initials,
    is_joined_given,
    join_letters,
    name_parts,
    read_name,
    rewrite_couple,
)
from incognote.replace.people import NAME_LABELS, People, Person, abbreviations

# All surnames of the list.
_ALL = 10**6
_SHORT = 5
_TOKEN = re.compile(rf"{LETTER}+(?:['’-]{LETTER}+)*\.?|,")
# Between two family names: Ortega y Gasset.
_BETWEEN = ("y", "e")
_LETTERS = "ABCDEFGHIJKLMNOPRSTVW"
_BESIDE_NAMES = frozenset({",", *TITLES, *SUFFIXES})


class NamesUsedUpError(Exception):
    """Every name on the list is a real one among these facts: tens of thousands of people share one patient id."""


@dataclass(frozen=True, slots=True)
class Names:
    """A patient's surrogate names. ``real`` are the words no surrogate may be; ``owners`` is the first person with each word."""

    choice: KeyedChoice
    people: People = field(repr=False)
    real: frozenset[str] = field(repr=False)
    words: dict[tuple[str, str, str], str] = field(default_factory=dict, repr=False)
    taken: set[str] = field(default_factory=set, repr=False)
    owners: dict[str, Person] = field(default_factory=dict, repr=False)
    left: dict[str, list[int]] = field(default_factory=dict, repr=False)

    def surrogate(self, label: str, value: str) -> str | None:
        """The value with every name in it replaced, shape and capitals kept; None where a part of it is no name."""
        try:
            return rewrite_couple(
                value, lambda written, whole: self.render(written, self.people.find(label, whole) or Person(label, 0, (read_name(whole),)))
            )
        except NamesUsedUpError:
            return None

    def render(self, value: str, person: Person) -> str | None:
        """A mention of a person as a mention of the surrogate person; what is spelled out stays so."""
        value, marks = join_letters(value)
        ending = POSSESSIVE.search(value.rstrip())
        body, tail = (value[: ending.start()], value[ending.start() :]) if ending else (value, "")
        name, turned = person.read(value)
        if name.lone and is_initials(body) and not person.has_word(name):
            return marks.get(body, "").join(self._render_letters(body, name.lone, person)) + tail
        due = _reading_order(name, turned)
        pieces, at = [], 0
        for token in _TOKEN.finditer(body):
            between, at = body[at : token.start()], token.end()
            word = fold_name(token[0]).rstrip(".")
            if not _is_plain(between) or not (word in _BESIDE_NAMES or (due and word == due[0][1])):
                return None
            new = token[0]
            if due and word == due[0][1]:
                slot, _ = due.pop(0)
                new = self._word(token[0].rstrip("."), word, slot, person, name, body)
                new = marks.get(token[0].rstrip("."), "").join(new)
                # Wm. becomes a name that is written out, and that has no full stop.
                whole = len(word) > 1 and new != token[0].rstrip(".") and token.end() < len(body)
                new += "." if token[0].endswith(".") and not whole else ""
            pieces += [between, new]
        return "".join([*pieces, body[at:], tail]) if not due and pieces and _is_plain(body[at:]) else None

    def _word(self, written: str, word: str, slot: str, person: Person, name: PersonName, body: str) -> str:
        if slot == "lone":
            slot = "given" if is_joined_given(written) else person.slot(self.people.spell(word))
        if len(word) == 1:
            if written in _BETWEEN and slot == "middle" and not body.islower():
                return written
            return match_case(self.initial(word, slot, person), written)
        # Jose de Jesus: de alone is no name.
        if slot == "middle" and word in ("de", "del") and word != name.middle[-1]:
            return written
        if slot == "family":
            if word in PARTICLES and word in name.family.split()[:-1]:
                return written
            *leads, last = zip(written.split("-"), word.split("-"), strict=True)
            # al-Farsi keeps its article.
            kept = [like if part in PARTICLES else match_case(self.word(part, "family", person), like) for like, part in leads]
            return "-".join([*kept, match_case(self.word(last[1], "family", person), last[0])])
        return match_case(self.word(word, "given", person), written)

    def initial(self, letter: str, slot: str, person: Person) -> str:
        """The first letter of the surrogate of the part that the initial stands for."""
        whole = {"given": person.given(letter), "middle": person.middle(letter), "family": (name_parts(person.family) or [""])[-1]}[slot]
        if len(whole) > 1 and whole[0] == letter:
            return self.word(whole, "family" if slot == "family" else "given", person)[0]
        return other_letter(letter, self.choice.of("initial", person.role, slot, person.family), self.real)

    def _render_letters(self, body: str, letters: str, person: Person) -> str:
        """MK: the first letter is of the given name, the last of the family name."""
        slots = ["given", *["middle"] * (len(letters) - 2), "family"]
        found = [self.initial(letter, slot, person) for letter, slot in zip(letters, slots, strict=True)]
        return match_case("".join(found), body)

    def word(self, word: str, slot: str, person: Person) -> str:
        """The surrogate of one word of a person's name; a misspelt one has that of the word it was meant to be."""
        word = self.people.spell(word)
        for role in (person.role, *(role for role in NAME_LABELS if role != person.role)):
            if chosen := self.words.get((role, slot, word)):
                return chosen
        return self.choose_word(word, slot, person.role)

    def choose_word(self, word: str, slot: str, role: str, *, values: Collection[str] = (), shorts: Collection[str] = ()) -> str:
        """A word for one of a person's name and its short forms, from the common names; from all of the list where these are used up.

        ``values`` are the mentions that it stands in, and the words of kinship beside them."""
        choice = self.choice.of("name", role, slot, word)
        initials = {one[0] for one in (word, *shorts)}
        pool = family_pool(role) if slot == "family" else given_pool(role, gender_of(word, values))
        called = [name for name in pool if all(self._free_shorts(name, short) for short in shorts)] if shorts else []
        for names in (called, pool):
            for attempt in range(60 if names else 0):
                if self._is_free(chosen := choice.of(attempt).pick(names), initials):
                    return chosen
        return self._next_left(role, choice.below(len(family_pool(role, _ALL))), initials)

    def _next_left(self, role: str, start: int, initials: Collection[str]) -> str:
        """The first free name of all of the list, from a place in it. What is taken leaves ``left`` when it is met."""
        names = family_pool(role, _ALL)
        if role not in self.left:
            self.left[role] = [at for at, name in enumerate(names) if self._is_free(name, ())]
        left, passed = self.left[role], 0
        at = bisect_left(left, start)
        while passed < len(left):
            at %= len(left)
            if self._is_free(chosen := names[left[at]], initials):
                return chosen
            if chosen in self.taken:
                del left[at]
            else:
                at, passed = at + 1, passed + 1
        raise NamesUsedUpError

    def choose_short(self, short: str, chosen: str, gender: str, role: str) -> str:
        """A short form of a chosen name; another short name where no form is free: a name is not its own nickname."""
        free = self._free_shorts(chosen, short)
        free = free or [name for name in given_pool(role, gender) if len(name) <= _SHORT and self._is_free(name, {short[0]})]
        return self.choice.of("short", short).pick(free) if free else chosen

    def _free_shorts(self, chosen: str, short: str) -> list[str]:
        forms = (form.capitalize() for form in usable(short_forms().get(chosen.casefold(), ())))
        return [form for form in forms if self._is_free(form, {short[0]})]

    def _is_free(self, chosen: str, initials: Collection[str]) -> bool:
        """Whether no person has the name, real or surrogate. With another first letter, so that initials change too."""
        return chosen.casefold() not in self.real and chosen not in self.taken and chosen[0].casefold() not in initials


def _reading_order(name: PersonName, turned: bool) -> list[tuple[str, str]]:
    family = [("family", word) for word in name.family.split()]
    first = [("given", name.given)] * bool(name.given) + [("middle", word) for word in name.middle]
    if name.lone:
        return [("lone", name.lone)]
    return family + first if turned else first + family


def _is_plain(text: str) -> bool:
    return (
        not text
        or text.isspace()
        or not any(character.isalnum() or character == "_" or unicodedata.combining(character) for character in text)
    )


def other_letter(letter: str, choice: KeyedChoice, real: Collection[str]) -> str:
    """A capital that is not the letter, nor stands alone as a real value if that can be."""
    others = [other for other in _LETTERS if other.casefold() != letter]
    free = [other for other in others if other.casefold() not in real]
    return choice.of("letter", letter).pick(free or others)


def assign_names(choice: KeyedChoice, people: People, real: frozenset[str], *, taken: Collection[str] = ()) -> Names:
    """Surrogates for every word of every person's names, none of them ``taken``.

    The order of the words does not matter but where two draw the same."""
    names = Names(choice, people, real, taken=set(taken))
    wanted: dict[tuple[str, str, str], set[str]] = {}
    shorts: dict[tuple[str, str, str], set[str]] = {}
    mentions: dict[tuple[str, int, bool], set[str]] = {}
    for (_, value), person in people.known.items():
        mentions.setdefault((person.role, person.number, is_joined_given(value)), set()).add(value)
    for person, joined in product(people.persons, (False, True)):
        values = mentions.get((person.role, person.number, joined), set())
        for slot, word in _words_of(person, joined=joined) if values else ():
            word = people.spell(word)
            if whole := person.whole_form(word) if slot == "given" else "":
                shorts.setdefault((person.role, slot, whole), set()).add(word)
            else:
                wanted.setdefault((person.role, slot, word), set()).update(values | person.kin)
    for role, slot, word in sorted(wanted):
        called = shorts.get((role, slot, word), set())
        try:
            new = names.choose_word(word, slot, role, values=wanted[role, slot, word], shorts=called)
        except NamesUsedUpError:  # what has no surrogate is masked
            break
        names.words[role, slot, word] = new
        names.taken.add(new)
    for role, slot, word in sorted(shorts.keys() & names.words.keys()):
        for short in sorted(shorts[role, slot, word]):
            values = wanted[role, slot, word]
            names.words[role, slot, short] = names.choose_short(short, names.words[role, slot, word], gender_of(word, values), role)
            names.taken.add(names.words[role, slot, short])
    for person in people.persons:
        for part in (part for name in person.names for word in name.words for part in name_parts(word)):
            names.owners.setdefault(part, person)
    return names


def _words_of(person: Person, *, joined: bool) -> Iterator[tuple[str, str]]:
    """The words of a person's names that need a surrogate, each with its slot; ``joined`` says that a lone one is a given name of two."""
    brief = set().union(*map(abbreviations, person.names))
    for name in person.names:
        if len(name.family) == 1 or name.lone in brief:
            continue
        slots = [("family", word) for word in name_parts(name.family)] + [("given", word) for word in (name.given, *name.middle)]
        slots += [("given", name.lone)] if joined and name.lone else [(person.slot(name.lone), part) for part in name_parts(name.lone)]
        yield from ((slot, word) for slot, word in slots if len(word) > 1)

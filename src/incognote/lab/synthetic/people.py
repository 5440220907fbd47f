"""Made-up people and the ways their names are written, as segments: titles and degrees stand outside the span."""

import unicodedata
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from incognote.lab.synthetic.library import Part
from incognote.lab.synthetic.locales import Locale
from incognote.lab.synthetic.vocabulary import Names, american_names, foreign_names, nicknames, pick, shapes, wordlike_names

# A piece of a note: its text, and its label or "" where it is plain.
Segment: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Person:
    """Someone in a patient's world; ``sex`` is f or m."""

    first: str
    middle: str
    last: str
    sex: str
    nick: str
    suffix: str = ""
    degree: str = ""
    title: str = ""


def make_person(rng: Random, part: Part, *, sex: str = "", last: str = "", role: str = "", locale: Locale | None = None) -> Person:
    """Someone of any origin, mostly of those that live in the country; ``last`` passes on a family's name, ``role`` gives a degree."""
    sex = sex or rng.choice("fm")
    names, family = _draw_names(rng, part, locale)
    given = names.given[sex]
    first = pick(rng, given, skew=2.2 if len(given) > 5000 else 1)
    middle = rng.choice("ABCDEFGHJKLMNPRSTVW") + "." if rng.random() < 0.6 else pick(rng, given, skew=2)
    surname = last or _draw_surname(rng, names, family)
    if rng.random() < 0.6:
        first, surname = strip_marks(first), strip_marks(surname)
    nick = rng.choice(nicknames().get(first, (first,)))
    suffix = rng.choice(("Jr.", "Jr", "Sr.", "III", "II")) if sex == "m" and not role and rng.random() < 0.06 else ""
    degrees = shapes("degrees").get(role, shapes("degrees")["doctor"])
    title = rng.choice(shapes("titles").get(role, ("Dr.",)))
    if title in ("Ms.", "Mr."):
        title = "Ms." if sex == "f" else "Mr."
    return Person(first, middle, surname, sex, nick, suffix, rng.choice(degrees) if role else "", title if role else _courtesy(rng, sex))


def _draw_names(rng: Random, part: Part, locale: Locale | None) -> tuple[Names, tuple[str, ...]]:
    """Given names and surnames to draw from; sometimes of two origins, as in a family that moved."""
    if locale and rng.random() < 0.65:
        local = foreign_names(part)[rng.choice(locale.origins)]
        return local, local.family
    american = american_names(part)
    chance = rng.random()
    if chance < 0.5:
        return american, american.family
    if chance < 0.6:
        wordlike = wordlike_names(part)
        return (wordlike, american.family) if rng.random() < 0.4 else (american, wordlike.family)
    origins = foreign_names(part)
    names = origins[rng.choice(tuple(origins))]
    return (american if rng.random() < 0.2 else names), names.family


def _draw_surname(rng: Random, names: Names, family: tuple[str, ...]) -> str:
    surname = pick(rng, family, skew=2.2 if len(family) > 5000 else 1)
    chance = rng.random()
    if chance < 0.06:
        return f"{surname}-{pick(rng, family, skew=2)}"
    if chance < 0.09:
        return f"{rng.choice(shapes('surnames')['particles'])} {surname}"
    if chance < 0.12:
        return f"{surname} {pick(rng, family, skew=2)}"
    if chance < 0.13:
        return f"{rng.choice(shapes('surnames')['elisions'])}{surname}"
    if chance < 0.15:
        return pick(rng, names.given[rng.choice("fm")], skew=1)  # a given name as a surname
    return surname


def strip_marks(name: str) -> str:
    """The name without its diacritics, as most record systems keep it.

    >>> strip_marks("Núñez Łukasz Đặng")
    'Nunez Lukasz Dang'
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    return plain.translate(str.maketrans("łŁđĐøØßıæÆœŒəƏ", "lLdDoOsiaAoOeE"))


def _courtesy(rng: Random, sex: str) -> str:
    return "Mr." if sex == "m" else rng.choice(("Mrs.", "Ms.", "Ms.", "Miss"))


def write_name(person: Person, form: str, label: str, rng: Random) -> list[Segment]:
    """The name in a form, with what belongs to it outside the span.

    >>> lee = Person("Ann", "M.", "Lee", "f", "Annie", degree="MD", title="Dr.")
    >>> write_name(lee, "title_last", "DOCTOR", Random(2)), write_name(lee, "degree", "DOCTOR", Random(2))
    ([('Dr. ', ''), ('Lee', 'DOCTOR')], [('Ann Lee', 'DOCTOR'), (', MD', '')])
    """
    if form == "title_last":
        return [(f"{_vary_title(person.title, rng)} ", ""), (person.last, label)]
    if form == "title_full":
        return [(f"{_vary_title(person.title, rng)} ", ""), (_full(person, rng), label)]
    if form == "degree":
        return [(_full(person, rng), label), (f", {person.degree}", "")]
    return [(_spell(person, form, rng), label)]


def _vary_title(title: str, rng: Random) -> str:
    chance = rng.random()
    if chance > 0.15:
        return title
    return title.rstrip(".") if chance > 0.04 or title not in ("Dr.",) else "Doctor"


def _full(person: Person, rng: Random) -> str:
    chance = rng.random()
    first = person.first if chance < 0.96 else f"{person.first[0]}."
    middles = ((0.3, f" {person.middle}"), (0.38, f" {person.middle[0]}"), (0.5, f" {person.middle[0]}."), (1, ""))
    middle = next(written for below, written in middles if chance < below)
    suffix = f"{rng.choice((', ', ' '))}{person.suffix}" if person.suffix and chance < 0.7 else ""
    return f"{first}{middle} {person.last}{suffix}"


def _spell(person: Person, form: str, rng: Random) -> str:
    if form == "first":
        return person.first
    if form == "last":
        return person.last
    if form == "first_initial":
        return f"{person.first} {person.last[0]}{rng.choice(('.', ''))}"
    if form == "last_initial":
        return f"{person.last}{rng.choice((', ', ' ', ','))}{person.first[0]}{rng.choice(('', '', '.'))}"
    if form == "initial_last":
        return f"{person.first[0]}{rng.choice(('. ', ' ', '.'))}{person.last}"
    if form == "nick":
        return person.nick
    if form == "initials":
        one, two, three = person.first[0], person.middle[0], person.last[0]
        return rng.choice((f"{one}.{three}.", f"{one}{three}", f"{one}{two}{three}", f"{one}. {three}.", f"{one}.{two}.{three}."))
    if form == "last_first":
        last, first = person.last + (f" {person.suffix}" if person.suffix else ""), person.first
        if rng.random() < 0.5:
            last, first = last.upper(), first.upper()
        middle = rng.choice(("", "", "", f" {person.middle[0]}", f" {person.middle[0]}.", f" {person.middle}"))
        return f"{last}{rng.choice((', ', ', ', ','))}{first}{middle.upper() if first.isupper() else middle}"
    return _full(person, rng)


_RUNNING_FORMS = {
    "DOCTOR": ("title_last full title_full degree last initial_last first_initial first", (42, 17, 18, 11, 5, 4, 2, 1)),
    "PATIENT": ("full title_last title_full first last nick first_initial initial_last", (34, 28, 10, 14, 5, 4, 3, 2)),
}


def pick_form(rng: Random, label: str) -> str:
    """A form that fits running text."""
    forms, weights = _RUNNING_FORMS["DOCTOR" if label == "DOCTOR" else "PATIENT"]
    return rng.choices(forms.split(), weights)[0]

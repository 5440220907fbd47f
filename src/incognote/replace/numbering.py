"""Numbered placeholders: one number per entity and patient, by the place where it was found first."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rapidfuzz import process

from incognote.facts import Facts
from incognote.lexicon.person import fold
from incognote.replace.date_reading import read_dates
from incognote.replace.identifiers import canonical_id
from incognote.replace.marks import DEFAULT_MARKS, Marks
from incognote.replace.name_reading import rewrite_couple
from incognote.replace.people import NAME_LABELS, People

_ALIKE = 85
# Among more values something is always like it, and to look through all for each would take too long.
_MANY = 500
_EXTENSION = re.compile(r"(?<=\d)\s*,?\s*(?:ext(?:ension)?|x|#)[\s.:]*\d+\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of a patient's entities."""

    people: People = field(repr=False)
    numbers: Mapping[str, Mapping[str, int]] = field(repr=False)
    day_first: bool = False

    def placeholder(self, label: str, value: str, marks: Marks = DEFAULT_MARKS, *, shown: str = "") -> str:
        """``[PATIENT-1]``; without a number where the value is like nothing among the facts. ``shown`` is the label to write."""
        if label in NAME_LABELS:
            parts = rewrite_couple(value, lambda _, whole: self._person_placeholder(label, whole, marks, shown))
            return parts or marks.name(shown or label)
        numbers = self.numbers.get(label, {})
        key = canonical(label, value, day_first=self.day_first)
        if key not in numbers:
            near = process.extractOne(key, numbers.keys(), score_cutoff=_ALIKE) if len(numbers) <= _MANY else None
            if near is None:
                return marks.name(shown or label)
            key = near[0]
        return marks.name(shown or label, numbers[key])

    def _person_placeholder(self, label: str, whole: str, marks: Marks, shown: str) -> str:
        person = self.people.find(label, whole)
        return marks.name(person.role if not shown or shown == label else shown, person.number) if person else marks.name(shown or label)


def canonical(label: str, value: str, *, day_first: bool) -> str:
    """One text for all writings of one thing: a date by its day, a number by its digits, the rest without case and spacing.

    >>> canonical("DATE", "7/2/2061", day_first=False) == canonical("DATE", "July 2nd, 2061", day_first=False)
    True
    """
    if label == "DATE":
        written = read_dates(value, day_first=day_first)
        if written and len(written) == 1 and written[0].full and not written[0].last_day:
            return written[0].full.isoformat()
    if label in ("PHONE", "FAX"):
        # With or without its area code and extension.
        return re.sub(r"\D", "", _EXTENSION.sub("", value))[-7:] or fold(value)
    if label == "SSN":
        return re.sub(r"\D", "", value)[-4:] or fold(value)
    if any(character.isdigit() for character in value) and label not in ("DATE", "STREET", "EMAIL", "URL"):
        return canonical_id(value)
    return " ".join(re.findall(r"\w+", fold(value))) or value


def number_entities(facts: Facts, people: People, *, day_first: bool) -> Numbering:
    """The numbering that follows from the facts."""
    numbers: dict[str, dict[str, int]] = {}
    for _, label, value in sorted((place, label, value) for (label, value), place in facts.places.items()):
        if label not in NAME_LABELS:
            of_label = numbers.setdefault(label, {})
            of_label.setdefault(canonical(label, value, day_first=day_first), len(of_label) + 1)
    return Numbering(people, numbers, day_first)

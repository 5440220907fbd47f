"""Finds fixed text that a template must not hold: a literal date, name, age or number in a skeleton would be PHI without a gold span."""

import re
from collections.abc import Iterator

from incognote.lab.synthetic.language import Template, walk
from incognote.lexicon.calendar import MONTHS, WEEKDAYS

_MONTHS = "|".join(month.capitalize() for month in MONTHS if month not in ("march", "may", "august"))
_DAYS = "|".join(WEEKDAYS).title()
_RULES = (
    (r"(?<![\w.,#/-])(?:19|20)\d\d(?![\d,.%-])(?! ?(?:mg|ml|cc|units?|kcal|calor|ft|feet|hours|hrs?)\b)", "a year", "{date.year}"),
    (r"\b\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b", "a date", "{date.past}"),
    (rf"\b(?:{_MONTHS}|{_DAYS})\b", "a month or a weekday", "{date.month} or {date.weekday}"),
    (r"\b\d{1,3}(?:[- ]?(?:year|yr)s?[- ]old|[ -]?y/?o\b| years? of age)", "an age", "{age}"),
    (r"\b(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? [A-Z][a-z]+", "a name", "{patient.title_last} or a doctor's slot"),
    (r"\b\d{3}[-.]\d{3}[-.]\d{4}\b|\(\d{3}\) ?\d{3}-\d{4}|(?<![\d-])\d{3}-\d{4}(?!\d)", "a phone number", "{phone}"),
    (r"\S@\S+\.\w", "an e-mail address", "{email}"),
    (r"https?://|www\.", "a web address", "{url}"),
    (r"\b\d{7,}\b", "a long number", "an id slot such as {mrn} or {accession}"),
)
_COMPILED = tuple((re.compile(pattern), what, instead) for pattern, what, instead in _RULES)


def find_literals(template: Template, source: str) -> Iterator[tuple[int, str]]:
    """The line in the source and the message for each fixed text that looks like PHI.

    >>> from incognote.lab.synthetic.language import parse
    >>> [message for _, message in find_literals(parse("Seen 3/4/2019 by {pcp}")[0], "Seen 3/4/2019 by {pcp}")]
    ['fixed text looks like a date; write {date.past}, or {=text} where it is plain']
    >>> list(find_literals(parse("taper {=40-30-20} mg")[0], ""))
    []
    """
    for piece in walk(template):
        if isinstance(piece, str):
            for regex, what, instead in _COMPILED:
                for match in regex.finditer(piece):
                    line = source[: max(0, source.find(match[0]))].count("\n") + 1
                    yield line, f"fixed text looks like {what}; write {instead}, or {{=text}} where it is plain"

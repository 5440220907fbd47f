"""Terms that are no PHI though they look like it, drawn from the lists of the lexicon: medicines, eponyms, peoples, words."""

from functools import cache

from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.dates import DAYS, MONTHS
from incognote.lab.synthetic.library import Part
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.vocabulary import keep
from incognote.lexicon import word_order, word_rows

_LISTS = {
    "n.anydrug": "drugs",
    "n.anyeponym": "eponyms",
    "n.anyterm": "clinical-terms",
    "n.caps": "capital-words",
    "n.people": "demonyms",
    "n.word": "common-words",
    "n.role": "professions-weak",
}
_DATED = frozenset(word.casefold() for month in (*MONTHS, *DAYS) for word in (month, month[:3]))


def fill_term(slot: str, context: NoteContext, _: str) -> list[Segment]:
    """One entry of the slot's list; abbreviations in capitals, words as they are."""
    value = context.rng.choice(_terms(slot, context.chart.part))
    if slot == "n.caps":
        value = value.upper() if len(value) < 5 or context.rng.random() < 0.3 else value.capitalize()
    return [(value, "")]


@cache
def _terms(slot: str, part: Part) -> tuple[str, ...]:
    """The entries of a part, less eponyms that are as often somebody's name."""
    if slot == "n.anyeponym":
        return keep([row[0] for row in word_rows(_LISTS[slot]) if "weak" not in row[1:]], part)
    return keep([entry for entry in word_order(_LISTS[slot]) if entry.casefold() not in _DATED], part)

"""The number-like families take time in proportion to the text, on ordinary notes and on texts made to hurt."""

import time

import pytest

from incognote.rules.ages import find_ages
from incognote.rules.contacts import find_contacts
from incognote.rules.dates import find_dates
from incognote.rules.identifiers import find_identifiers
from incognote.rules.postcodes import find_postcodes

FINDERS = (find_ages, find_contacts, find_dates, find_identifiers, find_postcodes)
ORDINARY = (
    "67yo man seen 7/22/61 for CHF, BP 128/84, HR 72, sat 97% on RA. Lasix 40 mg bid, K 3.9, Cr 1.2. Echo on July 2nd showed EF 35%. "
    "He may return in 2-3 weeks; call 617-555-0199 if worse. No chest pain, no edema, lungs clear, abdomen soft and not tender.\n"
)
HURTFUL = {
    "slashes": "1/",
    "dashes": "12-",
    "dots": "1.",
    "digits": "7",
    "spaced digits": "12 ",
    "blanks": " ",
    "lines": "\n",
    "letters": "a",
    "capitals": "Q",
    "domains": "a.",
    "ats": "a@",
    "colons": "1:",
    "hex": "ab:",
    "brackets": "(6",
    "apostrophes": "'5",
    "words of digits": "one ",
    "ages": "ages 1, ",
    "months": "may 1 ",
    "numbers": "MRN no # ",
    "web": "www.www.",
    "plus": "+1 ",
    "stars": "*-",
    "mixed": "A1-",
}


def _seconds(text: str) -> float:
    start = time.process_time()
    for find in FINDERS:
        for _ in find(text):
            pass
    return time.process_time() - start


@pytest.mark.parametrize("unit", HURTFUL.values(), ids=HURTFUL.keys())
def test_texts_made_to_hurt_take_linear_time(unit: str) -> None:
    short, long = (min(_seconds(unit * (size // len(unit))) for _ in range(2)) for size in (8_000, 32_000))
    assert long < 0.2 + 8 * short


def test_ordinary_notes_take_linear_time_and_not_much_of_it() -> None:
    _seconds(ORDINARY)
    short, long = (min(_seconds(ORDINARY * (size // len(ORDINARY))) for _ in range(2)) for size in (50_000, 200_000))
    assert long < 0.2 + 6 * short
    words = len(ORDINARY.split()) * (200_000 // len(ORDINARY))
    assert words / long > 5_000

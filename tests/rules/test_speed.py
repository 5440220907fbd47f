"""Rules, memory and replacement take time in proportion to the text, on ordinary notes and on texts made to hurt."""

import time
from collections.abc import Callable

import pytest

from incognote.deidentify import Deidentifier
from incognote.rules import RuleTagger

TAGGER = RuleTagger.default()
SCRUBBER = Deidentifier.default(key=b"k" * 32, models=())
ORDINARY = (
    "67yo man seen 7/22/61 for CHF, BP 128/84, HR 72, sat 97% on RA. Lasix 40 mg bid, K 3.9, Cr 1.2. Echo on July 2nd showed EF 35%. "
    "He may return in 2-3 weeks; call 617-555-0199 if worse. No chest pain, no edema, lungs clear, abdomen soft and not tender. "
    "Mr. Kowalczyk lives in Boston, MA with his daughter Ana and was referred by Dr. Siddiqui of Harrow Heart Clinic.\n"
)
PLAIN = (
    "The lungs are clear to auscultation without wheezes, rales or rhonchi and the heart is regular without murmur, rub or gallop. "
    "The abdomen is soft, not tender and not distended with normal bowel sounds and no masses or organomegaly were noted on palpation. "
    "After informed consent was obtained the patient was placed supine and prepped and draped in the usual sterile fashion. "
)
HURTFUL = {
    "slashes": "1/",
    "dashes": "12-",
    "dots": "1.",
    "digits": "7",
    "spaced digits": "12 ",
    "blanks": " ",
    "tabs": "\t",
    "lines": "\n",
    "letters": "a",
    "capitals": "Q",
    "lines of names": "Ana\n",
    "underscores": "_",
    "domains": "a.",
    "initials": "A.",
    "ats": "a@",
    "colons": "1:",
    "hex": "ab:",
    "brackets": "(6",
    "apostrophes": "'5",
    "hyphens": "a-",
    "capital hyphens": "Aa-",
    "capital words": "Aa ",
    "capital apostrophes": "A'",
    "ampersands": "A&",
    "commas": ", ",
    "strokes": "a/b:",
    "codes": "A1B2",
    "mixed": "A1-",
    "words of digits": "one ",
    "ages": "ages 1, ",
    "named ages": "Ana, 44 and ",
    "grouped codes": "MRN 12 34 ",
    "lists of codes": "badge A-1234, ",
    "beds": "Blake 7 bed ",
    "wards": "Ana Ward ",
    "years": "hx 1998, ",
    "months": "may 1 ",
    "weekdays": "Mon 7/22 ",
    "numbers": "MRN no # ",
    "phones": "617-555-0199 ",
    "web": "www.www.",
    "plus": "+1 ",
    "stars": "*-",
    "titles": "Dr. ",
    "titled": "Dr. Roe ",
    "names": "Anna Smith, ",
    "copies": "cc: Roe; ",
    "pairs": "ab/cd12 ",
    "particles": "van de ",
    "cities": "Boston, ",
    "states": "OH ",
    "streets": "12 Main St, ",
    "heads": "University of ",
    "hospitals": "Hospital ",
    "small words": "of the ",
    "new towns": "New ",
    "homes": "lives in ",
    "saints": "St. Mary's ",
    "jobs": "works as a ",
    "dotted capitals": "İ",
    "accents": "e\u0301",
    "astral": "😀",
}


def _seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def _long(unit: str, size: int) -> str:
    return unit * (size // len(unit))


@pytest.mark.parametrize("unit", HURTFUL.values(), ids=HURTFUL.keys())
def test_texts_made_to_hurt_take_linear_time(unit: str) -> None:
    short, long = (min(_seconds(SCRUBBER.scrub, _long(unit, size)) for _ in range(2)) for size in (5_000, 20_000))
    assert long < 0.2 + 8 * short


def test_rules_read_many_words_a_second() -> None:
    text = _long(ORDINARY, 200_000)
    TAGGER.tag([ORDINARY])
    seconds = min(_seconds(lambda text: TAGGER.tag([text]), text) for _ in range(2))
    assert len(text.split()) / seconds > 20_000


def test_a_note_four_times_as_long_takes_about_four_times_as_long() -> None:
    SCRUBBER.scrub(ORDINARY)
    line = ORDINARY.replace("\n", " ") + PLAIN * 4
    short, long = (_seconds(SCRUBBER.scrub, _long(line, size)) for size in (1_000_000, 4_000_000))
    assert long < 0.5 + 6 * short

"""Rules, memory and replacement take time in proportion to the text, on ordinary notes and on texts made to hurt."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeVar

import pytest

from incognote.deidentifier import Deidentifier
from incognote.document import Document, parse_markup
from incognote.facts import Facts, gather_facts
from incognote.replace import MODES, load_policy, make_replacer
from tests.judged import find_by_rules

Given = TypeVar("Given")
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
    "authors": "Roe A, Lim B et al ",
    "pages": "J Med 2015;372:123 ",
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

STRANGER = (
    "<PATIENT>{given} {word}</PATIENT>, <PATIENT>{short} {word}</PATIENT> of <STREET>{at} {word} Road</STREET>, <CITY>{word} City</CITY> "
    "<ZIP>0{zip}</ZIP>, saw <DOCTOR>{word} Smith</DOCTOR> at <HOSPITAL>{letters}</HOSPITAL>, <EMAIL>{word}{at}@roe.org</EMAIL>, "
    "<PHONE>617-{zip}-{zip}</PHONE>, <MEDICALRECORD>A{at}77</MEDICALRECORD>. Then {word} of {at} {word} Rd called.\n"
)
SYLLABLES = "bo ku dra fel gim hov jat lek mur nip pos quin ra sto tev vul wen xa yor zig".split()


def _seconds(work: Callable[[Given], object], given: Given) -> float:
    start = time.process_time()
    work(given)
    return time.process_time() - start


def _strangers(count: int) -> Document:
    """A note of so many lines, in which no two values are the same."""
    lines = []
    for at in range(count):
        word = "".join(SYLLABLES[at // 20**place % 20] for place in (0, 2, 1)).capitalize()
        given, short = (("William", "Bill"), ("Patrick", "Pat"))[at % 2]
        lines.append(
            STRANGER.format(at=10**6 + 7919 * at, word=word, zip=1000 + 6 * at, letters=word[:4].upper(), given=given, short=short)
        )
    return replace(parse_markup("".join(lines)), patient="p1")


def _long(unit: str, size: int) -> str:
    return unit * (size // len(unit))


@pytest.mark.parametrize("unit", HURTFUL.values(), ids=HURTFUL.keys())
def test_texts_made_to_hurt_take_linear_time(unit: str) -> None:
    short, long = (min(_seconds(SCRUBBER.scrub, _long(unit, size)) for _ in range(2)) for size in (5_000, 20_000))
    assert long < 0.2 + 8 * short


def test_rules_read_many_words_a_second() -> None:
    text = _long(ORDINARY, 200_000)
    find_by_rules(ORDINARY)
    seconds = min(_seconds(lambda text: find_by_rules(text), text) for _ in range(2))
    assert len(text.split()) / seconds > 20_000


def test_a_note_four_times_as_long_takes_about_four_times_as_long() -> None:
    SCRUBBER.scrub(ORDINARY)
    line = ORDINARY.replace("\n", " ") + PLAIN * 4
    short, long = (_seconds(SCRUBBER.scrub, _long(line, size)) for size in (1_000_000, 4_000_000))
    assert long < 0.5 + 6 * short


@cache
def _remembered(count: int) -> tuple[Document, Facts, float]:
    """The note of strangers with all that is known of them, their facts, and the seconds it took to remember."""
    note = _strangers(count)
    facts = gather_facts([note])["p1"]
    start = time.process_time()
    return SCRUBBER.remember(note, facts), facts, time.process_time() - start


@pytest.mark.parametrize("stage", ["remember", *MODES])
def test_a_note_of_four_times_as_many_strangers_takes_about_four_times_as_long(stage: str) -> None:
    def work(count: int) -> float:
        note, facts, seconds = _remembered(count)
        if stage == "remember":
            return seconds
        replacer = make_replacer(stage, policy=load_policy("i2b2"), key=b"k" * 32)
        return _seconds(lambda note: replacer.replace(note, facts), note)

    _, short, long = map(work, (10, 350, 1400))
    assert long < 0.2 + 7 * short

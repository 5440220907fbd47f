"""Varied names: mentions of one person differ; gender, dates, places and the shape of a mention stay."""

import re
from dataclasses import replace
from itertools import combinations

import pytest

from incognote.deidentifier import Deidentifier
from incognote.document import parse_markup
from incognote.errors import ConfigError
from incognote.facts import gather_facts
from incognote.lexicon.names import given_rows
from incognote.replace import load_policy, make_replacer, rewrite

KEYS = [bytes([at]) * 32 for at in range(1, 9)]
NOTE = "\n".join(
    [
        "<PATIENT>Mary Kaczmarek</PATIENT> of <CITY>Boston</CITY>, <STATE>MA</STATE>, seen <DATE>3/4/2061</DATE>.",
        "Was at <HOSPITAL>Mercy Hospital</HOSPITAL>.",
        *["<PATIENT>Mary Kaczmarek</PATIENT> slept. <PATIENT>Kaczmarek, Mary</PATIENT> ate. <PATIENT>Mary</PATIENT> walked."] * 5,
        "Seen <DATE>3/6/2061</DATE> at <HOSPITAL>Mercy Hospital</HOSPITAL>, <CITY>Boston</CITY>, by Dr. <DOCTOR>John Okafor</DOCTOR>.",
        "Mail <EMAIL>mary.kaczmarek@mercy.org</EMAIL>, <EMAIL>mary.kaczmarek@mercy.org</EMAIL>",
    ]
)


def scrub(key: bytes, names: str, note: str = NOTE) -> list[tuple[str, str]]:
    """The label and the replacement of each mention."""
    document = replace(parse_markup(note), id="n1", patient="p1")
    replacer = make_replacer("surrogate", policy=load_policy("i2b2"), key=key, names=names)
    clean, _ = rewrite(document, replacer.replace(document, gather_facts([document])["p1"]))
    return [(span.label, clean.value(span)) for span in clean.spans]


@pytest.mark.parametrize("key", KEYS)
def test_mentions_of_one_person_vary_and_all_else_is_as_with_one_name(key: bytes) -> None:
    one, varied = scrub(key, "one"), scrub(key, "varied")
    assert len({name for label, name in one if label == "PATIENT"}) == 3
    assert len({name for label, name in varied if label == "PATIENT"}) > 5
    assert [each for each in one if each[0] not in ("PATIENT", "DOCTOR")] == [
        each for each in varied if each[0] not in ("PATIENT", "DOCTOR")
    ]


@pytest.mark.parametrize("key", KEYS)
def test_varied_names_keep_gender_and_shape_and_are_no_real_names(key: bytes) -> None:
    women = {row[0] for row in given_rows() if row[1] == "f"}
    names = [name for label, name in scrub(key, "varied") if label == "PATIENT"]
    for name, form in zip(names, [r"(\w+) [\w']+", *[r"(\w+) [\w']+", r"[\w']+, (\w+)", r"(\w+)"] * 5], strict=True):
        match = re.fullmatch(form, name)
        assert match
        assert match[1] in women - {"Mary"}
        assert "Kaczmarek" not in name


def test_no_two_persons_share_a_varied_name() -> None:
    note = " ".join(f"<PATIENT>{name}</PATIENT>" for name in ["Ann Lee", "Zoe Roe", "Eve Poe"] * 20)
    for key in KEYS:
        found = [name for _, name in scrub(key, "varied", note)]
        people = [{word for name in found[at::3] for word in name.split()} for at in range(3)]
        assert all(one.isdisjoint(two) for one, two in combinations(people, 2))


def test_varied_names_are_the_same_in_every_run() -> None:
    assert scrub(KEYS[0], "varied") == scrub(KEYS[0], "varied") != scrub(KEYS[1], "varied")


def test_varied_names_are_an_option_of_the_deidentifier() -> None:
    text = "Mr. Kowalczyk came. " * 12
    one, varied = (Deidentifier.default(models=(), key=b"k" * 31 + b"x", names=names).scrub(text).text for names in ("one", "varied"))
    assert len(set(re.findall(r"Mr\. (\w+)", one))) == 1
    assert len(set(re.findall(r"Mr\. (\w+)", varied))) > 1
    with pytest.raises(ConfigError, match="one, varied"):
        Deidentifier.default(models=(), names="many")

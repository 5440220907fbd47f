"""Tags and surrogates take the same mentions for one person: misspelt, spelled out, in a couple, or called for short."""

import re
from dataclasses import replace

import pytest

from incognote.document import parse_markup
from incognote.facts import Facts, gather_facts
from incognote.replace import Marks, load_policy, make_replacer, rewrite
from incognote.replace.plan import make_plan


def scrub(marked: str, mode: str = "placeholder", *, key: int = 1, clinicians: str = "remove") -> str:
    """The note, in which every name is in angle brackets, and that of a doctor after a title."""
    labels = re.sub(r"(Dr\. )?<([^<>]+)>", lambda name: f"{name[1] or ''}<{_label(name)}>{name[2]}</{_label(name)}>", marked)
    document = replace(parse_markup(labels), id="n1", patient="p1")
    replacer = make_replacer(
        mode, policy=load_policy("i2b2", clinicians=clinicians), key=bytes([key]) * 32, marks=Marks(mask="same-length")
    )
    return rewrite(document, replacer.replace(document, gather_facts([document])["p1"]))[0].text


def _label(name: re.Match[str]) -> str:
    return "DOCTOR" if name[1] else "PATIENT"


def numbers(marked: str) -> list[int]:
    return [int(number) for number in re.findall(r"-(\d+)\]", scrub(marked))]


@pytest.mark.parametrize(
    "other", ["Smtih", "SMTIH, JOHN", "S-M-I-T-H", "J-O-H-N S-M-I-T-H", "S M I T H", "S.M.I.T.H.", "John S-M-I-T-H", "Mr. Smtih's"]
)
def test_a_name_that_is_misspelt_or_spelled_out_has_the_number_of_its_person(other: str) -> None:
    assert numbers(f"<Ann Roe> saw <John Smith>, also <{other}>.") == [1, 2, 2]


def test_what_is_spelled_out_spells_the_surrogate_word_for_word() -> None:
    whole, spelled, half = scrub("<John Smith>;<J-O-H-N S-M-I-T-H>;<John S M I T H>", "surrogate").split(";")
    given, family = whole.split()
    assert spelled == f"{'-'.join(given.upper())} {'-'.join(family.upper())}"
    assert half == f"{given} {' '.join(family.upper())}"


def test_each_of_a_couple_has_a_tag_and_the_word_between_stays() -> None:
    assert scrub("<Mary Smith>, <John and Mary Smith>, <John Smith>") == "[PATIENT-1], [PATIENT-2] and [PATIENT-1], [PATIENT-2]"
    assert scrub("<Mr. & Mrs. Smith>, <J. and Mary Roe>") == "Mr. & [PATIENT-1], [PATIENT-2] and [PATIENT-3]"
    assert re.fullmatch(r"Mr\. and Mrs\. [A-Z][A-Za-z]+", scrub("<Mr. and Mrs. Smith>", "surrogate"))


@pytest.mark.parametrize("other", ["SMITH JOHN A", "Smith John A."])
def test_a_family_name_that_stands_first_may_have_an_initial_last(other: str) -> None:
    assert numbers(f"<John A. Smith>, <{other}>") == [1, 1]
    whole, turned = scrub(f"<John A. Smith>;<{other}>", "surrogate").casefold().replace(".", "").split(";")
    assert turned.split() == [whole.split()[2], *whole.split()[:2]]


def test_part_of_a_double_name_is_its_bearer() -> None:
    assert numbers("<Mary-Ann Roe>, <Mary Ann Roe>, <M-A Roe>, <Mary-Lou Roe>") == [1, 1, 1, 2]
    assert numbers("<GARCIA LOPEZ, ANA>, <Ana Garcia Lopez>, <Ana Garcia>") == [1, 1, 1]
    assert numbers("<Ana Ruiz-Ortega>, <Ruiz>, <Ortega>, <A. Ortega>, <Jo Lee>") == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(
    "marked",
    [
        "<William Smith> was seen. <Bill Smith> is well.",
        "<William Smith> was seen. <Bill> is well.",
        "<Bill Smith> is well. <SMITH, WILLIAM> was seen.",
        '<William "Bill" Smith> was seen. <Bill Smith> is well.',
        "<Margaret Jones> was seen. <Peggy> is well.",
        "Her husband <Robert Roe> came. Husband <Bob> drives.",
        "<José Ruiz> was seen. <Pepe Ruiz> is well.",
    ],
)
def test_a_short_form_is_its_bearer(marked: str) -> None:
    assert set(numbers(marked)) == {1}


@pytest.mark.parametrize(
    "marked",
    [
        "<William Smith> lives with his son <Bill Smith>.",
        "<William Smith> was seen. His son, <Bill>, drives.",
        "<William Smith> was seen. Call <Bill Smith> (son).",
        "<William Smith>, <Bill Smith> came.",
        "<William> and <Bill> came.",
        "<William and Bill Smith> came.",
        "<William Smith> was seen. <Bill Jones> is well.",
        "<William A. Smith> was seen. <Bill B. Smith> is well.",
        "<William Smith Sr.> was seen. <Bill Smith Jr.> is well.",
        "<Bill Smith> is well. Dr. <William Smith> was in.",
        "<Pat Smith> is well. <Patrick Smith> was seen. <Patricia Smith> called.",
        "<William Smith> was seen. <William Jones> called. <Bill> is well.",
        "<Bob Smith> is well. <Bobby Smith> was seen.",
        "Dr. <Thomas> was in. Dr. <Tom Baker> was out.",
    ],
)
def test_a_short_form_stays_apart_where_somebody_else_may_be_meant(marked: str) -> None:
    found = re.findall(r"\[[A-Z]+-\d+\]", scrub(marked))
    assert len(set(found)) == len(found)


def test_who_is_called_by_two_short_forms_of_two_persons_stays_apart_from_both() -> None:
    assert numbers("<Bill A. Smith> | <B. Smith> | <SMITH BOB> | <William Smith> | <Robert Smith>") == [1, 1, 1, 2, 3]


def test_who_has_a_whole_name_too_is_not_another_whose_short_form_it_bears() -> None:
    assert numbers("<Bernard Smith> | <B. Smith> | <SMITH BOB> | <Robert Smith> | <Bernie Smith>") == [1, 1, 1, 2, 1]
    assert numbers("<Emanuil Desarno> | <ED> | <Edward Roe>") == [1, 1, 2]
    assert numbers("<Ben Paul Roe> | <Paul> | <Benjamin Roe>") == [1, 1, 1]


@pytest.mark.parametrize("key", range(20))
def test_a_short_form_becomes_one_of_the_surrogate(key: int) -> None:
    whole, nick, lone, initial = scrub("<William Smith>;<Bill Smith>;<Bill>;<B. Smith>", "surrogate", key=key).split(";")
    given, family = whole.split()
    assert nick == f"{lone} {family}"
    assert lone != given
    assert {given[0], lone[0]}.isdisjoint("WB")
    assert initial == f"{lone[0]}. {family}"


def test_a_short_form_is_the_whole_surrogate_where_no_name_with_one_is_left() -> None:
    facts = Facts({("PATIENT", name): ("n1", at) for at, name in enumerate(("Leslie Roe", "Les Roe"))})
    plan = make_plan(b"k" * 32, load_policy("i2b2"), "p1", facts)
    assert (plan.surrogate("PATIENT", "Les Roe") or "").split()[1] == (plan.surrogate("PATIENT", "Leslie Roe") or "?").split()[1]


def test_a_couple_of_clinicians_is_not_kept_where_one_is_of_the_patients_side() -> None:
    note = "Dr. <Jan and Ewa Lis> with <Jan Lis>; Dr. <Ada Roe and Jo Lee>"
    assert scrub(note, "redact", clinicians="keep") == "Dr. *************** with *******; Dr. Ada Roe and Jo Lee"

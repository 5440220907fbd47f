"""Names: one person is one person under all aliases, shapes and capitals."""

import re

import pytest

from incognote.facts import Facts
from incognote.lexicon import word_rows
from incognote.replace import load_policy
from incognote.replace.entity_resolution import resolve_people
from incognote.replace.keyed_choice import patient_choice
from incognote.replace.name_pools import family_pool, gender_of, given_pool
from incognote.replace.names import Names, assign_names
from incognote.replace.plan import gather_real, make_plan


def names_of(*mentions: tuple[str, str], key: bytes = b"k" * 32) -> Names:
    facts = Facts({mention: ("n1", at) for at, mention in enumerate(mentions)})
    return assign_names(patient_choice(key, "p1"), resolve_people(facts), gather_real(facts))


ALIASES = [
    "Mirela Kaczmarek",
    "KACZMAREK, MIRELA",
    "Kaczmarek",
    "Mirela",
    "M. Kaczmarek",
    "M.K.",
    "MK",
    "mirela kaczmarek",
    "Mirela J. Kaczmarek",
    "Kaczmarek, Mirela J.",
    "Kaczmarek's",
    "Mrs. Kaczmarek",
]


def test_all_aliases_follow_one_surrogate() -> None:
    names = names_of(*(("PATIENT", alias) for alias in ALIASES))
    given, family = (names.surrogate("PATIENT", "Mirela Kaczmarek") or "").split()
    assert len(names.people.persons) == 1
    middle = (names.surrogate("PATIENT", "Mirela J. Kaczmarek") or "").split()[1]
    assert [names.surrogate("PATIENT", alias) for alias in ALIASES] == [
        f"{given} {family}",
        f"{family.upper()}, {given.upper()}",
        family,
        given,
        f"{given[0]}. {family}",
        f"{given[0]}.{family[0]}.",
        f"{given[0]}{family[0]}",
        f"{given} {family}".lower(),
        f"{given} {middle} {family}",
        f"{family}, {given} {middle}",
        f"{family}'s",
        f"Mrs. {family}",
    ]


def test_a_misspelt_name_that_the_facts_lack_is_the_same_person() -> None:
    names = names_of(("PATIENT", "Mirela Kaczmarek"), ("DOCTOR", "Jan Okafor"))
    assert names.surrogate("PATIENT", "Kacmarek") == names.surrogate("PATIENT", "Kaczmarek")
    assert names.surrogate("PATIENT", "Kaczmerek, Mirela") == names.surrogate("PATIENT", "Kaczmarek, Mirela")


def test_a_misspelt_name_among_the_facts_is_joined_but_two_real_names_are_not() -> None:
    names = names_of(("PATIENT", "Mirela Kaczmarek"), ("PATIENT", "Kaczmarck"), ("DOCTOR", "Hansen"), ("DOCTOR", "Hanson"))
    assert names.surrogate("PATIENT", "Kaczmarck") == names.surrogate("PATIENT", "Kaczmarek")
    assert names.surrogate("DOCTOR", "Hansen") != names.surrogate("DOCTOR", "Hanson")


def test_a_family_shares_its_surname_and_a_clinician_of_that_name_does_not() -> None:
    names = names_of(("PATIENT", "Mirela Kaczmarek"), ("PATIENT", "Tom Kaczmarek"), ("DOCTOR", "Jan Kaczmarek"))
    wife, husband, doctor = (names.surrogate(*mention) or "" for mention in names.people.known)
    assert wife.split()[1] == husband.split()[1] != doctor.split()[1]
    assert len({wife, husband, doctor}) == 3
    assert names.surrogate("DOCTOR", "Kaczmarek") == doctor.split()[1]


def test_a_wrong_label_does_not_make_another_person() -> None:
    names = names_of(("DOCTOR", "Mirela Kaczmarek"), ("PATIENT", "KACZMAREK, MIRELA"))
    assert (names.surrogate("PATIENT", "KACZMAREK, MIRELA") or "").title().split(", ")[::-1] == (
        names.surrogate("DOCTOR", "Mirela Kaczmarek") or ""
    ).title().split()


@pytest.mark.parametrize(
    "value",
    [
        "Ludwig van der Berg",
        "van der Berg",
        "de Souza",
        "Maria Garcia-Lopez",
        "Siobhán O'Brien",
        "José-Luis Núñez",
        "So\u0338rensen",
        "王伟",
        "Jo",
    ],
)
def test_names_of_any_origin_are_replaced_whole(value: str) -> None:
    new = names_of(("PATIENT", value)).surrogate("PATIENT", value)
    assert new
    particles = {"van", "der", "de"}
    assert not ({word.casefold() for word in value.replace("-", " ").split()} - particles) & {
        word.casefold() for word in new.replace("-", " ").split()
    }


def test_particles_and_hyphens_stay() -> None:
    names = names_of(("DOCTOR", "Ludwig van der Berg"), ("PATIENT", "Ana Garcia-Lopez"), ("PATIENT", "Lopez"))
    assert (names.surrogate("DOCTOR", "van der Berg") or "").startswith("van der ")
    assert (names.surrogate("PATIENT", "Ana Garcia-Lopez") or "").endswith("-" + (names.surrogate("PATIENT", "Lopez") or "?"))


@pytest.mark.parametrize("value", ["Ann 3", "Ann_Lee", "Ann & 2 others", "12", "Ann\u200d5"])
def test_what_is_not_all_name_is_refused(value: str) -> None:
    assert names_of(("PATIENT", value)).surrogate("PATIENT", value) is None


def test_gender_is_kept_where_it_is_known() -> None:
    genders = dict(row[:2] for row in word_rows("given-names"))
    for name, gender in (("Mary", "f"), ("William", "m"), ("Mirela", "f")):
        assert genders[names_of(("PATIENT", f"{name} Kaczmarek")).surrogate("PATIENT", name) or ""] == gender


def test_the_roles_have_no_name_in_common() -> None:
    assert not set(family_pool("PATIENT")) & set(family_pool("DOCTOR"))
    assert min(len(family_pool(role)) for role in ("PATIENT", "DOCTOR")) > 1000
    assert min(len(given_pool(role, gender)) for role in ("PATIENT", "DOCTOR") for gender in "mfe") > 100


def test_another_key_gives_other_people() -> None:
    mention = ("PATIENT", "Mirela Kaczmarek")
    assert len({names_of(mention, key=bytes([at]) * 32).surrogate(*mention) for at in range(20)}) > 15


@pytest.mark.parametrize("name", ["leslie", "ashley", "kim", "robin", "stacy", "sam", "andrea", "oluwaseun"])
def test_names_of_men_and_women_alike_get_a_name_that_suits_any_title(name: str) -> None:
    assert gender_of(name, ()) == "e"
    assert {"Casey", "Jamie"} <= {*given_pool("PATIENT", "e"), *given_pool("DOCTOR", "e")}
    assert not {"Iran", "Garcia", "Nguyen"} & {*given_pool("PATIENT", "e"), *given_pool("DOCTOR", "e")}


def test_a_couple_is_two_persons_with_one_surname() -> None:
    names = names_of(("PATIENT", "Bill and Martha Henderson"), ("PATIENT", "Martha"), ("PATIENT", "Bill Henderson"))
    first, between, last, family = (names.surrogate("PATIENT", "Bill and Martha Henderson") or "").split()
    assert between == "and"
    assert names.surrogate("PATIENT", "Martha") == last
    assert names.surrogate("PATIENT", "Bill Henderson") == f"{first} {family}"
    plan = make_plan(b"k" * 32, load_policy("i2b2"), "p1", Facts({("PATIENT", "Bill & Martha Roe"): ("n1", 0)}))
    assert " & " in (plan.surrogate("PATIENT", "Bill & Martha Roe") or "")


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("St. Pierre", r"St\. [A-Z][a-z]+"),
        ("Wm. Tisdale", r"[A-Z][a-z]+ [A-Z][a-z]+"),
        ("Ana Ortega y Reyes", r"[A-Z][a-z]+ [A-Z][a-z]+ y [A-Z][a-z]+"),
        ("Soo-jin", r"[A-Z][a-z]+"),
        ("LOPEZ, JOSE DE JESUS", r"[A-Z]+, [A-Z]+ DE [A-Z]+"),
        ("R-T", r"[A-Z]-[A-Z]"),
        ("Ann R. Lee", r"[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+"),
        ("Rahman al-Farsi", r"[A-Z][a-z]+ al-[A-Z][A-Za-z]+"),
        ("John Smith, Jr.", r"[A-Z][a-z]+ [A-Z][A-Za-z]+, Jr\."),
        ("Smith Jr., John", r"[A-Z][A-Za-z]+ Jr\., [A-Z][a-z]+"),
        ("Lech Wałęsa", r"[A-Z][a-z]+ [A-Z][A-Za-z]+"),
        ("Søren Kjær", r"[A-Z][a-z]+ [A-Z][A-Za-z]+"),
        ("Siobhán Ní Bhraonáin", r"[A-Z][a-z]+ Ní [A-Z][A-Za-z]+"),
    ],
)
def test_small_marks_of_a_name_stay_or_go_as_they_must(value: str, shape: str) -> None:
    assert re.fullmatch(shape, names_of(("PATIENT", value)).surrogate("PATIENT", value) or "")


def test_a_name_that_is_spelled_out_spells_its_surrogate() -> None:
    names = names_of(("PATIENT", "Siobhan Delahunty"), ("PATIENT", "S-I-O-B-H-A-N"))
    assert names.surrogate("PATIENT", "S-I-O-B-H-A-N") == "-".join((names.surrogate("PATIENT", "Siobhan") or "").upper())


def test_a_father_and_his_son_of_one_name_are_two() -> None:
    mentions = ("Aurelio Benavides Jr.", "Aurelio Sr.", "BENAVIDES, AURELIO JR", "Aurelio Benavides")
    people = resolve_people(Facts({("PATIENT", value): ("n1", at) for at, value in enumerate(mentions)}))
    assert [people.find("PATIENT", value).number for value in mentions] == [1, 2, 1, 1]  # type: ignore[union-attr]  # all are known


@pytest.mark.parametrize("value", ["KRAVCHENKO^LUDMILA", "KRAVCHENKO LUDMILA", "Kravchenko L.", "Ludmila K."])
def test_the_family_name_may_stand_first_without_a_comma(value: str) -> None:
    names = names_of(("PATIENT", value), ("PATIENT", "Ludmila Kravchenko"))
    given, family = (names.surrogate("PATIENT", "Ludmila Kravchenko") or "").split()
    words = {given.casefold(), family.casefold(), given[0].casefold(), family[0].casefold()}
    assert set(re.findall(r"[a-z]+", (names.surrogate("PATIENT", value) or "?").casefold())) < words
    assert len(names.people.persons) == 1


@pytest.mark.parametrize(
    ("value", "other"), [("O'Brien", "OBRIEN"), ("O’Brien", "O'Brien"), ("Wałęsa", "Walesa"), ("D'Angelo's", "DAngelo")]
)
def test_one_name_in_two_spellings_has_one_surrogate(value: str, other: str) -> None:
    names = names_of(("PATIENT", value), ("PATIENT", other))
    assert len(names.people.persons) == 1
    assert (names.surrogate("PATIENT", value) or "").removesuffix("'s").casefold() == (names.surrogate("PATIENT", other) or "?").casefold()


@pytest.mark.parametrize("first", ["Van Dyke", "Dick Van Dyke"])
def test_a_particle_opens_the_family_name_of_somebody_known(first: str) -> None:
    names = names_of(("PATIENT", first), ("PATIENT", "Van Dyke"), ("PATIENT", "Dick Van Dyke"))
    assert len(names.people.persons) == 1
    assert (names.surrogate("PATIENT", "Dick Van Dyke") or "").endswith(f" {names.surrogate('PATIENT', 'Van Dyke')}")


def test_initials_are_one_person_with_and_without_points() -> None:
    names = names_of(("PATIENT", "J.T."), ("DOCTOR", "A.R."), ("PATIENT", "JT"))
    assert len(names.people.persons) == 2
    assert (names.surrogate("PATIENT", "J.T.") or "").replace(".", "") == names.surrogate("PATIENT", "JT")


@pytest.mark.parametrize("value", ["Ben de la Cruz", "Al St. John", "ben ng"])
def test_a_given_name_that_is_a_particle_too_is_not_kept(value: str) -> None:
    new = names_of(("PATIENT", value)).surrogate("PATIENT", value)
    assert new is not None
    assert new.split()[0].casefold() != value.split()[0].casefold()


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("family", ["García Márquez", "Di Marco", "ten Boom"])
def test_a_family_name_of_two_words_is_one_in_every_mention(family: str, order: int) -> None:
    mentions = [f"Ana {family}", family, f"Mrs. {family}", f"{family}'s", f"{family}, Ana".upper(), f"A. {family}"]
    names = names_of(*(("PATIENT", mention) for mention in mentions[::order]))
    new = [(names.surrogate("PATIENT", mention) or "").casefold() for mention in mentions]
    assert len(names.people.persons) == 1
    assert new[0].endswith(f" {new[1]}")
    assert new[2:] == [f"mrs. {new[1]}", f"{new[1]}'s", f"{new[1]}, {new[0].split()[0]}", f"{new[0][0]}. {new[1]}"]


def test_two_of_one_family_stay_two_where_the_family_name_stands_first() -> None:
    people = names_of(*(("PATIENT", value) for value in ("van der Berg", "Anna van der Berg", "Piet van der Berg"))).people
    assert len(people.persons) == 2

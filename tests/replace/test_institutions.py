"""Surrogate institutions keep their kind, have a name that one believes, and share no word with what they stand for."""

import re
from itertools import product

import pytest

from incognote.facts import Facts
from incognote.replace import load_policy
from incognote.replace.bodies import place_names, saints
from incognote.replace.institutions import identifying_words
from incognote.replace.name_pools import family_pool
from incognote.replace.plan import make_plan

KEYS = [bytes([at]) * 32 for at in range(1, 9)]
# What a reader takes for a body of each kind.
KINDS = {
    "hospital": r"hospital|medical center|infirmary|health system|(st\.?|saint) \w+['’]s|\b[A-Z](MC|GH|RMC|MH|RH|CH)\b",
    "veterans": r"\bV(MC|HC|HN)\b|veterans|VA (medical|clinic)",
    "clinic": r"clinic|family medicine|pediatrics|dermatology|medical group|orthopedics|internal medicine|urgent care|health center",
    "nursing home": r"nursing|rehab|assisted living|senior living|care center|convalescent",
    "elementary school": r"elementary",
    "school": r"school|academy|preschool|kindergarten|daycare",
    "university": r"university|college|\b[A-Z][ST]U\b",
    "bakery": r"bakery",
    "restaurant": r"grill|diner|cafe|restaurant|pizz|tavern",
    "store": r"market|stores|hardware|grocery",
    "pharmacy": r"pharmacy|drug|apothecary",
    "insurer": r"mutual|health plan|insurance|\b[A-Z]M?HP\b",
    "church": r"church|temple|synagogue|mosque|cathedral|parish",
    "jail": r"jail|detention|prison|correctional",
    "fire department": r"fire",
    "police": r"police|sheriff",
    "agency": r"agency|authority|department|administration|\b[A-Z](SA|DS|SB)\b",
    "bank": r"bank|credit union|trust",
    "company": r"industries|enterprises|manufacturing|plumbing|construction|trucking|steel|law firm",
    "airline": r"airlines|airways",
}
# Labelled by hand.
INSTITUTIONS = [
    ("HOSPITAL", "St. Brendan's", "hospital"),
    ("HOSPITAL", "Saint Fidelma’s", "hospital"),
    ("HOSPITAL", "Riverbend Medical Center", "hospital"),
    ("HOSPITAL", "MGH", "hospital"),
    ("HOSPITAL", "BIDMC", "hospital"),
    ("HOSPITAL", "Lourdes Hospital", "hospital"),
    ("HOSPITAL", "Carraway Methodist Medical Center", "hospital"),
    ("HOSPITAL", "LAKE COUNTY HOSPITAL", "hospital"),
    ("HOSPITAL", "Queen of Peace Infirmary", "hospital"),
    ("HOSPITAL", "Northgate Health System", "hospital"),
    ("HOSPITAL", "VA", "veterans"),
    ("HOSPITAL", "V.A.", "veterans"),
    ("HOSPITAL", "Fargo VA Medical Center", "veterans"),
    ("DEPARTMENT", "Mayo Clinic", "clinic"),
    ("HOSPITAL", "Mayo Clinic", "clinic"),
    ("HOSPITAL", "Cedar Fork Family Medicine", "clinic"),
    ("HOSPITAL", "Two Rivers Pediatrics", "clinic"),
    ("ORGANIZATION", "Hargrove Dermatology Associates", "clinic"),
    ("HOSPITAL", "Sandia Orthopedics", "clinic"),
    ("HOSPITAL", "QuickMed Urgent Care", "clinic"),
    ("HOSPITAL", "Pine Street Internal Medicine", "clinic"),
    ("HOSPITAL", "Tri-County Medical Group", "clinic"),
    ("HOSPITAL", "La Clinica Community Health Center", "clinic"),
    ("HOSPITAL", "Sunny Acres Nursing Home", "nursing home"),
    ("HOSPITAL", "Golden Years Assisted Living", "nursing home"),
    ("HOSPITAL", "ManorCare", "nursing home"),
    ("HOSPITAL", "Whispering Pines Convalescent Center", "nursing home"),
    ("LOCATION-OTHER", "Lincoln Elementary School", "elementary school"),
    ("ORGANIZATION", "Roosevelt Elementary", "elementary school"),
    ("ORGANIZATION", "Ms. Patty's Daycare", "school"),
    ("ORGANIZATION", "Bishop O'Dowd High School", "school"),
    ("ORGANIZATION", "KinderCare", "school"),
    ("ORGANIZATION", "University of Toledo", "university"),
    ("ORGANIZATION", "MIT", "university"),
    ("ORGANIZATION", "Purdue", "university"),
    ("ORGANIZATION", "Flour Power Bakery", "bakery"),
    ("ORGANIZATION", "Smith's Bakery", "bakery"),
    ("ORGANIZATION", "KFC", "restaurant"),
    ("ORGANIZATION", "Dunkin' Donuts", "restaurant"),
    ("ORGANIZATION", "Luigi's Pizzeria", "restaurant"),
    ("ORGANIZATION", "Joe's Pizza", "restaurant"),
    ("ORGANIZATION", "Home Depot", "store"),
    ("ORGANIZATION", "Bob's Hardware", "store"),
    ("ORGANIZATION", "CVS", "pharmacy"),
    ("ORGANIZATION", "Rite Aid", "pharmacy"),
    ("ORGANIZATION", "Ferris Family Pharmacy", "pharmacy"),
    ("ORGANIZATION", "Blue Cross Blue Shield", "insurer"),
    ("ORGANIZATION", "Blue Cross of Idaho", "insurer"),
    ("ORGANIZATION", "BCBS", "insurer"),
    ("ORGANIZATION", "Aetna", "insurer"),
    ("ORGANIZATION", "CIGNA", "insurer"),
    ("ORGANIZATION", "First Baptist Church", "church"),
    ("LOCATION-OTHER", "Temple Beth Shalom", "church"),
    ("LOCATION-OTHER", "Cook County Jail", "jail"),
    ("LOCATION-OTHER", "Folsom State Prison", "jail"),
    ("ORGANIZATION", "Naperville Fire Department", "fire department"),
    ("ORGANIZATION", "Elgin Police Department", "police"),
    ("ORGANIZATION", "IRS", "agency"),
    ("ORGANIZATION", "Wells Fargo", "bank"),
    ("ORGANIZATION", "Skyline Credit Union", "bank"),
    ("ORGANIZATION", "IBM", "company"),
    ("ORGANIZATION", "Dietrich Plumbing", "company"),
    ("ORGANIZATION", "Delta Airlines", "airline"),
]


def made(label: str, value: str, key: bytes, *others: tuple[str, str]) -> str:
    facts = Facts({mention: ("n1", at) for at, mention in enumerate([(label, value), *others])})
    new = make_plan(key, load_policy("i2b2"), "p1", facts).surrogate(label, value)
    assert new is not None
    return new


def keeps_kind(surrogate: str, kind: str) -> bool:
    return re.search(KINDS[kind], surrogate, 0 if surrogate.isupper() and " " not in surrogate else re.IGNORECASE) is not None


def test_nineteen_of_twenty_institutions_keep_their_kind() -> None:
    drawn = [(value, kind, made(label, value, key)) for (label, value, kind), key in product(INSTITUTIONS, KEYS)]
    lost = [each for each in drawn if not keeps_kind(each[2], each[1])]
    print(f"{len(drawn) - len(lost)} of {len(drawn)} surrogates of {len(INSTITUTIONS)} institutions keep their kind")
    assert len(lost) <= len(drawn) / 20, lost


@pytest.mark.parametrize(("label", "value", "kind"), INSTITUTIONS)
def test_a_surrogate_shares_no_identifying_word(label: str, value: str, kind: str) -> None:
    for key in KEYS:
        new = made(label, value, key)
        assert set(re.findall(r"[a-z]{3,}", new.casefold())).isdisjoint(identifying_words(label, value))
        assert new != value


@pytest.mark.parametrize(
    ("label", "long", "short"),
    [
        ("HOSPITAL", "St. Brendan's Hospital", "St. Brendan's"),
        ("HOSPITAL", "Cedar Fork Family Medicine", "Cedar Fork"),
        ("ORGANIZATION", "Blue Cross Blue Shield", "Blue Cross"),
        ("ORGANIZATION", "CVS Pharmacy", "CVS"),
        ("HOSPITAL", "Kaiser Permanente", "Kaiser"),
    ],
)
def test_the_short_name_of_an_institution_follows_the_long_one(label: str, long: str, short: str) -> None:
    for key in KEYS:
        assert made(label, long, key, (label, short)).startswith(made(label, short, key, (label, long)))


def test_an_acronym_beside_its_name_has_the_initials_of_the_surrogate() -> None:
    for key in KEYS:
        name = made("ORGANIZATION", "Blue Cross Blue Shield", key, ("ORGANIZATION", "BCBS"))
        assert made("ORGANIZATION", "BCBS", key, ("ORGANIZATION", "Blue Cross Blue Shield")) == "".join(word[0] for word in name.split())


def test_a_city_that_is_called_after_a_saint_leaves_saints_to_hospitals() -> None:
    for key in KEYS:
        assert re.fullmatch(r"St\. [A-Z][a-z]+'s", made("HOSPITAL", "St. Mary's", key, ("CITY", "St. Louis")))


def test_no_institution_is_called_like_a_surrogate_person() -> None:
    assert not set(place_names()) & {*family_pool("PATIENT"), *family_pool("DOCTOR")}
    assert len(set(saints())) == len(saints())


@pytest.mark.parametrize("value", ["MERCY", "GRACE", "KAISER", "Mercy"])
def test_a_word_in_capitals_is_no_acronym(value: str) -> None:
    for key in KEYS:
        assert made("HOSPITAL", value, key).capitalize() in place_names()


@pytest.mark.parametrize("value", ["General", "Children's", "Memorial", "Regional"])
def test_a_word_that_only_says_the_kind_becomes_a_name(value: str) -> None:
    assert all(made("HOSPITAL", value, key) in place_names() for key in KEYS)


@pytest.mark.parametrize("value", ["Cardiology", "Burn Unit", "Department of Neurology"])
def test_a_department_becomes_another_department(value: str) -> None:
    assert all(made("DEPARTMENT", value, key).split()[-1] not in place_names() for key in KEYS)

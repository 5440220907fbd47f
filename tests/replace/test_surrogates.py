"""Surrogates of places, numbers, contacts and ages: in their shape, and nobody's."""

import re

import pytest
from stdnum import luhn
from stdnum.gb import nhs

from incognote.facts import Facts
from incognote.lexicon import word_rows
from incognote.replace import load_policy
from incognote.replace.ages import cap_age
from incognote.replace.identifiers import CHECKS
from incognote.replace.plan import Plan, make_plan


def plan_of(*mentions: tuple[str, str], key: bytes = b"k" * 32, policy: str = "i2b2") -> Plan:
    return make_plan(key, load_policy(policy), "p1", Facts({mention: ("n1", at) for at, mention in enumerate(mentions)}))


def made(label: str, value: str, key: bytes = b"k" * 32) -> str:
    new = plan_of((label, value), key=key).surrogate(label, value)
    assert new is not None
    return new


def shape(text: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", text)))


def test_a_street_without_a_word_is_no_fault() -> None:
    assert plan_of(("STREET", "<")).surrogate("STREET", "<") != "<"


@pytest.mark.parametrize("value", ["617-253-0199", "(617) 253-0199", "617.253.0199", "+1 617 253 0199", "6172530199", "1-617-253-0199"])
def test_a_us_phone_is_one_fictional_number_in_any_writing(value: str) -> None:
    new = made("PHONE", value)
    assert shape(new) == shape(value)
    assert re.sub(r"\D", "", new)[-10:] == re.sub(r"\D", "", made("PHONE", "617-253-0199"))
    assert re.sub(r"\D", "", new)[-7:-2] == "55501"


def test_a_phone_without_its_area_code_agrees_with_the_whole() -> None:
    assert made("PHONE", "617-253-0199").endswith(made("PHONE", "253-0199"))
    assert made("PHONE", "617-253-0199 x123").startswith(made("PHONE", "617-253-0199") + " x")


@pytest.mark.parametrize(
    "value",
    ["x4411", "617-253-0199, option 2", "ext. 55213", "#4567", "pager 12345", "+44 20 7946 0018", "020 7946 0018", "+49 (30) 901820"],
)
def test_other_phones_keep_their_shape(value: str) -> None:
    new = made("PHONE", value)
    assert shape(new) == shape(value)
    assert new != value


@pytest.mark.parametrize("value", ["617-253-0199²", "617 253 0199 ①", "x4411³"])
def test_a_mark_that_is_no_digit_stays_beside_a_phone(value: str) -> None:
    new = made("PHONE", value)
    assert shape(new) == shape(value)
    assert new != value


def test_a_number_kept_for_fiction_still_changes() -> None:
    for key in range(50):
        assert made("PHONE", "555-0199", key=bytes([key]) * 32) != "555-0199"


@pytest.mark.parametrize("key", range(30))
def test_a_social_security_number_is_nobodys(key: int) -> None:
    new = made("SSN", "123-45-6789", key=bytes([key]) * 32)
    assert re.fullmatch(r"9\d\d-[0-4]\d-\d{4}", new)
    assert new[4:6] != "00"
    assert made("SSN", "6789", key=bytes([key]) * 32) == new[-4:]
    assert made("SSN", "xxx-xx-6789", key=bytes([key]) * 32) == f"xxx-xx-{new[-4:]}"


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("LICENSE", "1245319599"),
        ("LICENSE", "AB1234563"),
        ("VEHICLE", "1M8GDM9AXKP042788"),
        ("IDNUM", "943 476 5919"),
        ("ACCOUNT", "4111111111111111"),
        ("IDNUM", "111222333"),
        ("IDNUM", "54362315K"),
        ("MEDICALRECORD", "1234567"),
        ("MEDICALRECORD", "MR-00-12345"),
        ("DEVICE", "sn 77-xk-9"),
    ],
)
def test_identifiers_keep_their_shape_and_fail_every_check(label: str, value: str) -> None:
    for key in range(20):
        new = made(label, value, key=bytes([key]) * 32)
        plain = re.sub(r"\W", "", new).upper()
        assert shape(new) == shape(value)
        assert new != value
        assert not any(check(plain) for check in CHECKS)


def test_the_checks_know_what_is_valid() -> None:
    valid = ["1245319599", "AB1234563", "1M8GDM9AXKP042788", "9434765919", "4111111111111111", "111222333", "54362315K"]
    assert all(any(check(number) for check in CHECKS) for number in valid)
    assert luhn.is_valid("4111111111111111")
    assert nhs.is_valid("9434765919")


def test_one_number_in_two_writings_has_one_surrogate() -> None:
    plan = plan_of(("MEDICALRECORD", "123-45-67"), ("MEDICALRECORD", "1234567"))
    assert (plan.surrogate("MEDICALRECORD", "123-45-67") or "").replace("-", "") == plan.surrogate("MEDICALRECORD", "1234567")


def test_addresses_of_networks_are_for_documentation() -> None:
    assert re.fullmatch(r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+", made("IPADDR", "10.1.2.3"))
    assert made("IPADDR", "fe80::1ff:fe23:4567:890a").startswith("2001:db8::")
    assert re.fullmatch(r"https://www\.example\.(org|com|net)/[a-z]{6}", made("URL", "https://www.mercy.org/patients?id=12"))
    assert re.fullmatch(r"example\.(org|com|net)", made("URL", "mercy.org"))


def test_accounts_follow_the_surrogate_person() -> None:
    plan = plan_of(("PATIENT", "Mirela Kaczmarek"), ("DOCTOR", "Jan Okafor"))
    given, family = (plan.surrogate("PATIENT", "Mirela Kaczmarek") or "").lower().split()
    email = plan.surrogate("EMAIL", "m.kaczmarek@mercy.org") or ""
    assert email.split("@")[0] == f"{given[0]}.{family}"
    assert re.fullmatch(r"example\.(org|com|net)", email.split("@")[1])
    assert re.fullmatch(rf"{given[0]}{family}\d\d", plan.surrogate("USERNAME", "mkaczmarek72") or "")
    assert re.fullmatch(rf"{given[0]}{family[0]}\d\d\d", plan.surrogate("USERNAME", "mk204") or "")
    assert plan.surrogate("EMAIL", "Mirela.Kaczmarek@mercy.org", None) == f"{given.title()}.{family.title()}@{email.split('@')[1]}"


def test_a_city_lies_in_its_new_state_and_zip_area() -> None:
    cities = {(name, state): area for name, state, area in word_rows("cities-us")}
    for key in range(20):
        plan = plan_of(
            ("CITY", "Boston"), ("CITY", "WORCESTER"), ("STATE", "MA"), ("STATE", "Massachusetts"), ("ZIP", "02118"), key=bytes([key]) * 32
        )
        state = plan.surrogate("STATE", "MA") or ""
        assert state != "MA"
        assert (state, plan.surrogate("STATE", "Massachusetts")) in {(row[1], row[0]) for row in word_rows("states")}
        boston, worcester = plan.surrogate("CITY", "Boston") or "", (plan.surrogate("CITY", "Worcester") or "")
        assert cities[boston, state] == (plan.surrogate("ZIP", "02118") or "")[:3]
        assert (worcester, state) in cities
        assert boston != worcester
        assert plan.surrogate("CITY", "WORCESTER") == worcester.upper()


def test_a_kept_state_keeps_the_new_city_in_it() -> None:
    cities = {(name, state) for name, state, _ in word_rows("cities-us")}
    plan = plan_of(("CITY", "Boston"), ("STATE", "MA"), policy="safe-harbor")
    assert (plan.surrogate("CITY", "Boston"), "MA") in cities


@pytest.mark.parametrize("value", ["EC1A 1BB", "K1A 0B1"])
def test_foreign_postcodes_start_as_none_does(value: str) -> None:
    new = made("ZIP", value)
    assert shape(new) == shape(value)
    assert new[0] == "Q"


def test_an_institution_keeps_its_kind_and_its_short_names_follow() -> None:
    plan = plan_of(("HOSPITAL", "Mercy General Hospital"), ("HOSPITAL", "MGH"), ("HOSPITAL", "Mercy"), ("HOSPITAL", "MERCY GENERAL"))
    name, *kind = (plan.surrogate("HOSPITAL", "Mercy General Hospital") or "").split()
    assert kind == ["General", "Hospital"]
    assert plan.surrogate("HOSPITAL", "MGH") == f"{name[0]}GH"
    assert plan.surrogate("HOSPITAL", "Mercy") == name
    assert plan.surrogate("HOSPITAL", "MERCY GENERAL") == f"{name} GENERAL".upper()


@pytest.mark.parametrize(
    ("label", "value", "pattern"),
    [
        ("STREET", "12 Oakwood Road, Apt 4B", r"\d\d [A-Z][A-Za-z]+ Road, Apt \d[A-Z]"),
        ("STREET", "12 Park Street", r"\d\d (?!Park)[A-Z][A-Za-z]+ Street"),
        ("STREET", "5 West Hill Road", r"\d West (?!Hill)[A-Z][A-Za-z]+ Road"),
        ("STREET", "5 West Street", r"\d (?!West)[A-Z][A-Za-z]+ Street"),
        ("STREET", "7th st", r"[^7](st|nd|rd|th) st"),
        ("HOSPITAL", "Queen of the Valley Hospital", r"[A-Z][A-Za-z]+ Hospital"),
        ("DEPARTMENT", "4 West", r"[^4] West"),
        ("ORGANIZATION", "Park Bank", r"(?!Park)[A-Z][A-Za-z]+ Bank"),
        ("STREET", "P.O. Box 1234", r"P\.O\. Box \d{4}"),
        ("ORGANIZATION", "Acme Steel Company", r"[A-Z][A-Za-z]+ Steel Company"),
        ("HOSPITAL", "St. Mary's Hospital", r"St\. [A-Z][a-z]+'s Hospital"),
        ("HOSPITAL", "General Hospital", r"[A-Z][A-Za-z]+ Hospital"),
        ("DEPARTMENT", "Cardiology", r"[A-Z]\w+"),
        ("DEPARTMENT", "Department of Neurology", r"Department of [A-Z]\w+"),
        ("ROOM", "Room 412B", r"Room \d{3}[A-Z]"),
        ("LOCATION-OTHER", "Golden Gate Bridge", r"[A-Z][A-Za-z]+ Bridge"),
        ("PROFESSION", "retired teacher", r"retired [a-z ]+"),
        ("COUNTRY", "Poland", r"[A-Z].+"),
        ("ORGANIZATION", "University of Michigan", r"University of [A-Z][A-Za-z]+"),
        ("CITY", "Warsaw", "[A-Z].+"),
        ("STREET", "1600 PENNSYLVANIA AVENUE NW", r"\d{4} [A-Z]+ AVENUE NW"),
        ("STATE", "Mass.", "[A-Z].+"),
    ],
)
def test_named_things_keep_their_frame(label: str, value: str, pattern: str) -> None:
    new = made(label, value)
    assert re.fullmatch(pattern, new)
    assert new != value


def test_a_surrogate_is_no_real_value_of_the_patient() -> None:
    """With so many real names that most draws are one of them."""
    rows = [row[0] for row in word_rows("surnames")[:3900]]
    plan = plan_of(("PATIENT", "Mirela Kaczmarek"), *(("DOCTOR", f"{name}") for name in rows))
    assert (plan.surrogate("PATIENT", "Kaczmarek") or "").casefold() not in {name.casefold() for name in rows}


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("OTHER", "a rose tattoo"),
        ("ROOM", "ICU"),
        ("EMAIL", "no at sign"),
        ("ZIP", "1"),
        ("SSN", "12"),
        ("UNHEARD", "x"),
        ("STATE", "Bliss"),
        ("IPADDR", "none"),
        ("PHONE", "1-800-FLOWERS"),
        ("AGE", "old"),
    ],
)
def test_what_cannot_be_made_is_none_so_that_it_is_masked(label: str, value: str) -> None:
    assert plan_of((label, value)).surrogate(label, value) is None


@pytest.mark.parametrize(
    ("value", "capped"),
    [
        ("0", "0"),
        ("67", "67"),
        ("89", "89"),
        ("90", "90+"),
        ("91", "90+"),
        ("103", "90+"),
        ("89-year-old", "89-year-old"),
        ("90yo", "90+ yo"),
        ("91 y/o", "90+ y/o"),
        ("18-month-old", "18-month-old"),
        ("100 months", "100 months"),
        ("96 hours", "96 hours"),
        ("90s", "90+"),
        ("80s", "80s"),
        ("early 90's", "90+"),
        ("nineties", "90+"),
        ("ninety-one", "90+"),
        ("one hundred and two", "90+"),
        ("eighty-nine", "eighty-nine"),
        ("nonagenarian", "90+"),
        (">89", "90+"),
        ("over 89", "90+"),
        ("aged 91", "aged 90+"),
        ("91M", "90+ M"),
        ("old", None),
        ("", None),
    ],
)
def test_ages_are_capped_at_ninety(value: str, capped: str | None) -> None:
    assert cap_age(value) == capped


@pytest.mark.parametrize(
    "value",
    ["67", "67yo", "18-month-old", "4-day-old", "DOL 5", "89", "4 days", "sixty-seven", "80s", "in her 50s", "2.5", "5 1/2", "octogenarian",
     "teens", "50th", "85 y/o", "eighty-fifth", "six-week-old", "3 mo", "36h old"],
)  # fmt: skip
def test_an_age_up_to_89_stays_as_written(value: str) -> None:
    assert made("AGE", value) == value


@pytest.mark.parametrize(
    ("value", "an"), [("engineer", True), ("retired accountant", True), ("plumber", False), ("union organizer", False)]
)
def test_a_profession_keeps_the_article_before_it(value: str, an: bool) -> None:
    for seed in range(20):
        job = made("PROFESSION", value, key=bytes([seed]) * 32).removeprefix("retired ")
        assert job.startswith(("a", "e", "i", "o", "u")) == an
        assert job not in value


def test_every_zip_area_of_the_country_has_a_surrogate() -> None:
    for area, *_ in word_rows("zip3"):
        assert re.fullmatch(r"\d{5}", made("ZIP", f"{area}01"))


def test_washington_is_not_taken_for_western_australia() -> None:
    assert made("STATE", "Washington") not in {"Victoria", "Queensland", "Tasmania", "New South Wales", "South Australia"}


@pytest.mark.parametrize("value", ["AT&T", "In-N-Out Burger"])
def test_a_name_that_opens_with_a_small_word_goes_whole(value: str) -> None:
    new = made("ORGANIZATION", value)
    assert not {"at", "in", "out", "t", "n"} & set(re.findall(r"[a-z]+", new.casefold()))


@pytest.mark.parametrize(
    ("label", "value", "shape"),
    [
        ("STATE", "NSW", r"[A-Z]{2,3}"),
        ("STATE", "N.J.", r"[A-Z]{2}"),
        ("STATE", "W. Va.", r"[A-Z]{2}"),
        ("PHONE", "514 555-0148 poste 22", r"\d{3} \d{3}-\d{4} poste \d\d"),
        ("STATE", "Co. Mayo", r"Co\. [A-Z][a-z]+"),
        ("STATE", "Karnataka", r"[A-Z][a-z]+"),
        ("STATE", "Bengaluru", r"[A-Z][A-Za-z' -]+"),
        ("STATE", "Cheshire", r"[A-Z][a-z]+shire"),
        ("STATE", "UK", r"[A-Z][a-z][A-Za-z ]+"),
        ("COUNTRY", "USA", r"[A-Z][a-z][A-Za-z ]+"),
        ("ZIP", "2650", r"\d{4}"),
        ("ZIP", "560 038", r"\d{3} \d{3}"),
        ("SSN", "943 476 5919", r"\d{3} \d{3} \d{4}"),
        ("SSN", "A123456(3)", r"[A-Z]\d{6}\(\d\)"),
        ("SSN", "QQ 12 34 56 C", r"[A-Z]{2} \d\d \d\d \d\d [A-Z]"),
        ("STREET", "5th and Main", r"\d(?:st|nd|rd|th) and [A-Z][a-z]+"),
    ],
)
def test_what_is_written_so_abroad_has_a_surrogate_that_is_written_so(label: str, value: str, shape: str) -> None:
    new = made(label, value)
    assert new != value
    assert re.fullmatch(shape, new)


@pytest.mark.parametrize("value", ["241 spring", "12 Broadway", "5 W Park", "9 Lake"])
def test_a_street_that_is_named_by_its_last_word_alone_loses_it(value: str) -> None:
    assert value.split()[-1] not in made("STREET", value)


@pytest.mark.parametrize(("label", "value"), [("ORGANIZATION", "Oklahoma City Insurance"), ("DOCTOR", "Fadi al-Hashimi")])
def test_a_small_word_of_a_city_masks_nothing_else(label: str, value: str) -> None:
    plan = plan_of(("CITY", "Salt Lake City"), ("CITY", "Reef al Fujairah"), (label, value))
    assert plan.surrogate(label, value) is not None


def test_a_word_of_a_street_that_tells_nothing_forbids_no_hospital() -> None:
    plan = plan_of(("STREET", "County Road 418"), ("HOSPITAL", "Stone County Nursing & Rehab"))
    assert (plan.surrogate("HOSPITAL", "Stone County Nursing & Rehab") or "").endswith(" County Nursing & Rehab")

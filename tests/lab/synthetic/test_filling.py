"""Every slot and form that the language has gives a value of its label, in every audience and profile."""

import re
from datetime import date
from random import Random

import pytest

from incognote.document import scheme
from incognote.lab.synthetic.charts import Chart
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.dates import FORMS, SHAPES, write_date, write_range, write_shape
from incognote.lab.synthetic.filling import FILLS, age_on
from incognote.lab.synthetic.language import parse
from incognote.lab.synthetic.library import library
from incognote.lab.synthetic.name_grammar import spell_name
from incognote.lab.synthetic.numbers import make_number
from incognote.lab.synthetic.people import make_person, write_name
from incognote.lab.synthetic.slots import AGES, CONTACTS, DATES, DOCTORS, IDS, PLAIN, SLOTS, TERMS
from incognote.lab.synthetic.style_profiles import make_profile
from incognote.lab.synthetic.writing import expand
from incognote.lexicon.check_digits import NPI_PREFIX, is_luhn

EVERY_FORM = [(slot, form) for slot, forms in SLOTS.items() for form in ("", *sorted(forms))]
AUDIENCES = ("adult", "child", "infant", "woman", "man", "elder")


def _context(number: int) -> NoteContext:
    rng = Random(number)
    chart = Chart(f"test/{number}", "all", AUDIENCES[number % len(AUDIENCES)], make_profile(rng, "all"))
    return NoteContext(chart, chart.first_visit, rng)


@pytest.mark.parametrize(("slot", "form"), EVERY_FORM)
def test_every_slot_and_form_gives_clean_values(slot: str, form: str) -> None:
    labels = {"", *scheme("i2b2-2014").labels}
    plain = slot in (*PLAIN, *TERMS, "lot") or form in ("relation", "their")
    for number in range(60):
        segments = FILLS[slot](_context(number), form)
        assert {label for _, label in segments} <= labels
        assert plain == all(not label for _, label in segments)
        assert all(text == text.strip() and text for text, label in segments if label)


def test_the_table_of_fills_is_the_table_of_slots() -> None:
    assert FILLS.keys() == SLOTS.keys()


@pytest.mark.parametrize(
    ("slots", "label"),
    [(DOCTORS, "DOCTOR"), (DATES, "DATE"), (AGES, "AGE"), (("nursinghome", "clinic"), "HOSPITAL"), (("device.lot",), "DEVICE")],
)
def test_slots_have_the_label_of_the_rules(slots: tuple[str, ...], label: str) -> None:
    for slot in slots:
        assert {found for _, found in FILLS[slot](_context(1), "") if found} == {label}


def test_titles_and_degrees_stand_outside_the_span() -> None:
    for number in range(200):
        rng = Random(number)
        person = make_person(rng, "all", role="attending")
        for form in ("title_last", "title_full", "degree"):
            [name] = [text for text, label in write_name(person, form, "DOCTOR", rng) if label]
            assert not re.search(r"\bDr\b|\bM\.?D\b", name.replace(person.last, "").replace(person.first, "")), name


def test_the_age_fits_the_birth_date_and_the_date_of_the_note() -> None:
    assert age_on(date(1960, 5, 2), date(2020, 5, 1)) == 59
    assert age_on(date(1960, 5, 2), date(2020, 5, 2)) == 60
    for number in range(0, 60, 6):
        context = _context(number)
        [(age, _)] = FILLS["age"](context, "")
        assert int(age) == age_on(context.chart.birth, context.today)


def test_facts_do_not_depend_on_the_order_they_are_asked_for() -> None:
    profile = make_profile(Random(1), "all")
    one, two = Chart("k", "all", "adult", profile), Chart("k", "all", "adult", profile)
    first = (one.patient, one.home, one.staff("pcp"), one.relative("relative"))
    second = (two.relative("relative"), two.staff("pcp"), two.home, two.patient)
    assert first == tuple(reversed(second))


def test_city_state_and_zip_belong_together() -> None:
    for number in range(40):
        context = _context(number)
        labels = [label for _, label in FILLS["address"](context, "") if label]
        assert labels == ["STREET", "CITY", "STATE", "ZIP"]


def test_slots_of_one_person_side_by_side_are_one_span() -> None:
    template, _ = parse(
        "{patient.first} {patient.last} and {pcp.last}, {pcp.first} with {relative.first}, {relative2.first}; {pcp.last}, {pcp.last}"
    )
    labels = [label for _, label in expand(template, _context(4), library()) if label]
    assert labels == ["PATIENT", "DOCTOR", "PATIENT", "PATIENT", "DOCTOR", "DOCTOR"]


def test_text_that_the_writer_means_is_plain_and_an_age_in_words_is_phi() -> None:
    template, faults = parse("{=2021 ESC guideline, pH 7.32/48/62}: {age.words}")
    assert not faults
    plain, _, spelled = expand(template, _context(2), library())
    assert plain == ("2021 ESC guideline, pH 7.32/48/62", "")
    assert spelled[1] == "AGE"
    assert spelled[0].replace("-", "").isalpha()


def test_the_article_fits_the_value_and_an_x_belongs_to_its_extension() -> None:
    template, _ = parse("a {#80-89}-year-old, x{phone.ext}")
    segments = expand(template, _context(2), library())
    assert segments[0] == ("an ", "")
    assert segments[-1][0].startswith("x")
    assert segments[-1][1] == "PHONE"


def test_numbers_have_their_check_digits() -> None:
    for number in range(50):
        npi = make_number("npi", Random(number))
        assert is_luhn(NPI_PREFIX + npi)
        dea = make_number("dea", Random(number))
        digits = [int(digit) for digit in dea[2:]]
        assert (digits[0] + digits[2] + digits[4] + 2 * (digits[1] + digits[3] + digits[5])) % 10 == digits[6]


def test_every_date_shape_is_written_and_forms_name_shapes_that_exist() -> None:
    day = date(2019, 7, 2)
    assert len({write_shape(shape, day) for shape in SHAPES}) == len(SHAPES)
    assert {name for names in FORMS.values() for name in names} <= SHAPES.keys()
    assert write_date(day, "iso", "slash", Random(1))[0][0].startswith("2019")
    ranges = {tuple(label for _, label in write_range(day, Random(seed))) for seed in range(40)}
    assert ranges == {("DATE", "", "DATE"), ("DATE",)}


def test_the_name_grammar_spells_thousands_of_names() -> None:
    rng = Random(1)
    for kind in ("hospital", "clinic", "employer", "street"):
        assert len({spell_name(kind, rng, "all") for _ in range(2000)}) > 1200, kind


def test_contacts_and_ids_vary_in_shape() -> None:
    for slot in ("phone", "mrn", "healthplan", "device"):
        assert slot in (*CONTACTS, *IDS)
        values = {FILLS[slot](_context(number), "")[0][0] for number in range(80)}
        assert len({re.sub(r"\d", "9", value) for value in values}) > 5, slot


@pytest.mark.parametrize(("slot", "label"), [("someone2", "PATIENT"), ("staff2", "DOCTOR")])
def test_a_bystander_who_comes_back_is_the_same_person(slot: str, label: str) -> None:
    template, _ = parse(f"{{{slot}.first}} {{{slot}.last}} said. {{{slot}.last}} again; {{{slot}.first}} left.")
    for number in range(20):
        whole, last, first = [text for text, found in expand(template, _context(number), library()) if found == label]
        assert whole == f"{first} {last}"

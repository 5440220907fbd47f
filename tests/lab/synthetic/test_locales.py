"""Charts of other countries: their addresses, numbers, dates and words are of that country, and every skeleton gets the right one."""

import re
from collections import Counter
from random import Random

import pytest

from incognote.document import scheme
from incognote.lab.synthetic import library, synthesize
from incognote.lab.synthetic.charts import Chart
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.filling import FILLS
from incognote.lab.synthetic.locales import ABROAD, draw_locale, locales, towns_of
from incognote.lab.synthetic.slots import SLOTS
from incognote.lab.synthetic.style_profiles import make_profile
from incognote.lab.synthetic.vocabulary import foreign_names, world_cities


def _context(number: int, locale: str) -> NoteContext:
    rng = Random(number)
    chart = Chart(f"test/{number}", "all", ("adult", "child", "elder")[number % 3], make_profile(rng, "all", locales()[locale]))
    return NoteContext(chart, chart.first_visit, rng)


def _values(slot: str, locale: str) -> list[str]:
    return [FILLS[slot](_context(number, locale), "")[0][0] for number in range(150)]


@pytest.mark.parametrize("locale", sorted(locales()))
def test_every_slot_gives_clean_values_in_every_country(locale: str) -> None:
    labels = {"", *scheme("i2b2-2014").labels}
    for slot, forms in SLOTS.items():
        for form in ("", *sorted(forms)):
            for number in range(4):
                segments = FILLS[slot](_context(number, locale), form)
                assert {label for _, label in segments} <= labels
                assert all(text == text.strip() and text for text, label in segments if label), (slot, form)


@pytest.mark.parametrize("locale", sorted(locales()))
def test_the_tables_name_origins_grammar_files_and_parts_that_exist(locale: str) -> None:
    one = locales()[locale]
    assert set(one.origins) <= foreign_names("all").keys()
    assert f"street_{one.family}" in library().names
    assert f"hospital_{one.family}" in library().names
    assert one.codes or all(shape for _, _, shape in one.states)
    assert {part for layout in one.addresses for part in re.findall(r"\{(\w*)\}", layout)} <= {"street", "city", "state", "code", "zip"}
    assert set(one.ids) == {"mrn", "healthplan", "ssn", "license", "caseno"}
    assert set(one.ids) <= SLOTS.keys()


@pytest.mark.parametrize(
    ("locale", "slot", "shape"),
    [
        ("GB", "zip", r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"),
        ("IE", "zip", r"[A-Z]\d[\dW] [A-Z\d]{4}"),
        ("AU", "zip", r"\d{4}"),
        ("IN", "zip", r"\d ?\d\d ?\d{3}"),
        ("CA", "zip", r"[A-Z]\d[A-Z] ?\d[A-Z]\d"),
        ("SG", "zip", r"S?\(?\d{6}\)?"),
    ],
)
def test_postcodes_have_the_shape_of_the_country(locale: str, slot: str, shape: str) -> None:
    assert all(re.fullmatch(shape, value) for value in _values(slot, locale))


def test_numbers_are_mostly_of_the_country() -> None:
    assert sum(bool(re.match(r"0\d|\+44|\(0", value)) for value in _values("phone", "GB")) > 120
    assert sum(bool(re.match(r"\+?91|98|7|0", value)) for value in _values("phone", "IN")) > 120
    assert sum(bool(re.fullmatch(r"[STGM](?:x{4}|\d{4})\d{3}[A-Z]", value)) for value in _values("ssn", "SG")) > 80
    assert sum(bool(re.fullmatch(r"[A-Z]{3} ?\d{2}(?:\d{2}|[A-Z]{2})", value)) for value in _values("mrn", "NZ")) > 80


def test_dates_are_day_first_and_kin_and_holidays_are_of_the_country() -> None:
    for number in range(150):
        context = _context(number, "GB")
        birth = context.chart.birth
        [(written, _)] = FILLS["dob"](context, "slash")
        assert list(map(int, written.split("/"))) == [birth.day, birth.month, birth.year]
    words = {FILLS["relative"](_context(number, "GB"), "relation")[0][0] for number in range(300)}
    assert {"mum", "neighbour"} <= words
    assert any(value.startswith("Boxing Day") for value in _values("date.holiday", "GB"))
    patients = [[text for text, _ in FILLS["patient"](_context(number, "IN"), "full")] for number in range(150)]
    assert any(len(parts) == 3 and re.search("[SWD]/o", parts[1], re.IGNORECASE) for parts in patients)


def test_skeletons_of_other_countries_get_them_and_few_others_do() -> None:
    found = {skeleton.name: skeleton.locales for skeleton in library().skeletons}
    assert found["mixed_note/south_asia_1.opd_card"] == ("IN",)
    assert found["mixed_note/africa_1.sa_clinic"] == ("ZA",)
    assert found["mixed_note/international_3.sa_er"] == ("AE",)
    assert found["mixed_note/international_4.hk_ha"] == ("HK",)
    assert {code for codes in found.values() for code in codes} == locales().keys()
    assert sum(not codes for codes in found.values()) > 0.8 * len(found)
    rng = Random(1)
    share = Counter(draw_locale(rng) is None for _ in range(5000))[False] / 5000
    assert abs(share - ABROAD) < 0.02


def test_towns_of_train_and_test_are_apart() -> None:
    for code, locale in locales().items():
        train, test = set(towns_of(locale, "train")), set(towns_of(locale, "test"))
        assert not train & test or len(towns_of(locale, "all")) < 120, code
    assert set(towns_of(locales()["NZ"], "all")) == set(world_cities("all", "NZ"))


def test_british_notes_have_british_postcodes() -> None:
    notes = synthesize(300, seed=1, only="mixed_note/britain_and_ireland*")
    codes = [note.value(span) for note in notes for span in note.spans if span.label == "ZIP"]
    british = [code for code in codes if re.match(r"[A-Za-z]{1,2}\d", code)]
    assert len(british) > 0.8 * len(codes) > 10

"""Charts of other countries: their addresses, numbers, dates and words are of that country, and every skeleton gets the right one."""

import re
from collections import Counter
from random import Random

import pytest

from incognote.document import scheme
from incognote.lab.synthetic import library, synthesize
from incognote.lab.synthetic.filling import FILLS
from incognote.lab.synthetic.houses import make_house
from incognote.lab.synthetic.lands import ABROAD, draw_land, lands, lands_of, towns_of
from incognote.lab.synthetic.lists import foreign_names, world_cities
from incognote.lab.synthetic.scenes import Scene
from incognote.lab.synthetic.slots import SLOTS
from incognote.lab.synthetic.world import Chart


def _scene(number: int, land: str) -> Scene:
    rng = Random(number)
    chart = Chart(f"test/{number}", "all", ("adult", "child", "elder")[number % 3], make_house(rng, "all", lands()[land]))
    return Scene(chart, chart.first_visit, rng)


def _values(slot: str, land: str) -> list[str]:
    return [FILLS[slot](_scene(number, land), "")[0][0] for number in range(150)]


@pytest.mark.parametrize("land", sorted(lands()))
def test_every_slot_gives_clean_values_in_every_country(land: str) -> None:
    labels = {"", *scheme("i2b2-2014").labels}
    for slot, forms in SLOTS.items():
        for form in ("", *sorted(forms)):
            for number in range(4):
                segments = FILLS[slot](_scene(number, land), form)
                assert {label for _, label in segments} <= labels
                assert all(text == text.strip() and text for text, label in segments if label), (slot, form)


@pytest.mark.parametrize("land", sorted(lands()))
def test_the_tables_name_origins_makers_and_parts_that_exist(land: str) -> None:
    one = lands()[land]
    assert set(one.origins) <= foreign_names("all").keys()
    assert f"street_{one.family}" in library().makers
    assert f"hospital_{one.family}" in library().makers
    assert one.codes or all(shape for _, _, shape in one.states)
    assert {part for layout in one.addresses for part in re.findall(r"\{(\w*)\}", layout)} <= {"street", "city", "state", "code", "zip"}
    assert set(one.ids) == {"mrn", "healthplan", "ssn", "license", "caseno"}
    assert set(one.ids) <= SLOTS.keys()


@pytest.mark.parametrize(
    ("land", "slot", "shape"),
    [
        ("GB", "zip", r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"),
        ("IE", "zip", r"[A-Z]\d[\dW] [A-Z\d]{4}"),
        ("AU", "zip", r"\d{4}"),
        ("IN", "zip", r"\d ?\d\d ?\d{3}"),
        ("CA", "zip", r"[A-Z]\d[A-Z] ?\d[A-Z]\d"),
        ("SG", "zip", r"S?\(?\d{6}\)?"),
    ],
)
def test_postcodes_have_the_shape_of_the_country(land: str, slot: str, shape: str) -> None:
    assert all(re.fullmatch(shape, value) for value in _values(slot, land))


def test_numbers_are_mostly_of_the_country() -> None:
    assert sum(bool(re.match(r"0\d|\+44|\(0", value)) for value in _values("phone", "GB")) > 120
    assert sum(bool(re.match(r"\+?91|98|7|0", value)) for value in _values("phone", "IN")) > 120
    assert sum(bool(re.fullmatch(r"[STGM](?:x{4}|\d{4})\d{3}[A-Z]", value)) for value in _values("ssn", "SG")) > 80
    assert sum(bool(re.fullmatch(r"[A-Z]{3} ?\d{2}(?:\d{2}|[A-Z]{2})", value)) for value in _values("mrn", "NZ")) > 80


def test_dates_are_day_first_and_kin_and_holidays_are_of_the_country() -> None:
    for number in range(150):
        scene = _scene(number, "GB")
        birth = scene.chart.birth
        [(written, _)] = FILLS["dob"](scene, "slash")
        assert list(map(int, written.split("/"))) == [birth.day, birth.month, birth.year]
    words = {FILLS["relative"](_scene(number, "GB"), "relation")[0][0] for number in range(300)}
    assert {"mum", "neighbour"} <= words
    assert any(value.startswith("Boxing Day") for value in _values("date.holiday", "GB"))
    patients = [[text for text, _ in FILLS["patient"](_scene(number, "IN"), "full")] for number in range(150)]
    assert any(len(parts) == 3 and re.search("[SWD]/o", parts[1], re.IGNORECASE) for parts in patients)


def test_skeletons_of_other_countries_get_them_and_few_others_do() -> None:
    found = {skeleton.name: lands_of(skeleton) for skeleton in library().skeletons}
    assert found["asia_india.opd_card"] == ("IN",)
    assert found["africa_notes.sa_clinic"] == ("ZA",)
    assert found["abroad_posts.sa_er"] == ("AE",)
    assert found["asia_east.hk_ha"] == ("HK",)
    assert {code for codes in found.values() for code in codes} == lands().keys()
    abroad = (
        "britain_",
        "pacific_",
        "asia_",
        "africa_",
        "abroad_",
        "visit_abroad",
        "voice_abroad",
        "doubt_abroad",
        "request_abroad",
        "terse_abroad",
        "post_uk",
        "post_abroad",
        "chart_abroad",
        "seek_world",
        "craft_lands",
        "lands_",
        "overseas_",
        "inbox_",
        "inquiry_world",
        *("epistle_uk", "epistle_pacific", "epistle_canada", "epistle_india", "epistle_east", "epistle_africa"),
    )
    assert all(not codes or name.startswith(abroad) for name, codes in found.items())
    rng = Random(1)
    share = Counter(draw_land(rng) is None for _ in range(5000))[False] / 5000
    assert abs(share - ABROAD) < 0.02


def test_towns_of_train_and_test_are_apart() -> None:
    for code, land in lands().items():
        train, test = set(towns_of(land, "train")), set(towns_of(land, "test"))
        assert not train & test or len(towns_of(land, "all")) < 120, code
    assert set(towns_of(lands()["NZ"], "all")) == set(world_cities("all", "NZ"))


def test_british_notes_have_british_postcodes() -> None:
    codes = [note.value(span) for note in synthesize(300, seed=1, only="britain_*") for span in note.spans if span.label == "ZIP"]
    british = [code for code in codes if re.match(r"[A-Za-z]{1,2}\d", code)]
    assert len(british) > 0.8 * len(codes) > 10

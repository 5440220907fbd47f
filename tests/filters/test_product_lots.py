"""Lots of vaccines, drugs, tests and kits, and catalogue numbers of implants, are nobody's; lots of what is implanted stay."""

import pytest

from incognote.document import Span
from incognote.filters.product_lots import is_product_lot
from tests.judged import find_by_rules, guard_spans

TABLE = """VACCINE            BRAND        LOT       CVX
COVID XBB.1.5      Spikevax     3042447   312
MMR                M-M-R II     X018841   03
"""
BARRED = "| Date | Vaccine | Lot no. | By |\n|---|---|---|---|\n| 3/4/24 | Tdap | 8812077 | JM |"
IMPLANTS = "Component    Size   Lot\nFemoral stem 4      44182207\n"


@pytest.mark.parametrize(("table", "value"), [(TABLE, "3042447"), (TABLE, "X018841"), (BARRED, "8812077")])
def test_a_number_under_the_head_lot_of_a_table_of_vaccines_is_left(table: str, value: str) -> None:
    found = find_by_rules(table)
    assert value not in [table[span.start : span.end] for span in found]


def test_a_number_under_another_head_is_not_a_lot() -> None:
    text = "VACCINE   MRN       LOT\nTdap      30424471  U7719AA\n"
    assert [text[span.start : span.end] for span in find_by_rules(text)] == ["30424471"]


def test_a_lot_in_a_table_of_implants_stays() -> None:
    at = IMPLANTS.index("44182207")
    assert not is_product_lot(IMPLANTS, at, at + 8)


@pytest.mark.parametrize("label", ["DEVICE", "IDNUM", "MEDICALRECORD", "PHONE", "ZIP"])
@pytest.mark.parametrize(
    "text",
    [
        "with nirsevimab 50 mg? Lot 77315 was recalled",
        "Troponin run QC fail - rerun. Lot 77315 Westgard 1-3s.",
        "Comirnaty lot 77315; flu HD R delt",
        "Narcan kit replaced, batch no. 77315.",
    ],
)
def test_a_lot_that_a_model_alone_takes_for_a_number_is_dropped(text: str, label: str) -> None:
    at = text.index("77315")
    assert guard_spans([Span(at, at + 5, label, score=1.0, source="model.default")], text) == []


@pytest.mark.parametrize("text", ["Hem-o-lok clips, lot 77315", "Nexplanon 68 mg implant, lot 77315, L arm", "Lot 77315"])
def test_a_lot_of_what_is_implanted_or_of_nothing_told_stays(text: str) -> None:
    at = text.index("77315")
    span = Span(at, at + 5, "DEVICE", score=1.0, source="model.default")
    assert guard_spans([span], text) == [span]

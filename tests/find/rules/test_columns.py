"""Tables are read by the heads of their columns; what no head explains is left."""

import pytest

from incognote.find.rules.columns import find_columns
from incognote.find.rules.engine.reading import Reading


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.label) for span in find_columns(Reading(text))]


def test_cells_between_bars_take_the_label_of_their_head() -> None:
    table = "| Bed | Patient | Age | Cons | Plan |\n|---|---|---|---|---|\n| 4 | Okoro, Ada | 71 | x | 3/7 abx |\n| 5 | empty | | | |\n"
    assert found(table) == [("4", "ROOM"), ("Okoro, Ada", "PATIENT"), ("71", "AGE"), ("5", "ROOM")]


def test_tabs_and_commas_make_tables_too() -> None:
    assert found("Room\tName\tMRN\n12B\tQuill, B\t0099182\n") == [("12B", "ROOM"), ("Quill, B", "PATIENT"), ("0099182", "MEDICALRECORD")]
    assert found("bed,name,age,plan\n7,Ada Okoro,64,home\n") == [("7", "ROOM"), ("Ada Okoro", "PATIENT"), ("64", "AGE")]


def test_a_table_ends_where_its_rows_do() -> None:
    assert found("| Bed | Name | Age |\n| 4 | Okoro, A | 71 |\nSeen today.\n| 9 | 12 | 13 |\n") == [
        ("4", "ROOM"),
        ("Okoro, A", "PATIENT"),
        ("71", "AGE"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "| Test | Result | Range |\n| Na | 140 | 135-145 |\n",
        "Na 140, K 4.1, Cl 101\n12, 14, 15\n",
        "Age, sex, and race were noted.\n",
        "| Bed | Plan |\n| rest | 3/7 |\n",
    ],
)
def test_a_table_of_results_holds_nothing(text: str) -> None:
    assert found(text) == []

"""Rooms, beds and wards: golden lines."""

import pytest

from incognote.rules.rooms import find_rooms
from tests.rules.golden import GoldenLine, check_golden, count_golden, golden_params


@pytest.mark.parametrize("line", golden_params("rooms"))
def test_golden(line: GoldenLine) -> None:
    check_golden(line, find_rooms)


def test_there_are_enough_golden_lines() -> None:
    positive, negative = count_golden("rooms")
    assert positive >= 30
    assert negative >= 10
